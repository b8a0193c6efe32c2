"""Settings that fail, each beside a sound one: two runs that race over the corpus at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..corpus.corpus import Corpus
from ..runs.plan import Plan
from ..state.snapshot import Snapshot
from .sequential import Race

ALL = 10_000_000
"""A batch size that no corpus fills: a run cuts it down to the corpus."""
AS_PUBLISHED = {"alone": 0.0}
"""No document begins alone: that divides what this failure shows."""
DOCUMENTS = 12_000
"""Documents that a preset reads in all, at least one pass and at most `MOST_PASSES`."""
MOST_PASSES = 20
MARGIN, FRACTION = 0.02, 0.7
"""It shows by a score that is lower by this, or by at most this share of the clusters."""


@dataclass(frozen=True)
class Setting:
    """One of the two sides of a failure."""

    label: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """Of the method's knobs and its model's fields, beside the default preset."""
    batch_size: int = 64


@dataclass(frozen=True)
class Failure:
    """A setting that fails, and the sound one beside it."""

    name: str
    title: str
    sentences: str
    """What goes wrong, and what to look for."""
    method: str
    failing: Setting
    sound: Setting
    needs: str
    """On which texts it shows."""
    by_clusters: bool = False
    """Whether it shows in the count of clusters; else in the held-out score."""
    fewest_passes: int = 1

    def race(self, corpus: Corpus, seed: int = 0) -> Race:
        """The failing run first, the sound one second, on one split of `corpus`.

        Raises ValueError if the corpus is too small or too large for the method.
        """
        settings = self.failing, self.sound
        plans = [
            Plan.of(self.method, values=s.values, seed=seed, batch_size=s.batch_size)
            for s in settings
        ]
        train, heldout = plans[0].split(corpus)
        passes = min(max(DOCUMENTS // train.n_docs, self.fewest_passes), MOST_PASSES)
        runs = [
            replace(plan, passes=passes).start(train, heldout, f"{self.method}, {setting.label}")
            for plan, setting in zip(plans, settings, strict=True)
        ]
        return Race(runs, self.title, self.sentences, self.seen)

    def seen(self, snapshots: Sequence[Snapshot]) -> str:
        """Whether the failure shows here, by its measure; empty before there are numbers."""
        numbers = [self._measure(snapshot) for snapshot in snapshots]
        failing, sound = numbers
        if failing is None or sound is None:
            return ""
        if self.by_clusters:
            shows = failing <= FRACTION * sound
            found = f"{failing:.0f} clusters beside {sound:.0f}"
            scores = [snapshot.heldout for snapshot in snapshots]
            if scores[0] is not None and scores[1] is not None:
                found += f" (scores {scores[0]:.2f} beside {scores[1]:.2f})".replace("-", "\u2212")
        else:
            worse = sound - failing
            shows = worse > MARGIN
            found = f"{worse:.2f} worse" if worse >= 0 else f"{-worse:.2f} better"
            if abs(worse) <= MARGIN:
                found = f"no more than {MARGIN} apart"
            found = f"{found} ({failing:.2f} beside {sound:.2f})".replace("-", "\u2212")
        if shows:
            return f"Here it shows: {found}."
        return f"Here it does not show: {found}. It takes {self.needs}."

    def _measure(self, snapshot: Snapshot) -> float | None:
        if self.by_clusters:
            return float(snapshot.trace[-1].n_topics) if snapshot.trace else None
        return snapshot.heldout


FAILURES: dict[str, Failure] = {
    failure.name: failure
    for failure in (
        Failure(
            "batch-too-small",
            "Batches too small for mean field",
            "A mini-batch of one document speaks for the whole corpus at every step, and each step "
            "pulls the topics to its few words. Look for a held-out score that lags or falls, "
            "while the same method with 256 documents a step climbs.",
            "hdp-svi",
            Setting("1 document a step", batch_size=1),
            Setting("256 documents a step", batch_size=256),
            "several hundred texts, so that most words are in none of the last few documents",
        ),
        Failure(
            "truncation-too-low",
            "Truncation too low",
            "A truncated method may never use more topics than it was given, whatever the texts "
            "hold. Look for both topics in use from the start to the end, and a score that levels "
            "off below that of 100.",
            "hdp-svi",
            Setting("at most 2 topics", {"truncation": 2}, 256),
            Setting("at most 100 topics", {"truncation": 100}, 256),
            "thousands of texts about more than two things: a hundred topics learn slowly",
        ),
        Failure(
            "forgetting-too-fast",
            "Forgetting too fast",
            "With kappa 0.5 and no delay old mini-batches fade at once, so that the topics follow "
            "the last few documents. Look for a score that trembles and stays below the one that "
            "forgets slowly.",
            "hdp-svi",
            Setting("kappa 0.5, tau 0", {"kappa": 0.5, "tau": 0.0}, 16),
            Setting("kappa 0.9, tau 64", {"kappa": 0.9, "tau": 64.0}, 16),
            "many more texts than the 16 of a step",
        ),
        Failure(
            "eta-too-small",
            "Eta too small for growth",
            "Conditional inference gives a word that a topic has not seen exp(E ln beta), next to "
            "nothing where eta is small, so that topics keep to the words of their first "
            "mini-batches and cannot grow. Look for a score far below that of eta 0.5, and for a "
            "count of topics that hardly moves after the start.",
            "hdp-catvi",
            Setting("eta 0.01", {"eta": 0.01, "start_topics": 0}),
            Setting("eta 0.5", {"eta": 0.5, "start_topics": 0}),
            "many more words than the 64 documents of the first step hold",
        ),
        Failure(
            "one-first-batch",
            "All documents in one first batch",
            "With the whole corpus as its first mini-batch a truncation-free method places every "
            "document while its clusters still know nothing, and large early ones swallow the "
            "rest. Look for a fraction of the clusters, found at once and none later; by its score "
            "alone it may look as good.",
            "dpm-tsvi",
            Setting("all documents a step", AS_PUBLISHED, ALL),
            Setting("64 documents a step", AS_PUBLISHED, 64),
            "some thousand real texts; a few, or counts drawn from a model, are told apart at once",
            by_clusters=True,
            fewest_passes=2,
        ),
    )
}
"""Name -> preset, in the order of the page."""
