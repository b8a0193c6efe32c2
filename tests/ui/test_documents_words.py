"""One document, or a pasted text, under a fit: which word has which topic, and what is counted."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus.words.occurrences import Occurrence, TextMatches
from bnpexplorer.explore.documents import word_support, word_topics
from bnpexplorer.plots.corpus import numbers_of
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.documents import document as room
from tests.tools.alone import SHARES, WORDS, asked, drawn, explored, found_in, handed, moment
from tests.tools.pages import button, check, field, html, texts

THETA = SHARES[3].astype(float)
"""Mostly of topic 9, then of 4 and of 2."""


@pytest.fixture
def told(monkeypatch):
    monkeypatch.setattr(room, "found_in", found_in)
    monkeypatch.setattr(room, "part", lambda *_: "")
    return handed(monkeypatch, room)


def test_every_word_has_its_most_probable_topic_by_identity():
    at, words = moment(), [4, 0, 2, 3]
    theta = np.array([0.3, 0.1, 0.0])
    given = word_topics(at.topics, theta, np.array(words))
    found = room._topics_of_words(at, theta, words)
    assert [topic for topic, _ in found] == [-1, 4, -1, -1], "what is left to 1 is not yet seen"
    assert [sure for _, sure in found] == given.certainty.tolist()
    assert [t for t, _ in room._topics_of_words(at, THETA, words)] == [2, 4, 9, 9]
    mixture = moment(model="dpm")
    support = word_support(mixture.topics, THETA, np.array(words))
    assert room._topics_of_words(mixture, THETA, words) == [
        (9, sure) for sure in support.certainty.tolist()
    ]
    assert room._hint(at, 9) == f"topic {at.head(9)}"
    assert room._hint(mixture, 9) == f"cluster {at.head(9)}"
    assert room._hint(at, -1) == "no topic seen so far"


@pytest.mark.parametrize(
    ("theta", "ids"),
    [([0.2, 0.5, 0.3], [9, 2, 4]), ([0.989, 0.01, 0.001], [4, 9]), ([0.99, 0.0099, 0.0001], [4])],
)
def test_topics_of_at_least_a_hundredth_can_be_coloured_alone_the_largest_first(theta, ids):
    at = moment()
    app, (got,) = asked(room._only, at, np.array(theta), "only")
    (pills,) = app.get("button_group")
    assert pills.options == [room.plain(at.head(i)) for i in ids]
    assert got is None
    app, found = asked(room._only, at, np.array(theta), "only", only_run_a_5=ids[-1])
    assert found == [ids[-1]]
    assert asked(room._only, moment(model="dpm"), np.array(theta), "only")[1] == [None]


def test_what_was_looked_for_is_framed_as_written_and_as_a_word():
    at, text = moment(), "Tax LAW law, a tide of tax"
    words = [Occurrence(0, 3, 2), Occurrence(4, 7, 3), Occurrence(8, 11, 3), Occurrence(15, 19, 0)]
    assert room.hits_in(at, text, words, ("tax law", "")) == [(0, 3), (0, 7), (4, 7), (8, 11)]
    assert room.hits_in(at, text, words, ("of",)) == [(20, 22)]
    assert room.hits_in(at, text, words, ("", "")) == []


@pytest.mark.parametrize(("letters", "cut"), [(8, True), (9, False)])
def test_of_a_long_text_the_beginning_stands_there_until_all_is_wanted(monkeypatch, letters, cut):
    monkeypatch.setattr(room.marked, "cut_place", lambda text, words: min(letters, len(text)))
    found = TextMatches((Occurrence(0, 4, 0), Occurrence(5, 9, 1)), {}, {}, 0)
    app, (got,) = asked(room._beginning, "tide ship", found, "all")
    if not cut:
        assert got == ("tide ship", list(found.occurrences))
        assert not app.toggle
        return
    assert got == ("tide shi …", [found.occurrences[0]])
    assert app.toggle[0].label == "Show all 9 letters (the first 8 are here)"
    _, (got,) = asked(room._beginning, "tide ship", found, "all", all=True)
    assert got == ("tide ship", list(found.occurrences))


def test_of_many_different_words_the_commonest_stand_there(monkeypatch):
    monkeypatch.setattr(room, "COUNTS_SHOWN", 3)
    counts = {7: 2, 1: 9, 4: 2, 2: 5}
    app, (got,) = asked(room._commonest, counts, "all")
    assert got == [1, 2, 4]
    assert app.toggle[0].label == "Show all 4 different words (the commonest 3 are here)"
    assert asked(room._commonest, counts, "all", all=True)[1] == [[1, 2, 4, 7]]
    del counts[7]
    app, (got,) = asked(room._commonest, counts, "all")
    assert (got, len(app.toggle)) == ([1, 2, 4], 0)


def test_the_shares_of_a_document_are_a_line_and_a_table_with_what_is_not_yet_seen(told):
    for at, column, of in (
        (moment(), "share", "Share of each topic"),
        (moment(model="dpm"), "probability", "Probability of each cluster"),
    ):
        theta = np.array([0.3, 0.1, 0.55])
        drawn(room.in_a_line, at, theta, "line")
        parts = told.figures["line"].data
        assert [part.x[0] for part in parts] == pytest.approx([55, 30, 10, 5])
        names = [at.name(i) for i in (2, 4, 9)]
        assert [part.name for part in parts] == [*names, "all others"]
        table = told.tables["line"]
        assert table["id"].tolist() == [2, 4, 9, -1]
        assert table["words"].tolist() == [*names, "not yet seen"]
        assert table[column].tolist() == pytest.approx([0.55, 0.3, 0.1, 0.05])
        app = drawn(room.proportions, at, theta, "bars")
        assert list(told.figures["bars"].data[0].x) == pytest.approx([55, 30, 10, 5])
        for key in ("line", "bars"):
            assert told.more[key]["alt"] == f"{of} in this document; numbers in the table."
        mixture = column == "probability"
        assert ("Which cluster it belongs to" in texts(app.caption)) == mixture
        assert ("How the document divides" in texts(app.caption)) != mixture
    with pytest.raises(ValueError, match="type bar"):
        numbers_of(told.figures["bars"])


def test_a_document_says_its_number_its_facts_and_what_is_not_in_its_text(told, monkeypatch):
    states = ["learned", "held out", "not yet learned"]
    monkeypatch.setattr(room, "part", lambda _, row: states[row % 3])
    at = moment()
    for row, said in ((0, ""), (1, "**Held out**"), (2, "**Not yet learned**")):
        app = drawn(room.document, explored(at), row, SHARES[row].astype(float), ("ship",))
        n = int(at.corpus.doc_lengths[row])
        facts = texts(app.caption).replace("\\", "").replace("\u2060", "")
        date, label = (("2001-02-03", "sea"), ("2002-03-04", "sea"), ("2003-04-05", "state"))[row]
        assert facts.startswith(
            f"document {row + 1} of 6 · {date} · {label} · {n} words that count"
        )
        assert said in texts(app.markdown)
        assert ("learned" in texts(app.markdown)) == bool(said)
        assert f"{n} words that count were not found in the text" not in facts, "all are counted"


def test_a_document_that_came_as_counts_shows_each_word_with_its_topic_and_count(told):
    at = moment()
    docs = replace(at.corpus.docs, text=None)
    bare = replace(at, corpus=replace(at.corpus, docs=docs))
    app = drawn(room.document, explored(bare, latest=None), 2, THETA)
    assert "These texts came as word counts" in texts(app.caption)
    shown = re.findall(r"<mark[^>]*>(\w+)<sup>(\d+)</sup></mark>( ×\d+)?", html(app))
    assert [(word, n.strip()) for word, _, n in shown] == [
        ("tax", "×7"),
        ("law", "×4"),
        ("rose", ""),
    ]
    assert [topic for _, topic, _ in shown] == ["9", "9", "2"]


@pytest.mark.parametrize(
    ("text", "said", "unknown"),
    [
        (
            "tide tide tax",
            "3 words that count · 0 not in the vocabulary · 2 stop words left out",
            [],
        ),
        ("tide x y x", "1 word that counts · 3 not in the vocabulary", [["x", 2], ["y", 1]]),
        ("x", "0 words that count · 1 not in the vocabulary", [["x", 1]]),
    ],
)
def test_a_pasted_text_is_counted_and_folded_in(told, text, said, unknown):
    app = drawn(room.own_text, explored(moment()))
    assert "Nothing is learned from it" in texts(app.caption)
    field(app.text_area, "A text of your own").set_value(text)
    check(button(app, "Read it").click().run())
    assert said in texts(app.caption)
    assert ("None of these words is in the vocabulary" in texts(app.warning)) == (text == "x")
    table = told.tables.get("unknown-words")
    assert (table.values.tolist() if table is not None else []) == unknown
    if text != "x":
        shares = told.tables["own-shares"]
        at = moment()
        theta = at.model.fold_in(at.snapshot.topics, room.one_document({0: 2, 2: 1}, at.corpus))[0]
        if text == "tide tide tax":
            order = np.argsort(-theta)
            assert shares["id"].tolist() == [*at.topics.topic_ids[order], -1]
            assert shares["share"].tolist()[:3] == pytest.approx(theta[order].tolist())


def test_a_text_whose_pattern_does_not_end_says_so(told):
    app = drawn(room.own_text, explored(moment()))
    field(app.text_area, "A text of your own").set_value("stuck")
    check(button(app, "Read it").click().run())
    assert texts(app.warning) == "Its \\*pattern\\* did not cut this text."
    assert WORDS[0] not in html(app)


@pytest.mark.parametrize("titles", [True, False])
def test_words_of_a_title_count_where_titles_were_cut_too(told, monkeypatch, titles):
    at, asked_of = moment(), []

    def cut(_, text, settings):
        asked_of.append(text)
        return found_in(at, text, settings)

    monkeypatch.setattr(room, "found_in", cut)
    monkeypatch.setattr(room, "settings_of", lambda _: SimpleNamespace(titles=titles))
    drawn(room.document, explored(at), 3, THETA)
    assert ("Fourth court" in asked_of) == titles


def test_where_one_topic_is_chosen_the_words_of_others_are_plain(told, monkeypatch):
    """Of a document, of one that came as counts, and of a text of one's own."""
    at, words = moment(), [0, 2, 3]
    text = [Occurrence(0, 4, 0), Occurrence(5, 8, 2), Occurrence(9, 12, 3)]
    for only, n in ((None, 3), (9, 2), (4, 1)):
        for app in (
            drawn(room.coloured_text, at, "tide tax law", text, THETA, only),
            drawn(room.counted_words, at, {0: 1, 2: 7, 3: 4}, words, THETA, only),
        ):
            assert html(app).count("<mark") == n
    given = []
    monkeypatch.setattr(room, "coloured_text", lambda *what: given.append(what[4]))
    monkeypatch.setattr(room, "_only", lambda at, theta, key: 9)
    drawn(room.own_text, explored(at), documents_own="tide tide tax law")
    assert given == [9]


def test_the_line_of_shares_is_made_anew_for_another_document_and_another_name(told):
    made = []
    for at in (moment(), moment(Labels({9: "laws"}))):
        for row in (0, 3):
            drawn(room.in_a_line, at, SHARES[row].astype(float), "line")
            made.append(repr(told.more["line"]["same"]))
    assert len(set(made)) == 4


def test_a_group_of_topics_has_the_shares_of_its_members_in_a_single_text():
    alone, grouped = moment(), moment(Labels(groups={9: (2,)}))
    one = room.fold_in_one(alone, {0: 3, 2: 1, 4: 2})
    found = room.fold_in_one(grouped, {0: 3, 2: 1, 4: 2})
    assert found.tolist() == pytest.approx([one[0], one[1] + one[2]])
