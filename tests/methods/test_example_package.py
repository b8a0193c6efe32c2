"""The package of `docs/example-method`: built, installed beside the app, seen wherever ours are."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.run import Run
from tests.tools.installing import Installed, installed_in, wheel_of

pytestmark = pytest.mark.second

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "example-method"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory) -> Installed:
    """The wheel of the example, installed by pip; beside it the package as it lies here, for which
    kernels are compiled already. `.ci/example` installs both wheels into an empty environment."""
    folder = tmp_path_factory.mktemp("example")
    return installed_in(folder / "environment", [wheel_of(EXAMPLE, folder)], [ROOT])


def python(theirs: Installed, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [theirs.python, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_installed_example_passes_every_check(theirs, tmp_path):
    done = python(theirs, tmp_path, "-m", "bnpexplorer", "check", "lda-xyz")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "Nothing failed."
    assert len(lines) > 15
    assert all(re.match(r"lda-xyz +ok ", line) for line in lines[:-1])


def test_its_own_test_passes(theirs, tmp_path):
    tests = str(EXAMPLE / "tests")
    done = python(theirs, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


IN_FORM_AND_COMMANDS = """
import json, sys
from bnpexplorer.__main__ import main
from bnpexplorer.ui.parts.forms import methods_of
print(json.dumps(methods_of("lda")))
fit = "fit sample:bars --method lda-xyz --passes 1 --json --out theirs.run"
sys.exit(main(fit.split()) or main("export theirs.run a.html --to report".split()))
"""


def test_it_is_in_form_and_command_line(theirs, tmp_path):
    done = python(theirs, tmp_path, "-c", IN_FORM_AND_COMMANDS)
    assert done.returncode == 0, done.stderr
    form, fitted, exported = done.stdout.splitlines()
    assert json.loads(form) == [*(n for n in METHODS.ours if n.startswith("lda-")), "lda-xyz"]
    assert json.loads(fitted)["method"] == "lda-xyz"
    assert exported == "wrote a.html"
    with pytest.raises(StoreError, match="its method 'lda-xyz' is not installed"):
        Run.load(tmp_path / "theirs.run")
