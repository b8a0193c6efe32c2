"""Drivers, which let the workers of a cluster drive whole runs or trials of a job.

Runs go in rounds. In a round every run learns up to the same number of documents, so that runs can
be compared or judged together.
"""

import time
from typing import Any

from ...chains import Chains
from ...claims import Study, Trial
from ...claims.study import after
from ...compare import Race
from ...compare.sequential import Going, SequentialRuns
from ...core import store
from ...inference.pool import Driver
from ...runs.draws import DRAWS
from .guests import AttemptAway, RunAway, drive
from .pool import ClusterPool
from .trials import Trials


def driver_of(job: Study[Any] | SequentialRuns, pool: ClusterPool) -> Driver | None:
    """Return the driver of a study's trials or a job's runs; None if all workers should compute the
    steps of each run in turn, since documents are fitted independently and workers outnumber runs.
    """
    if isinstance(job, Study):
        return StudyDriver(job, Trials(pool, job.corpus, timed=True))
    alone = any(run.method.parallel != "documents" for run in job.runs)
    if not alone and pool.n_workers > len(job.runs):
        return None
    timed = isinstance(job, Race) or any(run.minutes is not None for run in job.runs)
    return rounds_of(job, Trials(pool, job.corpus, job.runs[0].heldout, timed))


def rounds_of(job: SequentialRuns, trials: Trials) -> "Rounds":
    """Return the rounds for the kind of `job`."""
    if isinstance(job, Chains) and job.ends_when_met:
        return ChainRounds(job, trials)
    return RaceRounds(job, trials) if isinstance(job, Race) else Rounds(job, trials)


class Rounds:
    """A `Driver` of independent runs: one round, up to the end of all."""

    def __init__(self, job: SequentialRuns, trials: Trials) -> None:
        self.job, self.trials = job, trials
        self.away = [RunAway(run) for run in job.runs]
        self.docs = 0
        """Documents up to which all learn in this round."""
        self._stride, self._seconds = 0, 0.0
        trials.hurried = lambda: job.hurried()

    def prepare(self) -> None:
        self.trials.advance([one for one in self.away if one.run.state is None], 0)

    def begin_anew(self) -> None:
        self.docs = 0

    def step(self) -> None:
        """Learn for some seconds in every run that has not reached the end of the round."""
        going = self.job.going()
        if self._is_over(going):
            self.begin_round(going)
        self._learn(going)
        if self._is_over(self.job.going()):
            self.end_round()

    def begin_round(self, going: Going) -> None:
        """Set the documents up to which all learn in this round."""
        self.docs = max(run.planned_docs for _, run in going)

    def end_round(self) -> None:
        """Do what is due once all runs have reached the end of the round."""

    def begin_part(self, going: Going, most: int) -> None:
        """Begin a round of up to `most` documents that takes about as long as runs stay away: twice
        as many documents as the last if that took less than half of it, half as many if it took
        twice as long."""
        least, batch = (min(run.docs_seen for _, run in going), max(r.batch_size for _, r in going))
        if self._seconds < self.trials.away / 2:
            self._stride *= 2
        elif self._seconds > 2 * self.trials.away:
            self._stride //= 2
        self._stride, self._seconds = max(self._stride, batch), 0.0
        self.docs = min(least + self._stride, most)

    def _is_over(self, going: Going) -> bool:
        """Whether all runs have reached the end of this round."""
        return all(run.docs_seen >= self.docs for _, run in going)

    def _learn(self, going: Going) -> None:
        """Let runs learn for some seconds on workers, or here if that fails. Raises NotNow."""
        began = time.monotonic()
        short = [(i, run) for i, run in going if run.docs_seen < self.docs]
        short.sort(key=lambda one: one[1].docs_seen)  # there may be fewer workers than runs
        missed = self.trials.advance([self.away[i] for i, _ in short], self.docs)
        until = time.monotonic() + self.trials.seconds
        self.job.each(
            [short[place] for place in missed],
            lambda run: drive(run, self.docs, lambda: time.monotonic() > until),
        )
        self._seconds += time.monotonic() - began


class RaceRounds(Rounds):
    """The rounds of a race, whose runs people compare as they learn."""

    def begin_round(self, going: Going) -> None:
        self.begin_part(going, self.job.planned_docs)


class ChainRounds(Rounds):
    """The rounds of chains that end once they have met.

    Chains learn for some seconds instead of returning at every draw to be judged. If they met
    within a round, they go back to its start and learn up to that draw, so they
    end as they would on one machine.
    """

    def __init__(self, chains: Chains, trials: Trials) -> None:
        super().__init__(chains, trials)
        self.chains = chains
        self._before: dict[int, store.Packed] = {}
        """Place -> the packed chain at the start of this round."""

    def begin_round(self, going: Going) -> None:
        chains = self.chains
        if chains.meet_at is not None:
            self.docs = chains.meet_at
            return
        # No further than the next thinning of draws, after which earlier ones could not be judged.
        most = min(run.docs_at_draw(2 * DRAWS - 1) for _, run in going)
        self.begin_part(going, most)
        chains.judged = max(chains.judged, *(run.docs_seen for _, run in going))
        self._before = {i: copied(*self.away[i].packed()) for i, _ in going}

    def end_round(self) -> None:
        chains = self.chains
        if chains.meet_at is not None:
            return
        points = {draw.docs_seen for chain in chains.draws for draw in chain}
        for docs in sorted(point for point in points if point > chains.judged):
            drawn = [chains.runs[i].draws for i in chains.sound_at(docs)]
            if all(any(draw.docs_seen == docs for draw in draws) for draws in drawn):
                chains.judged = docs
                if chains.had_met(docs):
                    self._go_back(docs)
                    return

    def _go_back(self, docs: int) -> None:
        """Go back and end all chains at `docs` documents, which each passed in this round."""
        for i in self.chains.sound_at(docs):
            if self.chains.runs[i].docs_seen > docs or i in self.chains.failed:
                self.away[i].stand(*self._before[i])
                self.chains.failed.pop(i, None)
        self.chains.meet_at = self.docs = docs


class StudyDriver:
    """A `Driver` of the trials of a study.

    Each learns for as long as it would here, so results are comparable; trials under way here begin
    again.
    """

    def __init__(self, study: Study[Any], trials: Trials) -> None:
        self.study, self.trials = study, trials
        self.away: dict[Trial, AttemptAway] = {}
        """Those that workers try; those under way first."""
        trials.hurried = lambda: study.hurried()

    def prepare(self) -> None:
        """Do nothing: a trial is begun when its turn comes."""

    def begin_anew(self) -> None:
        """Do nothing: a study takes no step without its driver."""

    def step(self) -> None:
        study = self.study
        for trial in study.waiting:
            self.away.setdefault(trial, AttemptAway(trial, study.terms))
        those = sorted(self.away.items(), key=lambda one: one[1].mark == 0)
        for place in self.trials.advance([away for _, away in those]):
            those[place][1].learn_here(study.corpus, study.splits, after(self.trials.seconds))
        study.note_ended({trial: away.outcome for trial, away in those if away.ended})
        self.away = {trial: away for trial, away in self.away.items() if not away.ended}
        study.under_way = {trial: away.outcome for trial, away in self.away.items()}


def copied(manifest: dict[str, Any], arrays: store.Arrays) -> store.Packed:
    """Return a copy that shares no memory with the run."""
    copies = {name: array.copy() for name, array in arrays.items()}
    for name, array in copies.items():
        array.flags.writeable = arrays[name].flags.writeable
    return manifest, copies
