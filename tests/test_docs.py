"""The documentation says what is true: tables, links, commands and code are tried."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.core.environment import usable_cores, usual_threads
from bnpexplorer.intake.held import held_limit
from bnpexplorer.intake.limits import reading_limits
from bnpexplorer.methods import METHODS, methods_markdown
from bnpexplorer.runs.limits import disk_limit, memory_limit
from bnpexplorer.ui.app import PAGES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
TELL = {9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_no_row_of_the_method_table_is_wrong():
    """A new method may be missing until the table is made again for the next version."""
    table = README.split("--markdown` -->\n")[1].split("\n<!-- /methods")[0].splitlines()
    assert len(table) > 10
    assert table == [row for row in methods_markdown().splitlines() if row in table]


def test_links_lead_somewhere():
    pages = [ROOT / "README.md", *ROOT.glob("*/README.md"), *ROOT.glob("bnpexplorer/*/README.md")]
    assert len(pages) >= 4
    for page in pages:
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pictures_are_there_and_said_in_words():
    named = re.findall(r'(?:src|srcset)="(\.readme/[^"]+)"', README)
    assert len(named) == 6
    assert sorted(named) == sorted(f".readme/{p.name}" for p in (ROOT / ".readme").iterdir())
    for name in named:
        kilobytes = (ROOT / name).stat().st_size / 1000
        assert 10 < kilobytes < (1000 if name.endswith(".webp") else 250), name
    said = re.findall(r'<img [^>]*alt="([^"]+)"', README)
    assert len(said) == len(re.findall("<img ", README)) == 3
    assert all(len(words.split()) > 20 for words in said)


def test_every_page_is_told_in_its_section():
    told = README.split("## Sixty seconds")[1].split("<picture>")[0]
    names = [page.name.capitalize() for page in PAGES]
    assert f"has {TELL[len(names)]} pages" in told
    assert set(re.findall(r"^\d+\. \*\*(\w+)\*\*", told, flags=re.M)) == set(names)
    for section in {page.section for page in PAGES} - {""}:
        inside = [page.name.capitalize() for page in PAGES if page.section == section]
        assert re.sub(r"\s+", " ", told).count(f"*{section}* ({', '.join(inside)})") == 1, section


def test_named_files_exist():
    rows = README.split("## Where things are")[1].split("To add a method")[0]
    for cell in re.findall(r"^\| (`[^|]+) \|", rows, flags=re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", cell):
            assert (ROOT / name).exists(), name


def test_python_example_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {"__name__": "readme"})
    assert "log likelihood per held-out word" in capsys.readouterr().out


COMMANDS = [line for block in blocks("sh") for line in block.strip().splitlines()]


@pytest.mark.parametrize("line", COMMANDS)
def test_command_line_examples_run(line, monkeypatch, capsys):
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "bnpexplorer"]
    monkeypatch.chdir(ROOT)
    assert main(words[3:]) == 0
    assert capsys.readouterr().out.strip()


def test_the_command_line_is_a_program_of_its_own():
    done = subprocess.run(
        [sys.executable, "-m", "bnpexplorer", "doctor"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Nothing is missing" in done.stdout
    assert not done.stderr


def test_the_two_commands_stand_in_the_readme():
    plain = blocks("")
    assert any("-r requirements.txt && streamlit run app.py" in block for block in plain)
    assert any("-r requirements-dev.txt && python -m pytest" in block for block in plain)


def test_every_variable_is_explained_and_its_usual_value_is_true(monkeypatch):
    sources = (ROOT / "bnpexplorer").rglob("*.py")
    there = {name for path in sources for name in re.findall(r"BNPEXPLORER_\w+", path.read_text())}
    assert {name for name in there if name not in README} == set()
    rows = re.findall(r"^\| `(BNPEXPLORER_\w+)` \| .* \| (.*) \|$", README, flags=re.M)
    for name, _ in rows:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.sysconf", lambda name: 2**20)  # a machine with a terabyte
    monkeypatch.setattr("bnpexplorer.core.memory._limits", lambda root: ())  # and no container
    usual = {
        "BNPEXPLORER_READ_MB": f"{reading_limits().megabytes}",
        "BNPEXPLORER_READ_SECONDS": f"{reading_limits().seconds:g}",
        "BNPEXPLORER_TEXTS_MB": f"{held_limit() >> 20}, or half of a smaller memory",
        "BNPEXPLORER_MEMORY_MB": "half of the memory",
        "BNPEXPLORER_DISK_MB": f"{disk_limit() >> 20}",
        "BNPEXPLORER_GRACE_SECONDS": "60",
        "BNPEXPLORER_THREADS": "all cores",
    }
    assert dict(rows) == usual
    assert memory_limit() == 2**39
    assert usual_threads() == usable_cores()


def test_the_readme_says_of_methods_how_many_threads_they_use():
    """As of the table: a new one may be missing."""
    section = README.split("\n### One machine\n")[1].split("\n### ")[0]
    about = re.search(
        r"Where documents are(.*?)the more(.*?)draw on one\.(.*?)learn on\s+one", section, re.DOTALL
    )
    assert about
    for kind, words in zip(("documents", "in part", "none"), about.groups(), strict=True):
        named = re.findall(r"`([a-z]+-[a-z-]+)`", words)
        assert len(named) > 3
        assert {METHODS[name].parallel for name in named} == {kind}
