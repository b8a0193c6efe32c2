"""Tables out: what Python's csv and pandas read in a file is what the run holds."""

import csv as csvlib
import io
import unicodedata
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.core.spreadsheet import defused
from bnpexplorer.export import result_of
from bnpexplorer.export.tables import (
    chosen_table,
    csv,
    csv_pieces,
    long_table,
    topics_table,
    wide_table,
    words_table,
)
from tests.tools import drawn_topics as drawn
from tests.tools.export import learned, own_corpus

HALF = 0.5e-6 * (1 + 1e-6)
"""Half of the last digit of a share."""
SIGNS = st.one_of(
    st.sampled_from("=+-@＝＋－＠;,\t\r\n\"' \u200b\ufeff\u00a0\0a1"),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.text(SIGNS, max_size=8)
NUMBERS = st.one_of(st.floats(), st.floats(0, 1), st.sampled_from([0.0, -0.0, 1 / 3, 1e-300]))


@pytest.fixture(scope="module")
def result():
    corpus = own_corpus(40)
    run = learned(corpus, steps=2)
    return result_of(run, run.moment(), corpus)


# ---- cells ---------------------------------------------------------------------------------------


def begins_formula(cell):
    """Whether a spreadsheet that drops what nobody sees would compute the cell."""
    for sign in cell:
        hidden = unicodedata.category(sign) in ("Cc", "Cf", "Zs", "Zl", "Zp") or sign == '"'
        if not hidden:
            return sign in "=+-@＝＋－＠"
    return False


@given(TEXTS)
def test_no_part_of_a_defused_text_is_a_formula_and_nothing_else_changes(text):
    safe = defused(text)
    parts = [safe]
    for sign in ";\t\r\n":
        parts = [piece for part in parts for piece in part.split(sign)]
    assert not any(map(begins_formula, parts))
    assert safe[:1] not in ("\t", "\r", "\n")
    assert defused(safe) == safe
    rest = iter(safe)
    added = [sign for wanted in text for sign in iter(lambda: next(rest), wanted)]
    assert {*added, *rest} <= {"'"}, "the text with apostrophes put in"


@given(st.lists(st.tuples(TEXTS, NUMBERS), min_size=1, max_size=6), TEXTS, st.booleans())
def test_a_table_is_read_back_as_it_was_defused(rows, head, bom):
    texts, numbers = map(list, zip(*rows, strict=True))
    frame = pd.DataFrame({f"a{head}": pd.Series(texts, dtype=object), "n": numbers})
    data = csv(frame, bom)
    lines = csvlib.reader(io.StringIO(data.decode("utf-8-sig" if bom else "utf-8"), newline=""))
    heads, *found = lines
    assert heads == [defused(f"a{head}"), "n"]
    assert [row[0] for row in found] == [*map(defused, texts)]
    written = [f"{number:.10g}" if number == number else "" for number in numbers]
    assert [row[1] for row in found] == written


@pytest.mark.second
@given(st.integers(1, 9), drawn.SEEDS)
def test_a_table_in_pieces_is_the_table(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.random(9), "b": [*map(chr, rng.integers(32, 90, 9))]})
    pieces = csv_pieces((frame.iloc[i : i + n] for i in range(0, 9, n)), bom=True)
    assert b"".join(pieces) == csv(frame, bom=True)


# ---- the tables of a run -------------------------------------------------------------------------


def read(frame):
    """A table as pandas reads its file."""
    return pd.read_csv(io.BytesIO(csv(frame)), keep_default_na=False)


@st.composite
def said(draw, result):
    """The result with shares that leave something to topics not yet seen, and what is said of its
    topics, as drawn."""
    ids = result.snapshot.topics.topic_ids.tolist()
    rng = np.random.default_rng(draw(drawn.SEEDS))
    shares = rng.dirichlet(np.full(len(ids) + 1, 0.2), result.corpus.n_docs)[:, :-1]
    labels = draw(drawn.labels(TEXTS))
    labels = replace(labels, groups=draw(drawn.groups(ids[:8])) if len(ids) >= 8 else {})
    moment = replace(result.moment, labels=labels)
    return replace(result, moment=moment, folded=lambda: shares.astype(np.float32)), shares


@pytest.mark.second
@given(data=st.data())
def test_all_shares_of_a_document_are_those_of_the_run_and_add_up(result, data):
    found, shares = data.draw(said(result))
    wide, long = read(wide_table(found)), read(long_table(found))
    row = {topic: k for k, topic in enumerate(found.snapshot.topics.topic_ids.tolist())}
    goes_by = found.moment.labels.group_of
    sums = {}
    for topic, k in row.items():
        first = goes_by.get(topic, topic)
        sums[first] = sums.get(first, 0.0) + shares[:, k].astype(np.float32).astype(float)
    heads = [name for name in wide if name.startswith("topic ")]
    by_topic = {int(name.split()[1].rstrip(":")): wide[name].to_numpy() for name in heads}
    assert sorted(by_topic) == sorted(sums)
    for topic, expected in sums.items():
        np.testing.assert_allclose(by_topic[topic], expected, rtol=0, atol=HALF + 1e-7)
    whole = wide[heads].sum(axis=1) + wide["topics not yet seen"]
    np.testing.assert_allclose(whole, 1.0, rtol=0, atol=HALF * (len(heads) + 1) + 1e-6)
    least = {
        topic: np.flatnonzero(share.astype(np.float32) >= 0.01) for topic, share in sums.items()
    }
    for topic, part in long.groupby("topic"):
        assert sorted(part["document"]) == (least.pop(topic) + 1).tolist()
        np.testing.assert_array_equal(by_topic[topic][part["document"] - 1], part["share"])
    assert not any(map(len, least.values())), "all that are large enough are listed"
    assert (long.groupby("document")["share"].diff().fillna(0.0) <= 0).all(), "largest first"


@pytest.mark.second
@given(data=st.data())
def test_topics_and_their_words_are_those_of_the_run(result, data):
    found, _ = data.draw(said(result))
    topics, labels = found.moment.topics, found.moment.labels
    table, words = read(topics_table(found)), read(words_table(found))
    assert table["share"].sum() == pytest.approx(1.0, abs=1e-9 * len(table))
    assert table["share"].is_monotonic_decreasing
    learned = found.snapshot.topics
    size = dict(zip(learned.topic_ids.tolist(), learned.size.tolist(), strict=True))
    weight = dict(zip(learned.topic_ids.tolist(), learned.weight.tolist(), strict=True))
    for row in table.itertuples():
        others = [int(part) for part in str(row.counts_as_one_with).split()]
        mine = [i for i in (row.topic, *others) if i in size]
        total = sum(size[i] for i in mine)
        assert row.size_in_words == pytest.approx(total, rel=1e-9)
        assert row.share == pytest.approx(total / sum(size.values()), rel=1e-9)
        assert row.weight == pytest.approx(sum(weight[i] for i in mine), rel=1e-9)
        assert row.hidden == ("yes" if row.topic in labels.hidden | labels.folded else "no")
        assert row.in_use == ("yes" if total >= 1.0 - 1e-9 else "no")
        assert row.name == defused(found.moment.name(row.topic))
        part = words[words["topic"] == row.topic]
        assert part["rank"].tolist() == [*range(1, len(part) + 1)]
        probs = topics.topic_word[found.moment.row[row.topic]]
        expected = [f"{p:.10g}" for p in np.sort(probs)[::-1][: len(part)].astype(float)]
        assert [f"{p:.10g}" for p in part["probability"]] == expected
        if len(part) < 50:
            held = topics.total[found.moment.row[row.topic]] * probs.astype(float) - topics.eta
            assert len(part) == (held >= 0.5).sum()


@pytest.mark.second
@given(data=st.data())
def test_chosen_documents_are_in_the_order_they_were_chosen_in(result, data):
    corpus, topics = result.corpus, result.snapshot.topics
    rows = np.array(data.draw(st.lists(st.integers(0, corpus.n_docs - 1), min_size=1, max_size=9)))
    places = data.draw(st.permutations(range(len(topics))))[:3]
    shares = np.random.default_rng(data.draw(drawn.SEEDS)).random((corpus.n_docs, len(topics)))
    heads = {k: f"topic {k}" for k in places}
    table = chosen_table(corpus, rows, shares.astype(np.float32), heads)
    assert table["document"].tolist() == (rows + 1).tolist()
    counts = corpus.to_csr()[rows].sum(axis=1)
    assert table["modelled_words"].tolist() == np.asarray(counts).ravel().tolist()
    assert table["text"].tolist() == corpus.docs.text[rows].tolist()
    for k, head in heads.items():
        np.testing.assert_allclose(table[head], shares[rows, k], rtol=0, atol=HALF + 1e-7)
