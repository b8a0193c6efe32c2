"""What decides which kernels are compiled before a run, and how far that is."""

import json
import subprocess
import sys

import pytest

from bnpexplorer.kernels import fold_in
from bnpexplorer.kernels.kept import name_of, with_inner
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.warming import NEEDED, all_compiled, compiled, warm_key
from tests.tools.background import Slow
from tests.tools.needed import called_by

LONG = """
import os
import numpy as np
from bnpexplorer import Corpus, Plan
from bnpexplorer.kernels.kept import called
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.warming import warm
counts = np.random.default_rng(0).poisson(0.3, (60, 40)) + np.eye(60, 40, dtype=int)
corpus = Corpus.from_csr(counts)
for name in METHODS:
    if os.fork():
        assert os.wait()[1] == 0
        continue
    method = METHODS[name]()
    warm(method, to_the_end=True)
    compiled = called()
    run = Plan(method, passes=50, n_heldout=10).split_and_start(corpus)
    while not run.done:
        run.step()
    print(name, sorted(set(called()) - set(compiled)), flush=True)
    os._exit(0)
"""


def key(**settings):
    return warm_key(METHODS["dpm-gibbs"](**settings))


def test_what_runs_other_kernels_is_warmed_by_itself():
    usual = {"start": "nothing", "moves": 5, "learn_eta": False}
    for other in ({"start": "many"}, {"moves": 0}, {"learn_eta": True}):
        assert key(**usual) != key(**usual | other)


def test_what_runs_the_same_kernels_is_warm():
    assert key(moves=5, n_start=500) == key(moves=20, n_start=100)


@pytest.mark.second
def test_the_table_says_which_kernels_a_run_of_each_method_calls():
    """`python -m tests.tools.needed` writes it anew. Compiling calls more than loading does."""
    called_by(*METHODS)
    assert json.loads(NEEDED.read_text(encoding="utf-8")) == called_by(*METHODS)


@pytest.mark.second
def test_a_run_calls_no_kernel_that_was_not_compiled_to_the_end():
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name} []" for name in METHODS]


def test_a_method_needs_what_its_kernels_call_as_well():
    inner = {"special.digamma", "special.ln", "special.exp", "fold_in._iterate"}
    assert inner <= {name_of(kernel) for kernel in with_inner([name_of(fold_in.fold_in_documents)])}


def test_what_numba_puts_into_other_kernels_is_not_waited_for_unless_python_calls_it():
    outer, put = name_of(fold_in.fold_in_documents), name_of(fold_in._in_play)
    assert put not in {name_of(kernel) for kernel in with_inner([outer])}
    assert put in {name_of(kernel) for kernel in with_inner([outer, put])}


def test_nothing_is_known_of_what_a_method_from_outside_needs():
    foreign = Slow()
    foreign.name = "of-somebody-else"
    assert compiled(foreign) == (0, 0)
    assert not all_compiled(foreign), "or nobody would compile it"
