"""What decides which kernels are compiled before a run."""

from bnpexplorer.methods import METHODS
from bnpexplorer.runs.warming import warm_key


def key(**settings):
    return warm_key(METHODS["dpm-gibbs"](**settings))


def test_what_runs_other_kernels_is_warmed_by_itself():
    usual = {"start": "nothing", "moves": 5, "learn_eta": False}
    for other in ({"start": "many"}, {"moves": 0}, {"learn_eta": True}):
        assert key(**usual) != key(**usual | other)


def test_what_runs_the_same_kernels_is_warm():
    assert key(moves=5, n_start=500) == key(moves=20, n_start=100)
