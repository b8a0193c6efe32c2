"""A race: several runs that one worker steps in turn, so that all have read the same documents."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS
from ..methods.base import Method
from ..runs.plan import Plan
from ..runs.run import Run
from ..state.snapshot import Snapshot
from .at_once import AtOnce, Going
from .in_turn import InTurn

FEWEST, MOST = 2, 4
OWN_ORDER = {
    "fixed": "reads the same blocks in every pass and learns at the pass's end",
    "once": "reads the documents once, in the corpus's own order",
}
"""Batching -> why a method with it cannot race."""


def why_not(method: Method | type[Method]) -> str:
    """Why a method cannot be in a race; empty if it can."""
    return OWN_ORDER.get(method.batching, "")


class Race(InTurn):
    """Two to four runs over one corpus, split and seed, stepped in turn.

    With equal batch sizes all read the same mini-batches; with different ones the same documents in
    the same order, and whoever is behind goes on. Raises ValueError if the runs are too few or too
    many, if their corpus, held-out documents, seed, passes or order differ, or if a method reads in
    an order of its own. `run_ids`: those of a race that was kept.

    Where workers of a cluster drive them, all learn up to the same documents before any goes on.
    """

    measured: ClassVar[bool] = True

    def __init__(
        self,
        runs: Sequence[Run],
        title: str = "",
        look_for: str = "",
        seen: Callable[[Sequence[Snapshot]], str] | None = None,
        run_ids: Sequence[str] = (),
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
        super().__init__(runs, run_ids)
        self.title, self.look_for = title, look_for
        self.seen = seen
        """What the snapshots show, in words, where the race is to show something."""

    def _begin_round(self, at_once: AtOnce, going: Going) -> None:
        at_once.begin_part(going, self.planned_docs)


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
