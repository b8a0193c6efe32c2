"""A race: several runs that one worker steps in turn, so that all have read the same documents.

It looks like a run to whoever drives it (`prepare`, `step`, `done`, `snapshot`), so that the same
thread, queue and buttons serve both.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS
from ..methods import Method
from ..runs.background import warm_in_turn
from ..runs.plan import Plan
from ..runs.run import Run
from ..state.snapshot import Snapshot

FEWEST, MOST = 2, 4
OWN_ORDER = {
    "fixed": "reads the same blocks in every pass and learns at the pass's end",
    "once": "reads the documents once, in the corpus's own order",
}
"""Batching -> why a method with it cannot race."""


def why_not(method: Method | type[Method]) -> str:
    """Why a method cannot be in a race; empty if it can."""
    return OWN_ORDER.get(method.batching, "")


class Race:
    """Two to four runs over one corpus, split and seed, stepped in turn.

    With equal batch sizes all read the same mini-batches; with different ones the same documents in
    the same order, and whoever is behind goes on. Raises ValueError if the runs are too few or too
    many, if their corpus, held-out documents, seed, passes or order differ, or if a method reads in
    an order of its own.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        title: str = "",
        look_for: str = "",
        seen: Callable[[Sequence[Snapshot]], str] | None = None,
    ) -> None:
        if not FEWEST <= len(runs) <= MOST:
            raise ValueError(f"A race has {FEWEST} to {MOST} methods; got {len(runs)}.")
        first = runs[0]
        for run in runs:
            if why := why_not(run.method):
                raise ValueError(f"{run.method.name} cannot race: it {why}.")
            for what in ("corpus", "heldout", "seed", "passes", "order"):
                if getattr(run, what) != getattr(first, what):
                    raise ValueError(f"All runs of a race have the same {what}.")
        self.runs, self.title, self.look_for = tuple(runs), title, look_for
        self.seen = seen
        """What the snapshots show, in words, where the race is to show something."""
        self.failed: dict[int, str] = {}
        """Place of a run that stopped with an error -> the error; the others go on."""
        self._shown: list[Snapshot] = []
        self.run_ids = tuple(secrets.token_hex(5) for _ in runs)
        """By which its runs are kept, each as an ordinary run."""

    @property
    def method(self) -> Method:
        """The method that is compiled first."""
        return self.runs[0].method

    @property
    def corpus(self) -> Corpus:
        return self.runs[0].corpus

    @property
    def done(self) -> bool:
        return not self._going()

    @property
    def docs_seen(self) -> int:
        """Documents that every run has read that goes on."""
        return min(run.docs_seen for i, run in enumerate(self.runs) if i not in self.failed)

    @property
    def planned_docs(self) -> int:
        return self.runs[0].planned_docs

    def prepare(self) -> None:
        """Compile what all need, and make their states."""
        for run in self.runs:
            warm_in_turn(run.method)
            run.prepare()
        self._shown = self._shown or [run.snapshot() for run in self.runs]

    def step(self) -> None:
        """One mini-batch for every run that has read the fewest documents.

        A run that fails leaves the race. Raises its error if it was the last one.
        """
        going = self._going()
        behind = min(run.docs_seen for _, run in going)
        for i, run in going:
            if run.docs_seen == behind:
                try:
                    run.step()
                except Exception as problem:  # of one method: the page names it
                    self.failed[i] = f"{type(problem).__name__}: {problem}"
                    if len(self.failed) == len(self.runs):
                        raise

    def snapshot(self) -> tuple[Snapshot, ...]:
        """The runs' snapshots, in their order; of a failed run the last sound one."""
        if not self._shown:
            self.prepare()
        for i, run in enumerate(self.runs):
            if i not in self.failed:
                self._shown[i] = run.snapshot()
        return tuple(self._shown)

    def _going(self) -> list[tuple[int, Run]]:
        """Runs that have neither ended nor failed, with their places."""
        return [(i, r) for i, r in enumerate(self.runs) if not r.done and i not in self.failed]


def race_of(plans: Sequence[Plan], corpus: Corpus) -> Race:
    """The plans' runs on one split: the first plan's, by the first protocol that all models know.

    Raises ValueError if there is no such protocol, or as `Plan.split` and `Race` do.
    """
    models = {plan.method.model.name for plan in plans}
    protocols = [plan.protocol_for(corpus) for plan in plans]
    shared = next((key for key in protocols if models <= set(PROTOCOLS[key].models)), None)
    if shared is None:
        raise ValueError("The methods of this race have no held-out score in common.")
    train, heldout = replace(plans[0], protocol=shared).split(corpus)
    return Race([plan.start(train, heldout) for plan in plans])
