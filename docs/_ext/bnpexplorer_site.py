"""The site's version, and pages of the site that are other files of the repository.

A page that is nothing but a link to such a file becomes that file. A link to one leads to its page;
to a file that is no page of the site it becomes its words alone, since the site has no copy of it.
What does not exist stays as it is, and Sphinx warns. `...` at the end of a toctree stands for the
pages of its folder that its page does not name.
"""

import os.path
import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
WHOLE = re.compile(r"\[[^\]]+\]\(([^)\s#]+\.md)\)\n?")
LIGHT = "-light.webp"
LINK = re.compile(r"(!?)\[([^\]]+)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def version() -> str:
    """As `pyproject.toml` says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md":
        file = shown(page)
        app.env.note_dependency(str(file))
        source[0] = with_others(led(file.read_text(encoding="utf-8"), file, page), page)


def with_others(text: str, page: Path) -> str:
    """The text with `...` of a toctree written out."""
    names = [path.stem for path in sorted(page.parent.glob("*.md")) if path != page]
    others = [name for name in names if not re.search(rf"^(.*<)?{name}>?$", text, re.MULTILINE)]
    return text.replace("\n...\n```", "\n" + "".join(f"{name}\n" for name in others) + "```")


def shown(page: Path) -> Path:
    """The file of which a page of the site consists: another one, or itself."""
    whole = WHOLE.fullmatch(page.read_text(encoding="utf-8"))
    return (page.parent / whole[1]).resolve() if whole else page


def led(text: str, file: Path, page: Path) -> str:
    """The text of `file` as it stands at the place of `page`; code stays as it is."""
    pages = {shown(path): path for path in sorted(DOCS.rglob("*.md"), reverse=True)}

    def link(found: re.Match[str]) -> str:
        mark, words, target, anchor = found.groups()
        there = (file.parent / target).resolve()
        if not target or ":" in target or not there.exists():
            return found[0]
        there = pages.get(there, there)
        if not mark and not there.is_relative_to(DOCS):
            return words
        to = os.path.relpath(there, page.parent)
        if mark and to.endswith(LIGHT):  # its twin stands in its place where colours are dark
            twin = to.removesuffix(LIGHT) + "-dark.webp"
            return f"![{words}]({to}){{.only-light}} ![{words}]({twin}){{.only-dark}}"
        return f"{mark}[{words}]({to}{anchor or ''})"

    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)
