"""Packed files: read as what they hold, refused where they are damaged or unpack to too much."""

import bz2
import gzip
import lzma
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers import unpacking
from bnpexplorer.corpus.readers.formats import read, read_files
from bnpexplorer.corpus.readers.unpacking import PACKINGS, unpacked
from tests.tools.readers import DATA, TEXTS, data

PACK = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
}
EVERY = [pytest.param(p, PACK[p.name], id=p.name) for p in PACKINGS]


@pytest.mark.parametrize(("packing", "pack"), EVERY)
def test_a_packed_file_is_read_as_what_it_holds(packing, pack):
    found = read(f"tiny.jsonl{packing.suffix}", pack(data("tiny.jsonl")))
    assert found.texts == TEXTS
    assert f"Unpacked with {packing.name}." in found.notes
    # By its first bytes: whatever it is called.
    assert read("tiny.jsonl", pack(data("tiny.jsonl"))).texts == TEXTS


@pytest.mark.parametrize(("packing", "pack"), EVERY)
def test_all_members_of_a_file_are_read(packing, pack):
    several = pack(b"text\nsea\n") + pack(b"") + pack(b"hill\nrock\n")
    assert unpacked("a", several)[1] == b"text\nsea\nhill\nrock\n"


def test_zeros_may_stand_between_the_streams_of_xz():
    several = lzma.compress(b"sea\n") + bytes(8) + lzma.compress(b"hill\n") + bytes(4)
    assert unpacked("a.xz", several) == ("a", b"sea\nhill\n", "Unpacked with xz.")


@pytest.mark.second
@pytest.mark.parametrize(("packing", "pack"), EVERY)
def test_a_bomb_is_left_before_it_has_unpacked(packing, pack, monkeypatch):
    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 2_000_000)
    bomb = pack(bytes(20_000_000))
    tracemalloc.start()
    with pytest.raises(CorpusError, match=r"a\.csv\S* unpacks to more than 2 MB; split it"):
        read(f"a.csv{packing.suffix}", bomb)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 12e6
    # So are many small members, none of which is too large.
    with pytest.raises(CorpusError, match="unpacks to more than 2 MB"):
        unpacked("a", pack(bytes(500_000)) * 5)


@pytest.mark.parametrize(("packing", "pack"), EVERY)
def test_a_damaged_file_is_refused_in_a_sentence(packing, pack):
    sound = pack(data("small.csv"))
    with pytest.raises(CorpusError, match=r"cut short|is a damaged \w+ file") as said:
        unpacked("small.csv", sound[: len(sound) // 2])
    assert "again" in str(said.value)
    rng, refusals = np.random.default_rng(5), []
    for _ in range(60):
        content = bytearray(sound)
        for place in rng.integers(len(packing.magic), len(sound), 3):
            content[place] = rng.integers(256)
        try:
            unpacked("small.csv", bytes(content))
        except CorpusError as problem:
            refusals.append(str(problem))
    assert refusals
    assert all("small.csv" in told and "\n" not in told for told in refusals)


def test_xz_that_asks_for_a_huge_dictionary_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    asks = lzma.compress(b"sea", filters=filters)
    with pytest.raises(CorpusError, match=r"a\.xz is a damaged xz file \(Memory usage limit"):
        unpacked("a.xz", asks)


def test_a_vocabulary_may_be_packed_too():
    counts = (DATA / "docword.tiny.txt").read_bytes()
    words = data("vocab.tiny.txt")
    plain = read_files([("docword.tiny.txt", counts), ("vocab.tiny.txt", words)])
    packed = [("docword.tiny.txt.zst", PACK["zstd"](counts)), ("v.txt.xz", lzma.compress(words))]
    found = read_files(packed)
    assert found.vocab == plain.vocab
    assert (found.counts != plain.counts).nnz == 0


def test_the_child_unpacks_too(tmp_path):
    path = tmp_path / "tiny.jsonl.xz"
    path.write_bytes(lzma.compress(data("tiny.jsonl")))
    assert api.load(path).n_docs == len(TEXTS)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CorpusError, match=r"tiny\.jsonl\.xz ends in the middle of its xz data"):
        api.load(path)


def test_how_a_file_was_unpacked_is_said_after_what_its_reader_says():
    plain, packed = read("a.txt", b"sea\n"), read("a.txt.gz", gzip.compress(b"sea\n"))
    assert packed.notes == (*plain.notes, "Unpacked with gzip.")
    assert len(plain.notes) == 1
    table = read("a.csv.gz", gzip.compress(b"text\nsea and hill\nrock\n"))
    assert (table.format, table.texts) == ("csv", ("sea and hill", "rock")), "by its inner name"
