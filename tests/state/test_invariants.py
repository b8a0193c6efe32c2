"""What a saved state must satisfy: declared for every part, true of every run, and enough."""

import dataclasses
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.checks.conserving import random_run
from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.run import Run
from bnpexplorer.state import invariants
from bnpexplorer.state.invariants import Constraint, StateContext
from tests.tools import forge as forge_tools


@pytest.mark.second
@pytest.mark.parametrize("name", METHODS)
def test_no_state_of_a_run_is_refused(name):
    """Anywhere in a pass, of a random corpus and settings."""
    run = random_run(name, 1)
    while not run.done:
        if run.n_steps % 7 == 3:
            (texts, arrays), (standing, more) = run.pack_texts(), run.pack_standing()
            Run.unpack({**texts, **standing}, {**arrays, **more}, "mine")
        run.step()


@pytest.mark.second
def test_altered_states_are_refused_or_go_on():
    """Never a crash, an endless loop, an exception or a number that is not finite."""
    program = Path(forge_tools.__file__)
    found = subprocess.run(
        [sys.executable, str(program), "1"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(program.parents[2])},
    )
    lines = found.stdout.splitlines()
    assert found.returncode == 0, (lines[-1], found.stderr[-2000:])
    ends = [line.split(": ", 1)[1].partition(":")[0] for line in lines]
    assert set(ends) == {"refused", "goes on"}, [x for x in lines if "not finite" in x]
    assert {line.split()[0] for line in lines} == set(METHODS)
    assert ends.count("refused") > 0.7 * len(ends)


@dataclasses.dataclass
class Part:
    a: typing.Annotated[np.ndarray, Constraint("K", most="n")]
    b: typing.Annotated[np.ndarray, Constraint("K+1", "2", least=-1, or_empty=True)]
    ids: typing.Annotated[np.ndarray, Constraint("...", ascending=True, below="D")]
    order: typing.Annotated[np.ndarray, Constraint("...", distinct=True)]
    n: int = 3
    steps: int = 0
    bound: float = float("nan")


def whole(**changed) -> Part:
    parts = {"a": np.array([1.0, 3.0]), "b": np.zeros((3, 2)), "ids": np.array([0, 2])}
    parts["order"] = np.array([2, 0, 1])
    return Part(**{**parts, **changed})


def ground() -> StateContext:
    corpus = Corpus.from_csr(np.ones((4, 5), int))
    return StateContext(corpus, {}, np.arange(4), 2, 1, 0)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"a": np.zeros(3)}, "part.b has the shape (3, 2) in place of (4, 2)"),
        ({"a": np.zeros(0)}, "part.b has the shape (3, 2) in place of (1, 2)"),
        ({"b": np.zeros(3)}, "part.b has the shape (3,) in place of (3, 2)"),
        ({"b": np.zeros((3, 3))}, "part.b has the shape (3, 3)"),
        ({"b": np.full((3, 2), -2)}, "part.b is -2 somewhere, less than -1"),
        ({"a": np.array([0, 4])}, "part.a is 4 somewhere, more than there can be"),
        ({"a": np.array([0, np.nan])}, "part.a is not finite"),
        ({"ids": np.array([0, 4])}, "part.ids is 4 somewhere"),
        ({"ids": np.array([2, 2])}, "part.ids is not in ascending order"),
        ({"order": np.array([2, 0, 2])}, "part.order has the same entry twice"),
        ({"steps": -1}, "part.steps is -1 somewhere, less than 0"),
        ({"steps": 10**30}, "part.steps is 1e+30 somewhere"),
    ],
)
def test_what_is_wrong_is_said(changed, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        invariants.check(whole(**changed), ground(), "part")


@pytest.mark.parametrize(
    "changed", [{}, {"b": np.zeros((0, 9))}, {"bound": float("-inf")}, {"ids": np.zeros(0)}]
)
def test_what_is_allowed_passes(changed):
    invariants.check(whole(**changed), ground(), "part")


def test_a_run_that_stands_at_no_step_is_refused():
    manifest, arrays = forge_tools.saved("lda-svi", 3)
    for name, value in (("n_batches_done", 2), ("step", 4), ("pass_index", 9), ("docs_seen", 1)):
        progress = {**manifest["progress"], name: value}
        with pytest.raises(store.StoreError, match="damaged"):
            Run.unpack({**manifest, "progress": progress}, arrays, "theirs")
    bored = {**manifest["progress"], "ended": "bored"}
    with pytest.raises(store.StoreError, match="'bored' stands where it should not"):
        Run.unpack({**manifest, "progress": bored}, arrays, "theirs")
    with pytest.raises(store.StoreError, match="it has no state"):
        Run.unpack({**manifest, "state": None}, arrays, "theirs")
