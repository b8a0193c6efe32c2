"""The site is built from docs/ without a warning, its links hold, and mistakes do not pass."""

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bnpexplorer
from bnpexplorer import chains, claims, compare, evaluate, export
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.methods import METHODS

pytestmark = pytest.mark.second

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PUBLIC = (bnpexplorer, chains, claims, compare, evaluate, export)
WRONG = {
    "[there](nowhere.md)": "nowhere.md",
    "$$ \\nosuchcommand{x} $$": "nosuchcommand",
    "```{code-of} methods/lda_svi.py LdaSvi.nosuchstep\n```": "nosuchstep",
    "```{method-facts} lda-nosuch\n```": "lda-nosuch",
    "```{eval-rst}\n.. autofunction:: bnpexplorer.nosuchname\n```": "nosuchname",
}
"""What a page may say by mistake, and what the build must name."""


def wrong_links(site: Path) -> list[str]:
    spec = importlib.util.spec_from_file_location("links", DOCS / "_ext" / "links.py")
    assert spec is not None
    assert spec.loader is not None
    links = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(links)
    return list(links.wrong(site))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [ROOT / ".ci" / "docs", folder],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_the_site_is_built_and_its_links_hold(site):
    assert (site / "index.html").exists()
    assert len(list(site.rglob("*.html"))) > 60
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    words = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    assert {"truncat", "stick", "lectur"} <= set(words)


@pytest.mark.parametrize("name", [n for n, m in METHODS.items() if m.__module__.startswith("bnp")])
def test_every_method_has_a_page_with_mathematics_beside_code(name, site):
    """As of the table of methods: a new one may be missing."""
    if f"| `{name}` |" not in (DOCS / "methods" / "index.md").read_text(encoding="utf-8"):
        pytest.skip("not in the table yet")
    source = (DOCS / "methods" / f"{name}.md").read_text(encoding="utf-8")
    assert source.startswith(f"# {name}\n")
    formulas = len(re.findall(r"^\$\$ .*?\$\$$", source, flags=re.DOTALL | re.MULTILINE))
    page = (site / "methods" / f"{name}.html").read_text(encoding="utf-8")
    assert page.count('<div class="formula" tabindex="0">') == formulas >= 1
    assert page.count("<math") > formulas
    assert "highlight-python" in page
    method = METHODS[name]()
    for setting, _, about in [*knobs_of(method.model), *knobs_of(method)]:
        assert f">{setting}<" in page
        assert html.escape(about.help.split(",")[0], quote=False) in page.replace("’", "'")


def test_the_api_has_every_public_name_in_readable_words(site):
    pages = [path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html")]
    places = set(re.findall(r'id="([\w.]+)"', "".join(pages)))
    last = {place.rpartition(".")[2] for place in places if place.startswith("bnpexplorer.")}
    for module in PUBLIC:
        missing = set(module.__all__) - last - {"toy"}
        assert not missing, module.__name__
    assert "word_probabilities" in last
    for page in pages:
        words = html.unescape(re.sub(r"<[^>]+>", "", page))
        assert not re.search(r"~numpy|Annotated\[|object at 0x|<factory>", words)


def test_no_page_needs_a_network(site):
    """The checker looks at what elements load; this at what a script or style may ask for."""
    for path in [*site.rglob("*.js"), *site.rglob("*.css")]:
        text = path.read_text(encoding="utf-8", errors="replace")
        assert not re.search(r"(?:import|fetch|url)\(['\"]?https?:", text), path.name


def test_a_wrong_link_and_a_script_from_elsewhere_are_found(site, tmp_path):
    shutil.copytree(site, tmp_path / "site")
    page = tmp_path / "site" / "start.html"
    page.write_text(
        page.read_text(encoding="utf-8")
        + '<a href="gone.html">x</a><a href="index.html#gone">y</a>'
        + '<script src="https://cdn.example/x.js"></script>',
        encoding="utf-8",
    )
    found = wrong_links(tmp_path / "site")
    assert len(found) == 3
    assert {"gone.html", "index.html#gone", "https://cdn.example/x.js"} <= set(
        " ".join(found).replace(",", "").split()
    )


def test_what_is_wrong_in_a_page_fails_the_build(tmp_path):
    for name in ("bnpexplorer", "pyproject.toml", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("conf.py", "_ext", "_static"):
        (docs / name).symlink_to(DOCS / name)
    (docs / "index.md").write_text("# Wrong\n\n" + "\n\n".join(WRONG) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", docs, tmp_path / "out"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    for named in WRONG.values():
        assert named in done.stderr
