"""The table of runs side by side: its order, and which settings it shows and marks."""

import math

import numpy as np
import pytest

from bnpexplorer.compare import side_by_side
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample

FACTS = {"documents", "passes", "seconds", "held-out"}
"""Some facts that every row has."""


@pytest.fixture(scope="module")
def compared():
    """Runs on one split, of which one has learned nothing yet and so has no score."""
    corpus, runs = load_sample("small-csv").corpus, {}
    for name, steps, batch in (("a", 1, 20), ("none", 0, 20), ("c", 3, 50), ("b", 2, 20)):
        plan = Plan.of("lda-svi", values={"n_topics": 5}, batch_size=batch, passes=2)
        runs[name] = plan.split_and_start(corpus)
        for _ in range(steps):
            runs[name].step()
    return side_by_side(runs)


def test_the_best_score_comes_first_and_a_run_without_one_last(compared):
    rows = compared.table()
    scores = [row["held-out"] for row in rows]
    assert rows[-1]["run"] == "none"
    assert math.isnan(scores[-1])
    assert np.isfinite(scores[:-1]).all()
    assert scores[:-1] == sorted(scores[:-1], reverse=True)
    assert {row["run"] for row in rows} == {"a", "none", "c", "b"}


def test_settings_that_differ_are_marked_and_others_are_shown_where_asked_for(compared):
    few, all_settings = compared.table()[0], compared.table(all_settings=True)[0]
    assert few.keys() >= FACTS | {"≠ batch_size"}
    assert [name for name in few if name.startswith("≠")] == ["≠ batch_size"]
    assert {"n_topics", "kappa", "seed"}.isdisjoint(few)
    assert all_settings.keys() >= few.keys() | {"n_topics", "kappa", "seed"}
    sizes = {row["run"]: row["≠ batch_size"] for row in compared.table()}
    assert sizes == {"a": 20, "none": 20, "c": 50, "b": 20}
    assert all_settings["n_topics"] == 5


def test_runs_have_the_names_and_the_states_that_are_known_of_them(bars):
    corpus = bars[0].take(np.arange(40))
    plans = [Plan.of("lda-svi", values={"n_topics": k}, passes=1, n_heldout=4) for k in (3, 4)]
    runs = [plan.split_and_start(corpus) for plan in plans]
    while not runs[1].done:
        runs[1].step()
    found = side_by_side(runs)
    assert [row.name for row in found.inside] == ["lda-svi topics 3", "lda-svi topics 4"]
    assert [row.run_id for row in found.inside] == ["lda-svi topics 3", "lda-svi topics 4"]
    assert [row.status for row in found.inside] == ["unfinished", "finished"]
    named = side_by_side({"x": runs[0], "y": runs[1]}, ["paused", "kept"])
    assert [(row.name, row.status) for row in named.inside] == [("x", "paused"), ("y", "kept")]
    other = plans[0].split_and_start(bars[0].take(np.arange(30)))
    left_out = side_by_side([runs[1], other], ["a", "b"])
    ((row, why),) = left_out.outside
    assert (left_out.ground, row.status) == (found.inside[1].ground, "b")
    assert why == f"other texts or words of {corpus.name} (30 documents)"
    with pytest.raises(ValueError, match=r"^There is no run to compare; give one at least\.$"):
        side_by_side([])
