"""How to cite: the papers behind every method, and the program itself, as BibTeX."""

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.installation import version
from ..methods import METHODS
from ..methods.base import Method

PAPERS = Path(__file__).with_name("papers.bib")


@dataclass(frozen=True)
class Paper:
    """One entry of a BibTeX file, as it stands there, and what people read of it."""

    key: str
    entry: str
    authors: tuple[str, ...]
    """Each as "Family, Given"."""
    year: int
    title: str
    venue: str
    """The journal, or the proceedings in which it appeared."""
    volume: str
    number: str
    pages: str

    def text(self) -> str:
        """One line for people to read."""
        place = f"{self.venue} {self.volume}" if self.volume else self.venue
        if self.number:
            place += f"({self.number})"
        return f"{' · '.join(self.authors)} ({self.year}). {self.title}. {place}: {self.pages}."


@cache
def papers_in(path: Path) -> dict[str, Paper]:
    """Key -> paper of a BibTeX file with one field a line, in its order; no file, no papers.

    Raises KeyError if an entry lacks author, title, year or pages.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    entries = re.findall(r"^@\w+\{[\w-]+,\n.*?^\}\n", text, re.MULTILINE | re.DOTALL)
    return {paper.key: paper for paper in map(_paper, entries)}


def _paper(entry: str) -> Paper:
    (key,) = re.findall(r"^@\w+\{([\w-]+),", entry)
    rows = re.findall(r"^\s*(\w+) = \{+(.*?)\}+,?$", entry, re.MULTILINE)
    found = {name: value.replace(r"\&", "&") for name, value in rows}
    return Paper(
        key,
        entry,
        tuple(found["author"].split(" and ")),
        int(found["year"]),
        found["title"],
        found.get("journal", found.get("booktitle", "")),
        found.get("volume", ""),
        found.get("number", ""),
        found["pages"].replace("--", "-"),
    )


def papers_of(method: type[Method]) -> tuple[Paper, ...]:
    """The papers behind a method: of `papers.bib` here, or beside the module of one from outside.

    Raises ValueError that names a key that is in neither.
    """
    known = papers_in(PAPERS) | papers_in(Path(inspect.getfile(method)).with_name("papers.bib"))
    for key in method.papers:
        if key not in known:
            raise ValueError(f"{method.name} names a paper {key!r}, which no papers.bib describes.")
    return tuple(known[key] for key in method.papers)


def bibtex(method_names: Sequence[str]) -> str:
    """BibTeX of the program and of the papers behind these methods, each once."""
    program = (
        "@misc{bnpexplorer,\n  author = {{The bnpexplorer developers}},\n"
        "  title = {{bnpexplorer: see Bayesian nonparametric inference happen}},\n"
        f"  note = {{Version: {version()}}}\n}}\n"
    )
    papers = dict.fromkeys(paper for name in method_names for paper in papers_of(METHODS[name]))
    return "\n".join([program, *(paper.entry for paper in papers)])
