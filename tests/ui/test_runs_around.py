"""What stands around the table of the Runs page, by direct call: disk, deleted runs, files."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.core.store import StoreError
from bnpexplorer.runs import limits
from bnpexplorer.runs.saved.room import Room
from bnpexplorer.ui.frame import holding, link, server, session
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.runs import around
from tests.ui.runs_drawn import MB, ONE, TWO, drawn, saved


@pytest.fixture
def page(monkeypatch):
    return drawn(monkeypatch)


@pytest.mark.parametrize(
    ("taken", "limit", "caption", "warning"),
    [
        (0, 100, "0.0 MB of 100 MB.", ""),
        (79, 100, "79.0 MB of 100 MB.", ""),
        (80, 100, "", "80.0 MB of 100 MB. Soon no new run can be saved."),
        (2500, 3000, "", "2,500.0 MB of 3,000 MB. Soon no new run can be saved."),
        (100, 100, "", "100.0 MB of 100 MB. No new run can be saved."),
    ],
)
def test_the_disk_is_said_and_a_warning_when_it_is_nearly_full(
    page, monkeypatch, taken, limit, caption, warning
):
    library = SimpleNamespace(
        room=lambda is_lecturers: Room(taken * MB, limit * MB), writable=True, folder="/home/me"
    )
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setenv(limits.SHARED, "")
    around.disk_use()
    begins = "Saved runs and their texts in /home/me take "
    assert page.captions == ([begins + caption] if caption else [])
    after = (
        " Delete runs and empty the deleted ones, or start the server with a larger "
        "BNPEXPLORER_DISK_MB."
    )
    assert page.warning == ([begins + warning + after] if warning else [])


def test_deleted_runs_say_how_large_they_are_and_how_long_they_stay(page, monkeypatch):
    days = {"a": 6.6, "b": 0.2}
    monkeypatch.setattr(server, "library", lambda: SimpleNamespace(days_left=days.get))
    monkeypatch.setenv(limits.SHARED, "1")
    around.deleted_runs(
        [saved("a", corpus="my *news*", n_bytes=3 * MB), saved("b", n_bytes=MB // 2)]
    )
    assert page.markdown == [
        "run \\*a\\* · my \\*news\\* · 3.0 MB · 7 days left",
        "run \\*b\\* · news · 0.5 MB · 0 days left",
    ]


@pytest.mark.parametrize("shared", ["", "1"])
def test_all_deleted_runs_are_emptied_where_they_are_one_person_s(page, monkeypatch, shared):
    """Only once it was said to be meant, and each time anew."""
    asked, done = [], []
    library = SimpleNamespace(days_left=lambda _: 3, purge=lambda: done.append("purged"))
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(st, "checkbox", lambda words, **_: asked.append(words) or sure)
    monkeypatch.setenv(limits.SHARED, shared)
    sure = False
    around.deleted_runs([ONE])
    assert "Empty" not in page.buttons
    sure = True
    around.deleted_runs([ONE])
    assert ("Empty" in page.buttons) == (not shared)
    assert asked == ["I want them gone for good"] * (0 if shared else 2)
    st.session_state |= {"runs-sure": True, "runs-deleted": [("a", "one")]}
    around._empty()
    assert done == ["purged"]
    assert st.session_state == {"runs-sure": False}, "and there is nothing left to bring back"


@pytest.mark.parametrize("there", ["here", "deleted", "gone"])
def test_what_came_in_is_offered_while_it_is_there(page, monkeypatch, there):
    opened = []
    one = {"here": saved("a"), "deleted": replace(saved("a"), deleted=5.0), "gone": None}[there]
    monkeypatch.setattr(server, "library", lambda: SimpleNamespace(get={"a": one}.get))
    monkeypatch.setattr(around, "open_runs", opened.append)
    around.imported()
    st.session_state["runs-news"] = ("a", "my *run*", "Without its *texts*.")
    around.imported()
    said = "Imported: **my \\*run\\***. Without its \\*texts\\*."
    assert page.markdown == [said] * (there == "here")
    page.pressed = ("Open it",)
    around.imported()
    assert opened == ([[one]] if there == "here" else [])
    assert ("runs-news" in st.session_state) == (there != "here")


def test_what_cannot_be_shown_says_why_and_how_much_it_takes(page, monkeypatch):
    one = SimpleNamespace(run_id="a", why="its row is *gone*", n_bytes=5 * MB // 2)
    monkeypatch.setattr(holding, "damaged_runs", lambda: [one])
    monkeypatch.setattr(server, "library", lambda: SimpleNamespace(discard=str))
    around.damaged_runs()
    assert page.markdown == ["The run a cannot be shown: its row is \\*gone\\*. It takes 2.5 MB."]


@pytest.mark.parametrize(
    ("deleted", "said"),
    [
        ([("a", "my *run*")], "Deleted: my \\*run\\*"),
        ([("a", "one"), ("b", "two")], "Deleted: 2 runs"),
    ],
)
def test_what_was_deleted_last_is_named_with_a_way_back(page, deleted, said):
    st.session_state["runs-deleted"] = deleted
    st.session_state["runs-problem"] = "The *disk* is full."
    for _ in range(2):
        around.undo_bar()
    assert page.markdown == [said] * 2
    assert page.error == ["The \\*disk\\* is full."], "it is said once"
    assert page.buttons == {"Undo": True}


def test_nothing_deleted_leaves_nothing_to_undo(page):
    around.undo_bar()
    assert page.markdown == []
    assert page.buttons == {}


@pytest.fixture
def on_the_page(page, monkeypatch):
    """Runs that an opening puts on the page, and which of them were let go on."""
    found = SimpleNamespace(put=[], gone_on=[], taken_up=[], to=[])
    backgrounds = {
        name: SimpleNamespace(status=status)
        for name, status in (("rests", "paused"), ("ended", "finished"), ("theirs", "paused"))
    }
    shown = [
        SimpleNamespace(owned=name != "theirs", entry=SimpleNamespace(background=background))
        for name, background in backgrounds.items()
    ]
    monkeypatch.setattr(session, "shown_runs", lambda: shown)
    monkeypatch.setattr(holding, "put_on_page", found.put.append)
    monkeypatch.setattr(holding, "take_up_again", lambda run: found.taken_up.append(run.run_id))
    monkeypatch.setattr(around.pages, "go_to", found.to.append)
    names = {id(background): name for name, background in backgrounds.items()}
    monkeypatch.setattr(link, "go_on", lambda run: found.gone_on.append(names[id(run)]))
    return found


def test_runs_that_are_opened_rest_and_those_that_are_resumed_go_on(on_the_page):
    around.open_runs([ONE, TWO])
    assert (on_the_page.taken_up, on_the_page.gone_on) == ([], [])
    around.open_runs([TWO, ONE], resume=True)
    assert on_the_page.put == [["a", "b"], ["b", "a"]]
    assert on_the_page.taken_up == ["b", "a"]
    assert on_the_page.gone_on == ["rests"], "neither what has ended nor somebody else's"
    assert on_the_page.to == ["live", "live"]


def test_what_cannot_be_opened_is_said_and_nothing_goes_on(on_the_page, page, monkeypatch):
    def refuse(run_ids):
        raise StoreError("The *run* is damaged.")

    monkeypatch.setattr(holding, "put_on_page", refuse)
    around.open_runs([ONE], resume=True)
    assert page.error == ["The \\*run\\* is damaged."]
    assert (on_the_page.gone_on, on_the_page.to) == ([], [])


@pytest.mark.parametrize("there", [True, False])
def test_chains_that_are_not_there_any_more_are_said(page, monkeypatch, there):
    asked = []
    monkeypatch.setattr(session, "open_chains", lambda *what: asked.append(what) or there)
    around.open_chains("g", owned=False)
    assert asked == [("g", False)]
    said = "The other chains are not here; those deleted within a week can come back."
    assert page.error == ([] if there else [said])


@pytest.mark.parametrize(
    ("problem", "stays"), [(StoreError("It is *damaged*."), True), (ValueError("No room."), False)]
)
def test_a_file_that_is_no_run_stays_refused_and_one_without_room_is_tried_again(
    page, monkeypatch, problem, stays
):
    def refuse(*_):
        raise problem

    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "file_uploader", lambda *_, **__: SimpleNamespace(name="a", file_id=7))
    monkeypatch.setattr(st, "spinner", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(around, "_import", refuse)
    around.importing()
    assert page.error == [plain(problem)]
    said = {"runs-file-said": around.Said(7, "It is *damaged*.")} if stays else {}
    assert st.session_state == said
