"""The documentation says what is true: tables, links, commands and code are tried."""

import pydoc
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from benchmarks.tour import STOPS
from bnpexplorer.__main__ import main
from bnpexplorer.claims.learned import MARGIN
from bnpexplorer.core.environment import TAKEN, usable_cores, usual_threads
from bnpexplorer.core.installation import versions
from bnpexplorer.corpus.intake.held import held_limit
from bnpexplorer.corpus.intake.usage import FEWEST, SERVER, SHARED_SECONDS, reading_limits
from bnpexplorer.evaluate.heldout import DEFAULT_MOST, DEFAULT_SHARE
from bnpexplorer.evaluate.settling import FEWEST_ESS, MOST_RHAT, QUANTITIES
from bnpexplorer.explore.means import LEVEL
from bnpexplorer.lab import DEMONSTRATIONS
from bnpexplorer.methods import METHODS, methods_markdown
from bnpexplorer.runs.limits import disk_limit, memory_limit
from bnpexplorer.ui.app import PAGES
from bnpexplorer.ui.compare.page import VIEWS as COMPARISONS
from bnpexplorer.ui.topics.page import VIEWS as VIEWS_OF_TOPICS

ROOT = Path(__file__).resolve().parents[1]
APART = {"_build", "class", "example-method"}
"""Folders of docs/ that are no pages of the site, as `docs/conf.py` says too."""
DOCS = sorted(
    path
    for path in (ROOT / "docs").rglob("*.md")
    if path.relative_to(ROOT / "docs").parts[0] not in APART
)
PAGES_OF_DOCS = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in DOCS}
README = (ROOT / "README.md").read_text("utf-8")
ALL = {"README.md": README, **PAGES_OF_DOCS}
TELL = {9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}


def blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def code(language: str) -> list[tuple[str, str]]:
    """(file, block) of every block in README and docs."""
    return [(file, block) for file, text in ALL.items() for block in blocks(language, text)]


def test_no_row_of_the_method_table_is_wrong():
    """A new method may be missing until the table is made again for the next version."""
    text = PAGES_OF_DOCS["docs/methods/index.md"]
    table = text.split("--markdown` -->\n")[1].split("\n<!-- /methods")[0].splitlines()
    assert len(table) > 10
    assert table == [row for row in methods_markdown().splitlines() if row in table]


def test_links_lead_somewhere():
    pages = [ROOT / "README.md", *ROOT.glob("*/README.md"), *ROOT.glob("bnpexplorer/*/README.md")]
    pages += [*DOCS, *ROOT.glob(".github/*.md")]
    assert len(pages) >= 60
    for page in pages:
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pictures_are_there_and_said_in_words():
    named = re.findall(r'(?:src|srcset)="(\.readme/[^"]+)"', README)
    assert len(named) == 4
    assert sorted(named) == sorted(f".readme/{p.name}" for p in (ROOT / ".readme").iterdir())
    for name in named:
        kilobytes = (ROOT / name).stat().st_size / 1000
        assert 10 < kilobytes < (1000 if "born" in name else 250), name
    said = re.findall(r'<img [^>]*alt="([^"]+)"', README)
    assert len(said) == len(re.findall("<img ", README)) == 2
    assert all(len(words.split()) > 20 for words in said)


def test_every_page_of_the_app_has_its_picture_in_light_and_dark():
    folder = ROOT / "docs" / "app" / "pictures"
    shown = {f"{name}-{scheme}.webp" for name in STOPS for scheme in ("light", "dark")}
    assert {path.name for path in folder.iterdir()} == shown
    assert {page.name for page in PAGES} <= set(STOPS)
    for page in PAGES:
        text = PAGES_OF_DOCS[f"docs/app/{page.name}.md"]
        (alt,) = re.findall(rf"!\[([^\]]+)\]\(pictures/{page.name}-light\.webp\)", text)
        assert len(alt.split()) > 10
    for path in folder.iterdir():
        assert 10 < path.stat().st_size / 1000 < 100, path.name


def test_the_readme_is_one_screen_and_a_half():
    words = re.sub(r"<picture>.*?</picture>", "", README, flags=re.DOTALL)
    assert len(words.splitlines()) < 66
    assert "docs/start.md" in README


def test_every_page_is_told_in_its_section():
    told = PAGES_OF_DOCS["docs/app/index.md"]
    names = [page.shown for page in PAGES]
    assert f"has {TELL[len(names)]} pages" in told
    assert set(re.findall(r"^\d+\. \*\*\[(\w+)\]", told, flags=re.M)) == set(names)
    for section in {page.section for page in PAGES} - {""}:
        inside = [page.shown for page in PAGES if page.section == section]
        assert re.sub(r"\s+", " ", told).count(f"*{section}* ({', '.join(inside)})") == 1, section


@pytest.mark.parametrize(
    ("page", "views"),
    [("compare", COMPARISONS), ("topics", VIEWS_OF_TOPICS), ("lab", DEMONSTRATIONS.values())],
)
def test_every_view_of_a_page_is_told(page, views):
    text = PAGES_OF_DOCS[f"docs/app/{page}.md"]
    told = re.findall(r"^\| ([A-Z][^|]*) \|", text, flags=re.M)
    assert told == list(views), f"give each view a row, in the same order, in docs/app/{page}.md"


def test_names_of_the_package_in_the_docs_are_there():
    """`bnpexplorer.room.Name`, wherever it stands in README or docs."""
    found = {
        (file, name)
        for file, text in ALL.items()
        for name in re.findall(r"`(bnpexplorer(?:\.\w+)+)[`(]", text)
    }
    assert len(found) >= 5
    for file, name in found:
        assert pydoc.locate(name) is not None, f"{file}: {name}"


def test_named_files_exist():
    rows = PAGES_OF_DOCS["docs/project/where.md"].split("To add a method")[0]
    for cell in re.findall(r"^\| (`[^|]+) \|", rows, flags=re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", cell):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize(("file", "example"), code("python"))
def test_python_examples_run(file, example, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(example, file, "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip()


COMMANDS = sorted({line for _, block in code("sh") for line in block.strip().splitlines()})


@pytest.mark.second
@pytest.mark.parametrize("line", COMMANDS)
def test_command_line_examples_run(line, monkeypatch, capsys):
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "bnpexplorer"]
    monkeypatch.chdir(ROOT)
    assert main(words[3:]) == 0
    assert capsys.readouterr().out.strip()


def test_there_are_examples():
    assert "log likelihood per held-out word" in dict(code("python"))["docs/guide/python.md"]
    assert len(COMMANDS) > 10


@pytest.mark.second
def test_the_command_line_is_a_program_of_its_own():
    done = subprocess.run(
        [sys.executable, "-m", "bnpexplorer", "doctor"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Nothing is missing" in done.stdout
    assert not done.stderr


def test_the_two_commands_stand_in_the_readme():
    plain = blocks("", README)
    assert any("-r requirements.txt && streamlit run app.py" in block for block in plain)
    assert any("-r requirements-dev.txt && python -m pytest" in block for block in plain)


def test_every_variable_is_explained_and_its_usual_value_is_true(monkeypatch):
    sources = (ROOT / "bnpexplorer").rglob("*.py")
    there = {name for path in sources for name in re.findall(r"BNPEXPLORER_\w+", path.read_text())}
    told = "".join(PAGES_OF_DOCS.values())
    assert {name for name in there if name not in told} == set()
    limits = PAGES_OF_DOCS["docs/guide/limits.md"]
    rows = re.findall(r"^\| `(BNPEXPLORER_\w+)` \| .* \| (.*) \|$", limits, flags=re.M)
    for name, _ in rows:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.sysconf", lambda name: 2**20)  # a machine with a terabyte
    monkeypatch.setattr("bnpexplorer.core.environment._limits", lambda root: ())  # and no container
    usual = {
        "BNPEXPLORER_READ_SECONDS": f"{reading_limits().seconds}; where many share the server, "
        f"{SHARED_SECONDS}",
        "BNPEXPLORER_MEMORY_MB": "see below",
        "BNPEXPLORER_DISK_MB": f"{disk_limit() >> 20}",
        "BNPEXPLORER_GRACE_SECONDS": "60",
        "BNPEXPLORER_THREADS": "all cores",
    }
    assert dict(rows) == usual
    below = " ".join(limits.split())
    assert f"half of the memory; of a small one what is left beside {TAKEN >> 20} MB, at " in below
    assert f"may take {reading_limits().megabytes} MB, or what a smaller memory leaves" in below
    assert f"beside {SERVER} MB, at least {FEWEST} MB whatever you set" in below
    assert f"may take {held_limit() >> 20} MB, or half of a smaller memory" in below
    assert memory_limit() == 2**39
    for there, read, texts, run in (
        (4000, 1500, 2000, 2000),
        (1400, 900, 700, 680),
        (800, 300, 400, 100),
    ):
        monkeypatch.setattr("bnpexplorer.core.environment._installed", lambda n=there: n << 20)
        assert reading_limits().megabytes == read
        assert held_limit() >> 20 == texts
        assert memory_limit() >> 20 == run
    assert usual_threads() == usable_cores()


def test_the_docs_say_of_methods_how_many_threads_they_use():
    """As of the table: a new one may be missing."""
    section = PAGES_OF_DOCS["docs/guide/machines.md"].split("\n## One machine\n")[1]
    section = section.split("\n## ")[0]
    about = re.search(
        r"Where documents are(.*?)the more(.*?)draw on one\.(.*?)learn on\s+one", section, re.DOTALL
    )
    assert about
    for kind, words in zip(("documents", "in part", "none"), about.groups(), strict=True):
        named = re.findall(r"`([a-z]+-[a-z-]+)`", words)
        assert len(named) > 2
        assert {METHODS[name].parallel for name in named} == {kind}


def test_the_rules_of_numbers_are_those_of_the_code():
    told = " ".join(PAGES_OF_DOCS["docs/numbers.md"].split())
    steady = [QUANTITIES[key].steady for key in ("heldout", "topics", "entropy")]
    assert f"test documents ({DEFAULT_SHARE:.0%}".replace("%", " %") in told
    assert f"at most {DEFAULT_MOST})" in told
    assert (
        f"R-hat is at most {MOST_RHAT}, and the effective sample size at least {FEWEST_ESS}" in told
    )
    assert "more than {:g} (score), {:g} (topics) or {:g} (entropy)".format(*steady) in told
    assert f"ends more than {MARGIN} above word frequencies in every seed" in told
    assert f"is sure with {LEVEL:.0%}".replace("%", " %") in told


def test_versions_and_methods_are_counted_right():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    headings = re.findall(r"^## (\S+)", PAGES_OF_DOCS["docs/project/changes.md"], flags=re.M)
    assert headings[0] == project["version"]
    told = PAGES_OF_DOCS["docs/project/versions.md"]
    for name in ("Python", "numpy", "SciPy", "numba", "scikit-learn"):
        assert name.lower() in {key.lower() for key in versions()}
        assert name in told
    rows = PAGES_OF_DOCS["docs/methods/index.md"].count("\n| `")
    assert f"[{rows} methods](docs/methods/index.md)" in README
    assert rows == 19
    assert "Nineteen, each with its mathematics" in PAGES_OF_DOCS["docs/index.md"]


def test_folders_apart_are_those_of_the_site():
    (line,) = re.findall(r"^exclude_patterns = (.*)$", (ROOT / "docs/conf.py").read_text(), re.M)
    assert set(re.findall(r'"([^"]+)"', line)) - {"_ext"} == APART
