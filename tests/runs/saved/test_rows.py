"""The row of a saved run: what it may say, at the limits and one beyond, and what it says then."""

import math
from dataclasses import asdict

import pytest

from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.runs.saved.rows import Saved, check_chain, one_line, saved_of
from bnpexplorer.state.labels import Labels

FACTS = {"method": "lda-svi", "status": "paused", "docs_seen": 30, "planned_docs": 120, "seed": 4}
ROW = {
    "run_id": "a1",
    "name": "mine",
    "secret": "s",
    "corpus_key": "key",
    "created": 5.0,
    "updated": 7.5,
    "deleted": None,
    "facts": FACTS,
    "tags": ["sea"],
    "labels": {},
}


def read(**changed) -> Saved:
    return saved_of({**ROW, **changed}, 123)


def facts(**changed) -> dict:
    return dict(read(facts=FACTS | changed).facts)


def test_a_sound_row_is_taken_as_it_is():
    found = read(facts=FACTS | {"heldout": -7, "step": 2, "split": "abc", "error": "E: no"})
    assert (found.run_id, found.name, found.corpus_key, found.tags) == (
        "a1",
        "mine",
        "key",
        ("sea",),
    )
    assert (found.created, found.updated, found.deleted, found.n_bytes) == (5.0, 7.5, None, 123)
    assert found.facts == FACTS | {
        "model": "",
        "corpus": "",
        "protocol": "",
        "n_topics": 0,
        "heldout": -7.0,
        "step": 2,
        "split": "abc",
        "error": "E: no",
    }
    assert read(deleted=6.0).deleted == 6.0
    labels = Labels({3: " war\n ", 4: " \n ", 5: "sea"}, frozenset({4}))
    assert read(labels=labels.to_json()).labels == Labels({3: "war", 5: "sea"}, frozenset({4}))
    assert read(name="\n").name == "a1", "one without a name is called by its identity"


@pytest.mark.parametrize("column", ["created", "updated", "deleted"])
def test_times_are_of_years_that_tables_know(column):
    for seconds in (0, 9e9):
        assert getattr(read(**{column: seconds}), column) == seconds
    for seconds, said in (
        (-0.1, "its time is -0.1"),
        (9.1e9, r"its time is 9.1e\+09"),
        (math.nan, "its time is nan"),
        (math.inf, "its time is inf"),
        (True, "its time is no number"),
        ("5", "its time is no number"),
    ):
        with pytest.raises(ValueError, match=said):
            read(**{column: seconds})


@pytest.mark.parametrize("name", ["seed", "docs_seen", "planned_docs", "n_topics", "step"])
def test_counts_are_whole_numbers_that_tables_hold(name):
    for count in (0, 2**63 - 1):
        assert facts(**{name: count})[name] == count
    for count in (-1, 2**63, 1.0, True, "3"):
        with pytest.raises(ValueError, match=f"its {name} is {count!r}"):
            facts(**{name: count})


def test_names_are_as_long_as_pages_allow():
    long = "x" * 2000
    assert len(read(name=long).name) == 80
    assert [len(tag) for tag in read(tags=[long, "b" * 199]).tags] == [200, 199]
    assert len(read(labels=Labels({1: long}).to_json()).labels.names[1]) == 60
    for name in ("corpus", "error", "split"):
        assert len(facts(**{name: long})[name]) == 1000
    for name in ("name", "corpus_key", "run_id"):
        with pytest.raises(ValueError, match=f"its {name} is no text"):
            read(**{name: 7})
    for name in ("method", "model", "corpus", "protocol", "status", "error", "split"):
        with pytest.raises(ValueError, match=f"its {name} is no text"):
            facts(**{name: 7})
    with pytest.raises(ValueError, match="its tags are no list"):
        read(tags="sea")
    with pytest.raises(ValueError, match="its tags is no text"):
        read(tags=[7])


def test_a_score_is_a_number_or_none():
    assert facts(heldout=None)["heldout"] is None
    assert facts(heldout=math.inf)["heldout"] is None, "a word that has no probability"
    assert facts(heldout=-math.inf)["heldout"] is None
    for wrong in ("-7", True):
        with pytest.raises(ValueError, match="its heldout is no number"):
            facts(heldout=wrong)


def test_an_unknown_status_is_named():
    with pytest.raises(ValueError, match="its status is 'lost'"):
        facts(status="lost")


@pytest.mark.parametrize(
    ("place", "of", "said"),
    [
        (0, 1, ""),
        (7, 8, ""),
        (1, 1, "it is chain 2 of 1"),
        (-1, 3, "it is chain 0 of 3"),
        (2, 9, "it is chain 3 of 9"),
    ],
)
def test_a_chain_is_one_of_those_that_there_may_be(place, of, said):
    chain = ChainOf("group", place, of, "These chains have met.", True)
    if said:
        with pytest.raises(ValueError, match=said):
            check_chain(chain)
        return
    check_chain(chain)
    assert read(facts=FACTS | {"chain": asdict(chain)}).chain == chain
    assert read().chain is None


def test_what_a_chain_says_is_one_line_of_a_length():
    check_chain(ChainOf("g" * 40, 0, 2, "s" * 1000))
    for group, sentence, name in (("g" * 41, "", "group"), ("", "s" * 1001, "sentence")):
        with pytest.raises(ValueError, match=f"the {name} of its chain cannot be shown"):
            check_chain(ChainOf(group, 0, 2, sentence))
    with pytest.raises(ValueError, match="the sentence of its chain"):
        check_chain(ChainOf("g", 0, 2, "two\nlines"))


def test_how_much_is_learned_and_whether_it_was_cut_off():
    assert read().progress == 0.25
    assert read(facts=FACTS | {"status": "finished"}).progress == 1.0
    assert read(facts=FACTS | {"planned_docs": 0, "docs_seen": 0}).progress == 0.0
    at_rest = {"finished", "stopped", "failed", "paused"}
    for status in (*at_rest, "ready", "queued", "compiling", "starting", "running"):
        assert read(facts=FACTS | {"status": status}).interrupted == (status not in at_rest)


def test_a_line_has_neither_ends_of_lines_nor_halves_of_letters():
    assert one_line("  a\tb\nc\u2028d\u2029e\ud800f ", 99) == "a b c d e f"
    assert one_line(" " * 9 + "abc def", 4) == "abc"
    assert one_line("Öl & 水", 99) == "Öl & 水"
