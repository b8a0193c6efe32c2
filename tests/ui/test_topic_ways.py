"""Ways on the Topics page from a word, a sentence or a change to what comes next, each alone."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.in_context import Hits
from bnpexplorer.methods.base import can_edit
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import access
from bnpexplorer.ui.parts import to_topics
from bnpexplorer.ui.parts.to_topics import VIEW
from bnpexplorer.ui.topics import (
    changed,
    changed_words,
    grouping,
    in_context,
    quoted,
    surgery,
    words,
)
from tests.tools.alone import drawn, explored, handed, moment
from tests.tools.pages import button, check, field, texts
from tests.ui.test_topics_changed import ASKED, LABELS, TIMES, sentences, words_found
from tests.ui.test_topics_surgery import changing

AT = VIEW.replace("-", "_")


@pytest.fixture
def reader(monkeypatch):
    monkeypatch.setattr(access, "may_read", lambda run_id: run_id == "run-a")


# ---- from a word ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("reader")
def test_a_word_of_another_topic_is_not_picked_here():
    app = drawn(words.word_actions, moment(), ["tide", "tax"], explored_word="rose")
    assert field(app.selectbox, "Word").value is None
    assert [button(app, w).disabled for w in ("Find it elsewhere", "Leave it out")] == [True, True]


@pytest.mark.usefixtures("reader")
def test_the_word_that_was_picked_is_sought_elsewhere_and_can_be_left_out_there(monkeypatch):
    handed(monkeypatch, words)
    app = drawn(words.find_elsewhere, "tax", explored_word="tide", topics_search="t", **{AT: "x"})
    state = {name: app.session_state[name] for name in ("explored-word", "topics-search", VIEW)}
    assert state == {"explored-word": "tax", "topics-search": "tax", VIEW: words.WORD_VIEW}
    monkeypatch.setattr(words, "word_in_texts", lambda *_: None)
    app = drawn(words.word_view, explored(moment()), explored_word="tax")
    assert app.text_input[0].value == "tax"
    check(button(app, "Leave it out").click().run())
    assert app.session_state["leave-out"] == {"run-a": ["tax"]}


def test_a_bar_of_a_word_leads_to_the_details_of_its_topic():
    app = drawn(words._open_topic, "run-a", np.int64(9), **{AT: words.WORD_VIEW})
    assert app.session_state["explored-topic"] == {"run-a": 9}
    assert app.session_state[VIEW] == words.FIRST_VIEW


@pytest.mark.usefixtures("reader")
def test_a_topic_without_words_says_so_and_of_many_the_table_has_more(monkeypatch):
    told, at = handed(monkeypatch, words), moment()
    monkeypatch.setattr(words, "N_WORDS", 2)
    drawn(words.words_of_topic, at, 9)
    assert len(told.figures["topics-words"].data[0].x) == 2
    assert len(told.tables["topics-words"]) == (at.shown_words(9) > 0).sum() == 3
    monkeypatch.setattr(words, "most_relevant", lambda *_: np.zeros(0, int))
    assert texts(drawn(words.words_of_topic, at, 9).caption) == (
        "This topic holds no words now, so there is nothing to read. Hide it, or let the run go on."
    )


@pytest.mark.parametrize(("place", "readable"), [(None, True), (2, True), (2, False)])
def test_of_words_that_do_not_count_the_places_alone_are_shown_and_only_to_readers(
    monkeypatch, place, readable
):
    parts = []
    for name in ("_trend", "_companions", "_places"):
        monkeypatch.setattr(in_context, name, lambda *what, name=name: parts.append((name, *what)))
    found = explored(moment(), readable=readable)
    app = drawn(in_context.word_in_texts, found, "tax", place)
    asked = (found, "tax", place)
    both = [("_trend", *asked), ("_companions", *asked)] if place is not None else []
    assert parts == ([*both, ("_places", *asked)] if readable else [])
    assert (access.WORDS_FOR_ITS_OWNER in texts(app.info)) != readable


def test_places_are_found_as_the_texts_were_cut_and_companions_are_a_few(monkeypatch):
    told, asked = handed(monkeypatch, in_context), []
    monkeypatch.setattr(in_context, "_hits", lambda *what: asked.append(what) or Hits((), 0, True))
    found = explored(moment())
    report = replace(found.loaded.report, settings="its settings")
    found = replace(found, loaded=replace(found.loaded, report=report))
    drawn(in_context._places, found, "tax", 2)
    assert asked == [("tax", 2, found.loaded.corpus, "its settings")]
    many = SimpleNamespace(
        words=np.arange(4), both=np.arange(4), alone=np.arange(4), npmi=np.ones(4),
        likelihood=np.arange(4.0), least=9.0, n_compared=4,
    )  # fmt: skip
    monkeypatch.setattr(in_context, "companions", lambda *_: many)
    monkeypatch.setattr(in_context, "N_COMPANIONS", 3)
    app = drawn(in_context._companions, found, "tax", 2)
    assert (len(app.dataframe[0].value), len(told.tables["topics-companions"])) == (3, 4)


# ---- from a sentence -----------------------------------------------------------------------------


def test_paragraphs_are_cut_as_the_texts_were(monkeypatch):
    asked = []
    monkeypatch.setattr(quoted, "passage_of", lambda *given: asked.append(given[1:4]) or "words")
    found = explored(moment())
    report = replace(found.loaded.report, settings="its settings")
    found = replace(found, loaded=replace(found.loaded, report=report))
    drawn(quoted._paragraph, found, 9, 3, "83 %", ASKED[0], "key")
    assert asked == [(found.loaded.corpus, "its settings", 9)]


def test_words_of_two_comparisons_of_the_same_texts_are_two():
    found = explored(moment())
    one, other = (quoted.words_changed(found, sides) for sides in (TIMES, LABELS))
    assert (one.n_before, one.n_after) == (25, 16)
    assert (other.n_before, other.n_after) == (16, 33)


def test_of_many_words_that_rose_some_are_listed_and_two_quoted(monkeypatch):
    told, many = handed(monkeypatch, changed_words), words_found([4.0, 3.5, 3.0, -4.0, -3.0])
    monkeypatch.setattr(changed_words, "words_changed", lambda *given: many)
    app = drawn(changed_words.changed_words_view, explored(moment()), TIMES)
    assert len(sentences(app)) == 4, "two of each half"
    monkeypatch.setattr(changed_words, "WORDS", 1)
    app = drawn(changed_words.changed_words_view, explored(moment()), TIMES)
    assert [len(d.value) for d in app.dataframe] == [1, 1]
    assert len(told.tables["topics-changed-words"]) == 5


@pytest.mark.parametrize("longer", ["5 years", None])
def test_where_nothing_turned_ways_on_are_offered(monkeypatch, longer):
    asked, at = [], moment(model="dpm")
    dates = at.corpus.docs.date
    monkeypatch.setattr(quoted, "too_little", lambda corpus: "")
    monkeypatch.setattr(quoted, "longer_than", lambda *given: asked.append(given) or longer)
    monkeypatch.setattr(quoted, "show_tree", lambda: asked.append("tree"))
    monkeypatch.setattr(quoted, "_words_that_rose", lambda *given: asked.append(given))
    found = explored(at)
    app = drawn(quoted.nothing_turned, found, dates, "year", "the-period", the_period="year")
    assert asked == [("year", dates), (found, dates)]
    assert "No cluster rose or fell surely" in texts(app.info)
    offered = [b.label for b in app.button]
    by = [f"Compare by {longer}"] if longer else []
    assert offered == ["Group clusters that are alike", *by, "Compare two times"]
    check(button(app, "Compare two times").click().run())
    assert app.session_state[quoted.WAY] == "dates"
    check(button(app, "Group clusters that are alike").click().run())
    assert "tree" in asked
    if longer:
        check(button(app, f"Compare by {longer}").click().run())
        assert app.session_state["the-period"] == "5 years"


@pytest.mark.parametrize(
    ("days", "period", "too_little", "said"),
    [
        (["2001-01-01", "2002-01-01"], "year", "Too little: add texts.", "Too little: add texts."),
        (["2001-01-01", "2001-01-01"], "day", "", "All these texts have the same date. Compare"),
        (["2001-01-01", "2001-03-01"], "year", "", "from one year. Choose a shorter period."),
    ],
)
def test_where_nothing_can_turn_one_advice_is_given(monkeypatch, days, period, too_little, said):
    monkeypatch.setattr(quoted, "too_little", lambda corpus: too_little)
    dates = np.resize(np.array(days, "datetime64[D]"), 6)
    app = drawn(quoted.nothing_turned, explored(moment()), dates, period, "the-period")
    assert said in texts(app.info)
    assert (len(app.info), len(app.button), len(app.markdown)) == (1, 0, 0)


@pytest.mark.parametrize(("days", "labels"), [(None, None), ("NaT", ["sea"] * 6), ("NaT", None)])
def test_without_dates_and_labels_what_changed_says_which_columns_it_needs(
    monkeypatch, days, labels
):
    at, led = moment(), []
    monkeypatch.setattr(changed.pages, "link_to", lambda name, label: led.append(name))
    table = replace(
        at.corpus.docs,
        date=None if days is None else np.full(6, np.datetime64(days, "D")),
        label=None if labels is None else np.array(labels, object),
    )
    found = explored(replace(at, corpus=replace(at.corpus, docs=table)))
    app = drawn(changed.groups_view, found)
    assert "neither dates nor labels that differ. Load them with a column" in texts(app.info)
    assert led == ["corpus"]


def test_with_labels_alone_the_page_says_when_times_are_compared(monkeypatch):
    at = moment()
    monkeypatch.setattr(changed, "proportions", lambda _: None)
    monkeypatch.setattr(changed, "reading", lambda *_: None)
    monkeypatch.setattr(changed, "labels_view", lambda _: None)
    for dates, said in (
        (np.full(6, np.datetime64("NaT", "D")), True),
        (at.corpus.docs.date, False),
    ):
        corpus = replace(at.corpus, docs=replace(at.corpus.docs, date=dates))
        app = drawn(changed.groups_view, explored(replace(at, corpus=corpus)))
        assert ("Times are compared where texts have dates" in texts(app.caption)) == said
        assert not app.info


def test_one_label_is_no_comparison_and_the_page_says_what_is_needed():
    at = moment()
    table = replace(at.corpus.docs, label=np.array(["sea"] * 6, object))
    app = drawn(changed.two_labels, explored(replace(at, corpus=replace(at.corpus, docs=table))))
    assert "Load them with a column of outlets, parties or sections as the label" in texts(app.info)


def test_the_same_label_twice_is_no_comparison(monkeypatch):
    state = {"topics_one_label_run_a": "sea", "topics_other_label_run_a": "sea"}
    app = drawn(changed.two_labels, explored(moment()), **state)
    assert "Choose two different labels." in texts(app.caption)


@pytest.mark.parametrize(("label", "row"), [("sea", 3), ("state", None)])
def test_an_address_that_asks_for_what_is_chosen_leaves_the_document_open(monkeypatch, label, row):
    said = {"only-label": label}
    monkeypatch.setattr(to_topics.pages, "asked", lambda name: said.get(name, ""))
    monkeypatch.setattr(to_topics.pages, "keep", lambda values: None)
    state = {"documents_filter": {"run-a": Filter(("sea",))}, "documents_row": 3}
    app = drawn(to_topics.follow_address, moment(), **state)
    assert app.session_state["documents-filter"] == {"run-a": Filter((label,))}
    assert ("documents-row" in app.session_state) == (row is not None)


# ---- what is done --------------------------------------------------------------------------------


def test_rows_of_another_moment_are_ticked_anew(monkeypatch):
    keys = []

    def table(*_, key, **__):
        keys.append(key)
        return {"selection": {"rows": []}}

    monkeypatch.setattr(grouping.st, "dataframe", table)
    at = moment()
    later = replace(at, snapshot=replace(at.snapshot, step=6))
    for one, ids in ((at, [9, 4]), (at, [9, 4]), (later, [9, 4]), (at, [4, 9])):
        drawn(grouping.list_of_several, explored(one), ids, None, {})
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_a_change_is_asked_of_all_members_with_their_names_and_kept(monkeypatch):
    asked, kept = [], []
    library = object()
    monkeypatch.setattr(surgery.server, "library", lambda: library)
    monkeypatch.setattr(surgery.asked, "change_topics", lambda *what: asked.append(what))
    monkeypatch.setattr(surgery.asked, "undo", lambda *what: asked.append(what))
    monkeypatch.setattr(surgery.explore, "keep_labels", lambda *what: kept.append(what))
    at = moment(Labels({4: "seas"}, groups={9: (2,)}))
    found = changing(at, settle=lambda: None, run={"befores": ("state",)})
    state = {"surgery_confirm": ("run-a", "merge", (9, 4))}
    app = drawn(surgery._begin, found, "merge", (9, 4), **state)
    assert "surgery-confirm" not in app.session_state
    ((entry, kind, topics, names, keep),) = asked
    assert (entry, kind, topics) == (found.shown.entry, "merge", [9, 2, 4])
    assert names == [
        surgery.with_words(at.ungrouped, 9),
        surgery.with_words(at.ungrouped, 2),
        "seas",
    ]
    keep("labels")
    assert kept == [(library, "run-a", "labels")]
    app = drawn(surgery._undo_and_go_on, found)
    check(button(app, "Undo the last change").click().run())
    entry, keep = asked[-1]
    keep("labels before")
    assert kept[-1] == (library, "run-a", "labels before")


def test_the_page_waits_for_the_change_and_then_takes_the_moment_after_it(monkeypatch):
    done = []
    monkeypatch.setattr(surgery.st, "rerun", lambda: done.append("drawn anew"))
    monkeypatch.setattr(surgery, "_show_result", lambda _: done.append("shown"))
    found = changing(moment(), changing=True)
    app = drawn(surgery._wait, found, surgery_waiting="run-a")
    assert done == []
    assert app.session_state["surgery-waiting"] == "run-a"
    found.shown.entry.background.changing = False
    app = drawn(surgery._wait, found, surgery_waiting="run-a")
    assert done == ["shown", "drawn anew"]
    assert "surgery-waiting" not in app.session_state
    assert app.session_state["surgery-waiting-done"]


def test_after_a_change_the_field_is_empty_and_the_run_is_explored_where_it_stands(monkeypatch):
    monkeypatch.setattr(surgery.st, "toast", lambda *_, **__: None)
    found = changing(moment(), latest=moment().snapshot)
    held = {"run-a": "then", "run-b": "then"}
    state = {"explored": held, "surgery_topics_run_a": [9], "surgery_topics_run_b": [4]}
    app = drawn(surgery._show_result, found, **state)
    assert app.session_state["explored"] == {"run-b": "then"}
    assert "surgery-topics-run-a" not in app.session_state
    assert app.session_state["surgery-topics-run-b"] == [4]


@pytest.mark.parametrize("key", ["surgery_waiting", "surgery_confirm"])
@pytest.mark.parametrize("run_id", ["run-a", "run-b"])
def test_what_another_run_waits_for_does_not_hold_up_this_one(monkeypatch, key, run_id):
    asked = []
    for name in ("_wait", "_confirm", "_choose"):
        monkeypatch.setattr(surgery, name, lambda _, name=name: asked.append(name))
    monkeypatch.setattr(surgery, "can_edit", lambda method: True)
    value = run_id if key == "surgery_waiting" else (run_id, "delete", (9,))
    app = drawn(surgery.edit_topics, changing(moment()), **{key: value})
    there = {"surgery_waiting": "_wait", "surgery_confirm": "_confirm"}[key]
    assert asked == [there if run_id == "run-a" else "_choose"]
    assert app.expander[0].proto.expanded == (run_id == "run-a")


def test_methods_whose_topics_can_be_changed_are_named(monkeypatch):
    monkeypatch.undo()
    (said,) = drawn(surgery._say_who_can, "hdp-svi").caption
    able = [name for name, make in surgery.METHODS.items() if can_edit(make())]
    assert 1 < len(able) < len(surgery.METHODS)
    assert said.value.startswith("Topics of hdp-svi cannot be changed by hand:")
    assert said.value.endswith(
        f"with {', '.join(able[:-1])} or {able[-1]}, whose topics can be changed."
    )
