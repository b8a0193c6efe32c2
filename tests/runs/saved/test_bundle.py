"""One run as one .zip: goes on bit for bit elsewhere; foreign, damaged and hostile files go."""

import csv
import io
import json
import time
import warnings
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.text import describe
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.limits import file_limit
from bnpexplorer.runs.packed_texts import unpack_corpus
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels

SECRET = "nobody else may read this sentence"


@pytest.fixture
def corpus(bars):
    n_docs = bars[0].n_docs
    docs = DocTable(
        title=np.array([f"title {d}" for d in range(n_docs)], dtype=object),
        text=np.array([f"{SECRET} {d}" for d in range(n_docs)], dtype=object),
    )
    return type(bars[0])(
        bars[0].indptr, bars[0].word_ids, bars[0].counts, bars[0].vocab, docs, "bars"
    )


def a_library(folder, corpus, method="hdp-tsvi", n_steps=3):
    """A library with one saved run, and that run."""
    train, heldout = split_heldout(corpus, 4, n=20)
    run = Run(make_method(method), train, 4, batch_size=40, passes=2, heldout=heldout)
    for _ in range(n_steps):
        run.step()
    library = Library(folder)
    library.keep("a", run, corpus, "paused", report=describe(corpus))
    library.rename("a", "Öl & <b>war</b>")
    library.tag("a", ("lecture",))
    library.label("a", Labels().rename(2, "war"))
    return library, run


def exported(library, with_text=False):
    file = io.BytesIO()
    bundle.export(library, "a", file, with_text)
    return file.getvalue()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts):
    return zipped_list(parts.items())


def zipped_list(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts:
            archive.writestr(name, data)
    return file.getvalue()


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array)
    return out.getvalue()


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
@pytest.mark.parametrize("method", ["hdp-tsvi", "hdp-gibbs", "lda-svi", "dpm-sumo"])
def test_an_imported_run_goes_on_bit_for_bit(tmp_path, corpus, method):
    library, run = a_library(tmp_path / "here", corpus, method)
    there = Library(tmp_path / "there")
    run_id = bundle.add(there, bundle.read(io.BytesIO(exported(library))))
    assert run_id != "a"
    again = there.load(run_id)
    for each in (run, again):
        while not each.done:
            each.step()
    ours, theirs = run.snapshot(), again.snapshot()
    np.testing.assert_array_equal(ours.topics.topic_word, theirs.topics.topic_word)
    np.testing.assert_array_equal(ours.topics.topic_ids, theirs.topics.topic_ids)
    assert [p.heldout for p in ours.trace] == pytest.approx(
        [p.heldout for p in theirs.trace], rel=0, nan_ok=True
    )
    saved = there.get(run_id)
    assert (saved.name, saved.tags, saved.labels.names[2]) == (
        "Öl & <b>war</b>",
        ("lecture",),
        "war",
    )
    assert there.origin(run_id)[0].n_docs == corpus.n_docs
    assert there.secret(run_id), "its new owner can control it"


@pytest.mark.second
def test_texts_leave_only_if_asked(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    without, with_text = exported(library), exported(library, with_text=True)
    assert not any(SECRET.encode() in part for part in members(without).values())
    assert bundle.read(io.BytesIO(without)).corpus.docs.text is None
    assert list(bundle.read(io.BytesIO(without)).corpus.docs.title) == list(corpus.docs.title)
    back = bundle.read(io.BytesIO(with_text)).corpus
    assert list(back.docs.text) == list(corpus.docs.text)
    assert back.fingerprint == corpus.fingerprint


def test_people_and_programs_find_their_way(tmp_path, corpus):
    library, run = a_library(tmp_path, corpus)
    parts = members(exported(library))
    about = json.loads(parts["manifest.json"])
    assert about["run"]["seed"] == 4
    assert about["about"]["corpus"]["fingerprint"] == corpus.fingerprint
    assert {"bnpexplorer", "python", "numpy", "numba"} <= set(about["about"]["versions"])
    assert about["method_settings"].keys() >= {"learn_eta"}
    rows = list(csv.DictReader(io.StringIO(parts["metrics.csv"].decode())))
    assert [int(row["documents"]) for row in rows] == [p.docs_seen for p in run.history]
    scores = [float(row["heldout_per_word"]) for row in rows if row["heldout_per_word"]]
    assert scores == [p.heldout for p in run.history if p.heldout == p.heldout]
    assert corpus.fingerprint in parts["README.txt"].decode()
    path = tmp_path / "a.zip"
    path.write_bytes(exported(library))
    assert Run.load(path).docs_seen == run.docs_seen
    run.save(tmp_path / "fit.run")
    assert bundle.read(tmp_path / "fit.run").corpus.n_docs == run.corpus.n_docs
    assert bundle.file_name(library.get("a")) == "l----b-war--b-a.zip"


def test_a_series_of_a_foreign_run_is_no_formula_in_a_spreadsheet(tmp_path, corpus):
    _, run = a_library(tmp_path, corpus)
    foreign = SimpleNamespace(history=[replace(run.history[-1], scalars={"=1+1": 2.0})])
    head, last = csv.reader(io.StringIO(bundle.metrics_csv(foreign)))
    assert (head[-1], last[-1]) == ("'=1+1", "2.0")


def test_what_differs_here_is_said(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    parts = members(exported(library))
    assert bundle.read(io.BytesIO(zipped(parts))).note == ""
    manifest = json.loads(parts["manifest.json"])
    manifest["about"]["versions"]["numpy"] = "1.0"
    parts["manifest.json"] = json.dumps(manifest)
    assert bundle.read(io.BytesIO(zipped(parts))).note == (
        f"It was learned with numpy 1.0 (here {np.__version__}): it goes on, but its numbers may "
        "come to differ in the last digits from what they would have been there."
    )


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


def test_names_from_elsewhere_are_one_line_as_long_as_pages_allow(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    parts = members(exported(library))
    manifest = json.loads(parts["manifest.json"])
    manifest["about"] |= {
        "name": " two\nlines\x00\x1b\u2028\ud800" + "w" * 2000,
        "tags": ["a\rb", "c, d", *(f"tag {i}" for i in range(1000))],
        "labels": {"names": {"1": "x\n" + "y" * 2000, "2": "\n"}},
        "versions": {"numpy": "1\n" * 1000},
    }
    found = bundle.read(io.BytesIO(zipped({**parts, "manifest.json": json.dumps(manifest)})))
    saved = library.get(bundle.add(library, found))
    assert saved.name == found.name == "two lines" + " " * 4 + "w" * 67
    assert {"a b", "c", "d", "tag 1"} < set(saved.tags)
    assert len(", ".join(saved.tags)) <= 200
    assert saved.labels.names == {1: "x " + "y" * 58}
    assert len(found.note) < 200
    library.rename("a", "w\n" * 100)
    assert library.get("a").name == ("w " * 40).strip()


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


def test_an_unknown_run_is_named(tmp_path):
    with pytest.raises(store.StoreError, match="no saved run x"):
        bundle.export(Library(tmp_path), "x", io.BytesIO())


def test_what_a_file_says_of_itself_is_what_was_saved(tmp_path, corpus):
    """For people in README.txt; the score of a mini-batch later than the row is not in it."""
    library, run = a_library(tmp_path, corpus)
    saved = library.get("a")
    parts = members(exported(library, with_text=True))
    about = json.loads(parts["manifest.json"])["about"]
    assert about["corpus"] == {
        "name": "bars",
        "fingerprint": corpus.fingerprint,
        "documents": 300,
        "words": 25,
        "with_text": True,
        "folder": "",
    }
    assert about["facts"] == dict(saved.facts)
    assert about["name"] == "Öl & <b>war</b>"
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(saved.updated))
    assert about["saved"] == when
    assert parts["README.txt"].decode().splitlines()[:7] == [
        f"A run of bnpexplorer, saved {when}.",
        "",
        "Name       Öl & <b>war</b>",
        "Method     hdp-tsvi, seed 4",
        f"Texts      bars: 300 documents, 25 words, fingerprint {corpus.fingerprint}",
        "           with the texts themselves",
        "Learned    120 of 560 documents",
    ]
    without = members(exported(library))["README.txt"].decode()
    assert "\n           as word counts, without texts\n" in without
    head, *rows = csv.reader(io.StringIO(parts["metrics.csv"].decode()))
    assert head[:6] == [
        "step",
        "documents",
        "seconds",
        "topics_in_use",
        "bound",
        "heldout_per_word",
    ]
    names = sorted(run.history[-1].scalars)
    assert head[6:] == names
    last, point = rows[-1], run.history[-1]
    told = [int(last[0]), int(last[1]), float(last[2]), int(last[3])]
    assert told == [point.step, point.docs_seen, pytest.approx(point.seconds), point.n_topics]
    assert last[4] == "", "no bound was told"
    assert [float(x) for x in last[6:]] == [pytest.approx(point.scalars[name]) for name in names]


def test_the_saved_time_of_a_file_is_that_of_greenwich(tmp_path, corpus, elsewhere):
    library, _ = a_library(tmp_path, corpus)
    library._listing.set("a", "updated", 0.0)
    about = json.loads(members(exported(library))["manifest.json"])["about"]
    assert about["saved"] == "1970-01-01 00:00:00 UTC"


def test_a_name_becomes_the_name_of_a_file(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    saved = library.get("a")
    for name, file in (
        ("my run_2-x", "my-run_2-x-a.zip"),
        ("-ä-", "run-a.zip"),
        ("x" * 80, f"{'x' * 60}-a.zip"),
        ("../a.b", "a-b-a.zip"),
    ):
        assert bundle.file_name(replace(saved, name=name)) == file


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


def test_the_very_run_is_known_again_and_another_of_its_plan_is_not(tmp_path, corpus):
    library, _ = a_library(tmp_path / "here", corpus)
    found = bundle.read(io.BytesIO(exported(library)))
    saved = library.saved()
    assert bundle.twin(library, found, saved) == saved[0]
    assert bundle.twin(library, found, []) is None
    for name, value in (("seconds", 0.5), ("seed", 9), ("docs_seen", 80), ("planned_docs", 7)):
        other = replace(saved[0], facts={**saved[0].facts, name: value})
        assert bundle.twin(library, found, [other]) is None, name
    learned = found.run.corpus
    found.run.corpus = learned.take(np.arange(learned.n_docs)[::-1])
    assert bundle.twin(library, found, saved) is None, "of other texts"
    found.run.corpus = learned
    changed = replace(found.run.method, burn_in=found.run.method.burn_in + 1)
    found.run.method = changed
    assert bundle.twin(library, found, saved) is None, "by another setting"


def test_a_name_that_is_taken_gets_the_first_free_number(tmp_path, corpus):
    library, _ = a_library(tmp_path, corpus)
    (one,) = library.saved()
    there = [replace(one, name=name) for name in ("a", "a (2)", "a (4)", "x" * 80)]
    assert bundle.free_name("b", there) == "b"
    assert bundle.free_name("a", there) == "a (3)"
    assert bundle.free_name("x" * 80, there) == f"{'x' * 74} (2)", "80 letters at most"


@pytest.mark.second
def test_a_run_that_is_taken_in_has_a_status_a_name_and_a_secret(tmp_path, corpus):
    library, _ = a_library(tmp_path / "here", corpus)
    found = bundle.read(io.BytesIO(exported(library)))
    there = Library(tmp_path / "there")
    first = bundle.add(there, found, secret="mine", name="other")
    assert (there.get(first).name, there.secret(first)) == ("other", "mine")
    assert there.get(first).facts["status"] == "paused"
    second = bundle.add(there, found)
    assert there.get(second).name == "Öl & <b>war</b>"
    assert there.secret(second) not in ("", "mine")
    while not found.run.done:
        found.run.step()
    third = bundle.add(there, found)
    assert there.get(third).facts["status"] == "finished"
