"""A run that a person changes: topics merged, split and deleted, undone, and more passes.

A change is made between two steps, by whoever owns the run's thread. It has a random stream of its
own, made of the seed, the step and how many changes came before: the method's own goes on as it
would have, and the same seed and changes give the same bits.
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
"""The first three streams that are made of the seed are those of `Learning`."""
MOST_BEFORES = 10
"""Changes that can be undone."""
HELD = 2**29
"""Most bytes of the states that are kept for an undo; the last one is kept whatever its size."""


@dataclass(frozen=True, eq=False)
class RunBefore:
    """Where a run stood before its last change."""

    state: Any
    """The very state: a change makes another one."""
    progress: Progress
    permutation: Order
    history: History
    generators: tuple[Any, ...]
    passes: int
    until: Until
    minutes: float | None


class ByHand(Learning):
    """What a person may change in a `Run`; neither threads nor pages are known here."""

    befores: tuple[RunBefore, ...] = ()
    """Where the run stood before each of its last changes, the newest last; in memory only."""

    @property
    def memory(self) -> int:
        return super().memory + sum(store.size(before.state) for before in self.befores)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What was done by hand, in order of time; without what was undone."""
        return tuple(self._history.edits)

    def edit(self, kind: str, topics: Sequence[int], names: Sequence[str] = ()) -> Edit:
        """Merge, split or delete topics for good; the run goes on from the changed state.

        `topics`: identities in use. `names`: what they are called; their numbers where left out.
        What is averaged over states begins anew after another burn-in, and so do draws by which a
        run is judged: states from before are of another start. A run that has ended stays so until
        `run_on`. Raises ValueError with a sentence, and then nothing has changed.
        """
        may_edit(self.method)
        self._feed.check()
        if self.chain is not None:
            raise ValueError(
                "This run is one of several chains, which are compared because nobody touched "
                "them; run the method once more, alone, to change its topics."
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
        """Go back to where the run stood before its last change, and return that change.

        What the run learned since is lost. Raises ValueError if there is nothing to go back to, as
        in a run that was opened from a file.
        """
        if not self.befores:
            raise ValueError(
                f"Nothing to undo: the last {MOST_BEFORES} changes are kept at most, and only as "
                "long as the run stays open here."
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
        """Let a run that has ended learn for so many passes more, whatever rule had ended it.

        Raises ValueError if it has not ended, or reads its texts once only.
        """
        progress, planned = self._progress, self.passes
        self._feed.check()
        if not self.done:
            raise ValueError("This run has not ended yet; it goes on by itself.")
        if passes < 1 or reads_once(self.method, self.order):
            raise ValueError("A run goes on for one pass or more, unless it reads its texts once.")
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
        """What the state of the run must fit to."""
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
        """Keep where the run stands now, and forget the oldest beyond `MOST_BEFORES` or `HELD`."""
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
