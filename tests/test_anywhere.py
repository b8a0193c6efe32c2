"""What runs the app elsewhere says what is true: the image, the class, the versions, the memory."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from bnpexplorer.__main__ import _options, _parser, _work
from bnpexplorer.core.environment import LEAST, TAKEN
from bnpexplorer.corpus.intake.held import held_limit
from bnpexplorer.corpus.intake.usage import reading_limits
from bnpexplorer.runs.limits import memory_limit
from tests.tools.installing import wheel_of

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
COMPOSE = (ROOT / "docs/class/compose.yaml").read_text()
GUIDE = (ROOT / "docs/guide/anywhere.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def instructions(name):
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, flags=re.M)


def copied():
    """What the image is built from."""
    for line in instructions("COPY"):
        *sources, _ = shlex.split(line)
        yield from () if sources[0].startswith("--from") else sources


def test_the_image_has_all_that_a_wheel_is_made_of():
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], "requirements.txt", "pyproject.toml"}
    needed |= {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    for path in needed:
        assert any(path == one or path.startswith(f"{one}/") for one in copied()), path


def test_what_is_copied_is_there_and_is_not_left_out():
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines, "all else is left out"
    kept = [line[1:] for line in lines if line.startswith("!")]
    for path in copied():
        assert (ROOT / path).exists(), path
        assert any(fnmatch(one, path) or one.startswith(f"{path}/") for one in kept), path
    for path in kept:
        assert (ROOT / path).exists(), path


def commands():
    """What the image, the class and a Space start the app with."""
    yield instructions("CMD")[-1]
    yield re.search(r"command: (\[.*\])", COMPOSE)[1]
    yield re.search(r"^CMD (\[.*\])$", GUIDE, flags=re.M)[1]


@pytest.mark.parametrize("line", list(commands()))
def test_the_commands_are_ours(line):
    options = _options(_parser(), json.loads(line))
    assert callable(_work(options))
    assert options.command in ("app", "class")


def test_variables_are_those_of_the_app_and_the_volume_is_where_runs_are_kept():
    there = {
        name
        for path in (ROOT / "bnpexplorer").rglob("*.py")
        for name in re.findall(r"BNPEXPLORER_\w+", path.read_text("utf-8"))
    }
    named = set(re.findall(r"BNPEXPLORER_\w+", DOCKERFILE + COMPOSE + GUIDE))
    assert len(named) > 3
    assert named <= there
    (volume,) = instructions("VOLUME")
    assert f"BNPEXPLORER_HOME={volume} " in DOCKERFILE
    assert f"- runs:{volume}\n" in COMPOSE


def test_nobody_has_rights_when_the_app_starts():
    """USER comes after the last step that needs them, and stays."""
    assert instructions("USER") == ["app"]
    rest = DOCKERFILE.split("\nUSER app\n")[1]
    assert "\nENTRYPOINT " in rest
    assert "/_stcore/health" in instructions("HEALTHCHECK")[0]


def test_the_versions_of_python_are_the_same_everywhere():
    tried = re.search(r"^allowed=\((.*)\)$", (ROOT / ".ci/pythons").read_text(), flags=re.M)
    versions = tried[1].split()
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"
    assert f"Python {versions[0]} to {versions[-1]}" in GUIDE
    workflow = (ROOT / ".github/workflows/systems.yaml").read_text()
    assert f'python: ["{versions[0]}", "{versions[-1]}"]' in workflow
    assert instructions("ARG") == [f"PYTHON={versions[-2]}"]
    for path in re.findall(r"tests/[\w/.]+", workflow):
        assert (ROOT / path).exists(), path


def is_managed(python):
    """Whether pip refuses to install beside this Python, which can make environments (Debian has
    that in a package of its own)."""
    code = "import ensurepip, sysconfig; print(sysconfig.get_path('stdlib'))"
    folder = subprocess.run([python, "-Ic", code], capture_output=True, text=True).stdout.strip()
    return bool(folder) and Path(folder, "EXTERNALLY-MANAGED").exists()


MANAGED = next((p for p in ("/usr/bin/python3",) if Path(p).exists() and is_managed(p)), None)


@pytest.mark.second
@pytest.mark.skipif(MANAGED is None, reason="no Python of a system that refuses pip")
def test_what_the_readme_says_helps_where_pip_refuses_to_install(tmp_path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (remedy,) = re.findall(r"externally-managed-environment.*?in it: `(.*?)`", readme, flags=re.S)
    wheel = wheel_of(ROOT / "docs" / "example-method", tmp_path)
    install = f"python3 -m pip install --no-index --no-deps {shlex.quote(str(wheel))}"
    path = f"{Path(MANAGED).parent}:/bin"

    def run(line):
        options = {"cwd": tmp_path, "env": {"PATH": path}, "capture_output": True, "text": True}
        return subprocess.run(["sh", "-c", line], **options)

    refused = run(f"{install} --dry-run")
    assert refused.returncode
    assert "externally-managed-environment" in refused.stderr
    done = run(f"{remedy} && {install.replace('python3', 'python')} && python -m pip list")
    assert done.returncode == 0, done.stderr
    assert "bnpexplorer-lda-xyz" in done.stdout


def bounds(lines, sign):
    """The bound after the sign of each line that has one, by package."""
    asked = [Requirement(line) for line in lines]
    return {one.name: s.version for one in asked for s in one.specifier if s.operator == sign}


CLONE = [one for one in (ROOT / "requirements.txt").read_text().splitlines() if one[0] != "#"]
WHEEL = PROJECT["project"]["dependencies"]


def test_the_wheel_asks_for_the_packages_of_requirements_with_the_same_lower_bounds():
    assert bounds(WHEEL, ">=") == bounds(CLONE, ">=")
    assert len(bounds(CLONE, ">=")) == len(CLONE) == len(WHEEL)


def test_the_wheel_has_only_ceilings_that_requirements_has():
    assert bounds(WHEEL, "<").items() <= bounds(CLONE, "<").items()
    assert set(bounds(WHEEL, "<")) == {"streamlit"}, "say in pyproject.toml why it has another one"


def test_packages_whose_insides_matter_have_a_ceiling_within_which_the_tests_run():
    ceilings = bounds(CLONE, "<")
    inner = {"numpy", "numba", "pandas", "pyarrow", "plotly", "streamlit", "scikit-learn"}
    assert set(ceilings) == inner
    newer = [
        f"{one} {here}" for one in inner if Version(here := version(one)) >= Version(ceilings[one])
    ]
    assert not newer or os.environ.get("BNPEXPLORER_NEWEST"), newer


def test_the_newest_releases_that_passed_say_which_ceilings_can_be_raised(tmp_path):
    (tmp_path / "asked").write_text("# a comment\nnumpy>=2.2,<2.6\nscipy>=1.15\npandas>=3.0,<3.2\n")
    (tmp_path / "found").write_text("numpy==2.10.1\npandas==3.1.9\nscipy==2.0\n")

    def said(*packages):
        command = [
            sys.executable,
            ".ci/ceilings",
            tmp_path / "asked",
            tmp_path / "found",
            *packages,
        ]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said("numpy", "pandas") == "numpy: <2.6 -> <2.11 (tried with 2.10.1)\n"
    assert said("pandas") == "No package has a release above its ceiling.\n"


def test_the_table_of_memory_is_computed(monkeypatch):
    monkeypatch.delenv("BNPEXPLORER_MEMORY_MB", raising=False)
    rows = re.findall(r"^\| ([\d,]+) (MB|GB) \|" + r" ([\d,]+) MB \|" * 3 + "$", GUIDE, flags=re.M)
    assert len(rows) == 5
    for memory, unit, *said in rows:
        there = int(memory) * {"MB": 2**20, "GB": 2**30}[unit]
        for room in ("runs.limits", "corpus.intake.held", "corpus.intake.usage"):
            monkeypatch.setattr(f"bnpexplorer.{room}.usable_memory", lambda there=there: there)
        limits = memory_limit() >> 20, held_limit() >> 20, reading_limits().megabytes
        assert [f"{limit:,}" for limit in limits] == said
    took = re.search(r"took ([\d,]+) MB, in a group of 1 GB", re.sub(r"\s+", " ", GUIDE))
    assert int(took[1]) == pytest.approx(TAKEN / 2**20, rel=0.01)
    assert LEAST == 2**30
    assert "With less than 1 GB it says" in re.sub(r"\s+", " ", GUIDE)
