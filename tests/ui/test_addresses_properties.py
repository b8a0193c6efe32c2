"""Addresses by their laws: what is written there is read back, and what anybody writes is safe."""

from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.corpus import Corpus
from bnpexplorer.explore.choosing import (
    LEAST,
    Filter,
    are_picked,
    as_letters,
    between,
    day_of,
    how_many,
    of_letters,
    picked,
)
from bnpexplorer.ui.frame.pages import number_of
from bnpexplorer.ui.parts import to_topics
from bnpexplorer.ui.parts.share import link, snippet
from tests.tools.moments import made

GARBAGE = st.one_of(
    st.text(max_size=30),
    st.text("0123456789.-~%2C,eE+NaT:_ ", max_size=14),
    st.sampled_from(["9" * 40, "-1", "1e9", "nan", "0.999", "0.", "²", "١", "now", "today"]),
)
PIECES = st.lists(st.sampled_from(["%2C", "%25", "%", ",", "a"]), min_size=1, max_size=4)
NAME = PIECES.map("".join) | st.text(min_size=1, max_size=9)
NAMES = st.lists(NAME, max_size=4).map(tuple)


@given(NAMES)
def test_names_with_any_signs_are_told_apart_in_an_address(names):
    joined = ",".join(map(to_topics._escaped, names))
    assert to_topics._parts(joined) == names


@given(GARBAGE)
def test_anything_is_a_number_from_0_or_none(text):
    found = number_of(text)
    assert found is None or (found >= 0 and found == int(text))


@given(st.integers(0, 999_999_999))
def test_a_number_is_read_back(number):
    assert number_of(str(number)) == number


@given(GARBAGE)
def test_anything_is_a_day_or_none(text):
    found = day_of(text)
    assert found == "" or day_of(found) == found
    dates = np.array(["2001-02-03", "NaT"], "datetime64[D]")
    assert between(dates, 2, found, "")[1] == np.False_


@given(st.dates())
def test_a_day_is_read_back(day):
    assert day_of(day.isoformat()) == day.isoformat()


@st.composite
def rows(draw):
    n_docs = draw(st.integers(1, 90))
    return n_docs, draw(st.sets(st.integers(0, n_docs - 1)))


@given(rows())
def test_picked_documents_are_read_back(drawn):
    n_docs, wanted = drawn
    bits = picked(np.array(sorted(wanted), np.int64), n_docs)
    assert how_many(bits) == len(wanted)
    if wanted:
        assert of_letters(as_letters(bits), n_docs) == bits
        assert set(np.flatnonzero(are_picked(bits, n_docs)).tolist()) == wanted


@given(rows(), GARBAGE, st.integers(-8, 1))
def test_letters_of_other_texts_pick_none_beyond_the_last(drawn, text, fewer):
    n_docs, wanted = drawn
    others = max(n_docs + fewer, 1)
    letters = as_letters(picked(np.array(sorted(wanted), np.int64), n_docs) or b"\0")
    for said in (letters, letters[:-1], letters[1:] + text, text):
        bits = of_letters(said, others)
        assert not bits or 0 < are_picked(bits, others).sum() == how_many(bits) <= others


FIELDS = tuple(to_topics._said(Filter()))
MOMENT = made({4: 9.0, 7: 5.0})
NO_SHARES = ("", "0", "0.", ".", ".5", "5", "1.5", "0.123", "0.5.", "0,5", "-0.5", "0.x")


@given(st.fixed_dictionaries(dict.fromkeys(FIELDS, GARBAGE)))
def test_whatever_an_address_says_makes_a_filter(said):
    found = to_topics._read(said, MOMENT)
    assert found.topic in (None, 4, 7)
    assert 0.0 <= found.least < 1.0
    assert found.without("topic").topic is None


@pytest.mark.parametrize(
    ("said", "least"),
    [("0.5", 0.5), ("0.05", 0.05), ("0.00", 0.0), *((no, LEAST) for no in NO_SHARES)],
)
def test_a_share_is_read_as_addresses_have_it_and_anything_else_asks_for_nothing(said, least):
    assert to_topics._read(dict.fromkeys(FIELDS, "") | {"least": said}, MOMENT).least == least


@st.composite
def filters(draw):
    """What a person may ask for, of 37 texts."""
    day = st.one_of(st.just(""), st.dates().map(str))
    topic = draw(st.sampled_from([None, 4, 7]))
    rows_ = draw(st.sets(st.integers(0, 36)))
    return Filter(
        draw(NAMES),
        draw(NAMES),
        draw(day),
        draw(day),
        draw(NAMES),
        topic,
        LEAST if topic is None else draw(st.integers(1, 99)) / 100.0,
        picked(np.array(sorted(rows_), np.int64), 37),
    )


@pytest.mark.second
@given(filters())
def test_a_filter_is_read_back_from_its_address(asked):
    said = to_topics._said(asked)
    address = link("http://example.org/documents", {n: v for n, v in said.items() if v})
    found = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    moment = replace(MOMENT, corpus=Corpus.from_csr(np.ones((37, 3), int), MOMENT.vocab))
    assert to_topics._read({name: found.get(name, "") for name in FIELDS}, moment) == asked


QUERIES = st.dictionaries(
    st.text(min_size=1, max_size=6), st.text(min_size=1, max_size=9), max_size=4
)


@given(QUERIES, QUERIES)
def test_a_link_says_what_it_was_made_of(one, other):
    address = link("http://example.org/topics", one, other)
    parts = urlsplit(address)
    assert parts.path == "/topics"
    found = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(one or other))
    assert found == {name: [said] for name, said in (one | other).items()}
    assert address.isascii()


@given(QUERIES, st.text(max_size=12))
def test_a_page_inside_another_has_the_address_and_nothing_else(query, title):
    seen = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: seen.append((tag, dict(attributes)))
    address = link("http://example.org/", query)
    parser.feed(snippet(address, title))
    ((tag, attributes),) = seen
    assert (tag, attributes["src"], attributes["title"]) == ("iframe", address, title)
