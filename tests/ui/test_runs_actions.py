"""What the Runs page offers for the rows that are ticked, by direct call: buttons and files."""

from dataclasses import replace

import pytest
import streamlit as st

from bnpexplorer.ui.runs import table
from tests.ui.runs_drawn import CHAIN, DONE, MB, ONE, OTHER, TWO, drawn, entry, saved

EXPORT = table._export
ALL = {"Open", "Resume", "Delete", "Name and tags", "Export"}


@pytest.fixture
def page(monkeypatch):
    return drawn(monkeypatch)


def offered(page, chosen):
    page.buttons.clear()
    page.popovers.clear()
    page.captions.clear()
    table.actions(chosen)
    return {words for words, on in {**page.buttons, **page.popovers}.items() if on}


@pytest.mark.parametrize(
    ("chosen", "there", "said"),
    [
        ([], set(), "Tick a row to act on it; several to compare them."),
        ([ONE], ALL, "Ticked: run \\*a\\*"),
        ([DONE], ALL - {"Resume"}, "Ticked: run \\*d\\*"),
        (
            [TWO, ONE],
            (ALL - {"Open", "Export"}) | {"Open 2 together"},
            "Ticked: run \\*b\\*, run \\*a\\*",
        ),
        (
            [ONE, OTHER],
            {"Delete", "Name and tags"},
            "Runs of different texts do not compare: tick runs of the same texts to open.",
        ),
    ],
)
def test_what_is_offered_for_the_rows_that_are_ticked(page, chosen, there, said):
    assert offered(page, chosen) == there
    assert page.captions == [said]


def test_what_somebody_else_has_is_opened_and_nothing_more(page):
    page.taken["b"] = "is somebody else's run: to watch only"
    assert offered(page, [ONE, TWO]) == {"Open 2 together"}
    assert page.captions == ["run \\*b\\* is somebody else's run: to watch only."]
    page.unread.add("b")
    assert offered(page, [TWO]) == {"Open"}
    page.taken.clear()
    assert offered(page, [TWO]) == ALL - {"Export"}, "its texts are not this tab's"


def test_a_run_of_a_race_that_goes_on_is_not_opened(page):
    page.races["b"] = entry("running")
    assert "Open 2 together" not in offered(page, [ONE, TWO])


def test_chains_are_reached_from_each_of_them_and_only_from_one_set(page):
    chain, another = saved("e", chain=CHAIN), saved("f", chain={**CHAIN, "group": "h"})
    assert "See all chains" in offered(page, [chain])
    assert page.captions == ["Ticked: run \\*e\\*, one of 4 chains. They \\*agree\\*."]
    assert "See all chains" in offered(page, [chain, ONE])
    assert "See all chains" not in offered(page, [chain, another])
    assert "See all chains" not in offered(page, [ONE])


@pytest.mark.parametrize("taken", [False, True])
def test_chains_are_controlled_from_runs_that_one_may_control(page, monkeypatch, taken):
    opened = []
    monkeypatch.setattr(table, "open_chains", lambda *what, **more: opened.append((what, more)))
    page.pressed = ("See all chains",)
    if taken:
        page.taken["e"] = "is somebody else's run: to watch only"
    table.actions([saved("e", chain=CHAIN), ONE])
    assert opened == [(("g",), {"owned": not taken})]


def test_a_failed_run_that_is_ticked_says_why(page):
    failed = saved("g", "failed", error="no more *numbers*")
    offered(page, [failed])
    assert page.captions == [
        "Ticked: run \\*g\\* stopped with an error: no more \\*numbers\\*. Resume goes on from "
        "where it was saved last."
    ]


def test_the_names_of_many_are_cut(page):
    many = [saved(f"a-long-name-{i}") for i in range(9)]
    offered(page, many)
    (said,) = page.captions
    names = ", ".join(run.name for run in many)
    assert said.replace("\\", "").replace("\u2060", "") == f"Ticked: {names[:70]}"


def test_the_button_opens_or_goes_on(page, monkeypatch):
    opened = []
    monkeypatch.setattr(
        table, "open_runs", lambda chosen, resume=False: opened.append((chosen, resume))
    )
    for words, resume in (("Open", False), ("Resume", True)):
        page.pressed = (words,)
        table.actions([ONE])
        assert opened.pop() == ([ONE], resume)


@pytest.mark.parametrize("status", ["paused", "running"])
def test_a_file_is_made_by_one_click_and_fetched_by_the_next(page, monkeypatch, status):
    """Of a run that learns as it was saved last, which is said."""
    files = []
    monkeypatch.setattr(st, "checkbox", lambda *_, **__: True)
    monkeypatch.setattr(table, "_exported", lambda *asked: repr(asked).encode() + b"x" * 3 * MB)
    monkeypatch.setattr(
        st, "download_button", lambda words, data, name, *_, **__: files.append((words, name))
    )
    page.entries["a"] = entry(status)
    EXPORT(ONE)
    assert files == []
    page.pressed = ("Make the .zip",)
    EXPORT(ONE)
    assert files == [("Download 3.0 MB", "run--a-a.zip")]
    assert st.session_state["runs-zip"][1].startswith(b"('a', True)")
    learns = "It is learning: the file holds it as it was saved last. Pause it first to have all"
    assert [said.startswith(learns) for said in page.captions] == [True] * 2 * (status == "running")


def test_the_file_of_a_run_that_learns_stays_when_the_run_is_saved_anew(page, monkeypatch):
    files = []
    monkeypatch.setattr(st, "checkbox", lambda *_, **__: False)
    monkeypatch.setattr(table, "_exported", lambda *asked: b"x")
    monkeypatch.setattr(st, "download_button", lambda *_, **__: files.append(1))
    page.entries["a"] = entry("running")
    page.pressed = ("Make the .zip",)
    EXPORT(ONE)
    page.pressed = ()
    EXPORT(replace(ONE, updated=ONE.updated + 1.0))
    assert files == [1, 1]


def test_a_file_that_was_made_is_not_offered_for_another_wish(page, monkeypatch):
    """Neither with the texts when it was made without, nor of another run or an older moment."""
    files, with_text = [], [False]
    monkeypatch.setattr(st, "checkbox", lambda *_, **__: with_text[0])
    monkeypatch.setattr(table, "_exported", lambda *asked: b"x")
    monkeypatch.setattr(st, "download_button", lambda *_, **__: files.append(1))
    page.entries["a"] = entry("paused")
    page.pressed = ("Make the .zip",)
    EXPORT(ONE)
    page.pressed = ()
    for run, texts, offered in (
        (ONE, True, 0),
        (ONE, False, 1),
        (replace(ONE, updated=ONE.updated + 1.0), False, 0),
        (replace(ONE, run_id="b"), False, 0),
    ):
        with_text[0] = texts
        files.clear()
        EXPORT(run)
        assert len(files) == offered
