"""What the tests of threads and of the registry share: a method that waits to be let go on."""

import threading

from bnpexplorer.methods import make_method
from bnpexplorer.methods.base import Inference
from bnpexplorer.runs import warming
from bnpexplorer.runs.registry import RunRegistry
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.warming import warm

from .waiting import NEVER, until


class Slow(Inference):
    """A method whose steps wait until the test lets them go on."""

    def __init__(self):
        self.inner = make_method("lda-svi", "default", {"n_topics": 3})
        self.name, self.model, self.batching = "lda-svi", self.inner.model, "shuffled"
        self.may_step = threading.Semaphore(0)
        self.n_steps = 0

    def init(self, corpus, rng):
        return self.inner.init(corpus, rng)

    def step(self, state, batch, rng, pool):
        assert self.may_step.acquire(timeout=NEVER)
        self.n_steps += 1
        return self.inner.step(state, batch, rng, pool)

    def topics(self, state):
        return self.inner.topics(state)


def slow_run(dozen, passes=5):
    return Run(Slow(), dozen, batch_size=4, passes=passes)


def slow_registry():
    """A registry of slow runs, for a fixture; afterwards no thread may be left."""
    made = RunRegistry(kept=3, grace_seconds=0.2)
    yield made
    for entry in list(made._entries.values()):
        if isinstance(entry.background.run.method, Slow):
            entry.background.run.method.may_step.release(1000)
    made.stop_all(NEVER)
    until(no_run_is_left)


def no_run_is_left():
    """Whether the threads of all runs have ended."""
    return all(thread.name != "run" for thread in threading.enumerate())


def nothing_to_compile(monkeypatch):
    """The stand-ins of these tests need no compilation of their own."""
    warm(make_method("lda-svi", "default", {"n_topics": 3}))
    monkeypatch.setattr(warming, "warm_key", lambda method: method.name)
    monkeypatch.setattr(warming, "is_warm", lambda method: True)
