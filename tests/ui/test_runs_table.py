"""The table of the Runs page by direct call: where each run stands, its numbers, its filters."""

from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st

from bnpexplorer.ui.runs import table
from tests.ui.runs_drawn import CHAIN, MB, drawn, entry, saved


@pytest.fixture
def page(monkeypatch):
    return drawn(monkeypatch)


@pytest.mark.parametrize(
    ("of", "here", "race", "words"),
    [
        ({"status": "paused"}, None, None, "paused"),
        ({"status": "running"}, None, None, "interrupted"),
        ({"status": "queued"}, None, None, "interrupted"),
        ({"status": "finished"}, None, None, "finished"),
        ({"status": "running"}, "paused", None, "paused"),
        ({"status": "stopped"}, "paused", None, "stopped"),
        ({"status": "stopped"}, "running", None, "learning"),
        ({"status": "paused"}, "queued", None, "waiting in line"),
        ({"status": "running"}, None, "running", "learning, in a race"),
        ({"status": "running"}, "paused", "running", "paused"),
        ({"status": "running", "chain": CHAIN}, None, "paused", "paused, chain 2 of 4"),
        ({"status": "paused", "chain": CHAIN}, None, None, "paused, chain 2 of 4"),
    ],
)
def test_where_a_run_stands(page, of, here, race, words):
    row = saved("a", **of)
    page.entries.update({"a": entry(here)} if here else {})
    page.races.update({"a": entry(race)} if race else {})
    assert table.status_of(row) == words


def test_a_failure_is_told_until_the_run_goes_on(page):
    row = saved("a", "failed", error="no more numbers.", step=1200)
    words = "stopped with an error: no more numbers. Resume goes on from step 1,200."
    assert table.status_of(row) == words
    for status, said in (("failed", words), ("paused", words), ("running", "learning")):
        page.entries["a"] = entry(status)
        assert table.status_of(row) == said


def test_every_column_has_the_numbers_of_its_own_run(page):
    one = saved(
        "a",
        "paused",
        "news",
        ("x", "y"),
        docs_seen=30,
        planned_docs=120,
        heldout=-7.25,
        n_topics=9,
        seed=3,
        protocol="completion",
        updated=86_400.0,
        n_bytes=3 * MB,
    )
    other = saved("b", "finished", "poems", docs_seen=7, planned_docs=9, n_topics=4, seed=8)
    found = table.table([one, other])
    assert found["name"].tolist() == ["run *a*", "run *b*"]
    assert found["progress"].tolist() == [25.0, 100.0]
    assert found["method"].tolist() == ["method of a", "method of b"]
    assert found["texts"].tolist() == ["news", "poems"]
    assert found["held-out"].tolist() == [-7.25, pd.NA]
    assert found["topics"].tolist() == [9, 4]
    assert found["tags"].tolist() == [["x", "y"], []]
    assert found["seed"].tolist() == [3, 8]
    assert found["scored by"].tolist() == ["completion", ""]
    assert found["saved"].dt.strftime("%Y-%m-%d").tolist() == ["1970-01-02", "1970-01-01"]
    assert set(table.columns()) == set(found.columns)


def test_filters_keep_runs_with_all_tags_of_one_of_the_texts(page, monkeypatch):
    runs = [
        saved("a", corpus="news", tags=("x", "y")),
        saved("b", corpus="poems", tags=("x",)),
        saved("c", corpus="tweets", tags=("y", "x")),
        saved("d", corpus="news"),
    ]
    chosen, asked = {}, {}

    def multiselect(label, options, key):
        asked[key] = options
        return chosen.get(key, [])

    place = SimpleNamespace(multiselect=multiselect)
    monkeypatch.setattr(st, "columns", lambda n: (place, place))

    def kept(**wanted):
        chosen.clear()
        chosen.update({f"runs-{name}": value for name, value in wanted.items()})
        return "".join(run.run_id for run in table.filtered(runs))

    assert kept() == "abcd"
    assert asked == {"runs-tags": ["x", "y"], "runs-texts": ["news", "poems", "tweets"]}
    assert kept(tags=["x"]) == "abc"
    assert kept(tags=["x", "y"]) == "ac"
    assert kept(texts=["news"]) == "ad"
    assert kept(texts=["news", "poems"], tags=["x"]) == "ab"
    asked.clear()
    assert table.filtered(runs[3:]) == runs[3:]
    assert asked == {}, "there is no choice"


def test_where_no_run_passes_the_filters_it_is_said(page):
    assert table.chosen_from([]) == []
    assert page.info == ["No run has these tags and texts; take a filter away."]


@pytest.mark.parametrize(("n", "height"), [(2, "content"), (11, "content"), (12, 460)])
def test_the_newest_run_stands_first_and_ticks_go_by_the_run(page, monkeypatch, n, height):
    """By when it was begun; a run that a filter hides stays ticked."""
    runs = [saved(f"{i:02d}", created=float(i), updated=100.0 - i) for i in range(n)]
    drawn = {}
    monkeypatch.setattr(st, "dataframe", lambda frame, **more: drawn.update(more, frame=frame))
    st.session_state[table.TICKED] = ["00", "hidden"]
    chosen = table.chosen_from(runs)
    assert drawn["frame"]["name"].tolist() == [run.name for run in runs[::-1]]
    assert drawn["selection_default"] == {"selection": {"rows": [n - 1]}}
    assert chosen == runs[:1]
    assert drawn["height"] == height
    st.session_state[drawn["key"]] = {"selection": {"rows": [0]}}
    drawn["on_select"]()
    assert st.session_state[table.TICKED] == ["hidden", f"{n - 1:02d}"]
