"""Runs that the workers of a cluster drive at once, each one, in rounds.

In a round every run learns up to the same number of documents, and no run goes on before all are
there: so those who compare runs, or judge them together, find them side by side.
"""

import time
from collections.abc import Callable, Sequence

from ..cluster.guests import RunAway, drive
from ..cluster.trials import Trials
from ..runs.run import Run

Going = Sequence[tuple[int, Run]]
"""Runs that have not ended, with their places."""


class AtOnce:
    """The rounds of some runs."""

    def __init__(self, trials: Trials, runs: Sequence[Run]) -> None:
        self.trials = trials
        self.away = [RunAway(run) for run in runs]
        self.docs = 0
        """Up to where all learn in this round."""
        self._stride, self._seconds = 0, 0.0

    def prepare(self) -> None:
        """Let workers make the states that are missing."""
        self.trials.advance([one for one in self.away if one.run.state is None], 0)

    def is_over(self, going: Going) -> bool:
        """Whether all are where this round ends."""
        return all(run.docs_seen >= self.docs for _, run in going)

    def begin_whole(self, going: Going) -> None:
        """Begin a round up to the end of all, where none needs the others."""
        self.docs = max(run.planned_docs for _, run in going)

    def begin_part(self, going: Going, most: int) -> None:
        """Begin a round up to `most` documents at most, which takes about as long as runs are away:
        twice as many documents as the last if that took less than half of it, half as many if it
        took twice as long."""
        least, batch = (min(run.docs_seen for _, run in going), max(r.batch_size for _, r in going))
        if self._seconds < self.trials.away / 2:
            self._stride *= 2
        elif self._seconds > 2 * self.trials.away:
            self._stride //= 2
        self._stride, self._seconds = max(self._stride, batch), 0.0
        self.docs = min(least + self._stride, most)

    def begin_anew(self) -> None:
        """Forget the round: the runs have gone on without it."""
        self.docs = 0

    def step(self, going: Going, here: Callable[[Going, Callable[[Run], None]], None]) -> None:
        """Some seconds of the round. What fails on workers is left to `here`. Raises NotNow."""
        began = time.monotonic()
        short = [(i, run) for i, run in going if run.docs_seen < self.docs]
        short.sort(key=lambda one: one[1].docs_seen)  # there may be fewer workers than runs
        missed = self.trials.advance([self.away[i] for i, _ in short], self.docs)
        until = time.monotonic() + self.trials.seconds
        here(
            [short[place] for place in missed],
            lambda run: drive(run, self.docs, lambda: time.monotonic() > until),
        )
        self._seconds += time.monotonic() - began
