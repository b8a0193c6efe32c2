"""Lists of the Documents page, each part alone: which documents, in which order, what is said."""

from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.explore.choosing import Filter, picked
from bnpexplorer.explore.documents import hellinger
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.documents import choosing, learned, listing
from tests.tools.alone import (
    COUNTS,
    SHARES,
    TITLES,
    asked,
    drawn,
    explored,
    found_in,
    handed,
    moment,
)
from tests.tools.pages import button, check, choose, field, texts

NB = "\u00a0"
LENGTHS = COUNTS.sum(axis=1)
ALL = np.arange(6)


@pytest.fixture
def cut(monkeypatch):
    monkeypatch.setattr(choosing, "found_in", found_in)


# ---- documents of a topic ------------------------------------------------------------------------


def test_documents_of_a_topic_are_in_order_and_say_their_share():
    """Of three topics of one moment, one after the other, by both rules."""
    at = moment()
    for topic, k, by_share, by_words in (
        (4, 0, [0, 1, 3, 2, 4], [0, 1, 3, 5, 2, 4]),
        (9, 1, [2, 3, 1, 4, 0], [2, 3, 1, 4, 5, 0]),
        (2, 2, [4, 2, 1, 3, 0], [4, 5, 2, 3, 1, 0]),
    ):
        state = {"explored_topic": {"run-a": topic}}
        app, ((rows, says),) = asked(choosing.by_topic, at, SHARES, **state)
        assert rows.tolist() == by_share, "one of four words is too short"
        assert field(app.selectbox, "Topic").value == topic
        for row in by_share:
            share = f"{100 * SHARES[row, k]:.0f}{NB}%"
            assert says(row) == f"{share} of {LENGTHS[row]} words"
        said = texts(app.caption)
        assert said.startswith("Only documents of at least 5 words, half the usual length: in a")
        assert said.endswith("Equal shares: the most typical words first.")
        app, ((rows, says),) = asked(choosing.by_topic, at, SHARES, documents_rule="words", **state)
        assert rows.tolist() == by_words
        for row in by_words:
            assert says(row) == f"about {SHARES[row, k] * LENGTHS[row]:.0f} of {LENGTHS[row]} words"
        assert (
            texts(app.caption)
            == "Share times length: how many words of the topic a document holds."
        )


def test_of_documents_picked_out_none_is_too_short():
    some, at = {"run-a": Filter(picked=picked(np.array([5, 1]), 6))}, moment()
    _, ((rows, _),) = asked(choosing.by_topic, at, SHARES)
    assert 5 not in rows
    app, ((rows, _),) = asked(choosing.by_topic, at, SHARES, documents_filter=some)
    assert 5 in rows
    assert texts(app.caption) == "Equal shares: the most typical words first."


def test_another_topic_begins_its_list_anew():
    state = {"documents_row": 3, "documents_shown": 24}
    app, _ = asked(choosing.by_topic, moment(model="dpm"), SHARES, **state)
    check(field(app.selectbox, "Cluster").set_value(2).run())
    assert app.session_state["explored-topic"] == {"run-a": 2}
    assert "documents-row" not in app.session_state
    assert app.session_state["documents-shown"] == choosing.PAGE
    app, _ = asked(choosing.by_topic, moment(), SHARES, **state)
    choose(app, "documents-rule", "By number of words")
    assert "documents-row" not in app.session_state


def test_until_the_documents_are_read_the_list_is_empty_and_all_hidden_topics_are_offered():
    hidden = moment(Labels(hidden=frozenset({4, 9, 2})))
    app, ((rows, says),) = asked(choosing.by_topic, hidden, None)
    assert (rows.tolist(), says(3)) == ([], "")
    assert [o.split(" ")[0] for o in field(app.selectbox, "Topic").options] == ["9", "4", "2"]
    hidden = moment(Labels(hidden=frozenset({9})))
    app, _ = asked(choosing.by_topic, hidden, None)
    assert [o.split(" ")[0] for o in field(app.selectbox, "Topic").options] == ["4", "2"]


@pytest.mark.parametrize(
    ("known", "which", "found", "said"),
    [
        ([1, 0, 1, 1, 0, 1], "All", [4, 2, 0], ""),
        ([1, 0, 1, 1, 0, 1], "Learned", [2, 0], ""),
        ([1, 0, 1, 1, 0, 1], "Not learned", [4], ""),
        ([0, 1, 0, 0, 0, 0], "Learned", [], "The run has learned none of these."),
        ([1, 0, 1, 1, 1, 1], "Not learned", [], "The run has learned all of these."),
        (None, "Not learned", [4, 2, 0], ""),
        ([1] * 6, "Not learned", [4, 2, 0], ""),
    ],
)
def test_documents_that_were_learned_or_not_keep_their_order(
    monkeypatch, known, which, found, said
):
    known = None if known is None else np.array(known, bool)
    monkeypatch.setattr(choosing, "told_apart", lambda explored: True)
    monkeypatch.setattr(choosing, "learned", lambda explored: known)
    rows = np.array([4, 2, 0])
    app, (got,) = asked(choosing.by_part, explored(moment()), rows, documents_part=which)
    assert got.tolist() == found
    assert texts(app.caption) == said


def test_a_run_tells_its_parts_of_every_document(monkeypatch):
    held_out = np.array([True, False, False, False, True, False])
    noted = []
    monkeypatch.setattr(learned, "held_out_rows", lambda run, corpus: held_out)

    def learned_rows(run, held, seen):
        noted.append(seen)
        return np.array([False, True, True, False, False, True])

    monkeypatch.setattr(learned, "learned_rows", learned_rows)
    found = explored(moment())
    wanted = ["held out", "learned", "learned", "not yet learned", "held out", "learned"]
    _, (got,) = asked(lambda one: [learned.part(one, row) for row in range(6)], found)
    assert got == wanted
    _, (got,) = asked(learned.parts_of, found, np.array([3, 0, 1]))
    assert got == ["not yet learned", "held out", "learned"]
    assert noted == [40], "by how many documents were seen at this moment"


# ---- searching -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        ("tide", [0, 1, 5], "3 documents found."),
        ("law rose", [4, 2], "2 documents found."),
        ("second", [1], "Not in the vocabulary: second. 1 document found."),
        ("tax xyzzy", [], "Not in the vocabulary: xyzzy. No document found. Try one word that"),
        ("stuck", [], "Its \\*pattern\\* did not cut this text. No document found."),
        ("garden", [5], "Not in the vocabulary: garden. 1 document found."),
    ],
)
def test_a_search_lists_titles_and_words_and_says_how_many(text, rows, said):
    app, (got,) = asked(choosing.by_search, explored(moment()), documents_search=text)
    assert got[0].tolist() == rows
    assert texts(app.caption).startswith(said)
    assert [got[1](row) for row in range(6)] == [f"{n} words" for n in LENGTHS]


def test_without_words_the_list_is_empty_unless_a_filter_asks():
    found = explored(moment())
    _, (got,) = asked(choosing.by_search, found)
    assert got[0].tolist() == []
    some = {"run-a": Filter(labels=("sea",))}
    _, (got,) = asked(choosing.by_search, found, documents_search="  ", documents_filter=some)
    assert got[0].tolist() == list(range(6))


@pytest.mark.parametrize(("way", "words"), [("search", "war"), ("topic", ""), (None, "")])
def test_what_was_searched_for_counts_while_one_searches(way, words):
    _, (got,) = asked(choosing.searched, documents_way=way, documents_search=" war ")
    assert got == words


# ---- the list ------------------------------------------------------------------------------------


@pytest.fixture
def parts(monkeypatch):
    names = ["learned", "held out", "", "not yet learned", "learned", "held out"]
    monkeypatch.setattr(listing, "part", lambda _, row: names[row])
    monkeypatch.setattr(listing, "parts_of", lambda _, rows: [names[row] for row in rows])
    monkeypatch.setattr(listing, "export_button", lambda *given: None)


@pytest.mark.usefixtures("parts")
def test_a_line_says_whose_it_is_and_the_chosen_one_is_marked(monkeypatch):
    told, rows = handed(monkeypatch, listing), np.array([3, 1, 0])
    given = explored(moment()), SHARES, rows, lambda row: f"says {row}", "list", 1
    app = drawn(listing.listing, *given)
    assert [b.label for b in app.button] == [f"**{TITLES[row]}**" for row in rows]
    assert [b.icon for b in app.button] == ["", ":material/arrow_right:", ""]
    facts = [c.value.split("  \n")[0].replace("\\", "") for c in app.caption]
    assert facts == [
        "**not yet learned** · says 3 · state",
        "**held out** · says 1 · 2002-03-04 · sea",
        "says 0 · 2001-02-03 · sea",
    ]
    check(button(app, key="list-2").click().run())
    assert app.session_state["documents-row"] == 0
    table = told.tables["documents"]
    assert table["document"].tolist() == [4, 2, 1]
    assert table["title"].tolist() == [TITLES[row] for row in rows]
    assert table["says"].tolist() == ["says 3", "says 1", "says 0"]
    assert table["part"].tolist() == ["not yet learned", "held out", "learned"]


@pytest.mark.usefixtures("parts")
def test_more_of_a_list_come_by_the_page_until_all_are_there(monkeypatch):
    handed(monkeypatch, listing)
    monkeypatch.setattr(listing, "PAGE", 2)
    given = explored(moment()), SHARES, ALL[:5], lambda row: "", "list", None
    app = drawn(listing.listing, *given)
    for shown, left in ((2, "Show 2 more"), (4, "Show 1 more"), (5, None)):
        assert len([b for b in app.button if not b.key.endswith("-more")]) == shown
        more = [b for b in app.button if b.key == "list-more"]
        assert [b.label for b in more] == ([left] if left else [])
        if more:
            check(more[0].click().run())


@pytest.mark.usefixtures("parts")
def test_every_document_of_a_moment_has_its_own_neighbours(monkeypatch):
    monkeypatch.setattr(listing, "document", lambda *given: None)
    found = explored(moment())
    for row in (3, 4):
        app = drawn(listing.one, found, SHARES, np.array([3, 4]), row)
        first = next(b for b in app.button if b.key == "near-0")
        apart = hellinger(SHARES, SHARES[row].astype(float))
        assert first.label == f"**{TITLES[np.argsort(apart)[1]]}**"


@pytest.mark.usefixtures("cut")
def test_two_searches_with_the_same_words_find_their_own_titles():
    found = explored(moment())
    for text, rows in (("Fifth bed", [4]), ("Sixth hedge", [5])):
        _, ((got, _),) = asked(choosing.by_search, found, documents_search=text)
        assert got.tolist() == rows


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(
    ("row", "before", "after"), [(3, None, 1), (1, 3, 0), (0, 1, None), (5, None, None)]
)
def test_previous_and_next_are_those_of_the_list(monkeypatch, row, before, after):
    shown = []
    monkeypatch.setattr(listing, "document", lambda *given: shown.append(given[1:]))
    given = explored(moment()), SHARES, np.array([3, 1, 0]), row
    app = drawn(listing.one, *given, documents_filter={"run-a": Filter(words=("tax",))})
    assert f"## {TITLES[row]}" in texts(app.markdown)
    (place, theta, sought) = shown[0]
    assert (place, theta.tolist(), sought) == (row, SHARES[row].astype(float).tolist(), ("tax", ""))
    for words, there in (("Previous", before), ("Next", after)):
        found = button(app, words)
        assert found.disabled == (there is None)
        if there is not None:
            check(found.click().run())
            assert app.session_state["documents-row"] == there
    near = [b for b in app.button if b.key.startswith("near-")]
    apart = hellinger(SHARES, SHARES[row].astype(float))
    order = [d for d in np.argsort(apart) if d != row]
    assert [b.label for b in near] == [f"**{TITLES[d]}**" for d in order]
    lines = [c.value.split("  \n")[0] for c in app.caption if "distance " in c.value]
    assert [
        f"distance {apart[d]:.2f}" in line for d, line in zip(order, lines[-5:], strict=True)
    ] == [True] * 5


def test_the_head_says_which_moment_and_offers_a_later_one(monkeypatch):
    at = moment()
    found = explored(at)
    monkeypatch.setattr(listing.explore, "explored", lambda shown: found)
    held = []
    monkeypatch.setattr(listing.explore, "hold", held.append)
    app, (got,) = asked(listing.opened, found.shown)
    assert got is found
    assert texts(app.caption) == "the six · 6 documents · a run after pass of 40"
    assert not app.button
    later = SimpleNamespace(at=lambda run_id: (run_id, 6))
    found = explored(at, latest=later)
    app, _ = asked(listing.opened, found.shown)
    check(button(app, "Take where it stands now").click().run())
    assert held == [found.shown]


@pytest.mark.parametrize(
    ("said", "row"), [("1", 0), ("6", 5), ("7", 3), ("0", 3), ("", None), (None, 3), ("x", 3)]
)
def test_a_document_goes_by_its_number_in_the_address(monkeypatch, said, row):
    written = {}
    monkeypatch.setattr(listing, "follow_filter", lambda moment: None)
    monkeypatch.setattr(listing, "topic_of_address", lambda *given: None)
    monkeypatch.setattr(listing, "keep_in_address", lambda *given: None)
    monkeypatch.setattr(listing.pages, "asked", lambda name: said if name == "document" else None)
    monkeypatch.setattr(listing.pages, "write", lambda name, value: written.update({name: value}))
    drawn(listing.follow_address, moment(), documents_row=3)
    assert written == {"document": "" if row is None else row + 1}
