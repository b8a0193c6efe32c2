"""The corpus itself and `load`, against counts written out by hand."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer import load
from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from tests.tools.stored import on_disk, with_names

SAMPLE_DATA = Path(__file__).resolve().parents[2] / "sample_data"
DENSE = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]])


def test_from_csr_drops_and_reports_empty_documents():
    docs = DocTable(title=np.array(["a", "b", "c"], object))
    corpus = Corpus.from_csr(DENSE, ["x", "y", "z"], docs)
    assert (corpus.n_docs, corpus.n_words, corpus.n_tokens, corpus.n_empty_dropped) == (2, 3, 6, 1)
    assert corpus.docs.title.tolist() == ["a", "c"]
    assert corpus.doc_lengths.tolist() == [3, 3]
    assert np.array_equal(corpus.to_csr().toarray(), DENSE[[0, 2]])
    assert (corpus.indptr.dtype, corpus.word_ids.dtype, corpus.counts.dtype) == (
        np.int64,
        np.int32,
        np.int32,
    )


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_from_csr_leaves_the_matrix_as_it_was(form, kind):
    """A zero that is stored, a word twice and out of order; also where nobody can write."""
    parts = np.array([1, 0, 2, 3], kind), np.array([0, 1, 2, 0]), np.array([0, 2, 4])
    before = [part.copy() for part in parts]
    for writeable in (True, False):
        for part in parts:
            part.flags.writeable = writeable
        matrix = form(parts, shape=(2, 3))
        corpus = Corpus.from_csr(matrix)
        assert corpus.to_csr().toarray().tolist() == [[1, 0, 0], [3, 0, 2]]
        assert corpus.word_ids.tolist() == [0, 0, 2]
        twice = form((parts[0], np.array([0, 1, 2, 2]), parts[2]), shape=(2, 3))
        assert Corpus.from_csr(twice).to_csr().toarray().tolist() == [[1, 0, 0], [0, 0, 5]]
        for held, part, was in zip(
            (matrix.data, matrix.indices, matrix.indptr), parts, before, strict=True
        ):
            np.testing.assert_array_equal(held, was)
            np.testing.assert_array_equal(part, was)
        np.testing.assert_array_equal(twice.data, before[0])


def test_a_corpus_comes_back_from_its_own_matrix():
    corpus = Corpus.from_csr(DENSE[[0, 2]], ["x", "y", "z"])
    counts = corpus.to_csr()
    assert not counts.data.flags.writeable
    assert Corpus.from_csr(counts, corpus.vocab).fingerprint == corpus.fingerprint


def test_take_keeps_order_vocabulary_and_table():
    docs = DocTable(id=np.array(["a", "b", "c"], object))
    corpus = Corpus.from_csr(np.array([[1, 2], [0, 5], [7, 0]]), ["x", "y"], docs)
    some = corpus.take([2, 0])
    assert some.to_csr().toarray().tolist() == [[7, 0], [1, 2]]
    assert some.docs.id.tolist() == ["c", "a"]
    assert some.vocab == corpus.vocab
    masked = corpus.take(np.array([True, False, True]))
    assert masked.docs.id.tolist() == ["a", "c"]
    assert corpus.take(np.arange(3)).fingerprint == corpus.fingerprint
    assert some.fingerprint != corpus.fingerprint


def test_columns_of_documents_are_words_and_days_in_one_line():
    words, days = np.array(["a", None], object), np.array(["2020-01-01", "NaT"], "M8[D]")
    for table in (
        DocTable(),
        DocTable(words, words, days, words, words),
        DocTable(np.array(["a", "b"]), label=np.arange(2), date=days.astype("M8[s]")),
    ):
        assert Corpus.from_csr(DENSE[[0, 2]], docs=table).fault() == ""
    for table in (
        DocTable(date=np.zeros(2)),
        DocTable(date=words),
        DocTable(title=np.zeros((2, 2))),
        DocTable(text=np.zeros(2, "V4")),
        DocTable(label=days),
    ):
        (name,) = table.columns()
        assert f"its column {name!r}" in Corpus.from_csr(DENSE[[0, 2]], docs=table).fault()


def test_without_texts_all_else_stays():
    words = np.array(["a", "b"], object)
    corpus = Corpus.from_csr(DENSE[[0, 2]], docs=DocTable(words, words, None, words, words))
    bare = corpus.without_text()
    assert list(bare.docs.columns()) == ["id", "title", "label"]
    assert bare.fingerprint == corpus.fingerprint
    assert corpus.docs.text is not None


def test_arrays_cannot_be_changed_through_the_corpus_or_from_outside():
    matrix = sparse.csr_matrix(DENSE[[0, 2]])
    corpus = Corpus.from_csr(matrix, ["x", "y", "z"])
    with pytest.raises(ValueError, match="read-only"):
        corpus.counts[0] = 9
    matrix.data[:] = 100
    assert corpus.n_tokens == 6
    given = np.array([0, 2, 3]), np.array([0, 2, 1], np.int32), np.array([5, 1, 3], np.int32)
    direct = Corpus(*given, ("x", "y", "z"))
    for array in given:
        array[:] = 0  # a person's own arrays stay writable
    assert direct.to_csr().toarray().tolist() == [[5, 0, 1], [0, 3, 0]]


@pytest.mark.parametrize(
    ("matrix", "vocab", "message"),
    [
        ([[1, -2]], None, "negative"),
        ([[1.5, 1]], None, "fractional"),
        ([[2.0**31, 1]], None, r"'word 0' occurs 2,147,483,648 times, 2,147,483,648 .* divide"),
        ([[np.inf, 1]], None, "not finite"),
        ([[1, 1]], ["one"], "has 1 words but the counts have 2 columns"),
        ([[0, 0]], None, "No document has a single token"),
    ],
)
def test_bad_counts_are_refused(matrix, vocab, message):
    with pytest.raises(CorpusError, match=message):
        Corpus.from_csr(np.array(matrix), vocab)


MOST = 2**31 - 1


@pytest.mark.parametrize("kind", [np.array, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_a_word_may_occur_as_often_as_kernels_can_count(kind, dtype):
    """int32 in a component, which may hold all of them; other words and documents as often."""
    for total in (MOST - 1, MOST, MOST + 1):
        counts = kind(
            np.array([[7, 1_500_000_000], [MOST - 7, 0], [0, total - 1_500_000_000]], dtype)
        )
        if total <= MOST:
            corpus = Corpus.from_csr(counts)
            assert corpus.word_totals.tolist() == [MOST, total]
            lengths = [1_500_000_007, MOST - 7, total - 1_500_000_000]
            assert corpus.doc_lengths.tolist() == lengths
            assert corpus.n_tokens == sum(lengths)
            assert corpus.fault() == ""
            continue
        with pytest.raises(CorpusError, match=r"'word 1' occurs 2,147,483,648 .* 1; .*divide"):
            Corpus.from_csr(counts)


def test_entries_given_twice_are_added_beyond_their_type():
    """Three times 1.5e9 came to 205,032,704 as int32, and 200 + 100 to 44 as uint8."""
    for dtype, value in ((np.int32, 1_500_000_000), (np.uint8, 200)):
        twice = sparse.coo_matrix((np.full(3, value, dtype), ([0, 0, 0], [1, 1, 1])), (1, 2))
        if value == 200:
            assert Corpus.from_csr(twice).counts.tolist() == [600]
            continue
        with pytest.raises(CorpusError, match="occurs 4,500,000,000 times"):
            Corpus.from_csr(twice)


def test_no_array_of_a_corpus_wraps_round():
    indptr, vocab = np.array([0, 1]), ("a",)
    for counts in (np.array([2**31]), np.array([2**31], np.uint32), np.array([2.0**31])):
        with pytest.raises(CorpusError, match="larger than 2,147,483,647, the most; divide"):
            Corpus(indptr, np.array([0]), counts, vocab)
    with pytest.raises(CorpusError, match="corpus, up to 2,147,483,649, are not whole or larger"):
        Corpus(np.array([0, 3]), np.arange(3), np.array([1, 2**31 + 1, 2]), ("a", "b", "c"))
    assert Corpus(indptr, np.array([0]), np.array([MOST]), vocab).counts.tolist() == [MOST]


def test_a_corpus_from_a_file_may_not_have_more_either():
    counts = np.array([[1, 1_500_000_000], [1, MOST - 1_500_000_000]])
    corpus = Corpus.from_csr(counts)
    assert corpus.fault() == ""
    more = corpus.counts.copy()
    more[-1] += 1
    beyond = Corpus(corpus.indptr, corpus.word_ids, more, corpus.vocab)
    assert beyond.fault() == "a word occurs more than 2,147,483,647 times"


MTX = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 1\n1 2 {}\n2 2 {}\n"
UCI = "2\n2\n3\n1 1 1\n1 2 {}\n2 2 {}\n"
LDAC = "2 0:1 1:{}\n1 1:{}\n"


@pytest.mark.parametrize(("name", "text"), [("a.mtx", MTX), ("docword.txt", UCI), ("a.ldac", LDAC)])
def test_files_of_counts_up_to_the_most_are_read(name, text, tmp_path):
    (tmp_path / "vocab.txt").write_text("one\ntwo\n")
    for more in (-1, 0, 1):
        (tmp_path / name).write_text(text.format(1_500_000_000, MOST - 1_500_000_000 + more))
        if more <= 0:
            corpus = load(tmp_path / name, vocab=tmp_path / "vocab.txt")
            assert corpus.word_totals.tolist() == [1, MOST + more]
            continue
        with pytest.raises(CorpusError, match="'two' occurs 2,147,483,648 times"):
            load(tmp_path / name, vocab=tmp_path / "vocab.txt")


def test_document_table_of_another_length_is_refused():
    with pytest.raises(CorpusError, match=r"'title' has 1 entries but the counts have 3 rows"):
        Corpus.from_csr(DENSE, None, DocTable(title=np.array(["a"], object)))


def test_load_takes_columns_and_settings():
    corpus = load(SAMPLE_DATA / "small.csv", text="text", title="-", max_features=100, min_tokens=1)
    assert corpus.n_docs == 160
    assert corpus.n_words == 100
    assert corpus.docs.title is None
    assert set(corpus.docs.label) == {"kitchen", "garden", "railway", "football", "orchestra"}
    frequency = np.bincount(corpus.word_ids, minlength=100)
    assert frequency.min() >= 2


def test_load_reads_counts_with_their_vocabulary():
    corpus = load(SAMPLE_DATA / "docword.tiny.txt.gz", vocab=SAMPLE_DATA / "vocab.tiny.txt")
    texts = load(SAMPLE_DATA / "tiny.jsonl", min_df=1, max_df=1.0, min_tokens=1)
    assert corpus.fingerprint == texts.fingerprint


def test_load_reads_a_folder_as_the_zip_of_it(tmp_path):
    for folder, text in (("sea", "salty waves here"), ("hill", "green grass there")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.txt").write_text(text)
    corpus = load(tmp_path)
    assert corpus.docs.label.tolist() == ["hill", "sea"]
    assert corpus.docs.title.tolist() == ["one", "one"]
    assert corpus.vocab == ("grass", "green", "salty", "waves")


def test_load_says_what_is_missing(tmp_path):
    with pytest.raises(CorpusError, match=r"no file .*nothing\.csv; check the name"):
        load(tmp_path / "nothing.csv")
    with pytest.raises(CorpusError, match=r"no file .*vocab\.txt"):
        load(SAMPLE_DATA / "tiny.ldac", vocab=tmp_path / "vocab.txt")
    with pytest.raises(CorpusError, match=r"has no texts in it, such as \.txt files"):
        load(tmp_path)
    with pytest.raises(TypeError, match="max_f"):
        load(SAMPLE_DATA / "small.csv", max_f=3)
    with pytest.raises(ValueError, match="max_features must lie in the range"):
        load(SAMPLE_DATA / "small.csv", max_features=-3)


def test_a_part_lies_within_the_corpus_or_is_empty(tmp_path):
    memory = with_names(30)
    stored = on_disk(memory, tmp_path / "c", shard_docs=13)
    for first, last, wanted in (
        (-3, 2, range(2)),
        (28, 37, range(28, 30)),
        (5, 3, []),
        (30, 31, []),
        (34, 36, []),
    ):
        for corpus in (memory, stored):
            part = corpus.part(first, last)
            assert part.docs.id.tolist() == [f"d{row}" for row in wanted]
            assert part.n_docs == len(wanted)
