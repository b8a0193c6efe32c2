"""What changed, on the Topics page, each part alone: which side, which topic, which documents."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.core.display import plain
from bnpexplorer.explore.change import Changes, ChangeTurn
from bnpexplorer.explore.changed_words import ChangedWords
from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.mix import Mix
from bnpexplorer.explore.sentences import (
    Basis,
    Sides,
    change_sentence,
    turn_sentence,
    word_sentence,
)
from bnpexplorer.ui.frame import access
from bnpexplorer.ui.topics import changed, changed_words, mixed, quoted
from bnpexplorer.ui.topics.two_sides import TwoSides
from tests.tools.alone import COUNTS, SHARES, WORDS, drawn, explored, handed, moment
from tests.tools.pages import button, check, texts

NB = "\u00a0"
LENGTHS = COUNTS.sum(axis=1).astype(float)
EARLY = np.array([True, True, False, False, True, False])
ASKED = (
    Filter(since="2001-01-01", until="2002-12-31"),
    Filter(since="2003-01-01", until="2003-12-31"),
)
LATE = np.array([False, False, True, False, False, True])
TIMES = TwoSides(ASKED, EARLY, LATE, Sides("then", "now"))
LABELS = TwoSides(
    (Filter(("sea",)), Filter(("state",))),
    np.array([True, True, False, False, False, False]),
    np.array([False, False, True, True, True, False]),
    Sides("sea", "state", True),
)
CHANGES = Changes(
    3,
    2,
    3,
    2,
    np.array([0.6, 0.1, 0.3]),
    np.array([0.2, 0.4, 0.35]),
    np.array([-0.5, 0.25, -0.1]),
    np.array([-0.2, 0.45, 0.2]),
    3,
)
"""Of topics 9, 4 and 2: the first fell by 20 points at least, the second rose by 25."""
IDS = (9, 4, 2)


@pytest.fixture
def told(monkeypatch):
    monkeypatch.setattr(changed, "_changes", lambda *given: CHANGES)
    monkeypatch.setattr(changed, "changed_words_view", lambda *given: None)
    monkeypatch.setattr(mixed, "mixes", lambda shares, compared, *given: [None] * len(compared))
    return handed(monkeypatch, changed, mixed, quoted)


def sentences(app):
    return [m.value.removeprefix("> ") for m in app.markdown if m.value.startswith("> ")]


# ---- between two sides ---------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [TIMES, LABELS], ids=["times", "labels"])
def test_the_surest_changes_are_told_with_the_names_and_documents_of_their_sides(told, sides):
    at = moment()
    app = drawn(changed._between, explored(at), SHARES, sides, "words", IDS)
    *_, dots = told.figures["topics-changes"].data
    order = [4, 9, 2]
    assert list(dots.customdata) == order
    assert list(told.figures["topics-changes"].layout.yaxis.ticktext) == [at.name(i) for i in order]
    basis = Basis("words", False, "topic")
    wanted = [change_sentence(at.name(IDS[k]), CHANGES, k, sides.called, basis) for k in (1, 0)]
    assert sentences(app) == [plain(s.text) for s in wanted]
    small = [c.value for c in app.caption]
    assert small[1:] == [plain(s.detail) for s in wanted]
    differ = sides.called.labels
    assert f"2 of 3 topics {'differ' if differ else 'changed'} surely (full dots)" in small[0]
    assert f"nearest to no {'difference' if differ else 'change'}." in small[0]
    assert ("Dots on the right: more in “state” than in “sea”." in small[0]) == differ
    assert ("1 document without a date is left aside" in small[0]) != differ
    for topic, side in ((9, 0), (4, 1), (2, 1)):
        told.clicks["topics-changes"](topic)
        assert told.led.pop() == (topic, sides.asked[side], "", None), "where there is more of it"
    for topic in (9, 4):
        for number in (0, 1):
            check(button(app, key=f"change-{topic}-read-{number}").click().run())
            assert told.led.pop() == (topic, sides.asked[number], "", None)
    table = told.tables["topics-changes"]
    assert table["topic"].tolist() == [at.head(i) for i in order]
    assert table["sure"].tolist() == [True, True, False]


def test_where_no_change_is_sure_there_is_nothing_to_quote(monkeypatch, told):
    unsure = replace(CHANGES, low=np.full(3, -0.6), high=np.full(3, 0.6))
    monkeypatch.setattr(changed, "_changes", lambda *given: unsure)
    for sides, said in ((TIMES, "No topic changed surely,"), (LABELS, "No topic differs surely,")):
        app = drawn(changed._between, explored(moment()), SHARES, sides, "words", IDS)
        assert said in texts(app.caption)
        assert "0 of 3 topics" in texts(app.caption)
        assert "too few to find topics in" in texts(app.warning)
        assert not sentences(app)


def test_two_comparisons_of_one_moment_are_two(monkeypatch):
    told, found = handed(monkeypatch, changed, mixed, quoted), explored(moment())
    monkeypatch.setattr(changed, "changed_words_view", lambda *given: None)
    for sides in (TIMES, LABELS):
        for counted, weights in (("words", LENGTHS), ("documents", np.ones(6))):
            drawn(changed._between, found, SHARES, sides, counted, IDS)
            assert len(told.tables["topics-changes"]) == 3
            drawn(changed._between, found, SHARES, sides, counted, IDS[1:])
            assert len(told.tables["topics-changes"]) == 2, "of the topics that are asked for"
            drawn(changed._between, found, SHARES, sides, counted, IDS)
            table = told.tables["topics-changes"].set_index("topic")
            for topic, k in ((9, 1), (4, 0), (2, 2)):
                row = table.loc[found.moment.head(topic)]
                for head, rows in zip(sides.called.heads, (sides.before, sides.after), strict=True):
                    mean = np.average(SHARES[rows, k], weights=weights[rows])
                    assert row[head] == pytest.approx(mean, abs=1e-6)


def test_who_watches_reads_no_paragraphs_and_no_words(told):
    app = drawn(changed._between, explored(moment(), readable=False), SHARES, TIMES, "words", IDS)
    assert len(sentences(app)) == 2
    assert not app.button
    assert access.WORDS_FOR_ITS_OWNER in texts(app.info)


def test_what_counts_the_same_and_what_is_compared_is_said():
    at = moment()
    by_words, by_documents = (
        changed._how_sure(at, "words"),
        changed._how_sure(at, "documents", True),
    )
    assert by_words.startswith(
        "Shares are means in which every word counts the same; documents are "
    )
    assert "of many topics none seems to change by luck" in by_words
    assert by_documents.startswith("Shares are means in which every document counts the same;")
    assert "of many topics none seems to differ by luck" in by_documents


MIX = Mix(
    np.array([0.2, 0.05, 0.25]),
    np.array([0.1, 0.01, 0.2]),
    np.array([0.3, 0.09, 0.3]),
    True,
    "mix",
    True,
    1.0,
    0,
    0.25,
    0.75,
)


def test_readers_get_the_cause_of_a_change_from_labels_and_of_a_difference_from_periods(
    monkeypatch, told
):
    asked = []
    monkeypatch.setattr(mixed, "mixes", lambda *given: asked.append(given) or [MIX] * len(given[1]))
    for sides, cause in (
        (TIMES, "mostly because “state” went from 25 % to 75 % of the words."),
        (LABELS, "mostly because 75 % of the words of “state” and 25 % of those of “sea” are from"),
    ):
        app = drawn(changed._between, explored(moment()), SHARES, sides, "words", IDS)
        assert all(plain(cause) in text.replace(NB, " ") for text in sentences(app))
        shares, compared, labels, weights, units, n_compared, of_words = asked.pop()
        assert shares is SHARES
        assert [k for k, *_ in compared] == [0, 1], "columns of topics 4 and 9"
        assert all(one is sides.before and other is sides.after for _, one, other in compared)
        assert weights.tolist() == LENGTHS.tolist()
        assert (units, n_compared, of_words) == (None, 3, False)
        at_sea = "the first quarter of 2001" if sides is LABELS else "state"
        assert labels.names[labels.codes[0 if sides is LABELS else 2]].startswith(at_sea)
    watched = explored(moment(), readable=False)
    app = drawn(changed._between, watched, SHARES, TIMES, "words", IDS)
    assert (len(sentences(app)), asked) == (2, [])
    assert not any("because" in text for text in sentences(app)), "labels are for readers"


# ---- from one period to the next -----------------------------------------------------------------


def test_a_turn_is_told_of_its_topic_with_the_documents_of_both_periods(monkeypatch):
    told, at = handed(monkeypatch, changed, mixed, quoted), moment()
    days = np.array(["2001-01-01", "2002-01-01", "2003-01-01"], "datetime64[D]")
    turns = [
        ChangeTurn(2, days[0], days[1], 2, 1, 2, 1, 0.1, 0.4, 0.2, 6),
        ChangeTurn(0, days[1], days[2], 1, 2, 1, 2, 0.9, 0.3, -0.1, 6),
    ]
    asked, causes = [], []
    monkeypatch.setattr(mixed, "mixes", lambda *given: causes.append(given) or [None, None])
    monkeypatch.setattr(changed, "_turns", lambda what, *_: asked.append(what) or turns)
    dates = at.corpus.docs.date
    key = {"topics_changed_period_run_a": "year"}
    app = drawn(changed._found_by_itself, explored(at), SHARES, dates, "documents", IDS, **key)
    assert asked == [("year", "documents", IDS)]
    basis = Basis("documents", False, "topic")
    said = [turn_sentence(at.name(i), t, "year", basis) for i, t in zip((2, 4), turns, strict=True)]
    assert sentences(app) == [plain(s.text) for s in said]
    for place, topic, years in ((0, 2, ("2001", "2002")), (1, 4, ("2002", "2003"))):
        for number, year in enumerate(years):
            check(button(app, key=f"turn-{place}-read-{number}").click().run())
            asked_for = Filter(since=f"{year}-01-01", until=f"{year}-12-31")
            assert told.led.pop() == (topic, asked_for, "", None)
            assert button(app, key=f"turn-{place}-read-{number}").label == f"Read: in {year}"
    table = told.tables["topics-turns"]
    assert table["sentence"].tolist() == [s.text for s in said]
    assert table[["from", "to", "before", "after", "at least"]].values.tolist() == [
        ["2001-01-01", "2002-01-01", 0.1, 0.4, 0.2],
        ["2002-01-01", "2003-01-01", 0.9, 0.3, -0.1],
    ]
    rows = {year: (dates.astype("M8[Y]").astype(int) == year - 1970) for year in (2001, 2002, 2003)}
    (compared, n_compared) = causes[0][1], causes[0][-2]
    assert [k for k, *_ in compared] == [2, 0]
    for (_, *both), years in zip(compared, ((2001, 2002), (2002, 2003)), strict=True):
        assert [side.tolist() for side in both] == [rows[year].tolist() for year in years]
    assert n_compared == 6
    monkeypatch.setattr(changed, "TURNS", 1)
    assert len(sentences(check(app.run()))) == 1
    assert len(told.tables["topics-turns"]) == 2


def test_topics_and_weights_of_turns_and_changes_are_those_asked_for(monkeypatch):
    at, noted = moment(), []
    monkeypatch.setattr(changed, "turns", lambda *given, **more: noted.append((given, more)))
    monkeypatch.setattr(changed, "changes", lambda *given, **more: noted.append((given, more)))
    dates = at.corpus.docs.date
    changed._turns(("week", "words", IDS), at, SHARES, dates)
    changed._turns(("week", "documents", IDS), at, SHARES, dates)
    changed._changes("words", IDS, at, SHARES, TIMES)
    (*_, period, columns, weights), _ = noted[0]
    assert (period, columns, weights.tolist()) == ("week", [1, 0, 2], LENGTHS.tolist())
    assert noted[1][0][-1] is None
    (_, before, after, weights), more = noted[2]
    assert (before is EARLY, after is LATE, weights.tolist()) == (True, True, LENGTHS.tolist())
    assert more["columns"] == [1, 0, 2]


# ---- paragraphs ----------------------------------------------------------------------------------


def test_below_a_sentence_stand_the_best_paragraphs_of_each_side(monkeypatch):
    told, at = handed(monkeypatch, quoted), moment()
    monkeypatch.setattr(quoted, "passage_of", lambda *given: f"of {given[3]} in {given[4]}")
    sides = [("in “<i>”", EARLY, ASKED[0]), ("in 2003", LATE, ASKED[1])]
    app = drawn(quoted.evidence, explored(at), SHARES, 2, sides, "some", some_paragraphs=True)
    assert [m.value for m in app.markdown] == [
        f"**{plain('in “<i>”')}**",
        "> of 2 in 4",
        "> of 2 in 1",
        "**in 2003**",
        "> of 2 in 2",
        "> of 2 in 5",
    ], "a document of four words comes last, though it has more of the topic"
    opens = [
        (4, f"84{NB}% of Fifth bed · 2001-06-07 · state", 0),
        (5, f"59{NB}% of Sixth hedge · 2003-08-09 · garden", 1),
    ]
    for row, label, side in opens:
        opened = button(app, key=f"some-{row}-open")
        assert opened.label == plain(label)
        check(opened.click().run())
        assert told.led.pop() == (2, ASKED[side], "", row)
    closed = drawn(quoted.evidence, explored(at), SHARES, 2, sides, "some")
    assert not closed.markdown


@pytest.mark.parametrize(
    ("days", "period", "longer"),
    [
        (["2001-01-01", "2001-03-01"], "day", "week"),
        (["2001-01-01", "2001-03-01"], "week", "month"),
        (["2001-01-01", "2001-03-01"], "month", None),
        (["2001-01-31", "2001-02-01"], "day", None),
        (["1999-01-01", "2001-03-01"], "month", "quarter"),
        (["1999-01-01", "2001-03-01"], "year", "5 years"),
        (["1999-01-01", "2001-03-01"], "10 years", None),
    ],
)
def test_the_next_longer_period_still_cuts_the_dates_in_fewer_pieces(days, period, longer):
    assert quoted.longer_than(period, np.array(days, "datetime64[D]")) == longer


def words_found(z):
    counts = np.array([5, 4, 3, 2, 6])
    total = int(counts.sum())
    z = np.array(z)
    return ChangedWords(
        counts, counts[::-1] + 7, counts - 1, counts - 2, total, total + 35, z, z, 2.5, 4
    )


@pytest.mark.parametrize("sides", [TIMES, LABELS], ids=["times", "labels"])
def test_words_that_rose_and_fell_have_their_own_tables_and_sentences(monkeypatch, sides):
    told, at = handed(monkeypatch, changed_words, mixed), moment()
    found = words_found([3.04, -2.6, 0.0, 2.49, -9.0])
    monkeypatch.setattr(changed_words, "words_changed", lambda *given: found)
    asked = []
    monkeypatch.setattr(
        mixed, "mixes", lambda *given: asked.append(given) or [None] * len(given[1])
    )
    app = drawn(changed_words.changed_words_view, explored(at), sides)
    rose, fell = (d.value for d in app.dataframe)
    assert (rose["word"].tolist(), rose["sure"].tolist()) == (["tide", "law"], ["sure", ""])
    assert (fell["word"].tolist(), fell["sure"].tolist()) == (["rose", "ship"], ["sure", "sure"])
    before, after = sides.called.heads
    assert rose[before].tolist() == [round(1e4 * n / 20, 2) for n in (5, 2)]
    assert rose[after].tolist() == [round(1e4 * n / 55, 2) for n in (13, 11)]
    assert rose["z"].tolist() == [3.0, 2.5]
    heads = ["More often in state", "More often in sea"] if sides is LABELS else ["Rose", "Fell"]
    assert [m.value for m in app.markdown if m.value.startswith("###")] == [
        f"### {h}" for h in heads
    ]
    shares, (compared, *_) = asked[0][0], asked[0][1]
    counts = at.corpus.to_csr().toarray()
    assert np.allclose(shares[:, 0], counts[:, 0] / counts.sum(axis=1)), "of the words of a text"
    assert compared == (0, sides.before, sides.after)
    wanted = [(0, "tide"), (4, "rose"), (1, "ship")]
    assert sentences(app) == [
        plain(word_sentence(n, found, w, sides.called).text) for w, n in wanted
    ]
    assert "sure beyond 2.5 standard errors, for all 4 words" in texts(app.caption)
    assert told.tables["topics-changed-words"]["word"].tolist() == ["tide", "law", "ship", "rose"]


def test_where_nothing_turned_only_words_that_surely_rose_are_quoted(monkeypatch):
    found, at = words_found([3.04, -2.6, 2.51, 2.49, -9.0]), moment()
    asked = []
    monkeypatch.setattr(quoted, "words_changed", lambda _, sides: asked.append(sides) or found)
    app = drawn(quoted._words_that_rose, explored(at), at.corpus.docs.date)
    called = asked[0].called
    wanted = [word_sentence(WORDS[w], found, w, called).text for w in (0, 2)]
    assert sentences(app) == [plain(text) for text in wanted]
    assert (called.before, called.after) == (
        "3 February 2001 to 3 March 2002", "4 March 2002 to 9 August 2003",
    )  # fmt: skip
    assert asked[0].before.tolist() == [True, False, False, False, True, False]
    assert asked[0].after.tolist() == [False, True, True, False, False, True]
    asked.clear()
    watched = drawn(quoted._words_that_rose, explored(at, readable=False), at.corpus.docs.date)
    assert (asked, len(watched.markdown)) == ([], 0), "counts of words are for readers"


def test_the_cause_of_a_word_s_change_goes_by_its_counts(monkeypatch):
    asked, found = [], words_found([3.0, -3.0, 0.0, 0.0, 0.0])
    monkeypatch.setattr(changed_words, "words_changed", lambda *given: found)
    monkeypatch.setattr(mixed, "mixes", lambda *given: asked.append(given) or [MIX] * len(given[1]))
    handed(monkeypatch, changed_words)
    app = drawn(changed_words.changed_words_view, explored(moment()), TIMES)
    assert all("mostly because" in text for text in sentences(app))
    assert [given[5:] for given in asked] == [(found.n_compared, True)] * 2


def test_a_side_without_words_says_so(monkeypatch):
    none = words_found([0.0] * 5)
    monkeypatch.setattr(changed_words, "words_changed", lambda *given: none)
    handed(monkeypatch, changed_words)
    app = drawn(changed_words.changed_words_view, explored(moment()), TIMES)
    assert texts(app.caption).count("No word that is common enough.") == 2
    assert not app.dataframe
