"""`doctor` names everything that matters: no requirement, folder or limit is forgotten."""

import json
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement as Reference
from packaging.version import Version

from bnpexplorer.__main__ import main
from bnpexplorer.cli import doctor
from bnpexplorer.core import installation as asked
from bnpexplorer.core.installation import Requirement, requirements
from bnpexplorer.core.store import home
from bnpexplorer.kernels.cache import CACHE_FOLDER

ROOT = Path(__file__).resolve().parents[2]
LINES = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line[0] != "#"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.fixture
def said(capsys):
    def say(expected=0):
        assert main(["doctor"]) == expected
        return capsys.readouterr().out

    return say


def test_every_requirement_is_named_with_its_version(said):
    rows = dict(re.findall(r"^([\w.-]+) +(\S.*)$", said(), flags=re.M))
    for line in LINES:
        name = Reference(line).name
        assert Version(rows[name]) >= Version(re.findall(r">=([\d.]+)", line)[0]), line
    for extra, lines in EXTRAS.items():
        for line in lines:
            assert f"(extra {extra})" in rows[Reference(line).name], line


def test_a_package_that_is_missing_or_too_old_is_said_with_the_way_to_get_it(said, monkeypatch):
    def version(name):
        if name == "segno":
            raise asked.importlib.metadata.PackageNotFoundError(name)
        return {"numpy": "2.1.9", "streamlit": "99.1", "simplemma": "0.1"}.get(name, "2030.1")

    monkeypatch.setattr(asked.importlib.metadata, "version", version)
    out = said(1)
    assert re.search(r"^segno +missing$", out, flags=re.M)
    assert re.search(r"^numpy +2\.1\.9, which is too old", out, flags=re.M)
    assert re.search(r"^streamlit +99\.1, newer than what", out, flags=re.M)
    assert re.search(r"^simplemma +0\.1, which is too old", out, flags=re.M)
    command = out.splitlines()[-1]
    assert re.findall(r'"(.+?)"', command) == [
        line for line in LINES if Reference(line).name in ("segno", "numpy")
    ]


@pytest.mark.parametrize("bounds", [">=2.2", ">=1.67,<1.68", ">=3.4.1", ">=0.9", ">=2", "<3,>=2.1"])
@pytest.mark.parametrize(
    "version", ["0.9.0", "1.66.9", "1.67", "1.68.0", "1.68.1", "2.0", "2.2.0", "2.10", "3.4.1rc1"]
)
def test_versions_are_compared_as_packaging_compares_them(monkeypatch, bounds, version):
    monkeypatch.setattr(asked.importlib.metadata, "version", lambda name: version)
    one = Requirement("any", bounds)
    found = Version(Version(version).base_version)
    lower = [s for s in Reference(f"any{bounds}").specifier if s.operator == ">="]
    upper = [s for s in Reference(f"any{bounds}").specifier if s.operator == "<"]
    assert one.is_old == any(found < Version(s.version) for s in lower)
    assert one.is_new == any(found >= Version(s.version) for s in upper)


def test_an_installed_package_says_it_by_itself(monkeypatch):
    """As hatchling writes it."""
    needed = PROJECT["dependencies"]
    wheel = [*needed, *(f"{line} ; extra == '{e}'" for e in EXTRAS for line in EXTRAS[e])]
    from_files = requirements()
    assert len(from_files) == len(wheel)
    monkeypatch.setattr(asked, "CARRIED", asked.TOP)
    monkeypatch.setattr(asked.importlib.metadata, "requires", lambda name: wheel)
    assert [(one.name, one.extra) for one in requirements()] == [
        (one.name, one.extra) for one in from_files
    ]
    assert {str(one) for one in requirements()} == set(needed).union(*EXTRAS.values())
    assert {str(one) for one in from_files} == set(LINES).union(*EXTRAS.values())


def test_folders_and_what_the_machine_gives_are_told(said, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "usable_memory", lambda: 690 * 2**20)
    monkeypatch.setattr(doctor, "usable_cores", lambda: 17)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "77")
    monkeypatch.setenv("BNPEXPLORER_THREADS", "19")
    out = said()
    assert str(CACHE_FOLDER) in out
    assert str(home()) in out
    assert re.search(r"^memory +690 MB, of which a run may take 77 MB$", out, flags=re.M)
    assert re.search(r"^cores +17\nthreads of runs +19$", out, flags=re.M)
    assert "There are 690 MB of memory here" in out
    assert "nothing can be written" not in out


@pytest.mark.second
def test_a_folder_where_nothing_can_be_written_is_said_and_none_is_made(
    said, monkeypatch, tmp_path
):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "new"))
    assert f"saved runs           {tmp_path / 'new'}\n" in said()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "file"))
    assert f"{tmp_path / 'file'}, where nothing can be written" in said()


@pytest.mark.second
def test_a_program_is_told_the_same(capsys, monkeypatch, tmp_path):
    for room in (doctor, "bnpexplorer.runs.limits"):
        name = room if isinstance(room, str) else room.__name__
        monkeypatch.setattr(f"{name}.usable_memory", lambda: 4 * 2**30)
    monkeypatch.setattr(doctor, "usable_cores", lambda: 17)
    monkeypatch.setenv("BNPEXPLORER_THREADS", "19")
    (tmp_path / "file").touch()
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "file"))
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["memory_bytes"], facts["run_memory_bytes"]) == (4 * 2**30, 2 * 2**30)
    assert (facts["cores"], facts["threads"]) == (17, 19)
    assert (facts["missing"], facts["shortage"]) == ([], None)
    assert facts["folders"]["saved runs"] == {"path": str(tmp_path / "file"), "writable": False}
    assert facts["folders"]["compiled kernels"]["path"] == str(CACHE_FOLDER)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "new" / "deep"))
    assert main(["doctor", "--json"]) == 0
    there = json.loads(capsys.readouterr().out)["folders"]["saved runs"]
    assert there == {"path": str(tmp_path / "new" / "deep"), "writable": True}, "it can be made"
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert facts["packages"]["numpy"] == np.__version__
    monkeypatch.setattr(doctor, "usable_memory", lambda: 690 * 2**20)
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shortage"].startswith("There are 690 MB of memory")


@pytest.mark.second
def test_a_program_is_told_what_is_missing_and_which_browser_is_there(capsys, monkeypatch):
    def version(name):
        if name == "segno":
            raise asked.importlib.metadata.PackageNotFoundError(name)
        return "2030.1"

    monkeypatch.setattr(asked.importlib.metadata, "version", version)
    monkeypatch.setattr(doctor.shutil, "which", {"google-chrome": "/opt/chrome"}.get)
    assert main(["doctor", "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["missing"] == [line for line in LINES if Reference(line).name == "segno"]
    assert facts["packages"]["segno"] is None
    assert facts["packages"]["numpy"] == "2030.1"
    assert facts["browser"] == "/opt/chrome"
    assert main(["doctor"]) == 1
    assert "browser for tests    /opt/chrome\n" in capsys.readouterr().out
