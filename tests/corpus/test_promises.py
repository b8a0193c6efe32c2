"""Each promise of a corpus alone, on one that is as uneven as it may be."""

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer.corpus import Corpus, CorpusError, DocTable

SOUND = {
    "indptr": [0, 2, 2, 5],
    "word_ids": [1, 3, 0, 2, 3],
    "counts": [1, 4, 2, 1, 7],
    "vocab": ("a", "b", "c", "d"),
}


KINDS = {"indptr": np.int64, "word_ids": np.int32, "counts": np.int32}


def made_of(**changed):
    given = SOUND | changed
    table = DocTable(**{k: v for k, v in given.items() if k in ("title",)})
    arrays = (np.array(given[name], kind) for name, kind in KINDS.items())
    return Corpus(*arrays, given["vocab"], table)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({}, ""),
        ({"title": np.array(["x", "y", "z"], object)}, ""),
        ({"indptr": [0, 2, 5, 5]}, ""),
        ({"indptr": [0, 0, 2, 5]}, ""),
        ({"indptr": [1, 2, 2, 5]}, "its documents do not follow each other"),
        ({"indptr": [0, 2, 2, 4]}, "its documents do not follow each other"),
        ({"indptr": [0, 3, 2, 5]}, "its documents do not follow each other"),
        ({"counts": [1, 4, 0, 1, 7]}, "its counts are not whole numbers of words"),
        ({"counts": [1, 4, 2, 1]}, "its counts are not whole numbers of words"),
        ({"word_ids": [-1, 3, 0, 2, 3]}, "it holds words that its vocabulary lacks"),
        ({"word_ids": [1, 3, 0, 2, 4]}, "it holds words that its vocabulary lacks"),
        ({"word_ids": [1, 3, 0, 3, 2]}, "the words of a document are not in order"),
        ({"word_ids": [1, 3, 0, 3, 3]}, "the words of a document are not in order"),
        ({"word_ids": [2, 1, 0, 2, 3]}, "the words of a document are not in order"),
        ({"title": np.array(["x", "y"], object)}, "its table of documents has another length"),
        ({"title": np.zeros((3, 2))}, "its column 'title' of documents has the shape (3, 2) and the"
                                      " type float64"),
    ],
)  # fmt: skip
def test_each_broken_promise_of_a_corpus_is_told(changed, fault):
    assert made_of(**changed).fault() == fault


def test_a_fingerprint_is_of_every_count_and_word():
    found = {
        made_of(**changed).fingerprint
        for changed in (
            {},
            {"indptr": [0, 2, 3, 5]},
            {"word_ids": [0, 3, 0, 2, 3]},
            {"counts": [1, 4, 2, 2, 7]},
            {"vocab": ("a", "b", "cd", "")},
            {"vocab": ("a", "bc", "d", "")},
        )
    }
    assert len(found) == 6
    assert made_of(title=np.array(["x", "y", "z"], object)).fingerprint in found, "no title counts"


@pytest.mark.parametrize("piece", [1, 2, 100])
def test_sums_and_sizes_do_not_depend_on_the_pieces_that_are_gone_through(piece, monkeypatch):
    monkeypatch.setattr("bnpexplorer.corpus.corpus.PIECE", piece)
    corpus = made_of()
    assert (corpus.n_docs, corpus.n_words, corpus.n_pairs, corpus.n_tokens) == (3, 4, 5, 15)
    assert corpus.n_bytes == 8 * 4 + 4 * 5 + 4 * 5
    assert corpus.word_totals.tolist() == [2, 1, 1, 11]
    assert corpus.word_docs.tolist() == [1, 1, 1, 2]
    assert corpus.doc_lengths.tolist() == [5, 0, 10]
    assert np.concatenate(list(corpus.size_pieces())).tolist() == [2, 0, 3]
    assert np.concatenate(list(corpus.length_pieces())).tolist() == [5, 0, 10]


def test_a_part_begins_and_ends_where_there_are_documents():
    days = np.array(["2001-01-01", "NaT", "2003-03-03"], "M8[D]")
    titles = np.array(["a", "b", "c", "d"], object)
    docs = DocTable(title=titles[[0, 1, 3]], date=days, origin=np.array([0, 0, 1]))
    whole = Corpus.from_csr(np.array([[1, 2], [0, 5], [7, 0]]), ["x", "y"], docs, "mine")
    object.__setattr__(whole, "n_empty_dropped", 4)
    for first, last, rows in ((-2, 2, [0, 1]), (1, 9, [1, 2]), (2, 2, []), (0, 3, [0, 1, 2])):
        part = whole.part(first, last)
        assert part.to_csr().toarray().tolist() == whole.to_csr().toarray()[rows].tolist()
        assert part.docs.title.tolist() == titles[[0, 1, 3]][rows].tolist()
        assert (part.name, part.n_empty_dropped, part.indptr[0]) == ("mine", 0, 0)
    assert [part.docs.title.tolist() for part in whole.chunks(2)] == [["a", "b"], ["d"]]
    rest = whole.without([1])
    assert (rest.docs.title.tolist(), rest.name, rest.n_empty_dropped) == (["a", "d"], "mine", 0)
    bare = whole.unnamed().docs
    assert bare.names() == ("date", "origin")
    assert bare.date.astype(str).tolist() == ["2001-01-01", "NaT", "2003-03-03"]
    assert bare.origin.tolist() == [0, 0, 1]


def test_passages_of_one_text_are_told_without_their_names_too():
    docs = DocTable(title=np.array(["One ¶1", "Two", "One ¶2"], object))
    whole = Corpus.from_csr(np.array([[1, 2], [0, 5], [7, 0]]), ["x", "y"], docs)
    assert whole.unnamed().docs.names() == ("origin",)
    assert whole.unnamed().origin.tolist() == [0, 1, 0]


@pytest.mark.parametrize("title", ["One", "One ¶", "¶3 of One", "One¶3"])
def test_a_title_without_the_mark_at_its_end_is_that_of_no_passage(title):
    docs = DocTable(title=np.array([title, "Two", title], object))
    whole = Corpus.from_csr(np.array([[1, 2], [0, 5], [7, 0]]), ["x", "y"], docs)
    assert whole.origin is None
    assert whole.units is None


def test_a_refused_count_names_its_word_its_document_and_what_divides_it():
    """'three' occurs most often, most of it in the fourth of five documents, as its first word."""
    counts = np.zeros((5, 4), np.int64)
    counts[:3, 1] = 1
    counts[[1, 3, 4], 2] = 2_000_000_000, 3_000_000_000, 1
    with pytest.raises(CorpusError) as said:
        Corpus.from_csr(counts, ["one", "two", "three", "four"])
    assert str(said.value) == (
        "The word 'three' occurs 5,000,000,001 times, 3,000,000,000 of them in document 4; the "
        "most is 2,147,483,647, so divide all counts by 3 or leave the word out."
    )
    for bad, told in (
        ([[3, -7, -2]], "A count is negative (-7); counts must be whole numbers >= 0."),
        ([[3, 0.5]], "Some counts are fractional; counts must be whole numbers >= 0."),
        ([[3, np.nan]], "Some counts are not finite numbers; counts must be whole numbers >= 0."),
    ):
        for form in (np.array, sparse.csr_matrix):
            with pytest.raises(CorpusError) as said:
                Corpus.from_csr(form(np.array(bad)))
            assert str(said.value) == told
