"""What the buttons and forms of the Runs page do, by direct call: to which runs, and with what."""

import contextlib
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.core.store import StoreError
from bnpexplorer.runs import limits
from bnpexplorer.runs.saved.rows import USUAL, Saved
from bnpexplorer.ui.frame import access, holding, link, server, session
from bnpexplorer.ui.runs import around, table


def saved(run_id, tags=(), corpus_key="news-1"):
    facts = {**USUAL, "status": "paused", "corpus": "news"}
    return Saved(run_id, f"run {run_id}", corpus_key, 0.0, 5.0, facts, tags)


@pytest.fixture
def page(monkeypatch):
    """A page whose buttons are noted, and a library and a registry that note what they are told."""
    found = SimpleNamespace(buttons={}, done=[], entries={}, pressed="", typed={}, said=[])
    noted = {
        name: lambda *what, name=name: found.done.append((name, *what))
        for name in ("restore", "rename", "tag", "delete")
    }
    library = SimpleNamespace(**noted)

    def button(label, *_, **more):
        found.buttons[label] = more
        return label == found.pressed

    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "button", button)
    monkeypatch.setattr(st, "form_submit_button", button)
    monkeypatch.setattr(st, "text_input", lambda label, value, **_: found.typed.get(label, value))
    for name in ("container", "popover", "form"):
        monkeypatch.setattr(st, name, lambda *_, **__: contextlib.nullcontext())
    for name in ("markdown", "caption"):
        monkeypatch.setattr(st, name, lambda words, **_: found.said.append(words))
    monkeypatch.setattr(st, "rerun", lambda: found.done.append(("rerun",)))
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get=found.entries.get))
    monkeypatch.setattr(session, "leave", lambda run_id: found.done.append(("leave", run_id)))
    found.library = library
    return found


# ---- deletion ------------------------------------------------------------------------------------


def test_an_undo_brings_back_all_that_was_deleted_at_once(page, monkeypatch):
    """What goes wrong with one is said, and the others are there."""
    st.session_state["runs-deleted"] = [("a", "one"), ("b", "two"), ("c", "three")]
    around.undo_bar()
    undo = page.buttons["Undo"]

    def restore(run_id):
        page.done.append(run_id)
        if run_id == "b":
            raise StoreError("b is gone")

    page.library.restore = restore
    undo["on_click"](*undo["args"])
    assert page.done == ["a", "b", "c"]
    assert st.session_state == {"runs-problem": "b is gone"}


def test_only_what_one_may_control_is_deleted_and_its_tick_with_it(page, monkeypatch):
    monkeypatch.setattr(holding, "why_not", {"b": "is somebody else's"}.get)
    page.entries["c"] = SimpleNamespace(
        background=SimpleNamespace(pause=lambda: page.done.append("c pauses"))
    )
    st.session_state[table.TICKED] = ["x", "c", "b", "a"]
    table._delete([saved("a"), saved("b"), saved("c")])
    assert page.done == [
        ("leave", "a"),
        ("delete", "a"),
        "c pauses",
        ("leave", "c"),
        ("delete", "c"),
    ]
    assert st.session_state[table.TICKED] == ["x", "b"]
    assert st.session_state["runs-deleted"] == [("a", "run a"), ("c", "run c")]


# ---- names and tags ------------------------------------------------------------------------------


def test_several_runs_keep_their_own_tags_and_change_what_they_have_in_common(page):
    page.pressed, page.typed = "Save", {"Tags": " new , old"}
    table._name_and_tags([saved("a", ("both", "x", "old")), saved("b", ("y", "both", "old"))])
    tags = {run_id: set(said) for name, run_id, said in page.done[:-1] if name == "tag"}
    assert tags == {"a": {"new", "old", "x"}, "b": {"new", "old", "y"}}
    assert page.done[-1] == ("rerun",)
    assert not [what for what in page.done if what[0] == "rename"]


@pytest.mark.parametrize(("typed", "named"), [(" given *now* ", True), ("  ", False)])
def test_one_run_is_renamed_on_the_disk_and_on_its_pages(page, typed, named):
    run = SimpleNamespace(name="as it began")
    page.entries["a"] = SimpleNamespace(background=SimpleNamespace(run=run))
    page.pressed, page.typed = "Save", {"Name": typed}
    table._name_and_tags([saved("a", ("x",))])
    assert ("rename", "a", typed) in page.done or not named
    assert run.name == ("given *now*" if named else "as it began")
    assert ("tag", "a", ("x",)) in page.done


# ---- what opens together -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "together"), [("news-2", True), ("news", True), ("books-1", False)]
)
def test_runs_open_together_that_learn_the_same_texts(page, monkeypatch, other, together):
    """Also where their documents were cut into words, or told, in another way."""
    monkeypatch.setattr(holding, "why_not", lambda _: "")
    monkeypatch.setattr(access, "may_read", lambda _: True)
    monkeypatch.setattr(server, "race_of", lambda _: None)
    monkeypatch.setattr(table, "_name_and_tags", lambda chosen: None)
    table.actions([saved("a"), saved("b", corpus_key=other)])
    assert page.buttons["Open 2 together"]["disabled"] != together
    assert page.buttons["Resume"]["disabled"] != together
    said = "Ticked: run a, run b"
    if not together:
        said = "Runs of different texts do not compare: tick runs of the same texts to open."
    assert page.said == [said]


# ---- a file from another machine -----------------------------------------------------------------


@pytest.fixture
def file(page, monkeypatch):
    """A run in a file; what is done with it, and the run here that it is."""
    found = SimpleNamespace(twin=None, read=[], added=[])
    content = SimpleNamespace(name="theirs", note="Without its texts.")

    def read(*asked):
        found.read.append(asked)
        return content

    def add(library, what, secret, name):
        assert (library, what) == (page.library, content)
        found.added.append((secret, name))
        return "new id"

    monkeypatch.setattr(around.bundle, "read", read)
    monkeypatch.setattr(around.bundle, "twin", lambda library, what, here: found.twin)
    monkeypatch.setattr(around.bundle, "free_name", lambda name, here: f"{name} ({len(here) + 1})")
    monkeypatch.setattr(around.bundle, "add", add)
    monkeypatch.setattr(holding, "saved_runs", lambda: [saved("a"), saved("b")])
    monkeypatch.setattr(holding, "hold", lambda run_id: page.done.append(("hold", run_id)))
    monkeypatch.setattr(link, "new_secret", lambda: "its secret")
    return found


@pytest.mark.parametrize("shared", ["", "1"])
def test_a_file_becomes_a_run_of_this_tab_and_on_a_shared_server_opens_no_other_texts(
    page, file, monkeypatch, shared
):
    monkeypatch.setenv(limits.SHARED, shared)
    st.session_state["runs-imported"] = 4
    around._import("bytes", "a.zip", "file 7")
    assert file.read == [("bytes", "a.zip", holding.corpus_at_hand if shared else None)]
    assert file.added == [("its secret", "theirs")]
    assert page.done == [("hold", "new id"), ("rerun",)]
    assert st.session_state == {
        "runs-imported": 5,
        "runs-news": ("new id", "theirs", "Without its texts."),
    }


def test_a_run_that_is_here_already_is_copied_under_another_name_where_that_is_asked_for(
    page, file
):
    """And read again only then."""
    file.twin = saved("b")
    for _ in range(2):
        around._import("bytes", "a.zip", "file 7")
        assert len(file.read) == 1
        assert file.added == []
    assert page.said == ["This run is here already, as **run b**."] * 2
    page.pressed = "Import a copy"
    around._import("bytes", "a.zip", "file 7")
    assert file.added == [("its secret", "theirs (3)")]
    assert st.session_state["runs-news"] == ("new id", "theirs (3)", "Without its texts.")
    assert "runs-file-said" not in st.session_state
