"""Runs that earlier versions saved open, show what they showed, and go on.

`tests/kept/` holds them as they were written; `facts.json` says what they held. A field that a
state gets later needs a default, or these fail.
"""

import json
import shutil
from pathlib import Path

import pytest

from bnpexplorer import METHODS, Run, make_method
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from tests.tools.gibbs import check_counts

KEPT = Path(__file__).resolve().parents[2] / "kept"
FACTS = json.loads((KEPT / "facts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A copy, since opening a library may write to it."""
    home = tmp_path_factory.mktemp("kept") / "home"
    shutil.copytree(KEPT / "home", home)
    return Library(home)


def check(run, fact):
    snapshot = run.snapshot()
    largest = int(snapshot.topics.size.argmax())
    heaviest = (-snapshot.topics.topic_word[largest]).argsort(kind="stable")[:3]
    assert run.method.name == fact["method"]
    assert (run.n_steps, run.docs_seen, run.planned_docs) == (
        fact["step"],
        fact["docs_seen"],
        fact["planned"],
    )
    assert len(snapshot.topics) == fact["topics"]
    assert snapshot.heldout == pytest.approx(fact["heldout"], abs=1e-5)
    assert snapshot.topics.size[largest] == pytest.approx(fact["size"], abs=1e-3)
    assert " ".join(run.corpus.vocab[w] for w in heaviest) == fact["words"]


def test_every_method_of_that_version_is_there():
    assert {fact["method"] for fact in FACTS.values()} <= set(METHODS)
    assert len(FACTS) == 18


@pytest.mark.parametrize("run_id", FACTS, ids=lambda run_id: FACTS[run_id]["method"])
def test_a_kept_run_opens(library, run_id):
    check(library.load(run_id), FACTS[run_id])
    assert library.get(run_id).name == FACTS[run_id]["name"]


@pytest.mark.parametrize("run_id", FACTS, ids=lambda run_id: FACTS[run_id]["method"])
def test_a_kept_run_goes_on(library, run_id):
    run, fact = library.load(run_id), FACTS[run_id]
    while not run.done:
        run.step()
    topics = run.snapshot().topics
    assert run.docs_seen == fact["planned"] or run.method.batching == "fixed"
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0)
    assert run.snapshot().heldout < 0.0
    assert run.protocol == "completion", "its scores stay those of one start"
    assert run.snapshot().spread == 0.0


@pytest.mark.parametrize(
    ("name", "preset", "then"),
    [
        ("dpm-gibbs", "neal-2000", {"start_size": 1}),
        ("hdp-gibbs", "from-nothing", {"burn_in": 50, "thin": 10, "n_kept": 5}),
    ],
)
def test_a_kept_run_goes_on_as_its_version_did(library, name, preset, then):
    """It says nothing of knobs that came later: those are what was done then, not the defaults."""
    (run_id,) = [r for r, fact in FACTS.items() if fact["method"] == name]
    assert library.load(run_id).method == make_method(name, preset, then) != METHODS[name]()


@pytest.mark.parametrize("name", ["lda-gibbs", "hdp-gibbs"])
def test_the_topics_of_words_are_counted_again(library, name):
    """That version held a count for every word and slot."""
    (run_id,) = [r for r, fact in FACTS.items() if fact["method"] == name]
    run = library.load(run_id)
    check_counts(run.state.tokens, run.corpus)
    assert run.state.tokens.used.any()


def test_labels_tags_and_texts_are_there(library):
    (run_id,) = [r for r, fact in FACTS.items() if fact["method"] == "hdp-tsvi"]
    saved = library.get(run_id)
    (name,) = saved.labels.names.values()
    assert name == "The first of all"
    assert saved.labels.pinned == set(saved.labels.names)
    assert set(saved.tags) == {"kept", "first"}
    assert library.secret(run_id) == "a-secret-of-nobody"
    corpus = library.corpus(run_id)
    assert corpus.n_docs == 48
    assert all(corpus.docs.text)


def test_that_version_s_rows_are_listed_without_its_index(tmp_path):
    shutil.copytree(KEPT / "home", tmp_path / "home")
    (tmp_path / "home" / "library.sqlite3").unlink()
    found = Library(tmp_path / "home").saved()
    assert {(s.run_id, s.name) for s in found} == {(r, f["name"]) for r, f in FACTS.items()}


def test_that_version_s_index_alone_has_its_rows(tmp_path):
    shutil.copytree(KEPT / "home", tmp_path / "home")
    for row in (tmp_path / "home").glob("runs/*/row.json"):
        row.unlink()
    found = Library(tmp_path / "home").saved()
    assert {(s.run_id, s.name) for s in found} == {(r, f["name"]) for r, f in FACTS.items()}


def test_a_file_of_one_run_opens():
    (fact,) = [fact for fact in FACTS.values() if fact["method"] == "hdp-tsvi"]
    check(Run.load(KEPT / "hdp-tsvi.run.zip"), fact)
    check(Run.load(KEPT / "hdp-tsvi.bundle.zip"), fact)


@pytest.mark.second
def test_a_run_taken_along_is_imported(tmp_path):
    library = Library(tmp_path)
    run_id = bundle.add(library, bundle.read(KEPT / "hdp-tsvi.bundle.zip"))
    assert library.get(run_id).name == "kept hdp-tsvi"
    assert all(library.corpus(run_id).docs.text)
