"""Large runs of an address are opened by a thread: which are, what is said meanwhile, and what is
raised when it failed; by direct call. What each page lays over Streamlit's own style, too."""

import threading
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.core.store import StoreError
from bnpexplorer.ui.frame import opening
from bnpexplorer.ui.seam import styles
from tests.tools.waiting import NEVER

ROWS = {"one": ("my *run*", "news"), "two": ("other", "poems")}


@pytest.fixture
def large(monkeypatch):
    """Two runs as large as can be, which open when they are let; what was opened and by whom."""
    found = SimpleNamespace(gate=threading.Event(), opened=[], tabs=[], there={}, error="")

    def open_saved(run_id):
        assert found.gate.wait(NEVER)
        if found.error:
            raise StoreError(found.error)
        found.opened.append(run_id)

    library = SimpleNamespace(
        bytes_to_open=lambda run_id: opening.LARGE - (run_id == "small"),
        get=lambda run_id: SimpleNamespace(name=ROWS[run_id][0], facts={"corpus": ROWS[run_id][1]}),
    )
    registry = SimpleNamespace(
        get=lambda run_id: found.there.get(run_id), attach=lambda *what: found.tabs.append(what)
    )
    fake = {"library": lambda: library, "registry": lambda: registry, "open_saved": open_saved}
    monkeypatch.setattr(opening, "server", SimpleNamespace(**fake))
    monkeypatch.setattr(opening, "this_tab", lambda: "me")
    monkeypatch.setattr(opening, "PATIENCE", 0.0)
    monkeypatch.setattr(st, "session_state", {})
    opening.begin()
    yield found
    found.gate.set()
    for run_id in ROWS:
        opening.OPENINGS.forget(run_id)


def test_only_what_is_large_and_not_there_is_opened_by_a_thread(large, monkeypatch):
    large.there = {"here": SimpleNamespace(outdated=False), "one": SimpleNamespace(outdated=True)}
    assert not opening.opens("small")
    assert not opening.opens("here")
    assert [opening.opens("one") for _ in range(2)] == [True, True]
    assert opening.under_way() == ["one", "one"]
    opening.begin()
    assert opening.under_way() == [], "nothing is known of before"
    large.gate.set()
    monkeypatch.setattr(opening, "PATIENCE", NEVER)
    assert not opening.opens("one")
    assert large.opened == ["one"], "it was begun once"
    assert large.tabs == [("me", "one")]
    assert opening.under_way() == []


def test_what_went_wrong_is_raised_once_and_tried_again(large, monkeypatch):
    large.error = "The run one is damaged."
    large.gate.set()
    monkeypatch.setattr(opening, "PATIENCE", NEVER)
    for _ in range(2):
        with pytest.raises(StoreError, match="The run one is damaged"):
            opening.opens("one")
    large.error = ""
    assert not opening.opens("one")
    assert large.opened == ["one"]


def test_what_is_opened_is_said_by_name(large, monkeypatch):
    said, again = [], []
    monkeypatch.setattr(opening, "ticking", lambda seconds: lambda draw: draw)
    monkeypatch.setattr(st, "markdown", said.append)
    monkeypatch.setattr(st, "rerun", lambda: again.append(1))
    for run_id in ROWS:
        assert opening.opens(run_id)
    opening.wait_for_it()
    words = "Opening **my \\*run\\*** and **other**: reading poems ..."
    assert said == [f":material/hourglass_top: {words}"]
    assert again == []
    large.gate.set()
    opening.OPENINGS.at_hand("one").wait(NEVER)
    opening.wait_for_it()
    assert again == [1], "the page is drawn with the first that is there"


@pytest.mark.parametrize(
    ("dark", "embedded", "large_type", "presents"),
    [
        (False, False, False, False),
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
        (False, False, False, True),
        (True, False, True, True),
    ],
)
def test_a_page_has_the_sheets_that_it_needs_the_special_ones_last(
    monkeypatch, dark, embedded, large_type, presents
):
    monkeypatch.setattr(styles, "sheet", lambda name: f"{name} ")
    found = styles.sheets_of_every_page(dark, embedded, large_type, presents).split()
    special = ["embedded"] * embedded + ["large_menu"] * large_type + ["presenting"] * presents
    assert found == [*styles.ALWAYS, *styles.ON_DARK * dark, *special]
