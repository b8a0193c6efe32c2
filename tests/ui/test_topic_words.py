"""Words on the Topics page, each part alone: of a topic, of one word, and in the texts."""

import re
from dataclasses import replace
from math import log
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core.display import plain
from bnpexplorer.corpus import Corpus, CorpusError
from bnpexplorer.corpus.text import TextSettings
from bnpexplorer.explore.over_documents import word_rate, word_trend
from bnpexplorer.runs.plan import Plan
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import Moment
from bnpexplorer.ui.frame import access
from bnpexplorer.ui.topics import in_context, words
from tests.tools.alone import (
    COUNTS,
    IDS,
    SIZES,
    TOPIC_WORD,
    WORDS,
    drawn,
    explored,
    handed,
    moment,
    texts_of,
)
from tests.tools.pages import button, check, field, texts

TOTALS = COUNTS.sum(axis=0)
OVERALL = TOTALS / TOTALS.sum()


@pytest.fixture
def reader(monkeypatch):
    monkeypatch.setattr(access, "may_read", lambda run_id: run_id == "run-a")


# ---- words of a topic ----------------------------------------------------------------------------


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_words_of_a_topic_are_in_the_order_that_the_slider_asks_for(monkeypatch, weight):
    told, at, probs = handed(monkeypatch, words), moment(), TOPIC_WORD[1].astype(float)
    ranked = [
        weight * log(p) + (1 - weight) * log(p / q) for p, q in zip(probs, OVERALL, strict=True)
    ]
    shown = [w for w in np.argsort(-np.array(ranked)) if at.shown_words(9)[w] > 0]
    app = drawn(words.words_of_topic, at, 9, topics_relevance=weight)
    bars, marks = told.figures["topics-words"].data
    assert list(bars.customdata) == [WORDS[w] for w in shown]
    assert list(bars.x) == pytest.approx(probs[shown])
    assert list(marks.x) == pytest.approx(OVERALL[shown])
    table = told.tables["topics-words"]
    assert table["word"].tolist() == [WORDS[w] for w in shown]
    assert table["probability in topic"].tolist() == pytest.approx(probs[shown])
    assert table["share of all texts"].tolist() == pytest.approx(OVERALL[shown])
    assert table["times likelier"].tolist() == pytest.approx((probs / OVERALL)[shown])
    assert field(app.selectbox, "Word").options == [WORDS[w] for w in shown]


@pytest.mark.usefixtures("reader")
def test_a_word_is_picked_put_on_the_list_of_its_run_and_sought_elsewhere():
    at = moment()
    app = drawn(words.word_actions, at, ["tide", "tax"], leave_out={"run-b": ["tax"]})
    assert button(app, "Leave it out").disabled
    check(field(app.selectbox, "Word").set_value("tax").run())
    assert not button(app, "Leave it out").disabled, "it is on the list of another run"
    check(button(app, "Leave it out").click().run())
    assert app.session_state["leave-out"] == {"run-b": ["tax"], "run-a": ["tax"]}
    assert button(app, "Leave it out").disabled
    check(field(app.selectbox, "Word").set_value("tide").run())
    check(button(app, "Leave it out").click().run())
    assert app.session_state["leave-out"]["run-a"] == ["tax", "tide"]
    check(button(app, "Find it elsewhere").click().run())
    assert app.session_state["topics-search"] == "tide"


def test_who_may_not_read_the_texts_leaves_no_word_out(monkeypatch):
    monkeypatch.setattr(access, "may_read", lambda run_id: False)
    app = drawn(words.word_actions, moment(), ["tide"], explored_word="tide")
    assert [b.label for b in app.button] == ["Find it elsewhere"]


@pytest.mark.parametrize("kept", [["tax"], ["tax", "rose"]])
def test_the_form_says_how_many_words_it_learns_without(kept):
    app = drawn(
        words.leave_out_form, explored(moment()), leave_out={"run-a": kept, "run-b": ["law"]}
    )
    what = "this word" if len(kept) == 1 else "these 2 words"
    assert button(app, f"Learn again without {what}")
    assert f"The same texts without {what}, with hdp-tsvi and the same settings" in texts(
        app.caption
    )
    check(app.multiselect[0].set_value(kept[:-1]).run())
    assert app.session_state["leave-out"] == {"run-a": kept[:-1], "run-b": ["law"]}
    assert bool(app.button) == (len(kept) > 1)


@pytest.mark.parametrize("problem", ["", "No *word* is left."])
def test_what_was_learned_without_leaves_the_list_and_what_was_refused_stays(monkeypatch, problem):
    went, asked = [], []

    def learn(_, some):
        asked.append(some)
        if problem:
            raise CorpusError(problem)

    monkeypatch.setattr(words, "learn_again", learn)
    monkeypatch.setattr(words.pages, "go_to", went.append)
    lists = {"run-a": ["tax", "rose"], "run-b": ["law"]}
    app = drawn(words.leave_out_form, explored(moment()), leave_out=dict(lists))
    check(button(app, "Learn again without these 2 words").click().run())
    assert asked == [["tax", "rose"]]
    assert went == ([] if problem else ["live"])
    assert [e.value for e in app.error] == ([plain(problem)] if problem else [])
    kept = lists if problem else {"run-b": ["law"]}
    assert app.session_state["leave-out"] == kept


def test_learning_again_holds_out_no_more_than_half_of_what_is_left(monkeypatch):
    began, loaded = [], []
    monkeypatch.setattr(words.session, "launch", lambda *what: began.append(what))
    monkeypatch.setattr(words.session, "use_corpus", loaded.append)
    fresh = SimpleNamespace(corpus=texts_of(COUNTS).take(range(4)))
    monkeypatch.setattr(words, "without", lambda before, some: fresh if some == ["tax"] else None)
    for asked, held_out in ((1, 1), (2, 2), (3, 2), (50, 2), (None, None)):
        plan = replace(Plan.of("hdp-tsvi", seed=7), n_heldout=asked)
        monkeypatch.setattr(words.Plan, "of_run", lambda run, plan=plan: plan)
        words.learn_again(explored(moment()), ["tax"])
        assert began.pop() == (replace(plan, n_heldout=held_out), fresh)
        assert loaded.pop() is fresh
    with pytest.raises(ValueError, match=re.escape(access.FOR_ITS_OWNER)):
        words.learn_again(explored(moment(), readable=False), ["tax"])
    assert not began


# ---- one word ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("reader")
def test_a_word_has_its_share_of_every_topic_hidden_ones_too(monkeypatch):
    told, at = handed(monkeypatch, words), moment(Labels(hidden=frozenset({9})))
    for w, (word, times, documents) in enumerate(
        [("tide", 13, 3), ("ship", 4, 3), ("tax", 10, 3), ("law", 14, 3), ("rose", 12, 3)]
    ):
        joint = np.array(SIZES) * TOPIC_WORD[:, w]
        share = dict(zip(IDS, joint / joint.sum(), strict=True))
        order = sorted(IDS, key=lambda topic: -share[topic])
        app = drawn(words._one_word, at, word, w)
        (bars,) = told.figures["topics-of-word"].data
        assert list(bars.customdata) == order
        assert list(bars.x) == pytest.approx([share[topic] for topic in order])
        assert f"occurs {times} times in {documents} documents." in texts(app.caption)
        table = told.tables["topics-of-word"]
        assert table["topic"].tolist() == order
        assert table["name"].tolist() == [at.name(topic) for topic in order]
        assert table["share of the word"].tolist() == pytest.approx([share[i] for i in order])
        inside = [float(TOPIC_WORD[IDS.index(i), w]) for i in order]
        assert table["probability in topic"].tolist() == pytest.approx(inside)


@pytest.mark.usefixtures("reader")
def test_a_word_of_filler_is_said_to_be_one_and_its_filler_stands_last(monkeypatch):
    told = handed(monkeypatch, words)
    app = drawn(words._one_word, moment(), "law", 3)
    first, *rest = told.figures["topics-of-word"].data[0].customdata
    assert words.MOSTLY_FILLER not in texts(app.caption)
    monkeypatch.setattr(Moment, "_found_filler", frozenset({first}))
    app = drawn(words._one_word, moment(), "law", 3)
    assert list(told.figures["topics-of-word"].data[0].customdata) == [*rest, first]
    assert words.MOSTLY_FILLER in texts(app.caption)


@pytest.mark.usefixtures("reader")
def test_topics_with_next_to_nothing_of_a_word_have_no_bar_but_a_row(monkeypatch):
    told, at = handed(monkeypatch, words), moment()
    rare = TOPIC_WORD.copy()
    for little, bars in ((0.002, [4, 2, 9]), (0.0001, [4, 2])):
        rare[1] = [little, 0.0503 - little, 0.4399, 0.4898, 0.02]
        topics = replace(at.snapshot.topics, topic_word=rare)
        drawn(words._one_word, replace(at, snapshot=replace(at.snapshot, topics=topics)), "tide", 0)
        assert list(told.figures["topics-of-word"].data[0].customdata) == bars
    assert told.tables["topics-of-word"]["topic"].tolist() == [4, 2, 9]
    went = []
    monkeypatch.setattr(words, "_open_topic", lambda *where: went.append(where))
    told.clicks["topics-of-word"](2)
    assert went == [("run-a", 2)]


@pytest.mark.usefixtures("reader")
def test_of_several_words_found_one_is_chosen_and_its_texts_are_searched(monkeypatch):
    asked = []
    handed(monkeypatch, words)
    monkeypatch.setattr(words, "word_in_texts", lambda _, *what: asked.append(what))
    app = drawn(words.word_view, explored(moment()))
    assert "5 words count in these texts; type some letters." in texts(app.caption)
    check(app.text_input[0].set_value("t").run())
    (pills,) = app.get("button_group")
    assert pills.options == ["tax", "tide"]
    assert asked[-1] == ("tax", 2)
    assert "The word occurs 10 times" in texts(app.caption)
    check(pills.set_value("tide").run())
    assert asked[-1] == ("tide", 0)
    assert "## Which topics use it: tide" in texts(app.markdown)
    assert "The word occurs 13 times" in texts(app.caption)
    check(app.text_input[0].set_value("  of tides ").run())
    assert "No word that counts holds “of tides”." in texts(app.info)
    assert asked[-1] == ("of tides", None)


# ---- in the texts --------------------------------------------------------------------------------


@pytest.mark.parametrize("counted", ["words", "documents"])
def test_how_common_a_word_is_over_time_has_its_own_numbers(monkeypatch, counted):
    told, at = handed(monkeypatch, in_context), moment()
    for place, word in ((0, "tide"), (3, "law")):
        found = word_trend(at.corpus, place, "month", counted == "words")
        low, high = found.means.interval()
        for other in ("documents", "words"):  # of the same texts; neither is shown for the other
            drawn(in_context._trend, explored(at), word, place, topics_counted=other)
        drawn(in_context._trend, explored(at), word, place, topics_counted=counted)
        figure, table = told.figures["topics-word-trend"], told.tables["topics-word-trend"]
        of = "share of the words" if counted == "words" else "share of documents that use it"
        assert figure.layout.yaxis.title.text == of
        assert figure.layout.yaxis.tickformat == {"words": ".3~p", "documents": ".0%"}[counted]
        assert figure.data[1].name == word
        np.testing.assert_array_equal(figure.data[1].y, found.share[:, 0])
        np.testing.assert_array_equal(table["share"], found.share[:, 0])
        np.testing.assert_array_equal(table["at least"], low[:, 0])
        np.testing.assert_array_equal(table["at most"], high[:, 0])
        assert table["from"].tolist() == found.starts.astype(str).tolist()
        assert table["documents"].tolist() == found.n_docs.tolist()
    assert table["from"].iloc[0] == "2001-02-01"


def test_how_often_a_word_stands_is_told_with_its_interval():
    at = moment()
    app = drawn(in_context._how_often, explored(at), "law", 3)
    found = word_rate(at.corpus, 3)
    (said,) = app.caption
    rate, unit, low, high = re.search(
        r"“law” stands ([\d.]+) times in ([\d,]+) words, ([\d.]+) to ([\d.]+) with 95 %", said.value
    ).groups()
    assert found[0] == at.corpus.word_totals[3] / at.corpus.n_tokens
    for written, true in zip((rate, low, high), found, strict=True):
        assert float(written) / int(unit.replace(",", "")) == pytest.approx(true, rel=0.1)
    assert float(low) < float(rate) < float(high)


def test_companions_of_a_word_are_counted_beside_it(monkeypatch):
    told = handed(monkeypatch, in_context)
    counts = np.zeros((12, 5), int)
    counts[:, 4] = 1
    counts[:6, 0], counts[:5, 1], counts[3:11, 2] = 2, 1, 1
    monkeypatch.setattr(Corpus, "units", None)
    at = replace(moment(), corpus=Corpus.from_csr(counts, WORDS))
    app = drawn(in_context._companions, explored(at), "tide", 0)
    assert "sure beyond 5.7 for all 3 words together" in texts(app.caption)
    (row,) = told.tables["topics-companions"].itertuples(index=False)
    assert row[:3] == ("ship", 5, 5)
    both = log(5 * 12 / (5 * 6)) / -log(5 / 12)
    ratio = 2 * (5 * log(5 / (6 * 5 / 12)) + log(1 / (6 * 7 / 12)) + 6 * log(6 / (6 * 7 / 12)))
    assert row[3:] == (round(both, 2), round(ratio, 1))
    app = drawn(in_context._companions, explored(at), "tax", 2)
    assert "No other word stands in the same documents more often" in texts(app.caption)


def test_companions_of_filler_stand_last_in_the_table_alone(monkeypatch):
    told = handed(monkeypatch, in_context)
    monkeypatch.setattr(Moment, "filler_words", np.array([False, True, False, False, False]))
    monkeypatch.setattr(Corpus, "units", None)
    counts = np.zeros((12, 5), int)
    counts[:, 4] = 1
    counts[:6, 0], counts[:6, 1], counts[:4, 2] = 2, 1, 1
    at = replace(moment(), corpus=Corpus.from_csr(counts, WORDS))
    app = drawn(in_context._companions, explored(at), "tide", 0)
    assert told.tables["topics-companions"]["word"].tolist() == ["tax", "ship"]
    assert app.dataframe[0].value["word"].tolist() == ["tax"]
    assert "1 word of filler only in the table, last." in texts(app.caption)
    counts[:4, 2] = 0
    alone = replace(at, corpus=Corpus.from_csr(counts, WORDS))
    app = drawn(in_context._companions, explored(alone), "tide", 0)
    assert texts(app.caption).startswith("No other word but filler stands in the same documents")


def test_every_place_of_a_word_leads_to_its_own_document(monkeypatch):
    told, found = handed(monkeypatch, in_context), explored(moment())
    app = drawn(in_context._places, found, "ship", 1)
    table = told.tables["topics-places"]
    assert table["document"].tolist() == [
        "First sail",
        "Second port",
        "Second port",
        "Fourth court",
    ]
    assert table["date"].tolist() == ["2001-02-03", "2002-03-04", "2002-03-04", ""]
    assert set(table["word"]) == {"ship"}
    assert table["after"].tolist()[:2] == ["", " ship tax"]
    assert (
        "4 places in 3 documents, as it is written, whatever the case and accents. Tick a line"
        in texts(app.caption)
    )
    for by, order in (("left", [3, 2, 1, 0]), ("right", [0, 1, 2, 3])):
        drawn(in_context._places, found, "ship", 1, topics_places_order=by)
        rows = told.tables["topics-places"]
        assert rows["before"].tolist() == [table["before"][k] for k in order], by

    def ticked(*_, key, on_select, **__):
        in_context.st.session_state[key] = {"selection": {"rows": [0]}}
        on_select()

    with monkeypatch.context() as patch:
        patch.setattr(in_context.st, "dataframe", ticked)
        drawn(in_context._places, found, "ship", 1, topics_places_order="left")
    assert told.led.pop() == (None, None, "ship", 3), "the first line in the order that is shown"
    app = drawn(in_context._places, found, "ship", None)
    assert "The run counts" not in texts(app.caption)
    assert "“<b>” stands in no text" in texts(
        drawn(in_context._places, found, "<b>", None).caption
    ).replace("\\", "")


def test_of_very_many_documents_the_first_are_cut(monkeypatch):
    """`rows` are the documents that use the word: a limit of as many is no limit."""
    settings, corpus = TextSettings(min_df=1, max_df=1.0, min_tokens=1), moment().corpus
    place = WORDS.index("ship")
    at = SimpleNamespace(start=0, stop=4)
    monkeypatch.setattr(in_context, "index_of", lambda words, settings: words)
    monkeypatch.setattr(in_context, "find_words", lambda *_: SimpleNamespace(occurrences=[at, at]))
    for most, n_docs, complete in ((2, 2, False), (3, 3, True), (4, 3, True)):
        monkeypatch.setattr(in_context, "CUT_AT_MOST", most)
        found = in_context._hits("shipping", place, corpus, settings)
        assert (found.n_docs, found.complete, len(found.hits)) == (n_docs, complete, 2 * n_docs)
        assert [hit.row for hit in found.hits] == [0, 0, 1, 1, 3, 3][: 2 * n_docs]
    monkeypatch.setattr(in_context, "MOST", 3)
    assert len(in_context._hits("shipping", place, corpus, settings).hits) == 3
    assert not in_context._hits("shipping", None, corpus, settings).hits, "only words that count"
    assert not in_context._hits("shipping", place, corpus, None).hits
