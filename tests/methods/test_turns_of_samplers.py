"""What samplers do in which pass: the start, splits and merges, and what needs all texts."""

from functools import partial

import numpy as np
import pytest

from bnpexplorer.inference.assignments import newest
from bnpexplorer.methods import make_method
from bnpexplorer.methods.direct import hdp_gibbs
from bnpexplorer.methods.direct.state import changes
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.methods.parallel import hdp_parallel_gibbs
from bnpexplorer.methods.sumo import dpm_sumo
from bnpexplorer.runs.run import Run


def test_a_start_of_the_parallel_sampler_takes_means_and_lets_weights_stand(bars, monkeypatch):
    """The last of its passes draws by the law: topics, sticks, and an order that begins by size."""
    corpus, how, places = bars[0].take(np.arange(40)), [], []
    topics, order = hdp_parallel_gibbs.draw_topics, hdp_parallel_gibbs.draw_order

    def drawn_topics(*arguments):
        how.append(arguments[4])
        return topics(*arguments)

    def drawn_order(tables, place, *others):
        places.append(place.copy())
        return order(tables, place, *others)

    monkeypatch.setattr(hdp_parallel_gibbs, "draw_topics", drawn_topics)
    monkeypatch.setattr(hdp_parallel_gibbs, "draw_order", drawn_order)
    values = {"start_passes": 3, "n_start": 8, "spare": 3, "draw": "exact"}
    run = Run(make_method("hdp-parallel-gibbs", "default", values), corpus, batch_size=40, passes=5)
    weights, counts = [], []
    while not run.done:
        run.step()
        weights.append(run.state.weight.copy())
        counts.append(run.state.count.copy())
    assert how == ["expected", "expected", "exact", "exact", "exact"]
    for weight in weights[:2]:
        np.testing.assert_allclose(weight, [1 / 8] * 8 + [0.0] * 3)
    assert not np.allclose(weights[2][:8], 1 / 8)
    assert len(places) == 3
    by_size = counts[2][np.argsort(places[0])]
    assert (np.diff(by_size) <= 0).all(), "the largest stand first"
    assert (np.diff(counts[2]) > 0).any(), "and did not before"


@pytest.mark.parametrize(("start", "first"), [("many", 2), ("nothing", 0)])
def test_topics_are_split_and_merged_at_the_end_of_passes_after_a_start(
    start, first, dozen, monkeypatch
):
    moved = []

    def noted(state, corpus, n_moves, rng):
        moved.append((state.n_passes, n_moves, corpus.n_docs))
        return ()

    monkeypatch.setattr(hdp_gibbs, "move", noted)
    values = {"start": start, "start_passes": 2, "n_start": 4, "moves": 7}
    run = Run(make_method("hdp-gibbs", "default", values), dozen, batch_size=5, passes=4)
    while not run.done:
        run.step()
    assert moved == [(n, 7, 12) for n in range(first, 4)]


@pytest.mark.parametrize("method", [DpmGibbs, partial(hdp_gibbs.HdpGibbs, merge_passes=0)])
def test_all_texts_are_needed_where_there_are_moves(method):
    assert [method(moves=n).looks_beyond() for n in (0, 1, 9)] == [False, True, True]
    assert not make_method("hdp-tsvi").looks_beyond()


def test_the_base_is_learned_by_tables_as_customers_and_components_as_tables(dozen, monkeypatch):
    asked, learned = [], dpm_sumo.draw_gamma

    def noted(gamma, n_customers, n_tables, rng):
        asked.append((gamma, n_customers, n_tables))
        return learned(gamma, n_customers, n_tables, rng)

    monkeypatch.setattr(dpm_sumo, "draw_gamma", noted)
    values = {"learn_base_gamma": True, "base_gamma": 3.0, "gamma": 9.0, "sweeps": 2}
    run = Run(make_method("dpm-sumo", "default", values), dozen, batch_size=4)
    told, expected = [3.0], []
    while not run.done:
        run.step()
        scalars = run.latest_info.scalars
        expected.append((told[-1], int(scalars["tables"]), int(scalars["components"])))
        told.append(scalars["base gamma"])
    assert asked == expected
    assert told[-1] == run.state.base_gamma
    assert any(tables != components for _, tables, components in asked)


def test_ends_are_told_before_births_and_these_in_the_order_of_their_names():
    told = changes(np.array([5, 2, 8]), np.array([9, 2, 7]))
    assert [(event.kind, event.parents, event.children) for event in told] == [
        ("prune", (5,), ()),
        ("prune", (8,), ()),
        ("birth", (), (7,)),
        ("birth", (), (9,)),
    ]


@pytest.mark.parametrize(
    ("n_passes", "n_kept", "left"), [(5, 10, "d"), (10, 10, "cd"), (20, 10, "bcd"), (20, 2, "cd")]
)
def test_no_state_of_the_first_half_is_averaged_over(n_passes, n_kept, left):
    """Four states, one every five passes: one of after pass 20, another of after pass 15, ..."""
    assert "".join(newest(tuple("abc"), "d", n_passes, 5, n_kept)) == left
