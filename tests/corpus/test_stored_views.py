"""What a corpus on the disk answers beside its counts: texts, views, pieces, reports and notes."""

from dataclasses import asdict

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.documents.absent import AbsentCorpus
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.source import Reading, ReadOptions, strings
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored import stored as stored_room
from bnpexplorer.corpus.stored.checking import faults
from bnpexplorer.corpus.stored.counts import StoredCounts
from bnpexplorer.corpus.stored.elsewhere import said
from bnpexplorer.corpus.stored.fields import Fields, StoredDocs
from bnpexplorer.corpus.stored.layout import REMEDY
from bnpexplorer.corpus.stored.reporting import described, report_of
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.corpus.text import AS_COUNTED, describe
from bnpexplorer.corpus.words.counting import Removed
from bnpexplorer.corpus.words.settings import TextSettings
from tests.tools.stored import on_disk, same, with_names

OUT = np.array([0, 3, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 118, 119])
"""Both ends, and all of a shard of ten."""


@pytest.fixture(scope="module")
def memory():
    return with_names(120)


@pytest.fixture(scope="module")
def stored(memory, tmp_path_factory):
    return on_disk(memory, tmp_path_factory.mktemp("corpora") / "made-up", shard_docs=10)


@pytest.fixture(params=["all", "view"])
def both(request, memory, stored):
    """A corpus on the disk, and the same in memory."""
    if request.param == "all":
        return stored, memory
    return stored.without(OUT), memory.without(OUT)


@pytest.mark.parametrize("name", ["text", "title", "id"])
def test_a_long_column_answers_as_an_array_does(both, name):
    column, expected = getattr(both[0].docs, name), getattr(both[1].docs, name)
    n = len(expected)
    assert (len(column), column.shape, column.ndim) == (n, (n,), 1)
    for key in (0, 7, -1, -n, np.int64(11)):
        assert column[key] == expected[key]
    for key in (
        slice(3, 17, 4),
        slice(None, None, -9),
        slice(n - 3, n + 5),
        slice(5, 5),
        np.array([9, 2, 9, n - 1]),
        [4, 1],
        np.arange(n) % 7 == 2,
    ):
        assert column[key].tolist() == expected[key].tolist()
    assert list(column) == expected.tolist() == np.asarray(column).tolist()
    for beyond in (n, -n - 1):
        with pytest.raises(IndexError, match=f"there is no document {beyond} among {n}"):
            column[beyond]


def test_a_table_of_some_rows_is_that_of_memory(both):
    found, expected = both
    n = expected.n_docs
    for rows in (slice(2, 30, 3), np.array([-1, 4, -n]), np.arange(n) % 9 == 0, [5, 1]):
        one, other = found.docs.take(rows), expected.docs.take(rows)
        assert one.n_docs == len(other.id)
        assert one.text.nbytes == 8 * one.n_docs
        for again in (slice(1, 3), np.array([-1, 0])):
            for name, column in other.take(again).columns().items():
                theirs = np.asarray(getattr(one.take(again), name))
                np.testing.assert_array_equal(theirs, column)
    assert found.docs.text.nbytes == 0, "no rows are held"
    bare = found.docs.without("text", "date")
    assert bare.names() == ("id", "title", "label", "origin")
    assert (bare.text, bare.date) == (None, None)
    assert bare.without("label").names() == ("id", "title", "origin")
    assert bare.take([3]).id.tolist() == [expected.docs.id[3]]


def test_rows_may_be_counted_from_the_end_and_none_lies_beyond(both):
    found, expected = both
    n = expected.n_docs
    same(found.take([-1, 0, -n]), expected.take(np.array([n - 1, 0, 0])))
    for beyond in (n, -n - 1):
        with pytest.raises(IndexError, match=rf"there is no document {beyond} among {n}"):
            found.take([0, beyond, n - 1])
    assert found.places(np.array([0, 1, n - 1])).tolist() == [
        int(expected.docs.id[row][1:]) for row in (0, 1, n - 1)
    ]
    for first, last in ((0, 0), (5, 5), (n, n), (n - 1, n), (0, n + 5)):
        theirs = expected.starts(first, min(last, n))
        assert found.starts(first, last).tolist() == theirs.tolist()


def test_pieces_go_through_what_the_corpus_holds(both, monkeypatch):
    found, expected = both
    print_of = found.fingerprint
    monkeypatch.setattr(stored_room, "PIECE", 7)
    monkeypatch.setattr(stored_room, "CHUNK_DOCS", 11)
    days, lengths = [*found.date_pieces()], [*found.length_pieces()]
    assert all(len(piece) for piece in days)
    np.testing.assert_array_equal(np.concatenate(days), expected.docs.date)
    np.testing.assert_array_equal(np.concatenate(lengths), expected.doc_lengths)
    np.testing.assert_array_equal(found.doc_lengths, expected.doc_lengths)
    sizes = np.concatenate([*found.size_pieces()])
    np.testing.assert_array_equal(sizes, np.diff(expected.indptr))
    if len(found.left_out):  # of all documents it stands in the manifest
        del vars(found)["fingerprint"]
        assert found.fingerprint == print_of == expected.fingerprint


def test_a_view_knows_its_folder_and_what_it_holds(memory, stored):
    view = stored.without(OUT)
    for some in (view, view.without_text(), view.unnamed()):
        same(some.whole(), memory)
    assert repr(view) == f"StoredCorpus({str(stored.folder)!r}, 106 documents)"
    assert view.identity == stored.identity
    assert len(set(stored.identity)) == 12, "every shard has texts of its own"
    assert view.n_bytes_copied == 0
    view.hold()
    assert view.n_bytes_copied == 8 * (view.n_docs + 1 + view.n_pairs)
    view.let_go()
    assert view.n_bytes_copied == 0


def test_origins_are_known_whatever_a_view_shows(tmp_path):
    """By the names of passages where the folder says no more, and by its own column else."""
    ids = [*"ab", *("c ¶1", "c ¶2", "d", "e ¶1", "e ¶2", "e ¶3")]
    counts = np.arange(1, 17).reshape(-1, 2)
    named = Corpus.from_csr(counts, docs=DocTable(id=strings(ids), text=strings(ids)))
    given = Corpus.from_csr(counts, docs=DocTable(origin=np.array([0, 1, 1, 2, 3, 3, 3, 4])))
    for i, corpus in enumerate((named, given)):
        found = on_disk(corpus, tmp_path / str(i), shard_docs=3)
        for one, other in (
            (found, corpus),
            (found.without([0, 6]), corpus.without([0, 6])),
            (found.without_text().without([0, 6]), corpus.without([0, 6])),
        ):
            np.testing.assert_array_equal(one.origin, other.origin)
            np.testing.assert_array_equal(one.units, other.units)
        assert found.unnamed().docs.names() == (("origin",) if i else ())
        np.testing.assert_array_equal(found.unnamed().origin, corpus.origin)


def test_files_are_read_at_any_place_where_the_system_knows_no_such_call(
    memory, stored, monkeypatch
):
    """As Windows: a file is wound to the place, by one thread at a time."""
    monkeypatch.delattr("os.preadv", raising=False)
    rows = [99, 3, 4, 57]
    same(stored.take(rows), memory.take(np.array(rows)))
    same(stored.without(OUT), memory.without(OUT))


def test_a_corpus_that_was_copied_is_called_by_where_it_came_from(tmp_path):
    corpus = on_disk(with_names(25), tmp_path / "c", shard_docs=10)
    counts = StoredCounts(corpus.folder, corpus.manifest, "s3://bucket/c")
    (corpus.folder / "counts.npy").unlink()
    with pytest.raises(CorpusError) as told:
        counts.documents(np.array([20]), np.array([21]))
    assert str(told.value) == (
        "Shard 2 of the corpus in s3://bucket/c is missing or damaged (counts.npy: No such file or "
        f"directory). {REMEDY}"
    )


# ---- what is wrong with it ---------------------------------------------------------------------


def test_the_document_that_is_damaged_is_looked_for_in_its_own_range(tmp_path):
    """Rows that are asked for stand in any order; the shard is that of the wrong one."""
    corpus = on_disk(with_names(120), tmp_path / "c", shard_docs=10)
    begin = int(corpus.starts(57, 58)[0])
    with open(corpus.folder / "counts.npy", "r+b") as file:
        file.seek(128 + 4 * begin)
        file.write(bytes(4))
    for rows in ([56, 57, 58], [99, 100, 3, 56, 57, 0], [57], [58, 57, 99]):
        with pytest.raises(CorpusError) as told:
            corpus.take(rows)
        assert str(told.value) == (
            f"Shard 5 of the corpus in {corpus.folder} is missing or damaged (it holds words or "
            f"counts that cannot be). {REMEDY}"
        )
    seen = []
    told = list(faults(corpus.folder, lambda *how_far: seen.append(how_far)))
    assert told[0].startswith("Shard 5 of the corpus")
    assert len(told) == 1, "sums and lengths are as they were"
    assert seen == [(i + 1, 12) for i in range(12)]


def test_a_table_of_another_shard_is_told(tmp_path):
    corpus = on_disk(with_names(25), tmp_path / "c", shard_docs=10)
    fields = corpus.folder / "fields"
    files = [(fields / f"0000{i}.parquet").read_bytes() for i in range(3)]
    for shard, other, row in ((1, 2, 12), (2, 1, 22)):  # of fewer documents, and of more
        (fields / f"0000{shard}.parquet").write_bytes(files[other])
        again = StoredDocs(Fields(corpus.folder, corpus.manifest), None, corpus.docs.names())
        with pytest.raises(
            CorpusError, match=rf"0000{shard}\.parquet is missing or damaged \(it has"
        ):
            _ = again.text[row]
        assert again.text[3].startswith("The text of 3,")
        (fields / f"0000{shard}.parquet").write_bytes(files[shard])


def test_a_manifest_that_is_no_file_or_no_text_is_told(tmp_path):
    corpus = on_disk(with_names(25), tmp_path / "c")
    path = corpus.folder / "manifest.json"
    whole = path.read_bytes()
    path.write_bytes(b"\xff" + whole)
    with pytest.raises(CorpusError, match=r"manifest\.json cannot be read \(.*\)\. Build it again"):
        StoredCorpus(corpus.folder)
    path.unlink()
    path.mkdir()
    with pytest.raises(CorpusError, match=r"manifest\.json cannot be read \(it is no file\)"):
        StoredCorpus(corpus.folder)
    with pytest.raises(CorpusError, match=r"lengths\.npy is a file, and no corpus on the disk; gi"):
        StoredCorpus(corpus.folder / "lengths.npy")


# ---- building, and what is noted ---------------------------------------------------------------


def test_what_the_build_notes_is_in_the_corpus_and_its_report(tmp_path):
    docs = with_names(50)
    removed = {"stop word": Removed(2, (("the", 9), ("of", 7)), 31)}
    settings = TextSettings(min_df=3, language="de")
    reading = Reading(settings, ReadOptions(text="body"), ("a.csv",))
    noted = {
        "n_read": 61,
        "dropped": {"no text": 11},
        "removed": store.pack(removed, {}),
        "settings": asdict(settings),
        "n_repeated": 4,
        "zipf": [[1, 2, 5], [90, 50, 7]],
        "reading": store.pack(reading, {}),
        "notes": ["Read as CSV."],
        "warnings": ["Too few."],
    }
    writer = ShardWriter(tmp_path / "c", docs.vocab, "mine", {"min_df": 3}, shard_docs=20)
    writer.add(docs)
    corpus = writer.finish(noted, n_empty_dropped=11)
    assert (corpus.name, corpus.n_empty_dropped, corpus.manifest.made) == (
        "mine",
        11,
        {"min_df": 3},
    )
    assert corpus.loaded().n_empty_dropped == 11
    assert corpus.without([1]).whole().n_empty_dropped == 11
    for report in (
        report_of(corpus),
        described(corpus),
        api.load_with_report(tmp_path / "c").report,
    ):
        own = describe(docs)
        assert (report.n_read, report.n_docs, report.n_words) == (61, 50, docs.n_words)
        assert report.n_tokens == docs.n_tokens
        assert report.dropped == {"no text": 11}
        assert report.removed == removed
        assert report.settings == settings
        assert (report.n_repeated, report.reading) == (4, reading)
        assert [points.tolist() for points in report.zipf] == [[1, 2, 5], [90, 50, 7]]
        assert report.commonest == own.commonest
        assert report.lengths.tolist() == own.lengths.tolist()
    loaded = api.load_with_report(tmp_path / "c")
    assert loaded.notes == (f"Opened on the disk: {tmp_path / 'c'}.", "Read as CSV.")
    assert loaded.warnings == ("Too few.",)
    with pytest.warns(UserWarning, match=r"mine: Too few\."):
        api.load(tmp_path / "c")


def test_without_notes_a_report_leaves_nothing_out(stored, memory):
    report, own = report_of(stored), describe(memory)
    assert (report.n_read, report.dropped, report.removed) == (120, {}, {})
    assert (report.settings, report.n_repeated, report.reading) == (AS_COUNTED, 0, None)
    np.testing.assert_array_equal(report.zipf, own.zipf)
    assert described(memory).commonest == own.commonest == report.commonest


def test_documents_without_a_word_were_read_too(tmp_path):
    writer = ShardWriter(tmp_path / "c", ("word",))
    writer.add(Corpus.from_csr([[3], [2]], ["word"]))
    assert report_of(writer.finish(n_empty_dropped=5)).n_read == 7


@pytest.mark.parametrize(
    "noted", [{"n_read": "many"}, {"dropped": 7}, {"zipf": [1]}, {"settings": {"min_df": -1}}]
)
def test_notes_that_a_hand_has_changed_are_told(tmp_path, noted):
    writer = ShardWriter(tmp_path / "c", ("word",))
    writer.add(Corpus.from_csr([[3]], ["word"]))
    corpus = writer.finish(noted)
    with pytest.raises(CorpusError, match=r"The report in .*manifest\.json is damaged \(.*\)\. B"):
        report_of(corpus)


@pytest.mark.parametrize("noted", [{"notes": "Read."}, {"warnings": {"a": 1}}])
def test_sentences_that_are_no_list_are_told(tmp_path, noted):
    writer = ShardWriter(tmp_path / "c", ("word",))
    writer.add(Corpus.from_csr([[3]], ["word"]))
    writer.finish(noted)
    with pytest.raises(
        CorpusError, match=rf"^The report of the corpus in {tmp_path}/c is damaged\."
    ):
        api.load_with_report(tmp_path / "c")


def test_a_build_goes_on_only_where_its_files_are_as_they_were(tmp_path):
    docs = with_names(50)
    folder = tmp_path / "c"
    writer = ShardWriter(folder, docs.vocab, shard_docs=20)
    writer.add(docs.part(0, 45))
    assert writer.done == 40
    with pytest.raises(CorpusError, match="was begun with other shards; give the same to go on"):
        ShardWriter(folder, docs.vocab, shard_docs=21)
    with pytest.raises(ValueError, match="All documents of one stored corpus have the same col"):
        ShardWriter(folder, docs.vocab, shard_docs=20).add(docs.part(40, 50).without_text())
    with open(folder / "word_ids.npy", "r+b") as file:
        file.truncate(200)
    with pytest.raises(CorpusError) as told:
        ShardWriter(folder, docs.vocab, shard_docs=20)
    assert str(told.value) == (
        f"{folder / 'word_ids.npy'} was cut short since the build was begun; remove {folder} and "
        "build the corpus again."
    )


def test_columns_of_other_kinds_than_before_are_not_written(tmp_path):
    """Of a shard numbers are numbers: what is a word among them is told, and nothing is lost."""
    counts = np.array([[1, 2]])
    writer = ShardWriter(tmp_path / "c", ("word 0", "word 1"), shard_docs=2)
    writer.add(Corpus.from_csr(counts, docs=DocTable(label=np.array([7]))))
    words = Corpus.from_csr(counts, docs=DocTable(label=strings(["seven"])))
    with pytest.raises(CorpusError, match=r"cannot be written .* 0 documents are stored there"):
        writer.add(words)
    writer.add(words)
    assert writer.finish().docs.label.tolist() == ["seven"]


# ---- elsewhere ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("s3://bucket/a.corpus", "s3://bucket/a.corpus"),
        ("ftp://me:pass@word@host/a?b=1", "ftp://host/a"),
        ("https://host/a?signature=S", "https://host/a"),
        ("/home/me@work/a?b", "/home/me@work/a?b"),
    ],
)
def test_an_address_is_shown_without_what_opens_it(address, shown):
    assert said(address) == shown


def test_a_corpus_that_is_not_here_has_its_size_and_its_sums():
    totals = np.array([5, 0, 2**31 - 1])
    absent = AbsentCorpus.of("mine", 4, ("a", "b", "c"), totals)
    assert (absent.name, absent.n_docs, absent.n_words, absent.n_tokens) == ("mine", 4, 3, 0)
    assert absent.word_totals.tolist() == totals.tolist()
    for size in ((0, ("a",), [1]), (4, (), []), (4, ("a", "b"), [1])):
        with pytest.raises(ValueError, match="its corpus has another size than a corpus may have"):
            AbsentCorpus.of("mine", *size[:2], np.array(size[2], np.int64))
    for wrong in ([-1, 2], [1, 2**31]):
        with pytest.raises(ValueError, match="its corpus has words of impossible counts"):
            AbsentCorpus.of("mine", 4, ("a", "b"), np.array(wrong))
