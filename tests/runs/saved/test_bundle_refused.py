"""Foreign, damaged and hostile files of a run are refused in one line."""

import io
import json
import warnings

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.runs.limits import file_limit
from bnpexplorer.runs.packed_texts import unpack_corpus
from bnpexplorer.runs.saved import bundle
from tests.runs.saved.zips import a_library, exported, members, npy, with_texts, zipped, zipped_list


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


def read_here(data):
    """As `bundle.read`, in this process, where what is called can be seen."""
    manifest, arrays = store.read(io.BytesIO(data), file_limit(), "theirs.zip")
    return bundle.checked(manifest, arrays, "theirs.zip")


def read_apart(data):
    return bundle.read(io.BytesIO(data), "theirs.zip")


def refusal(data, read=read_apart):
    with pytest.raises(store.StoreError) as caught:
        read(data)
    words = str(caught.value)
    assert words.startswith("theirs.zip")
    assert "\n" not in words
    return words


@pytest.mark.second
def test_foreign_and_damaged_files_are_refused(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    whole = exported(library)
    assert "is damaged or is not a saved run" in refusal(b"")
    assert "is damaged or is not a saved run" in refusal(b"date,text\n1,hello\n")
    assert "not a saved run of bnpexplorer ('manifest.json' is missing)" in refusal(
        zipped({"a.txt": "hello"})
    )
    assert "is not a saved run" in refusal(zipped({"manifest.json": '{"format": "other"}'}))
    assert "is damaged" in refusal(whole[: len(whole) // 2])
    nested = '{"format": "bnpexplorer-run", "a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert "is damaged" in refusal(zipped({"manifest.json": nested}))
    for place in range(40, len(whole), len(whole) // 40):
        broken = bytearray(whole)
        broken[place] ^= 0x5A
        try:
            back = bundle.read(io.BytesIO(bytes(broken)))
        except store.StoreError:
            continue
        assert back.corpus.fingerprint == corpus.fingerprint, "harmless: between the parts"


@pytest.mark.second
def test_a_part_that_is_missing_or_another_is_refused(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    parts = members(exported(library))
    needed = [n for n in parts if n.endswith(".npy")]
    assert len(needed) > 20
    for name in needed[:: len(needed) // 10]:
        assert "is damaged" in refusal(zipped({n: d for n, d in parts.items() if n != name}))
    counts = np.load(io.BytesIO(parts["corpus.counts.npy"]))
    words = np.load(io.BytesIO(parts["corpus.word_ids.npy"]))
    permutation = np.load(io.BytesIO(parts["permutation.npy"]))
    frames = next(n for n in parts if n.startswith("history.frames.0") and "word_ids" in n)
    topics = next(n for n in parts if n.startswith("state") and "topic_ids" in n)
    for name, array, words_said in (
        ("corpus.counts.npy", counts + 1, "fingerprint"),
        ("corpus.counts.npy", counts[:-1], "counts"),
        ("corpus.counts.npy", counts.astype(np.int64), "int64"),
        ("corpus.word_ids.npy", words + np.int32(1000), "vocabulary"),
        ("corpus.word_ids.npy", -words, "vocabulary"),
        ("corpus.indptr.npy", np.array([0, 5, 2, len(words)]), "follow"),
        ("whole.counts.npy", np.load(io.BytesIO(parts["whole.counts.npy"])) + 1, "fingerprint"),
        ("heldout.hidden.word_ids.npy", np.full(9999, 7, np.int32), "documents"),
        ("permutation.npy", permutation + 1, "order"),
        ("permutation.npy", permutation.astype(np.float64), "float64"),
        ("state.n.npy", -np.load(io.BytesIO(parts["state.n.npy"])), "state.n is"),
        (frames, np.load(io.BytesIO(parts[frames])) + 10_000, "word_ids is"),
        (topics, np.zeros(3, np.float32), "float32"),
    ):
        assert words_said in refusal(zipped({**parts, name: npy(array)})), name


@pytest.mark.second
def test_columns_and_true_topics_of_another_kind_are_refused(tmp_path, corpus):
    library, run = a_library(tmp_path, corpus)
    parts, n_docs = members(exported(library)), corpus.n_docs
    manifest = json.loads(parts["manifest.json"])
    shares = np.full((3, corpus.n_words), 0.1)
    as_table, as_topics = ("date", "title"), "true_topics"
    for name, array, said in (
        ("date", np.zeros(n_docs), "'date' of documents has"),
        ("title", np.zeros((n_docs, 2)), "'title' of documents has"),
        ("title", np.zeros(n_docs, "V4"), "'title' of documents has"),
        (as_topics, np.zeros(3), "true topics have the shape"),
        (as_topics, shares[:, 1:], "true topics have the shape"),
        (as_topics, -shares, "no shares"),
        (as_topics, shares * np.nan, "no shares"),
        ("date", np.full(n_docs, "NaT", "M8[D]"), ""),
        ("title", np.full(n_docs, "a title"), ""),
        (as_topics, shares, ""),
    ):
        for whole in ("whole", "corpus") if name in as_table else ("whole",):
            changed = json.loads(json.dumps(manifest))
            place = changed[whole]["docs"] if name in as_table else changed
            place[name] = {"array": "theirs"}
            rows = array[: run.corpus.n_docs] if whole == "corpus" else array
            file = zipped({**parts, "manifest.json": json.dumps(changed), "theirs.npy": npy(rows)})
            if said:
                assert said in refusal(file, read_here)
            else:
                read_here(file)
                bundle.read(io.BytesIO(file))


@pytest.mark.second
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("progress", "seconds"), None),
        (("progress", "seconds"), "12"),
        (("progress", "step"), 1.5),
        (("progress",), []),
        (("history", "trace"), {"step": 1}),
        (("rng",), [1, 2, 3]),
        (("method_settings",), "none"),
        (("model_settings", "gamma"), "much"),
        (("corpus", "vocab"), 7),
        (("about", "labels"), ["war"]),
        (("about", "corpus"), None),
    ],
)
def test_words_and_numbers_of_the_wrong_type_are_refused(tmp_path, corpus, path, value):
    library, _ = a_library(tmp_path, corpus)
    parts = members(exported(library))
    manifest = json.loads(parts["manifest.json"])
    part = manifest
    for key in path[:-1]:
        part = part[key]
    assert path[-1] in part
    part[path[-1]] = value
    assert "is damaged" in refusal(zipped({**parts, "manifest.json": json.dumps(manifest)}))


@pytest.mark.second
def test_a_file_of_two_vocabularies_is_refused(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    manifest, arrays = store.read(io.BytesIO(exported(library)), file_limit(), "theirs.zip")
    manifest["whole"]["vocab"].reverse()
    whole = unpack_corpus(manifest["whole"], arrays)
    with pytest.raises(store.StoreError, match="the whole texts are not those of its fingerprint"):
        bundle.checked(manifest, arrays, "theirs.zip")
    manifest["about"]["corpus"]["fingerprint"] = whole.fingerprint
    with pytest.raises(store.StoreError, match="two vocabularies differ"):
        bundle.checked(manifest, arrays, "theirs.zip")


@pytest.mark.second
def test_a_file_that_would_fill_the_memory_is_not_unpacked(tmp_path, corpus, monkeypatch):
    library, _ = a_library(tmp_path, corpus)
    parts = members(exported(library))
    manifest = json.loads(parts["manifest.json"])
    parts["manifest.json"] = json.dumps({**manifest, "more": {"array": "more"}})
    bomb = zipped({**parts, "more.npy": npy(np.zeros(2**24))})
    assert len(bomb) < 2**20
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "100")
    unpack = store._array
    monkeypatch.setattr(store, "_array", lambda *_: pytest.fail("unpacked"))
    assert "would unpack to 12" in refusal(bomb, read_here)
    monkeypatch.setattr(store, "MAX_MEMBERS", 1000)
    many = zipped({f"{i}.npy": b"" for i in range(store.MAX_MEMBERS + 1)})
    assert "parts" in refusal(many, read_here)
    with warnings.catch_warnings(action="ignore"):  # what zipfile says of a name that comes twice
        twice = zipped_list([*parts.items(), ("x.npy", b""), ("x.npy", npy(np.zeros(9)))])
    assert "several parts of one name" in refusal(twice, read_here)
    monkeypatch.setattr(store, "_array", unpack)
    liar = npy(np.zeros(1)).replace(b"(1,)", b"(99999999999,)")
    liar = liar.replace(b" " * 13, b" " * 3, 1)
    assert "header says" in refusal(zipped({**parts, "more.npy": liar}))
    manifest["method"], manifest["method_settings"] = "hdp-svi", {"truncation": 2000}
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1")
    huge = zipped({**parts, "manifest.json": json.dumps(manifest)})
    assert "cannot be opened here" in refusal(huge)


def test_a_manifest_that_would_fill_the_memory_is_not_parsed(monkeypatch):
    header = '{"format": "bnpexplorer-run", "version": 1, "more": ['
    bomb = zipped({"manifest.json": header + "{}," * 500_000 + "{}]}"})
    assert len(bomb) < 2**13
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "30")
    monkeypatch.setattr("json.loads", lambda *_: pytest.fail("parsed"))
    assert "would unpack to" in refusal(bomb, read_here)


def test_names_that_lead_out_of_the_folder_lead_nowhere(tmp_path, corpus, monkeypatch):
    library, _ = a_library(tmp_path / "lib", corpus)
    parts = members(exported(library))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    out = {"../evil.npy": npy(np.zeros(3)), "/tmp/keep-evil.npy": npy(np.zeros(3))}
    bundle.read(io.BytesIO(zipped({**parts, **out})))
    assert sorted(tmp_path.rglob("*")) == before
