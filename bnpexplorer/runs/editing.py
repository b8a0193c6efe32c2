"""Changes of a run by hand: merge, split or delete topics, undo, and more passes.

The run's own thread makes a change between two steps. Each change has its own random stream, from
the seed, the step and the number of earlier changes. So the method's stream continues unchanged,
and the same seed and changes give the same bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import store
from ..corpus.order import Order
from ..methods.base import may_edit
from ..state import invariants
from ..state.edits import Edit, check_edit
from ..state.snapshot import Info
from .choices import Until, reads_once
from .history import History
from .learning import Learning
from .progress import Progress

STREAM = 3
"""The first three streams of the seed are those of `Learning`."""
MOST_BEFORES = 10
"""Changes that can be undone."""
HELD = 2**29
"""Most bytes of states kept for an undo; the last one is kept whatever its size."""


@dataclass(frozen=True, eq=False)
class RunBefore:
    """The standing of a run before a change."""

    state: Any
    """Not a copy, since a change makes a new state."""
    progress: Progress
    permutation: Order
    history: History
    generators: tuple[Any, ...]
    passes: int
    until: Until
    minutes: float | None


class ByHand(Learning):
    """The changes that a person can make to a `Run`, without threads or pages."""

    befores: tuple[RunBefore, ...] = ()
    """The standing before each of the last changes, the newest last; in memory only."""

    @property
    def memory(self) -> int:
        return super().memory + sum(store.size(before.state) for before in self.befores)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return the changes by hand in order of time, without those that were undone."""
        return tuple(self._history.edits)

    def edit(self, kind: str, topics: Sequence[int], names: Sequence[str] = ()) -> Edit:
        """Merge, split or delete topics for good; the run continues from the changed state.

        `topics` are identities in use, and `names` their names (by default their numbers). Averages
        over states begin again after another burn-in, and so do the draws that judge convergence.
        A run that has ended stays so until `run_on`. Raises ValueError with a sentence, and then
        nothing has changed.
        """
        may_edit(self.method)
        self._feed.check()
        if self.chain is not None:
            raise ValueError(
                "This run is one of several chains, which can be compared only if they are not "
                "changed by hand. Start a single run of the method to change its topics."
            )
        now = None if self.state is None else self.topics
        in_use = set() if now is None else set(now.topic_ids[now.in_use].tolist())
        check_edit(kind, topics, in_use)
        progress, chosen = self._progress, tuple(int(topic) for topic in topics)
        key = (STREAM, progress.step, len(self._history.edits))
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        state, event = self.method.edit(self.state, kind, chosen, self.ground(), rng)
        self._keep_standing()
        self.state = state
        said = tuple(names) or tuple(f"topic {topic}" for topic in chosen)
        edit = Edit(kind, chosen, said, event.children, progress.step, progress.docs_seen)
        self._history.change(edit, (event,))
        self._record(Info(), float("nan"))
        return edit

    def undo(self) -> Edit:
        """Undo the last change and return it.

        What the run learned since is lost. Raises ValueError if there is nothing to undo, as in a
        run that was opened from a file.
        """
        if not self.befores:
            raise ValueError(
                f"Nothing to undo. Only the last {MOST_BEFORES} changes can be undone, and only "
                "while the run stays open here."
            )
        before, edition = self.befores[-1], self._history.edition
        undone = self._history.edits[len(before.history.edits)]
        self.state, self._progress = before.state, before.progress
        self._permutation, self._history = before.permutation, before.history
        self._history.edition = edition + 1
        for generator, state in zip(self._generators(), before.generators, strict=True):
            generator.bit_generator.state = state
        self.passes, self.until, self.minutes = before.passes, before.until, before.minutes
        self.befores = self.befores[:-1]
        return undone

    def run_on(self, passes: int) -> Edit:
        """Let a run that has ended learn for `passes` more passes, whatever rule ended it.

        Raises ValueError if it has not ended, or reads its texts once only.
        """
        progress, planned = self._progress, self.passes
        self._feed.check()
        if not self.done:
            raise ValueError("This run has not ended yet; it continues by itself.")
        if passes < 1 or reads_once(self.method, self.order):
            raise ValueError(
                "Choose one pass or more; a run that reads its texts once cannot go on."
            )
        edit = Edit(
            "run on",
            step=progress.step,
            docs_seen=progress.docs_seen,
            passes=int(passes),
            planned=planned,
            until=self.until,
            ended=progress.ended,
        )
        if self.method.batching == "shuffled" and not (progress.ended or progress.n_batches_done):
            self._permutation = self._order_of_pass(self._order_rng)  # not drawn at the last end
        progress.converged, progress.ended = False, ""
        self.passes = progress.pass_index + int(passes)
        self.until, self.minutes = "passes", None
        self._history.edits.append(edit)
        return edit

    def ground(self) -> invariants.StateContext:
        """Return the corpus, settings and progress that the state must be consistent with."""
        settings = {**vars(self.method.model), **vars(self.method), "passes": self.passes}
        progress = self._progress
        return invariants.StateContext(
            self.corpus,
            settings,
            self._permutation,
            self.batch_size,
            progress.n_batches_done,
            progress.pass_index,
        )

    def _keep_standing(self) -> None:
        """Keep the present standing for an undo; forget the oldest beyond `MOST_BEFORES` or
        `HELD`."""
        kept = [*self.befores, self._standing()][-MOST_BEFORES:]
        while len(kept) > 1 and sum(store.size(before.state) for before in kept) > HELD:
            kept.pop(0)
        self.befores = tuple(kept)

    def _standing(self) -> RunBefore:
        return RunBefore(
            self.state,
            replace(self._progress),
            self._permutation,
            self._history.copy(),
            tuple(generator.bit_generator.state for generator in self._generators()),
            self.passes,
            self.until,
            self.minutes,
        )

    def _generators(self) -> tuple[np.random.Generator, ...]:
        return self._order_rng, self._method_rng, self._score_rng
