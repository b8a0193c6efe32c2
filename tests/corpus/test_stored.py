"""A corpus on the disk is the corpus in memory, in all that it promises."""

import hashlib
import json
import pickle
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnpexplorer import load
from bnpexplorer.corpus.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.corpus.stored import StoredCorpus, fields, parquet
from bnpexplorer.corpus.stored.checking import faults
from bnpexplorer.corpus.stored.layout import GROUP
from bnpexplorer.corpus.stored.writer import ShardWriter
from tests.tools.stored import on_disk, same, with_names


@pytest.fixture(scope="module")
def memory():
    return with_names()


@pytest.fixture(scope="module")
def stored(memory, tmp_path_factory):
    return on_disk(memory, tmp_path_factory.mktemp("corpora") / "made-up")


def test_it_is_the_same_corpus(memory, stored):
    same(stored, memory)
    assert stored.fault() == ""
    assert not any(array.flags.writeable for array in (stored.indptr, stored.word_ids))
    assert len(stored.manifest.shards) == 8  # of 128 documents, the last of 4


def test_load_opens_it(memory, stored):
    same(load(stored.folder), memory)
    with pytest.raises(CorpusError, match="are chosen when it is built"):
        load(stored.folder, min_df=2)


def test_other_programs_read_its_files(memory, stored):
    assert sorted(path.name for path in stored.folder.iterdir()) == [
        "counts.npy", "fields", "indptr.npy", "lengths.npy", "manifest.json", "totals.npy",
        "vocabulary.json", "word_ids.npy",
    ]  # fmt: skip
    for name in ("indptr", "word_ids", "counts"):
        whole = np.load(stored.folder / f"{name}.npy", mmap_mode="r")
        np.testing.assert_array_equal(whole, getattr(memory, name))
    table = pq.read_table(stored.folder / "fields")
    assert table["text"].to_pylist() == memory.docs.text.tolist()
    assert table["title"].to_pylist() == memory.docs.title.tolist()


def test_any_rows_of_any_view_are_those_of_memory(memory, stored):
    rng = np.random.default_rng(3)
    for n_out in (0, 1, 30, 600):
        out = rng.choice(memory.n_docs, n_out, replace=False)
        if n_out > 1:
            out[:2] = 0, memory.n_docs - 1  # both ends
        out = np.unique(out)
        one, other = stored.without(out), memory.without(out)
        same(one, other)
        for rows in (
            rng.permutation(other.n_docs)[:50],
            np.array([0, 1, 2, 9, 8, 8, other.n_docs - 1]),
            np.arange(other.n_docs) % 5 == 0,
            np.empty(0, np.int64),
        ):
            same(one.take(rows), other.take(rows))
        cuts = np.sort(rng.choice(other.n_docs + 1, 8))
        for first, last in pairwise(cuts):
            np.testing.assert_array_equal(one.starts(first, last), other.starts(first, last))
            same(one.part(first, last), other.part(first, last))
        for found, expected in zip(one.chunks(100), other.chunks(100), strict=True):
            same(found, expected)


def test_a_view_of_a_view_lacks_what_both_lack(memory, stored):
    first, then = np.array([3, 4, 700]), np.array([0, 3, 400, 896])
    same(stored.without(first).without(then), memory.without(first).without(then))


def test_copies_of_it_are_equal(memory, stored):
    view = stored.without(np.array([7]))
    same(pickle.loads(pickle.dumps(view)), memory.without([7]))
    same(pickle.loads(pickle.dumps(view.take([3, 1]))), memory.without([7]).take([3, 1]))
    same(replace(stored, name="other"), replace(memory, name="other"))
    same(stored.without_text(), memory.without_text())
    same(stored.unnamed(), memory.unnamed())
    same(stored.loaded(), memory)


def test_texts_are_read_by_row_groups(memory, tmp_path, monkeypatch):
    for module in (fields, parquet):
        monkeypatch.setattr(module, "GROUP", 10)
    corpus = on_disk(memory, tmp_path / "c", shard_docs=95)
    read = []
    opened = fields.Fields._opened
    monkeypatch.setattr(
        fields.Fields, "_opened", lambda *which: read.append(which[1:]) or opened(*which)
    )
    rows = [94, 95, 3, 899, 4]
    some = corpus.take(rows)
    assert read == []  # a mini-batch carries no texts
    assert some.docs.text[:].tolist() == memory.docs.text[rows].tolist()
    assert sorted(read) == [(0, "text", 0), (0, "text", 9), (1, "text", 0), (9, "text", 4)]
    read.clear()
    assert corpus.docs.text[500] == memory.docs.text[500]
    assert len(read) == 1
    assert list(corpus.docs.text) == memory.docs.text.tolist()
    assert corpus.docs.text[-1] == memory.docs.text[-1]
    with pytest.raises(IndexError):
        corpus.docs.text[900]


def test_words_are_counted_over_all_pieces(memory, tmp_path, monkeypatch):
    monkeypatch.setattr("bnpexplorer.corpus.stored.counts.PIECE", 50)
    found = on_disk(memory, tmp_path / "c")
    np.testing.assert_array_equal(found.word_totals, memory.word_totals)
    np.testing.assert_array_equal(found.word_docs, memory.word_docs)


def test_columns_that_were_taken_away_stay_away(stored):
    left = stored.docs.without("text", "date").take([3, 1])
    assert left.names() == tuple(n for n in stored.docs.names() if n not in ("text", "date"))
    assert left.text is left.date is None
    assert left.id.tolist() == [stored.docs.id[3], stored.docs.id[1]]


def test_words_alone_need_no_table(tmp_path):
    corpus = Corpus.from_csr(np.array([[1, 0], [2, 3]]))
    for shard_docs in (1, 128):
        folder = tmp_path / str(shard_docs)
        same(on_disk(corpus, folder, shard_docs), corpus)
        assert not (folder / "fields").exists()


def test_numbers_stay_numbers(tmp_path):
    docs = DocTable(id=np.arange(2), label=np.array([0.5, 1.5]))
    corpus = Corpus.from_csr(np.array([[1, 0], [2, 3]]), docs=docs)
    same(on_disk(corpus, tmp_path / "c"), corpus)


# ---- building ----------------------------------------------------------------------------------


@pytest.mark.second
def test_a_build_that_was_killed_goes_on(memory, tmp_path, monkeypatch):
    """At every point between two writes: what is complete stays, and the corpus is the same."""
    writes = 0
    while True:
        folder, left = tmp_path / f"killed-{writes}", writes
        append = ShardWriter._append

        def dying(self, name, arrays, n_before, append=append):
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            append(self, name, arrays, n_before)

        monkeypatch.setattr(ShardWriter, "_append", dying)
        try:
            on_disk(memory, folder, 400)
            break
        except KeyboardInterrupt:
            monkeypatch.setattr(ShardWriter, "_append", append)
        with open(folder / "counts.npy", "ab") as file:
            file.write(b"half a number")
        writer = ShardWriter(folder, memory.vocab, memory.name, shard_docs=400)
        assert writer.done == max(writes - 4, 0) // 4 * 400
        for docs in memory.part(writer.done, memory.n_docs).chunks(75):
            writer.add(docs)
        same(writer.finish(), memory)
        assert list(faults(folder)) == []
        writes += 1
        monkeypatch.setattr(ShardWriter, "_append", append)
    assert writes == 4 + 3 * 4  # of empty files, and of every shard


def test_no_room_on_the_disk_is_a_sentence_and_the_part_stays(memory, tmp_path, monkeypatch):
    folder = tmp_path / "c"
    writer = ShardWriter(folder, memory.vocab, memory.name, shard_docs=300)
    writer.add(memory.part(0, 300))

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("bnpexplorer.corpus.stored.writer._write", full)
        with pytest.raises(CorpusError, match=r"No space left on device\); 300 documents are"):
            writer.add(memory.part(300, 700))
    assert writer.done == 300
    writer.add(memory.part(300, 550))  # the same once more, as the sentence says
    writer.add(memory.part(550, 650))
    again = ShardWriter(folder, memory.vocab, memory.name, shard_docs=300)
    assert again.done == 600
    again.add(memory.part(600, 900))
    same(again.finish(), memory)


@pytest.mark.second
def test_texts_do_not_wait_for_their_shard(memory, tmp_path):
    """Documents of 20,000 letters: held are those of a row group, not those of the whole shard."""
    texts, n = [letter * 20_000 for letter in "abcdefghij"], 10_000

    def many(first):
        docs = DocTable(text=strings(f"{i} {texts[i % 10]}" for i in range(first, first + 500)))
        one = np.arange(501, dtype=np.int64)
        return Corpus(one, np.zeros(500, np.int32), np.ones(500, np.int32), ("word",), docs)

    writer = ShardWriter(tmp_path / "c", ("word",), shard_docs=n)
    tracemalloc.start()
    try:
        most = 0
        for first in range(0, n, 500):
            writer.add(many(first))
            of_python, _ = tracemalloc.get_traced_memory()
            most = max(most, of_python + pa.total_allocated_bytes())
    finally:
        tracemalloc.stop()
    stored = writer.finish()
    assert most < 3 * GROUP * 20_000 < n * 20_000
    assert stored.docs.text[GROUP - 1] == f"{GROUP - 1} {texts[9]}"
    assert stored.docs.text[n - 1] == f"{n - 1} {texts[9]}"
    assert list(faults(tmp_path / "c")) == []


def test_other_words_or_settings_do_not_go_on(memory, tmp_path):
    folder = tmp_path / "c"
    ShardWriter(folder, memory.vocab, made={"min_df": 2}).add(memory)
    with pytest.raises(CorpusError, match="begun with other files or settings"):
        ShardWriter(folder, memory.vocab, made={"min_df": 3})
    with pytest.raises(CorpusError, match="begun with other words"):
        ShardWriter(folder, memory.vocab[1:], made={"min_df": 2})
    for opened in (StoredCorpus, load):
        with pytest.raises(CorpusError, match="is not complete; start the same build again"):
            opened(folder)
    ShardWriter(folder, memory.vocab, made={"min_df": 2})


def test_what_is_there_is_not_written_over(memory, tmp_path):
    on_disk(memory, tmp_path / "c")
    with pytest.raises(CorpusError, match="holds a complete corpus"):
        ShardWriter(tmp_path / "c", memory.vocab)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "diary.txt").write_text("mine")
    with pytest.raises(CorpusError, match="is not empty and holds no corpus"):
        ShardWriter(tmp_path / "other", memory.vocab)


def test_what_does_not_fit_is_refused(memory, tmp_path):
    writer = ShardWriter(tmp_path / "c", memory.vocab)
    with pytest.raises(CorpusError, match="No document has a single token"):
        writer.finish()
    writer.add(memory.part(0, 5))
    with pytest.raises(ValueError, match="one vocabulary"):
        writer.add(replace(memory, vocab=memory.vocab[::-1]))
    with pytest.raises(ValueError, match="the same columns"):
        writer.add(memory.without_text())
    most = np.full((3, 2), 2**30)
    writer = ShardWriter(tmp_path / "many", ("a", "b"))
    for row in most:
        writer.add(Corpus.from_csr(row[None], ("a", "b")))
    with pytest.raises(CorpusError, match="'a' occurs 3,221,225,472 times"):
        writer.finish()
    writer = ShardWriter(tmp_path / "most", ("a", "b"))
    for count in (2**31 - 2, 1):
        writer.add(Corpus.from_csr([[count, 7]], ("a", "b")))
    assert writer.finish().word_totals.tolist() == [2**31 - 1, 14]


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("n_words", None),
        ("n_words", "x"),
        ("n_words", True),
        ("n_words", -1),
        ("name", 7),
        ("fingerprint", None),
        ("report", None),
        ("columns", [1]),
        ("shards", [{}]),
        ("shard_docs", -1),
        ("n_empty_dropped", None),
    ],
)
def test_a_manifest_changed_by_hand_is_told_in_a_sentence(tmp_path, entry, value):
    folder = on_disk(with_names(30), tmp_path / "c").folder
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {entry: value}))
    with pytest.raises(CorpusError, match=r"manifest\.json"):
        StoredCorpus(folder)


@pytest.mark.parametrize("words", [["a", "b"], {"a": 1}, "ab", [*range(40)], 7])
def test_a_vocabulary_of_another_size_is_never_learned_from(tmp_path, words):
    """Kernels would write outside their arrays."""
    folder = on_disk(with_names(30), tmp_path / "c").folder
    written = json.dumps(words).encode()
    (folder / "vocabulary.json").write_bytes(written)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["vocabulary_sha256"] = hashlib.sha256(written).hexdigest()
    path.write_text(json.dumps(manifest))
    with pytest.raises(CorpusError, match=r"vocabulary\.json is missing or damaged"):
        StoredCorpus(folder)
