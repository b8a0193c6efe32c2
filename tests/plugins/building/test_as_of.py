"""Builds as of a day: the dates that `load` reads, and a build that goes on the day after."""

from dataclasses import replace

import pytest

import bnpexplorer
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.plan import PLAN, as_begun, plan_of, work_folder
from tests.corpus.test_guessing import table, texts
from tests.tools.references import FORMS as REFERENCES

pytestmark = pytest.mark.second
AS_OF, LATER = ReadOptions(as_of="2026-03-05"), ReadOptions(as_of="2026-03-06")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    days = ["02.02.41", "1860s", "05.03.26"] * 10
    path.write_bytes(b"Report,\n" + table({"Erschienen am": days, "body": texts()}))
    return path


def test_a_build_reads_as_load_does(file, tmp_path):
    built = build([file], tmp_path / "out", AS_OF, threads=1)
    loaded = bnpexplorer.load(file, as_of=AS_OF.as_of)
    assert built.docs.date.tolist() == loaded.docs.date.tolist()
    assert [str(day) for day in loaded.docs.date[:3]] == ["1941-02-02", "1860-01-01", "2026-03-05"]
    assert built.fingerprint == loaded.fingerprint


@pytest.mark.parametrize("name", REFERENCES)
def test_a_build_of_references_is_what_load_makes(name, tmp_path):
    path = tmp_path / name
    path.write_text(REFERENCES[name], "utf-8")
    built = build([path], tmp_path / "out", AS_OF, threads=1)
    loaded = bnpexplorer.load(path, as_of=AS_OF.as_of)
    assert built.fingerprint == loaded.fingerprint
    for field in ("id", "title", "date", "label"):
        assert [*getattr(built.docs, field)] == [*getattr(loaded.docs, field)]


def test_a_complete_corpus_is_the_same_the_day_after(file, tmp_path):
    built = build([file], tmp_path / "out", AS_OF, threads=1)
    assert build([file], tmp_path / "out", LATER, threads=1).fingerprint == built.fingerprint


def test_a_build_goes_on_as_of_the_day_on_which_it_began(file, tmp_path):
    from bnpexplorer.plugins.building import facts

    home = work_folder(tmp_path / "out")
    assert as_begun(tmp_path / "out", home, LATER.as_of) == LATER.as_of
    home.mkdir()
    plan = plan_of([file], AS_OF, {})
    facts.write(home / PLAN, plan)
    assert as_begun(tmp_path / "out", home, LATER.as_of) == AS_OF.as_of
    older = {name: value for name, value in plan.options.items() if name != "as_of"}
    facts.write(home / PLAN, replace(plan, options=older))
    assert as_begun(tmp_path / "out", home, LATER.as_of) == "", "a build of an earlier version"
