"""A folder that is not what it was: named, in one sentence, before anything is led astray."""

import json

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.corpus.corpus import Corpus, CorpusError
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.checking import faults
from bnpexplorer.corpus.stored.layout import HEADER, REMEDY
from tests.tools.stored import on_disk, with_names


@pytest.fixture
def corpus(tmp_path):
    return on_disk(with_names(), tmp_path / "c")


def write_number(path, place, number, dtype):
    with open(path, "r+b") as file:
        file.seek(HEADER + np.dtype(dtype).itemsize * int(place))
        file.write(np.array(number, dtype).tobytes())


def shorten(path, n_bytes):
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size - n_bytes)


def test_a_file_that_was_cut_short_is_named_with_its_shards(corpus):
    begin = corpus.manifest.shards[5].begin
    with open(corpus.folder / "counts.npy", "r+b") as file:
        file.truncate(HEADER + 4 * begin + 4)
    with pytest.raises(CorpusError, match=r"counts\.npy has .*shard 5 and all after it are gone"):
        StoredCorpus(corpus.folder)
    assert corpus.take([0, 100]).n_docs == 2  # what is there is read on
    with pytest.raises(CorpusError, match=r"Shard 5 of the corpus .* ends too early"):
        corpus.take([0, 700])


def test_what_is_there_and_what_was_are_told(corpus):
    path = corpus.folder / "lengths.npy"
    shorten(path, 8)
    with pytest.raises(CorpusError) as told:
        StoredCorpus(corpus.folder)
    assert str(told.value) == f"{path} has 7,320 bytes in place of 7,328. {REMEDY}"


def test_a_word_twice_in_a_document_is_found_and_all_words_in_one_are_none(tmp_path):
    counts = np.ones((4, 5), np.int64)
    found = on_disk(Corpus.from_csr(counts), tmp_path / "all", shard_docs=2)
    assert found.take([3, 0]).to_csr().toarray().tolist() == counts[:2].tolist()
    write_number(found.folder / "word_ids.npy", 12, 3, "<i4")  # the third word of the third
    again = StoredCorpus(found.folder)
    assert again.take([0, 1, 3]).n_docs == 3
    with pytest.raises(CorpusError, match="Shard 1 of the corpus"):
        again.take([1, 2])


@pytest.mark.parametrize("name", ["indptr.npy", "lengths.npy", "fields/00003.parquet"])
def test_a_missing_file_is_named(corpus, name):
    (corpus.folder / name).unlink()
    with pytest.raises(CorpusError, match=rf"{name} is missing .*Build it again"):
        StoredCorpus(corpus.folder)


@pytest.mark.parametrize(
    ("file", "number", "dtype"),
    [
        ("word_ids.npy", 40, "<i4"),
        ("word_ids.npy", -1, "<i4"),
        ("counts.npy", 0, "<i4"),
        ("counts.npy", -5, "<i4"),
        ("indptr.npy", 10**9, "<i8"),
        ("indptr.npy", 0, "<i8"),
    ],
)
def test_numbers_that_would_lead_a_kernel_astray_are_found_when_they_are_read(
    corpus, file, number, dtype
):
    row = 300  # of shard 2
    place = row if file == "indptr.npy" else corpus.indptr[row]
    write_number(corpus.folder / file, place, number, dtype)
    again = StoredCorpus(corpus.folder)
    assert again.take([1, 200]).n_docs == 2
    with pytest.raises(CorpusError, match="Shard 2 of the corpus"):
        again.take([1, row])


@pytest.mark.parametrize(("number", "found"), [(39, False), (40, True)])
def test_the_last_word_of_a_document_is_one_of_the_vocabulary(corpus, number, found):
    write_number(corpus.folder / "word_ids.npy", corpus.indptr[301] - 1, number, "<i4")
    again = StoredCorpus(corpus.folder)
    if not found:
        assert again.take([300]).word_ids[-1] == number
        return
    with pytest.raises(CorpusError, match=r"Shard 2 of .* words or counts that cannot be"):
        again.take([300])


def test_every_altered_number_is_found_by_the_check(corpus, capsys):
    assert list(faults(corpus.folder)) == []
    assert main(["corpus", "check", str(corpus.folder)]) == 0
    assert f"as built, fingerprint {corpus.fingerprint}" in capsys.readouterr().out
    word = int(corpus.counts[corpus.manifest.shards[4].begin])
    write_number(corpus.folder / "counts.npy", corpus.manifest.shards[4].begin, word + 1, "<i4")
    path = corpus.folder / "fields" / "00006.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    write_number(corpus.folder / "totals.npy", 3, 77, "<i8")
    write_number(corpus.folder / "lengths.npy", 3, 77, "<i8")
    found = list(faults(corpus.folder))
    assert [text.split(" has ")[0].rsplit("/", 1)[-1] for text in found[:3]] == [
        "c",
        "00006.parquet",
        "totals.npy",
    ]
    assert found[0].startswith("Shard 4 of")
    assert found[3].startswith("The lengths of documents")
    assert main(["corpus", "check", str(corpus.folder)]) == 1
    assert "4 found." in capsys.readouterr().out


def test_a_damaged_table_is_named_when_it_is_looked_at(corpus):
    path = corpus.folder / "fields" / "00001.parquet"
    path.write_bytes(b"x" * path.stat().st_size)
    again = StoredCorpus(corpus.folder)
    assert again.docs.text[3].startswith("The text of 3")
    with pytest.raises(CorpusError, match=r"00001\.parquet is missing or damaged"):
        again.docs.text[130]
    first = corpus.folder / "fields" / "00000.parquet"
    first.write_bytes(b"x" * first.stat().st_size)
    with pytest.raises(CorpusError, match=r"00000\.parquet is missing or damaged"):
        _ = StoredCorpus(corpus.folder).docs.id


def altered(corpus, **values):
    path = corpus.folder / "manifest.json"
    tree = json.loads(path.read_text())
    path.write_text(json.dumps(tree | values))
    return corpus.folder


def test_a_manifest_of_another_kind_is_told_apart(corpus, tmp_path):
    with pytest.raises(CorpusError, match="built by a newer version of bnpexplorer; update"):
        StoredCorpus(altered(corpus, version=2))
    with pytest.raises(CorpusError, match="is not the manifest of a stored corpus"):
        StoredCorpus(altered(corpus, version=1, format="other"))
    with pytest.raises(CorpusError, match="its sums are not those of its shards"):
        StoredCorpus(altered(corpus, format="bnpexplorer-corpus", n_docs=5))
    shards = json.loads((corpus.folder / "manifest.json").read_text())["shards"]
    with pytest.raises(CorpusError, match="its shards do not follow each other"):
        StoredCorpus(altered(corpus, n_docs=900, shards=shards[1:]))
    unsized = [shards[0] | {"fields_bytes": -1}, *shards[1:]]
    with pytest.raises(CorpusError, match="its shards have no sizes"):
        StoredCorpus(altered(corpus, shards=unsized))
    with pytest.raises(CorpusError, match="its columns are others than documents have"):
        StoredCorpus(altered(corpus, shards=shards, columns=["text", "colour"]))
    with pytest.raises(CorpusError, match=r"is damaged \('first' is missing\)"):
        StoredCorpus(altered(corpus, shards=[{}], columns=["text"]))
    (corpus.folder / "manifest.json").write_text("{")
    with pytest.raises(CorpusError, match=r"manifest\.json cannot be read"):
        StoredCorpus(corpus.folder)
    with pytest.raises(CorpusError, match="There is no stored corpus in"):
        StoredCorpus(tmp_path / "nowhere")


def test_other_words_are_found_at_once(corpus):
    path = corpus.folder / "vocabulary.json"
    path.write_text(path.read_text().replace("word3", "wordX"))
    with pytest.raises(CorpusError, match="its words are others than when the corpus was built"):
        StoredCorpus(corpus.folder)
