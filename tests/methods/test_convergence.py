"""When a batch method says that it has converged: by the rise of its bound, in shares of it."""

import numpy as np
import pytest

from bnpexplorer.checks.expecting import known
from bnpexplorer.methods import METHODS, make_method
from tests.tools.methods import in_turn, one_pass

ASCENDING = [name for name in METHODS.ours if METHODS[name].ascends]
QUIET = {"hdp-splitmerge": 15}
"""Passes in a row that must hardly raise it; of all others one."""
FEW = {"n_topics": 8, "truncation": 9, "doc_truncation": 5, "n_start": 6, "splits": 0, "merges": 0}


@pytest.mark.parametrize("name", ASCENDING)
@pytest.mark.parametrize("share", [1e-2, 1e-4])
def test_a_run_has_converged_when_the_bound_rises_by_less_than_a_share_of_it(name, share, bars):
    tolerance = "tolerance" if name == "dpm-batch" else "bound_tolerance"
    fixed = {f"learn_{which}": False for which in METHODS[name].learnable()}
    method = make_method(name, "default", {**known(name, FEW), tolerance: share, **fixed})
    corpus, rng = bars[0].take(np.arange(60)), np.random.default_rng(2)
    state, bounds, said, events = method.init(corpus, rng), [], [], []
    for _ in range(45):
        state, infos = one_pass(method, state, in_turn(corpus, 25), rng)
        assert not any(info.converged for info in infos[:-1]), "a pass ends with its last part"
        assert np.isnan([info.bound for info in infos[:-1]]).all()
        bounds.append(infos[-1].bound)
        said.append(infos[-1].converged)
        events.append(bool(infos[-1].events))
    rises = np.diff(bounds)
    small = [False, *(rises <= share * np.abs(bounds[1:]))]
    n_quiet, expected = 0, []
    for hardly, moved in zip(small, events, strict=True):
        moved = moved and name in QUIET
        n_quiet = n_quiet + 1 if hardly and not moved else 0
        expected.append(n_quiet >= QUIET.get(name, 1))
    assert said == expected
    assert True in said
    assert max(rises[small[1:]]) > share, "such a rise is not small by itself"


@pytest.mark.parametrize("name", QUIET)
def test_quiet_passes_count_in_a_row(name, bars):
    """One pass that raises the bound, and those before it count no more."""
    method, corpus = make_method(name), bars[0].take(np.arange(60))
    rng = np.random.default_rng(2)
    state = method.init(corpus, rng)
    state.quiet = QUIET[name] - 1
    state, infos = one_pass(method, state, in_turn(corpus, 25), rng)
    assert (state.quiet, infos[-1].converged) == (0, False)
