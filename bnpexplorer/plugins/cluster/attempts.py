"""The trials of a study on the workers of a cluster: each is tried by one, with one thread."""

from collections.abc import Callable, Mapping
from typing import Any, Self

from ...claims import Study, Trial, TrialOutcome
from ...claims.attempt import Attempt, Splits, StudyTerms, begin
from ...claims.study import after
from ...core import store
from ...corpus.corpus import Corpus
from .guests import Guest, GuestTexts
from .trials import Trials


def _opened(
    manifest: Mapping[str, Any], arrays: store.Arrays, corpus: Corpus, splits: Splits
) -> Attempt:
    """The attempt that `AttemptAway` packed."""
    attempt = begin(manifest["trial"], manifest["terms"], corpus, splits)
    if "run" in manifest:
        attempt.run.stand(manifest["run"], arrays)
        attempt.outcome, attempt.scored_at = manifest["outcome"], manifest["scored_at"]
    return attempt


def _packed(attempt: Attempt) -> store.Packed:
    """What was found; and where its run stands, as long as it goes on."""
    arrays: store.Arrays = {}
    manifest = {
        "outcome": attempt.outcome,
        "scored_at": attempt.scored_at,
        "ended": attempt.ended,
        "n_steps": attempt.run.n_steps,
    }
    if not attempt.ended:
        manifest["run"], arrays = attempt.run.pack_standing()
    return manifest, arrays


class AttemptThere:
    """On a worker: a `Guest`, with one thread. It is begun there, from the whole corpus."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        splits = texts.made.setdefault("splits", {})
        return cls(_opened(manifest, arrays, texts.corpus, splits))

    @property
    def ended(self) -> bool:
        return self.attempt.ended

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        self.attempt.learn(over)

    def packed(self) -> store.Packed:
        return _packed(self.attempt)


class AttemptAway:
    """At home: an `Away` for a trial, and what it has found so far."""

    guest: type[Guest] = AttemptThere

    def __init__(self, trial: Trial, terms: StudyTerms) -> None:
        self._asked = {"trial": trial, "terms": terms}
        self._manifest: dict[str, Any] = {}
        self._arrays: store.Arrays = {}

    @property
    def outcome(self) -> TrialOutcome:
        found: TrialOutcome = self._manifest.get("outcome", TrialOutcome())
        return found

    @property
    def ended(self) -> bool:
        return bool(self._manifest.get("ended", False))

    @property
    def mark(self) -> int:
        """Mini-batches learned."""
        return int(self._manifest.get("n_steps", 0))

    def packed(self) -> store.Packed:
        return {**self._manifest, **self._asked}, self._arrays

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        self._manifest, self._arrays = manifest, arrays

    def learn_here(self, corpus: Corpus, splits: Splits, over: Callable[[], bool]) -> None:
        """As a worker would; raises what a step does."""
        attempt = _opened(*self.packed(), corpus, splits)
        attempt.learn(over)
        self.stand(*_packed(attempt))


class StudyDriver:
    """A `Driver` of the trials of a study.

    Each learns for as long as it would here, so that what was found goes together; trials under way
    here begin anew.
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
