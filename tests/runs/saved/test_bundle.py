"""One run as one .zip: goes on bit for bit elsewhere, and says what it is."""

import csv
import io
import json
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus.text import describe
from bnpexplorer.corpus.words.counting import Removed
from bnpexplorer.corpus.words.lost import DIGITS, LostWords
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from tests.runs.saved.zips import SECRET, a_library, exported, members, with_texts, zipped


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


# ---- what a file holds ---------------------------------------------------------------------------


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


@pytest.mark.second
def test_words_that_cutting_lost_leave_with_the_texts_alone(tmp_path, corpus):
    _, run = a_library(tmp_path / "of the run", corpus)
    library = Library(tmp_path / "here")
    lost = LostWords(9, {DIGITS: Removed(1, (("insured1990", 2),), 2)})
    report = replace(describe(corpus), lost=lost)
    library.keep("a", run, corpus, "paused", report=report)
    assert bundle.read(io.BytesIO(exported(library))).report.lost is None
    kept = bundle.read(io.BytesIO(exported(library, with_text=True))).report
    assert kept.lost == lost


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
        "Learned    120 of 280 texts in pass 1 of 2",
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


# ---- taken in ------------------------------------------------------------------------------------


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
    _, run = a_library(tmp_path / "before", corpus)
    known = np.random.default_rng(3).dirichlet(np.ones(corpus.n_words), 4)
    library = Library(tmp_path / "here")
    library.keep("a", run, corpus, "paused", report=describe(corpus), true_topics=known)
    library.rename("a", "Öl & <b>war</b>")
    found = bundle.read(io.BytesIO(exported(library)))
    there = Library(tmp_path / "there")
    first = bundle.add(there, found, secret="mine", name="other")
    np.testing.assert_array_equal(there.origin(first)[1], known)
    assert (there.get(first).name, there.secret(first)) == ("other", "mine")
    assert there.get(first).facts["status"] == "paused"
    second = bundle.add(there, found)
    assert there.get(second).name == "Öl & <b>war</b>"
    assert there.secret(second) not in ("", "mine")
    while not found.run.done:
        found.run.step()
    third = bundle.add(there, found)
    assert there.get(third).facts["status"] == "finished"
