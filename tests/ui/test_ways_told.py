"""The ways from page to page and the buttons of runs, by direct call."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.corpus.readers.source import Reading, ReadOptions
from bnpexplorer.corpus.text import TextSettings
from bnpexplorer.explore.choosing import Filter, as_letters, picked
from bnpexplorer.ui.frame import pages, server
from bnpexplorer.ui.parts import run_buttons, to_topics
from tests.tools.moments import made
from tests.tools.pages import small

pytestmark = pytest.mark.usefixtures("registry")


# ---- the ways from page to page ------------------------------------------------------------------


@pytest.fixture
def went(monkeypatch, tab):
    found = []
    monkeypatch.setattr(pages, "go_to", found.append)
    return found


def test_a_way_to_documents_forgets_what_was_open_and_goes_once(went, tab):
    moment = made({4: 9.0, 7: 3.0})
    tab |= {to_topics.ROW: 5, to_topics.SHOWN: 40, to_topics.GONE: "made", to_topics.PART: "Mine"}
    asked = Filter(labels=("x",))
    to_topics.lead_to_documents(moment, 7, asked)
    assert not {to_topics.ROW, to_topics.SHOWN, to_topics.GONE} & tab.keys()
    assert to_topics.filter_of("made") == asked
    assert to_topics.filter_of("another") == Filter()
    assert (tab[to_topics.WAY], tab[to_topics.PART]) == ("topic", "All")
    assert tab["explored-topic"] == {"made": 7}
    assert to_topics.SEARCH not in tab
    to_topics.follow()
    to_topics.follow()
    assert went == ["documents"]
    to_topics.lead_to_documents(moment, search="tax", row=3)
    assert (tab[to_topics.WAY], tab[to_topics.SEARCH], tab[to_topics.ROW]) == ("search", "tax", 3)
    assert to_topics.filter_of("made") == Filter()
    assert tab["explored-topic"] == {"made": 7}, "no other topic was asked for"
    to_topics.lead_to_documents(moment, 4)
    assert tab[to_topics.WAY] == "topic", "not the way before"


def test_a_way_to_topics_shows_those_of_its_run_in_the_first_view(went, tab, monkeypatch):
    monkeypatch.setattr(run_buttons, "labels_of", lambda runs: ["one", "two"])
    runs = [SimpleNamespace(entry=SimpleNamespace(run_id=name)) for name in ("a", "b")]
    tab["topics-view"] = "Map"
    to_topics.lead_to_topics(runs, 1)
    assert "explored-topic" not in tab
    assert (tab["topics-view"], tab["explore-run-2"]) == ("Topics", "two")
    to_topics.lead_to_topics(runs, 0, 7)
    assert tab["explored-topic"] == {"a": 7}
    assert tab["explore-run-2"] == "one"
    assert went == ["topics", "topics"]


def test_an_address_says_what_is_asked_for_and_no_more():
    assert set(to_topics._said(Filter()).values()) == {""}
    said = to_topics._said(Filter(topic=7, least=0.25))
    assert (said.pop("topic"), said.pop("least")) == ("7", "0.25")
    assert set(said.values()) == {""}


@pytest.mark.parametrize("least", [0.25, 0.05, 0.3])
def test_an_address_brings_back_each_condition(least):
    moment = made({4: 9.0, 7: 3.0})
    asked = Filter(
        labels=("a,b", "50%", "%2C"),
        but=("c",),
        since="2001-02-03",
        until="2014-10-01",
        words=("tax", "law,s"),
        topic=7,
        least=least,
        picked=picked(np.array([0, 2]), moment.corpus.n_docs),
    )
    said = to_topics._said(asked)
    assert to_topics._read(said, moment) == asked
    assert to_topics._read({**said, "topic": "5"}, moment).topic is None, "there is no such topic"
    for wrong in ("1", "0.255", "25", ".25", "0.x"):
        assert to_topics._read({**said, "least": wrong}, moment).least == Filter().least


@pytest.mark.parametrize("fits", [True, False])
def test_picked_documents_go_by_a_name_where_they_are_too_many(tab, monkeypatch, fits):
    """A name that only another tab knows is said to be gone."""
    moment = made({4: 9.0})
    bits = picked(np.array([0, 2]), moment.corpus.n_docs)
    letters = as_letters(bits)
    monkeypatch.setattr(to_topics, "LONGEST", len(letters) - (not fits))
    said = to_topics._said(Filter(picked=bits))["picked"]
    assert (said == letters) == fits != said.startswith("~")
    address = {"only-picked": said}
    monkeypatch.setattr(pages, "asked", address.get)
    to_topics.follow_address(moment)
    assert to_topics.filter_of("made").picked == bits
    assert not to_topics.is_gone("made")
    tab.pop(to_topics.PICKED, None)
    to_topics.follow_address(moment)
    assert to_topics.is_gone("made") != fits
    assert not to_topics.is_gone("another")


def test_a_row_of_a_table_leads_to_the_topic_of_its_own_run_and_once(went, tab, monkeypatch):
    runs = []
    for run_id in ("one", "two"):
        topics = SimpleNamespace(topic_ids=np.array([4, 7]))
        background = SimpleNamespace(latest=SimpleNamespace(topics=topics))
        runs.append(SimpleNamespace(entry=SimpleNamespace(run_id=run_id, background=background)))
    led, told = [], {}
    monkeypatch.setattr(to_topics, "_rows", lambda **_: {"opened": told or None})
    monkeypatch.setattr(to_topics, "lead_to_topics", lambda runs, *where: led.append(where))
    to_topics.rows_lead(runs)
    for said in (
        {"run": "two", "topic": 7, "time": 5},
        {"run": "two", "topic": 7, "time": 5},
        {"run": "two", "topic": 9, "time": 6},
        {"run": "one", "topic": 4, "time": 7},
        {"run": "one", "topic": 7, "time": 3},
    ):
        told.update(said)
        to_topics.rows_lead(runs)
    assert led == [(1, 7), (0, 4)], "neither an old click nor a topic that has gone"


def test_a_claim_that_is_asked_for_goes_before_that_of_the_address_and_once(tab, monkeypatch):
    monkeypatch.setattr(pages, "asked", lambda name: "toy")
    to_topics.turn_to_claim("sumo")
    assert [to_topics.asked_claim() for _ in range(2)] == ["sumo", "toy"]
    to_topics.turn_to_claim("moon")
    assert to_topics.asked_claim() == "", "there is no such claim"


@pytest.mark.second
@pytest.mark.parametrize(
    ("n", "named"), [(1, "without {0}"), (3, "without {0}, {1}, {2}"), (4, "without 4 words")]
)
def test_texts_without_words_are_named_by_them_and_are_texts_of_their_own(n, named):
    loaded = small()
    reading = Reading(loaded.report.settings, ReadOptions(), ("small.csv",))
    loaded = replace(
        loaded, report=replace(loaded.report, reading=reading), true_topics=np.ones((2, 3))
    )
    words = [word for word, *_ in loaded.report.commonest[:n]]
    found = to_topics.without(loaded, words)
    assert found.corpus.name == f"{loaded.corpus.name} {named.format(*words)}"
    assert not {*words} & {*found.corpus.vocab}
    assert found.report.reading.left_out == (tuple(words),)
    assert found.report.settings.min_df == loaded.report.settings.min_df
    assert found.true_topics is None, "they were over other words"
    bare = to_topics.without(server.LoadedCorpus(loaded.corpus), words)
    assert isinstance(bare.report.settings, TextSettings)


def test_a_field_of_runs_shows_names_that_are_told_apart_and_keeps_the_first_out_of_the_address(
    tab, monkeypatch
):
    drawn = {}

    def control(label, options, key, format_func, **_):
        drawn.update(key=key, shown=[format_func(name) for name in options])
        return tab[key]

    monkeypatch.setattr(st, "segmented_control", control)
    monkeypatch.setattr(pages, "asked", lambda name: None)
    written = {}
    monkeypatch.setattr(pages, "write", lambda name, value: written.update({name: value}))
    long = "a name that is longer than forty letters, "
    names = [f"{long}first", "b" * 60, f"{long}second"]
    monkeypatch.setattr(run_buttons, "labels_of", lambda runs: names[: len(runs)])
    assert run_buttons.run_field("Run", [1, 2, 3], "it") == 0
    assert drawn["shown"] == names, "cut short two would read the same"
    assert written == {"it-3": ""}
    run_buttons.turn_to([1, 2, 3], 2, "it")
    assert run_buttons.chosen_place([1, 2, 3], "it") == 2
    assert run_buttons.run_field("Run", [1, 2, 3], "it") == 2
    assert written == {"it-3": names[2]}
    assert run_buttons.chosen_place([1, 2], "it") == 0
    assert run_buttons.run_field("Run", [1, 2], "it") == 0
    assert [len(name) for name in drawn["shown"]] == [run_buttons.LETTERS] * 2
    for asked, place in ((names[1], 1), ("", 0), ("gone", 0), (None, 0)):
        tab["it-2"] = names[1 - place]
        monkeypatch.setattr(pages, "asked", lambda name, asked=asked: asked)
        assert run_buttons.run_field("Run", [1, 2], "it") == (1 if asked is None else place)
    monkeypatch.setattr(pages, "asked", lambda name: None)
    del tab["it-2"]
    written.clear()
    assert run_buttons.run_field("Run", [1, 2], "it", usual=1) == 1
    assert written == {"it-2": ""}, "an address says only what is not usual"
    assert run_buttons.run_field("Run", [1], "other") == 0
    assert drawn["key"] == "it-2", "one run is not asked for"


@pytest.mark.parametrize(
    ("status", "offered"),
    [
        ("running", {"Pause", "Stop"}),
        ("queued", {"Pause", "Stop"}),
        ("paused", {"Resume", "Step", "Stop"}),
        ("ready", {"Resume", "Step", "Stop"}),
        ("finished", set()),
        ("failed", set()),
    ],
)
def test_the_buttons_of_a_run_are_those_that_do_something(tab, monkeypatch, status, offered):
    drawn, done = {}, []
    run = SimpleNamespace(
        **{name: lambda name=name: done.append(name) for name in ("pause", "stop", "settle")}
    )
    monkeypatch.setattr(st, "button", lambda words, **more: drawn.update({words: more}))
    run_buttons.buttons(run, "it", status)
    assert len(drawn) == 3
    assert {words for words, more in drawn.items() if not more["disabled"]} == offered
    assert drawn["Stop"]["help"] == "Stop: end the run; what it learned stays"
    drawn["Stop"]["on_click"](*drawn["Stop"]["args"])
    assert done == ["stop", "settle"]


def test_all_that_go_are_paused_or_all_that_rest_go_on(tab, monkeypatch):
    done, settled = [], []
    runs = [
        SimpleNamespace(
            pause=lambda i=i: done.append(i), settle=lambda i=i: settled.append(i), start=i
        )
        for i in range(3)
    ]
    asked = list(zip(runs, ("paused", "finished", "running"), strict=True))
    assert run_buttons.are_going(asked)
    assert not run_buttons.are_going(asked[:2])
    assert not run_buttons.are_going([(runs[0], "ready")]), "saved before its first step"
    assert run_buttons.are_going([*asked[:2], (runs[2], "queued")])
    monkeypatch.setattr(
        run_buttons.link, "go_on_all", lambda some: done.append([ask for _, ask in some])
    )
    run_buttons.turn_all(asked, True)
    assert done == [0, 2], "what has ended has"
    done.clear()
    run_buttons.turn_all(asked, False)
    assert done == [[0, 2]]
    assert settled == [0, 2] * 2, "so that their buttons are drawn for where they stand"
