"""Values that once broke a page for good, in a foreign run file or in a row of one's own."""

import json

import pyarrow
import pytest

from bnpexplorer.core import store
from bnpexplorer.runs import run as run_module
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.ui.runs import table
from tests.tools.foreign import EVIL, attempt, theirs


@pytest.mark.parametrize(
    ("place", "evil"),
    [
        *((("run", "seed"), seed) for seed in (2**70, 2**63, float("nan"))),
        *((("run", "name"), name) for name in (2**70, None, True, "\ud800")),
        *((("run", "minutes"), minutes) for minutes in (10**400, float("inf"), 2**70)),
        (("run", "passes"), 2**70),
        (("corpus", "name"), "\ud800"),
        (("whole", "name"), "\ud800"),
        (("heldout", "protocol"), "nan"),
        (("chain", "sentence"), "\ud800"),
        (("chain", "place"), 2**70),
        (("progress", "ended"), "\n"),
    ],
)
def test_what_no_page_can_show_is_refused_by_name(place, evil, registry, tmp_path):
    assert attempt(place, evil, tmp_path).startswith("theirs.zip is damaged (")


def test_a_method_of_another_package_is_named():
    manifest, arrays = theirs()
    with pytest.raises(store.StoreError) as refused:
        run_module.Run.unpack({**manifest, "method": "hdp-other"}, arrays, "theirs.zip")
    assert str(refused.value) == (
        "theirs.zip cannot be opened here: its method 'hdp-other' is not installed. It came with "
        "another package, or with a later version of this one."
    )


def test_a_sound_run_that_is_too_large_for_this_machine_says_so(monkeypatch):
    def refuse(method, corpus):
        raise ValueError(f"{method.name} would need more.")

    monkeypatch.setattr(run_module, "check_memory", refuse)
    with pytest.raises(store.StoreError) as refused:
        run_module.Run.unpack(*theirs(), "theirs.zip")
    assert str(refused.value) == "theirs.zip cannot be opened here: dpm-gibbs would need more."


@pytest.mark.second
@pytest.mark.parametrize(
    ("place", "evil"),
    [
        ((), None),
        (("run", "seed"), 2**63 - 1),
        (("run", "seed"), True),
        *((("run", "name"), name) for name in ("a\x00b", "x" * 5000, "\n", "\u202e")),
        (("corpus", "name"), "x" * 5000),
        (("history", "trace", 1, "heldout"), float("inf")),
    ],
)
def test_what_can_be_shown_is_taken(place, evil, registry, tmp_path):
    assert attempt(place, evil, tmp_path) == ""


@pytest.mark.second
@pytest.mark.parametrize("column", ["facts", "name", "tags", "labels", "created", "updated"])
def test_a_row_that_pages_cannot_show_is_listed_as_damaged_and_goes(dozen, tmp_path, column):
    library = Library(tmp_path)
    for run_id in "ab":
        run = Plan.of("lda-svi", values={"n_topics": 3}).split_and_start(dozen)
        library.keep(run_id, run, dozen, "paused")
    sound = json.loads((tmp_path / "runs" / "a" / "row.json").read_text())
    for evil in EVIL:
        row = sound | {column: sound["facts"] | {"seed": evil} if column == "facts" else evil}
        (tmp_path / "runs" / "a" / "row.json").write_text(json.dumps(row))
        listed, damaged = [s.run_id for s in library.saved()], library.damaged()
        assert sorted([*listed, *(one.run_id for one in damaged)]) == ["a", "b"], evil
        frame = table.table([s for s in library.saved() if s.run_id == "b"])
        pyarrow.Table.from_pandas(frame)
    (tmp_path / "runs" / "a" / "row.json").write_text("{")
    (one,) = library.damaged()
    assert (one.run_id, one.why) == ("a", "its row.json cannot be read")
    library.discard("a")
    assert library.damaged() == []
    assert [saved.run_id for saved in library.saved()] == ["b"]
    assert library.corpus("b").n_docs == dozen.n_docs
