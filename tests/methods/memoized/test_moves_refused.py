"""Proposals of a split-merge run from a file that fit neither its topics nor its blocks."""

import copy
from dataclasses import replace
from functools import cache

import pytest

from bnpexplorer.checks.expecting import bars
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.state.invariants import check
from tests.methods.test_states_refused import put


@cache
def moving() -> Run:
    """In the midst of a pass that follows splits, pairs and samples."""
    method = make_method("hdp-splitmerge", "default", {"n_start": 5, "splits": 2, "eta": 0.1})
    run = Run(method, bars(60), seed=1, batch_size=20, passes=9)
    run.step()
    while not (run.n_steps % 3 == 1 and all(followed(run.state.moves))):
        run.step()
    return run


def followed(moves):
    return moves.splits, moves.pairs, moves.samples


MOVES = [
    (put("moves.losses", lambda losses: losses * 2), "other blocks than were visited"),
    (put("moves.pair_sums", lambda sums: sums * 2), "other blocks than were visited"),
    (
        put("moves.splits", lambda s: [replace(s[0], parts=s[0].parts * 2), *s[1:]]),
        "other blocks than were visited|other words than those of its parts",
    ),
    (put("moves.pairs", lambda pairs: pairs[1:]), "has the shape|other pairs"),
    (
        put("moves.pairs", lambda pairs: [(pairs[0][0],) * 2, *pairs[1:]]),
        "a topic that is followed twice",
    ),
    (put("moves.pairs", lambda pairs: [(999, 1), *pairs[1:]]), "topics that are not there"),
    (
        put("moves.samples", lambda s: [replace(s[0], topic=999), *s[1:]]),
        "topics that are not there",
    ),
    (put("moves.splits", lambda s: [*s, s[0]]), "a topic that is followed twice"),
    (
        put("moves.splits", lambda s: [replace(s[0], share=0.9 * s[0].share), *s[1:]]),
        "shares that do not add up to 1",
    ),
    (
        put("moves.splits", lambda s: [replace(s[0], stats=2.0 * s[0].stats), *s[1:]]),
        "other words than those of its parts",
    ),
    (
        put("moves.samples", lambda s: [replace(s[0], indptr=s[0].indptr + 1), *s[1:]]),
        "documents that do not follow each other|more than there can be",
    ),
]


@pytest.mark.second
@pytest.mark.parametrize(("alter", "said"), MOVES, ids=range(len(MOVES)))
def test_moves_that_do_not_agree_are_said(alter, said):
    state, ground = copy.deepcopy(moving().state), moving().ground()
    check(state, ground, "state")
    alter(state)
    with pytest.raises(ValueError, match=said):
        check(state, ground, "state")
