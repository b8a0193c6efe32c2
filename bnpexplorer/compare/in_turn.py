"""Several runs over the same documents that one worker steps in turn.

They look like one run to whoever drives them (`prepare`, `step`, `done`, `snapshot`), so that the
same thread, queue and buttons serve them.
"""

import secrets
from collections.abc import Callable, Sequence

from ..cluster.trials import Trials, drive
from ..core.not_now import NotNow
from ..corpus.corpus import Corpus
from ..methods import Method
from ..runs.run import Run
from ..runs.warming import warm_in_turn
from ..state.snapshot import Snapshot


class InTurn:
    """Runs of equal length over one corpus: whoever has read the fewest documents goes on."""

    def __init__(self, runs: Sequence[Run], run_ids: Sequence[str] = ()) -> None:
        self.runs = tuple(runs)
        self.failed: dict[int, str] = {}
        """Place of a run that stopped with an error -> the error; the others go on."""
        self._shown: list[Snapshot] = []
        self.run_ids = tuple(run_ids) or tuple(secrets.token_hex(5) for _ in runs)
        """By which its runs are kept, each as an ordinary run."""
        self._trials: Trials | None = None

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

    def at_once(self, trials: Trials) -> None:
        """From now on let workers of a cluster drive the runs, each one; no number depends on
        it."""
        self._trials = trials

    def prepare(self) -> None:
        """Compile what all need, and make their states."""
        if self._trials is not None:
            self._trials.advance([run for run in self.runs if run.state is None], 0)
        for run in self.runs:
            warm_in_turn(run.method)
            run.prepare()
        self._shown = self._shown or [run.snapshot() for run in self.runs]

    def step(self) -> None:
        """One mini-batch for every run that has read the fewest documents; of runs that are driven
        at once, some seconds' learning for every one that has not read as many as all may.

        A run that fails is left out. Raises its error if it was the last one, and NotNow.
        """
        going = self._going()
        if self._trials is None:
            behind = min(run.docs_seen for _, run in going)
            self._each(
                [(i, run) for i, run in going if run.docs_seen == behind], lambda run: run.step()
            )
            return
        docs = self._docs_ahead()
        short = [(i, run) for i, run in going if run.docs_seen < docs]
        missed = self._trials.advance([run for _, run in short], docs)
        self._each([short[place] for place in missed], lambda run: drive(run, docs))

    def _docs_ahead(self) -> int:
        """Documents up to which no run needs the others."""
        return max(run.planned_docs for _, run in self._going())

    def _each(self, going: Sequence[tuple[int, Run]], learn: Callable[[Run], None]) -> None:
        """Let runs learn here, in turn; as `step`."""
        for i, run in going:
            try:
                learn(run)
            except NotNow:  # no run's own failure: all may go on when that is mended
                raise
            except Exception as problem:  # of one run: the page names it
                self.failed[i] = f"{type(problem).__name__}: {problem}"
                if len(self.failed) == len(self.runs):
                    raise

    def note(self) -> None:
        """Tell every run what is known of all, before it is kept."""

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


def share_texts(runs: Sequence[Run]) -> None:
    """Let runs that were kept, each with a copy of the same texts, go on with one of them."""
    first = runs[0]
    for run in runs[1:]:
        if _texts(run) == _texts(first):
            run.corpus, run.heldout = first.corpus, first.heldout


def _texts(run: Run) -> tuple[str, ...]:
    """Fingerprints of what is learned and held out."""
    parts = () if run.heldout is None else (run.heldout.observed, run.heldout.hidden)
    return tuple(part.fingerprint for part in (run.corpus, *parts))
