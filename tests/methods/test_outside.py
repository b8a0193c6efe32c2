"""Methods of other packages, and the example of `methods/README.md`, which is added as one."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.run import Run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "bnpexplorer" / "methods" / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


METHOD, TEST = blocks("python")
MISTAKES, ENTRY_POINT = blocks("toml")


def offer(folder: Path, points: dict[str, str], **modules: str) -> None:
    """A package of these modules, with these entry points, as an installer would leave it."""
    about = folder / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    rows = [f"{name} = {value}" for name, value in points.items()]
    (about / "entry_points.txt").write_text("\n".join(["[bnpexplorer.methods]", *rows]) + "\n")
    for name, source in modules.items():
        outside = re.sub(r"^from \.\.(?=\w)", "from bnpexplorer.", source, flags=re.MULTILINE)
        outside = re.sub(
            r"^from \.(?=\w)", "from bnpexplorer.methods.", outside, flags=re.MULTILINE
        )
        (folder / f"{name}.py").write_text(outside)


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    paths = os.pathsep.join((str(folder), str(ROOT)))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def theirs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("theirs")
    own = TEST.replace("bnpexplorer.methods.lda_xyz", "lda_xyz")
    offer(folder, {"lda-xyz": "lda_xyz:LdaXyz"}, lda_xyz=METHOD, test_lda_xyz=own)
    return folder


def test_the_example_passes_every_check(theirs):
    done = python(theirs, "-m", "bnpexplorer", "check", "lda-xyz")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "Nothing failed."
    assert len(lines) > 15
    assert all(re.match(r"lda-xyz +ok ", line) for line in lines[:-1])


def test_the_example_passes_its_own_test_and_its_mistakes_do_not(theirs):
    run = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_lda_xyz.py")
    assert python(theirs, *run).returncode == 0
    right = (theirs / "lda_xyz.py").read_text()
    mistakes = tomllib.loads(MISTAKES)["mistake"]
    assert len(mistakes) >= 3
    for mistake in mistakes:
        assert right.count(mistake["old"]) == 1
        (theirs / "lda_xyz.py").write_text(right.replace(mistake["old"], mistake["new"]))
        failed = python(theirs, *run)
        (theirs / "lda_xyz.py").write_text(right)
        assert failed.returncode == 1, mistake["about"]


def test_it_is_in_form_and_command_line(theirs):
    asked = (
        "import json, lda_xyz; from bnpexplorer.ui.parts.forms import methods_of; "
        "print(json.dumps(methods_of('lda')))"
    )
    found = json.loads(python(theirs, "-c", asked).stdout)
    assert found == [*(n for n in METHODS.ours if n.startswith("lda-")), "lda-xyz"]
    fit = ("fit", "sample:bars", "--method", "lda-xyz", "--passes", "1", "--json")
    done = python(theirs, "-m", "bnpexplorer", *fit, "--out", "theirs.run")
    assert json.loads(done.stdout)["method"] == "lda-xyz", done.stderr
    exported = python(
        theirs, "-m", "bnpexplorer", "export", "theirs.run", "a.html", "--to", "report"
    )
    assert exported.returncode == 0, exported.stderr
    with pytest.raises(StoreError, match="its method 'lda-xyz' is not installed"):
        Run.load(theirs / "theirs.run")


def test_what_cannot_be_taken_is_named_once_and_left_out(tmp_path):
    clash = METHOD.replace('"lda-xyz"', '"lda-svi"')
    points = {
        "broken": "broken:Broken",
        "clash": "clash:LdaXyz",
        "missing": "nowhere:Method",
        "not-a-method": "json:JSONDecoder",
        "sound": "sound:LdaXyz",
    }
    offer(tmp_path, points, broken="1 / 0", clash=clash, sound=METHOD)
    asked = "from bnpexplorer import METHODS; print(len(METHODS), 'lda-xyz' in METHODS)"
    done = python(tmp_path, "-c", asked)
    assert done.stdout.split() == [str(len(METHODS.ours) + 1), "True"]
    lines = done.stderr.splitlines()
    assert [line.split()[2] for line in lines] == list(points)[:-1]
    assert "ZeroDivisionError: division by zero" in lines[0]
    assert "there is a method 'lda-svi' already" in lines[1]
    assert "No module named 'nowhere'" in lines[2]
    assert "not a method" in lines[3]


def test_a_package_that_imports_ours_first_is_found(theirs):
    asked = "import lda_xyz; from bnpexplorer import METHODS; print(METHODS['lda-xyz'].title)"
    done = python(theirs, "-c", asked)
    assert done.stdout.strip() == "Stochastic steps by fold-in"
    assert not done.stderr


def test_the_entry_point_of_the_example_is_one():
    points = tomllib.loads(ENTRY_POINT)["project"]["entry-points"]
    assert list(points) == ["bnpexplorer.methods"]
