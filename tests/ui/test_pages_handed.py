"""Topics, Documents and Live as whole pages: which parts stand there, and what each is given."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.documents import page as documents
from bnpexplorer.ui.frame import access
from bnpexplorer.ui.live import panel
from bnpexplorer.ui.topics import changed
from bnpexplorer.ui.topics import page as topics
from tests.tools.alone import SHARES, drawn, explored, handed, moment, on_page
from tests.tools.pages import texts

# ---- Topics --------------------------------------------------------------------------------------


@pytest.fixture
def whole(monkeypatch):
    """The Topics page of one run; what is noted as it is drawn."""
    found = SimpleNamespace(went=[], at=explored(moment(Labels(hidden=frozenset({9})))))
    monkeypatch.setattr(topics.session, "shown_runs", lambda: ["a run"])
    monkeypatch.setattr(topics, "say_missing", lambda: None)
    monkeypatch.setattr(topics, "share", lambda runs, seen: None)
    monkeypatch.setattr(topics.explore, "choose_run", lambda runs: found.shown)
    monkeypatch.setattr(topics.explore, "explored_anew", lambda shown: found.at)
    monkeypatch.setattr(topics.explore, "refresh_button", lambda shown: None)
    monkeypatch.setattr(topics.explore, "turn_to_the_end", lambda shown: None)
    monkeypatch.setattr(topics, "follow", lambda: None)
    monkeypatch.setattr(topics.explore, "ahead", lambda shown, work: work())
    monkeypatch.setattr(topics.explore, "is_opened", lambda shown: True)
    asked = "propose", "fewer_field", "begin_ahead"
    for name in ("topic_of_address", "keep_in_address", "leave_out_form", "turns_ahead", *asked):
        monkeypatch.setattr(topics, name, lambda *what, name=name: found.went.append((name, *what)))
    views = {
        name: lambda at, name=name: found.went.append((name, at))
        for name in ("Topics", topics.WORD_VIEW, "Over time")
    }
    monkeypatch.setattr(topics, "VIEWS", views)
    run = SimpleNamespace(name="*my* run", passes_said="pass 1 for {}".format)
    run.corpus = found.at.moment.corpus
    found.shown = SimpleNamespace(entry=SimpleNamespace(background=SimpleNamespace(run=run)))
    return found


@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize("view", ["Topics", topics.WORD_VIEW, "Over time"])
def test_the_head_says_which_run_and_moment_and_readers_may_leave_words_out(whole, view, readable):
    whole.at = replace(whole.at, readable=readable)
    app = drawn(topics.page, **{topics.VIEW.replace("-", "_"): view})
    head = "# Topics of **\\*my\\* run** · the six · 3 in use, 1 of them hidden · at pass 1 for 40"
    assert texts(app.markdown) == head
    assert whole.went == [
        ("propose", whole.shown),
        ("fewer_field", whole.shown, whole.at.moment),
        ("topic_of_address", "run-a", [4, 9, 2]),
        (view, whole.at),
        ("keep_in_address", "run-a", [4, 9, 2]),
        *[("leave_out_form", whole.at)] * (readable and view != "Over time"),
        ("turns_ahead", whole.at.moment),
        ("begin_ahead", whole.shown, whole.at.moment),
    ]


@pytest.mark.parametrize(
    ("status", "ended", "said"),
    [
        ("running", False, "No topics yet: the run is learning. They appear here by themselves."),
        ("paused", False, "No topics yet: the run is paused. They appear here by themselves."),
        ("stopped", True, "This run ended before it had a topic."),
        ("failed", True, "This run ended before it had a topic."),
    ],
)
def test_a_run_without_topics_says_whether_they_may_come(whole, monkeypatch, status, ended, said):
    linked = []
    monkeypatch.setattr(topics.pages, "link_to", lambda name, label: linked.append((name, label)))
    monkeypatch.setattr(topics, "wait_for_topics", topics.wait_for_topics.__wrapped__)
    run = on_page("*my* run", status=status, ended=ended)
    whole.shown, whole.at = run, None
    app = drawn(topics.page)
    assert texts(app.caption, app.info) == said
    assert linked == [("live", "Watch it on the Live page")]
    assert texts(app.markdown) == "# Topics of **\\*my\\* run** · the six"
    assert whole.went == [("propose", run)]


@pytest.mark.parametrize(
    ("dates", "most", "hidden", "period"),
    [
        (["2001-01-01", "2001-01-20"], 40, (), "day"),
        (["2001-01-01", "2003-01-20"], 25, (), "month"),
        (["2001-01-01", "2003-01-20"], 24, (), None),
        (["2001-01-01", "2001-01-20"], 40, (4, 9, 2), None),
        (["NaT", "NaT"], 40, (), None),
    ],
)
def test_what_changed_is_worked_out_ahead_as_the_view_asks_for_it(
    monkeypatch, dates, most, hidden, period
):
    asked, at = [], moment(Labels(hidden=frozenset(hidden)))
    days = np.array([*dates, *dates, *dates], "datetime64[D]")
    at = replace(at, corpus=replace(at.corpus, docs=replace(at.corpus.docs, date=days)))
    monkeypatch.setattr(changed, "suitable_period", lambda _: period or "month")
    monkeypatch.setattr(changed, "MOST_PERIODS", most)
    monkeypatch.setattr(changed, "proportions_read", lambda _: SHARES)
    monkeypatch.setattr(changed, "_turns", lambda what, *_: asked.append(what) or [])
    changed.turns_ahead(at)
    wanted = [(period, "words", (9, 4, 2))] if period else []
    assert asked == wanted
    if period:
        monkeypatch.setattr(changed, "nothing_turned", lambda *_: None)
        handed(monkeypatch, changed)
        drawn(changed._found_by_itself, explored(at), SHARES, days, "words", (9, 4, 2))
        assert asked == wanted, "the view finds it"
        asked.clear()
        clusters = replace(moment(model="dpm"), corpus=at.corpus)
        changed.turns_ahead(clusters)
        assert asked == [(period, "documents", (9, 4, 2))], "as clusters are counted at first"


# ---- Documents -----------------------------------------------------------------------------------

ROWS = np.array([3, 1])


@pytest.fixture
def listed(monkeypatch):
    """The Documents page of one run: what is listed, and which document stands beside it."""
    found = SimpleNamespace(went=[], at=explored(moment()), shares=SHARES, rows=ROWS)
    found.parts = lambda rows: rows
    monkeypatch.setattr(documents.session, "shown_runs", lambda: ["a run"])
    for name in ("say_missing", "follow_address"):
        monkeypatch.setattr(documents, name, lambda *_: None)
    monkeypatch.setattr(documents, "share", lambda runs: None)
    monkeypatch.setattr(documents.explore, "choose_run", lambda runs: runs[0])
    monkeypatch.setattr(documents, "opened", lambda shown: found.at)
    monkeypatch.setattr(documents.explore, "proportions", lambda shown: found.shares)
    monkeypatch.setattr(
        documents.explore, "reading", lambda shown, height: found.went.append(("reading",))
    )
    for way in ("by_topic", "by_search"):
        monkeypatch.setattr(documents, way, lambda *_, way=way: (found.rows, f"says {way}"))
    monkeypatch.setattr(documents, "by_part", lambda at, rows: found.parts(rows))
    monkeypatch.setattr(documents, "filtered", lambda at, rows, shares: rows)
    monkeypatch.setattr(
        documents, "listing",
        lambda at, shares, rows, *rest: found.went.append(("list", rows.tolist(), *rest)),
    )  # fmt: skip
    monkeypatch.setattr(
        documents, "one", lambda at, shares, rows, row: found.went.append(("one", row))
    )
    monkeypatch.setattr(documents, "own_text", lambda at: found.went.append(("own",)))
    return found


@pytest.mark.parametrize(("kept", "row"), [(None, 3), (0, 0), (5, 5), (6, 3), (900, 3)])
@pytest.mark.parametrize("way", ["topic", "search"])
def test_the_document_that_was_opened_stands_beside_the_list_else_its_first(listed, way, kept, row):
    """A number of other, larger texts is none of these."""
    state = {"documents_way": way} | ({} if kept is None else {"documents_row": kept})
    drawn(documents.page, **state)
    assert listed.went == [("list", [3, 1], f"says by_{way}", f"list-{way}", row), ("one", row)]


def test_an_empty_list_opens_nothing_and_one_that_is_worked_out_is_not_drawn(listed):
    listed.rows = ROWS[:0]
    drawn(documents.page)
    assert listed.went == [("list", [], "says by_topic", "list-topic", None)]
    listed.went, listed.rows = [], None
    drawn(documents.page, documents_row=2)
    assert listed.went == []
    listed.rows, listed.parts = ROWS, lambda rows: rows[1:]
    drawn(documents.page)
    assert listed.went[0][1] == [1], "those that were learned, or not, as was asked for"
    listed.went, listed.parts = [], lambda rows: rows
    listed.shares, listed.rows = None, ROWS[:0]
    drawn(documents.page)
    assert listed.went == [("reading",)]
    listed.went = []
    drawn(documents.page, documents_way="search")
    assert listed.went == [("list", [], "says by_search", "list-search", None)]
    listed.went = []
    drawn(documents.page, documents_way="own")
    assert listed.went == [("own",)]


def test_who_may_not_read_the_texts_reads_only_their_own(listed):
    listed.at = replace(listed.at, readable=False)
    app = drawn(documents.page)
    assert texts(app.info) == access.FOR_ITS_OWNER
    assert listed.went == [("own",)]


# ---- Live: true topics ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "pictured", "n_runs", "went"),
    [
        (0, True, 1, []),
        (3, False, 2, ["## True topics found again"]),
        (
            3, True, 1,
            ["## Topics as pictures, beside the true ones", "## True topics found again"],
        ),
        (
            3, True, 2,
            ["## Topics of \\*two\\* as pictures, beside the true ones",
             "## True topics found again"],
        ),
    ],
)  # fmt: skip
def test_true_topics_are_pictures_of_the_chosen_run_and_curves_of_all(
    monkeypatch, known, pictured, n_runs, went
):
    names = ["*one*", "*two*"][-n_runs:]
    runs = [on_page(name, moment()) for name in names]
    shown, tables = [], []
    monkeypatch.setattr(panel, "n_known", lambda _: known)
    monkeypatch.setattr(panel, "labels_of", lambda _: names)
    monkeypatch.setattr(panel.charts, "drawn_moment", lambda one: one.moment)
    monkeypatch.setattr(panel.known, "has_pictures", lambda _: pictured)
    monkeypatch.setattr(panel, "pictures", shown.append)
    monkeypatch.setattr(panel, "found_again_chart", lambda *what: ("series", *what))
    monkeypatch.setattr(panel.charts, "table", lambda *what: tables.append(what))
    app = drawn(panel.true_topics, runs, "seconds", n_runs - 1)
    assert [m.value for m in app.markdown] == went
    assert shown == [runs[-1]] * (pictured and known > 0)
    columns = ["documents", "seconds", panel.FOUND_AGAIN]
    series = ("series", runs, "seconds")
    assert tables == [("found-again", series, columns, panel._rows)] * (known > 0)
    about = "How many of the topics that made these texts are found again, at each row of the "
    assert (f"{about}history; dotted: all of them." in texts(app.caption)) == (known > 0)
