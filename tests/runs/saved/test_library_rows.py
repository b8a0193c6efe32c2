"""Test what the row of a saved run says: its topics, score, progress and failure."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bnpexplorer.evaluate import split_heldout, split_of, topics_in_use
from bnpexplorer.methods import make_method
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import listing
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.runs.saved.rows import Saved, facts_of
from tests.runs.saved.small import make_run, with_texts


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


@pytest.mark.second
def test_a_row_counts_the_topics_of_now_and_not_of_the_last_row_of_history(corpus):
    train, heldout = split_heldout(corpus, 0, n=20)
    run = Run(make_method("hdp-tsvi"), train, 0, batch_size=10, passes=1000, heldout=heldout)
    apart = 0
    for _ in range(120):
        run.step()
        now = topics_in_use(run.snapshot().topics)
        assert facts_of(run, "paused")["n_topics"] == now
        apart += now != run.history[-1].n_topics
    assert apart > 0, "else this test would hold of the last row, too"


def test_a_row_has_the_last_score_and_not_the_best(corpus):
    run = make_run(corpus)
    while not run.done:
        run.step()
    best = replace(run.history[0], heldout=-0.5)
    run._history.trace.insert(0, best)
    scores = [point.heldout for point in run.history if point.heldout == point.heldout]
    assert len(scores) > 2
    assert scores[0] == max(scores)
    assert facts_of(run, "finished")["heldout"] == scores[-1] != scores[0]
    run._history.trace.append(replace(run.history[-1], heldout=float("nan")))
    assert facts_of(run, "finished")["heldout"] == scores[-1], "the last row has none"


def test_a_row_says_where_the_run_stands(corpus):
    run = make_run(corpus, seed=7)
    for _ in range(3):
        run.step()
    run.chain = ChainOf("group", 1, 3, "These chains have not met.", False)
    assert facts_of(run, "queued") == {
        "method": "hdp-tsvi",
        "model": "hdp",
        "corpus": corpus.name,
        "protocol": "completion",
        "status": "queued",
        "seed": 7,
        "step": 3,
        "docs_seen": 120,
        "planned_docs": 2 * (corpus.n_docs - 20),
        "seconds": run.seconds,
        "n_topics": int((run.topics.size >= 1.0).sum()),
        "heldout": next(p.heldout for p in reversed(run.history) if p.heldout < 0.0),
        "split": split_of(run.corpus, run.heldout),
        "chain": {
            "group": "group",
            "place": 1,
            "of": 3,
            "sentence": "These chains have not met.",
            "met": False,
        },
    }


def test_runs_are_listed_by_when_they_were_saved_last(library, corpus, monkeypatch):
    """Not by when they were made, nor by when they were named."""
    now = iter((1e9, 2e9, 3e9, 4e9))
    monkeypatch.setattr(listing, "time", SimpleNamespace(time=lambda: next(now)))
    runs = {run_id: make_run(corpus) for run_id in ("b", "c", "a")}
    for run_id, run in runs.items():
        library.keep(run_id, run, corpus, "paused")
    assert [saved.run_id for saved in library._listing.rows()] == ["a", "c", "b"]
    library.keep("c", runs["c"], corpus, "paused")
    library.rename("b", "another name")
    assert [saved.run_id for saved in library._listing.rows()] == ["c", "a", "b"]
    assert [saved.created for saved in library._listing.rows()] == [2e9, 3e9, 1e9]


def test_a_run_whose_server_died_was_interrupted(library, corpus):
    run = make_run(corpus)
    for status in ("running", "paused", "stopped", "finished"):
        library.keep("a", run, corpus, status)
        assert library.get("a").interrupted == (status == "running")
    run.step()
    library.keep("a", run, corpus, "running")
    assert library.get("a").progress == pytest.approx(40 / run.planned_docs)


def test_a_run_that_ended_early_is_whole(library, corpus):
    """A method that converges need not read all that was planned."""
    run = make_run(corpus)
    run.step()
    library.keep("a", run, corpus, "finished")
    assert run.docs_seen < run.planned_docs
    assert library.get("a").progress == 1.0


@pytest.mark.parametrize(
    ("step", "where"), [(None, "where it was saved last"), (0, "step 0"), (12345, "step 12,345")]
)
def test_a_run_that_failed_says_where_it_goes_on(corpus, step, where):
    facts = facts_of(make_run(corpus), "failed") | {"error": "ValueError: no more..", "step": step}
    saved = Saved("a", "a", "key", 1.0, 2.0, facts)
    said = f"stopped with an error: ValueError: no more. Resume goes on from {where}."
    assert saved.failure == said
    assert replace(saved, facts=facts | {"status": "stopped"}).failure == ""
