"""Test the library of saved runs: what it keeps, gives back bit for bit, and removes."""

import dataclasses
import time

import numpy as np
import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.runs.saved.library import Library, key_of
from bnpexplorer.state.labels import Labels
from tests.runs.saved.small import make_run, with_texts


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


@pytest.mark.second
@pytest.mark.parametrize("name", ["hdp-tsvi", "hdp-gibbs", "dpm-particle"])
def test_a_saved_run_goes_on_bit_for_bit(library, corpus, name):
    run, whole = make_run(corpus, name), make_run(corpus, name)
    for _ in range(3):
        run.step()
    library.keep("a", run, corpus, "paused")
    again = Library(library.folder).load("a")
    while not whole.done:
        whole.step()
    while not again.done:
        again.step()
    ours, theirs = again.snapshot(), whole.snapshot()
    np.testing.assert_array_equal(ours.topics.topic_word, theirs.topics.topic_word)
    assert [p.heldout for p in ours.trace] == pytest.approx(
        [p.heldout for p in theirs.trace], rel=0, nan_ok=True
    )


def test_texts_are_kept_once_for_all_runs_of_a_corpus(library, corpus):
    for run_id in "ab":
        library.keep(run_id, make_run(corpus), corpus, "paused")
    assert len(list((library.folder / "corpora").glob("*.zip"))) == 1
    back = library.corpus("b")
    assert back.fingerprint == corpus.fingerprint
    assert list(back.docs.text) == list(corpus.docs.text)
    other = type(corpus)(
        corpus.indptr,
        corpus.word_ids,
        corpus.counts,
        corpus.vocab,
        DocTable(text=corpus.docs.text[::-1].copy()),
    )
    assert other.fingerprint == corpus.fingerprint
    assert key_of(other) != key_of(corpus), "the same counts of other texts are another corpus"


def test_the_index_says_where_every_run_stands(library, corpus):
    first, second = make_run(corpus), make_run(corpus, "lda-gibbs", 3)
    library.keep("first", first, corpus, "paused")
    library.keep("second", second, corpus, "running")
    first.step()
    library.keep("first", first, corpus, "stopped")
    rows = library.saved()
    assert [row.run_id for row in rows] == ["first", "second"], "the latest first"
    facts = rows[0].facts
    assert (facts["docs_seen"], facts["status"], facts["method"]) == (40, "stopped", "hdp-tsvi")
    assert facts["heldout"] == pytest.approx(first.history[-1].heldout)
    assert rows[1].facts["heldout"] is None
    assert rows[0].created < rows[0].updated
    assert rows[0].n_bytes > 1000


def test_names_tags_and_labels_survive(library, corpus):
    library.keep("a", make_run(corpus), corpus, "paused")
    library.rename("a", "  My run ")
    library.tag("a", ("lecture ", "", "2026", "lecture"))
    labels = Labels().rename(3, "war").hide(4).pin(3).pin(5).pin(5, False)
    library.label("a", labels)
    library.keep("a", make_run(corpus), corpus, "paused")
    row = Library(library.folder).get("a")
    assert row.name == "My run"
    assert row.tags == ("2026", "lecture")
    assert row.labels == labels
    assert row.labels.names[3] == "war"
    assert 3 not in row.labels.rename(3, " ").names
    library.rename("a", " \n")
    assert library.get("a").name == "a", "a name is never empty"


def test_how_the_texts_were_made_survives(library, corpus):
    report, true_topics = describe(corpus), np.eye(2)
    library.keep("a", make_run(corpus), corpus, "paused", report=report, true_topics=true_topics)
    back, topics = Library(library.folder).origin("a")
    assert back.settings == report.settings
    assert back.commonest == report.commonest
    np.testing.assert_array_equal(back.lengths, report.lengths)
    np.testing.assert_array_equal(topics, true_topics)
    library.keep("b", make_run(corpus), corpus, "paused")
    assert library.origin("b") == (None, None)


def test_another_server_lists_the_same(library, corpus):
    run = make_run(corpus)
    run.step()
    for run_id in "abc":
        library.keep(run_id, run, corpus, "paused", secret=f"secret of {run_id}")
    library.rename("a", "Öl")
    library.tag("a", ("lecture",))
    library.label("a", Labels().rename(2, "war"))
    library.delete("b")
    before = library.saved(), library.saved(deleted=True)
    (library.folder / "runs" / "c" / "row.json").write_text("{}")
    again = Library(library.folder)
    assert again.saved() == [saved for saved in before[0] if saved.run_id != "c"]
    assert again.saved(deleted=True) == before[1]
    assert again.secret("b") == "secret of b"
    assert [one.run_id for one in again.damaged()] == ["c"]
    assert again.load("a").docs_seen == 40
    run.step()
    again.keep("a", run, corpus, "running")
    assert again.get("a").facts["docs_seen"] == 80


def test_an_unknown_run_is_named(library):
    assert library.get("x") is None
    for act in (library.corpus, library.delete, lambda run_id: library.rename(run_id, "y")):
        with pytest.raises(StoreError, match="no saved run x"):
            act("x")


@pytest.mark.parametrize("run_id", ["", ".", "..", "../runs", "a/../a", "a\\b", "a\0", "x" * 300])
def test_what_is_no_name_of_a_run_is_unknown(library, corpus, run_id):
    library.keep("a", make_run(corpus), corpus, "paused", "secret")
    assert library.get(run_id) is None
    assert library.secret(run_id) == ""
    with pytest.raises(StoreError, match="There is no saved run"):
        library.rename(run_id, "another")


def test_a_deleted_run_comes_back_until_it_is_purged(library, corpus):
    for run_id in "ab":
        library.keep(run_id, make_run(corpus), corpus, "paused")
    library.delete("a")
    assert [row.run_id for row in library.saved()] == ["b"]
    assert [row.run_id for row in library.saved(deleted=True)] == ["a"]
    library.restore("a")
    assert len(library.saved()) == 2
    library.delete("a")
    library.purge(deleted_before=time.time() - 3600.0)
    assert library.get("a") is not None, "deleted less than an hour ago"
    library.purge()
    assert library.get("a") is None
    assert not (library.folder / "runs" / "a").exists()
    assert library.corpus("b").n_docs == corpus.n_docs, "b still needs the corpus"
    library.delete("b")
    library.purge()
    assert library.n_bytes == 0


def test_texts_that_no_run_needs_go_though_another_was_deleted_since(library, corpus):
    others = dataclasses.replace(corpus, name="others")
    library.keep("a", make_run(corpus), corpus, "paused")
    library.keep("b", make_run(others), others, "paused")
    library.delete("a")
    between = time.time()
    while time.time() <= between:
        pass
    library.delete("b")
    library.purge(deleted_before=library.get("b").deleted)
    assert [path.stem for path in (library.folder / "corpora").iterdir()] == [key_of(others)]


def test_an_imported_copy_never_stands_for_the_chain_that_goes_on_here(library, corpus):
    """However late the chain was written again: the copy came in after it."""
    chains = [make_run(corpus, seed=seed) for seed in range(3)]
    for place, run in enumerate(chains):
        run.chain = ChainOf("group", place, 3)
    for place in (2, 0, 1):
        library.keep(f"own{place}", chains[place], corpus, "paused")
    library.keep("copy", chains[1], corpus, "paused")
    assert [saved.run_id for saved in library.chains("group")] == ["own0", "own1", "own2"]
    chains[1].step()
    library.keep("own1", chains[1], corpus, "paused")
    assert library.saved()[0].run_id == "own1", "written last"
    assert [saved.run_id for saved in library.chains("group")] == ["own0", "own1", "own2"]
