"""Methods of other packages, and the example of `methods/README.md`, which is added as one."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from bnpexplorer.methods import METHODS
from tests.planted.planting import plant

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "bnpexplorer" / "methods" / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


METHOD, TEST = blocks("python")
MISTAKES, ENTRY_POINT = blocks("toml")


def offer(folder: Path, points: dict[str, str], **modules: str) -> None:
    """A package of these modules, with these entry points, as an installer would leave it."""
    about = folder / "theirs-1.0.dist-info"
    about.mkdir(exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    rows = [f"{name} = {value}" for name, value in points.items()]
    (about / "entry_points.txt").write_text("\n".join(["[bnpexplorer.methods]", *rows]) + "\n")
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(outside(source))


def outside(source: str) -> str:
    """A method as it stands in a package of its own."""
    source = re.sub(r"^from \.\.(?=\w)", "from bnpexplorer.", source, flags=re.MULTILINE)
    return re.sub(r"^from \.(?=\w)", "from bnpexplorer.methods.", source, flags=re.MULTILINE)


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
    offer(folder, {"lda-xyz": "lda_xyz:LdaXyz"}, lda_xyz=METHOD)
    return folder


def own_tests(folder: Path, name: str, method: str) -> dict[str, Callable[[], None]]:
    """The tests of the example, of a module `name` in `folder` that holds `method`."""
    offer(folder, {}, **{name: method})
    tests = {"__name__": f"test_{name}"}
    exec(TEST.replace("bnpexplorer.methods.lda_xyz", name), tests)
    return {key: test for key, test in tests.items() if key.startswith("test_")}


def test_the_example_passes_its_own_test_and_its_mistakes_do_not(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for test in own_tests(tmp_path, "right", METHOD).values():
        test()
    mistakes = tomllib.loads(MISTAKES)["mistake"]
    assert len(mistakes) >= 3
    for i, mistake in enumerate(mistakes):
        wrong = plant(METHOD, mistake["where"], mistake["old"], mistake["new"])
        test = own_tests(tmp_path, f"wrong_{i}", wrong)[mistake["test"].partition("::")[2]]
        with pytest.raises(AssertionError):
            test()


@pytest.mark.second
def test_what_cannot_be_taken_is_named_once_and_left_out(tmp_path):
    clash = METHOD.replace('"lda-xyz"', '"lda-svi"')
    points = {
        "broken": "broken:Broken",
        "clash": "clash:LdaXyz",
        "missing": "nowhere:Method",
        "not-a-method": "json:JSONDecoder",
        "sound": "sound:LdaXyz",
        "twin": "sound:LdaXyz",
    }
    offer(tmp_path, points, broken="1 / 0", clash=clash, sound=METHOD)
    asked = "from bnpexplorer import METHODS; print(len(METHODS), 'lda-xyz' in METHODS)"
    done = python(tmp_path, "-c", asked)
    assert done.stdout.split() == [str(len(METHODS.ours) + 1), "True"]
    lines = done.stderr.splitlines()
    assert [line.split()[2] for line in lines] == [name for name in points if name != "sound"]
    assert "ZeroDivisionError: division by zero" in lines[0]
    assert "there is a method 'lda-svi' already" in lines[1]
    assert "No module named 'nowhere'" in lines[2]
    assert "not a method" in lines[3]
    assert "there is a method 'lda-xyz' already" in lines[4]


@pytest.mark.second
def test_a_package_that_imports_ours_first_is_found(theirs):
    asked = "import lda_xyz; from bnpexplorer import METHODS; print(METHODS['lda-xyz'].title)"
    done = python(theirs, "-c", asked)
    assert done.stdout.strip() == "Stochastic steps by fold-in"
    assert not done.stderr


def test_the_entry_point_of_the_example_is_one():
    points = tomllib.loads(ENTRY_POINT)["project"]["entry-points"]
    assert list(points) == ["bnpexplorer.methods"]


def imports_and_rest(source: str) -> tuple[set[str], list[str]]:
    """Imports stand in another order where they have other names."""
    lines = source.splitlines()
    imports = {line for line in lines if line.startswith(("from ", "import "))}
    return imports, [line for line in lines if line and line not in imports]


def test_the_package_in_the_docs_is_the_example_of_this_page():
    folder = ROOT / "docs" / "example-method"
    theirs = (folder / "src" / "bnpexplorer_lda_xyz" / "lda_xyz.py").read_text("utf-8")
    assert imports_and_rest(theirs) == imports_and_rest(outside(METHOD))
    own = (folder / "tests" / "test_lda_xyz.py").read_text("utf-8")
    told = TEST.replace("bnpexplorer.methods.lda_xyz", "bnpexplorer_lda_xyz.lda_xyz")
    assert imports_and_rest(own) == imports_and_rest(told)
