"""Settings that fail, each beside a sound one: two runs that race over the corpus at hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..corpus.corpus import Corpus
from ..evaluate import default_protocol, split_heldout
from ..methods import make_method
from ..run import Run
from .race import Race

ALL = 10_000_000
"""A batch size that no corpus fills: a run cuts it down to the corpus."""
DOCUMENTS = 12_000
"""Documents that a preset reads in all, at least one pass and at most `MOST_PASSES`."""
MOST_PASSES = 20


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
    """It ends with the higher held-out score, or (`one-first-batch`) with more clusters."""

    def race(self, corpus: Corpus, seed: int = 0) -> Race:
        """The failing run first, the sound one second, on one split of `corpus`.

        Raises ValueError if the corpus is too small or too large for the method.
        """
        made = [make_method(self.method, "default", s.values) for s in (self.failing, self.sound)]
        protocol = default_protocol(made[0].model.name, corpus)
        train, heldout = split_heldout(corpus, seed, protocol=protocol)
        passes = min(max(DOCUMENTS // train.n_docs, 1), MOST_PASSES)
        runs = [
            Run(
                method, train, seed, setting.batch_size, passes, heldout=heldout,
                name=f"{self.method}, {setting.label}",
            )
            for method, setting in zip(made, (self.failing, self.sound), strict=True)
        ]  # fmt: skip
        return Race(runs, self.title, self.sentences)


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
        ),
        Failure(
            "one-first-batch",
            "All documents in one first batch",
            "With the whole corpus as its first mini-batch a truncation-free method places every "
            "document while its clusters still know nothing, and large early ones swallow the "
            "rest. Look for a fraction of the clusters, found at once and none later.",
            "dpm-tsvi",
            Setting("all documents a step", batch_size=ALL),
            Setting("64 documents a step", batch_size=64),
        ),
    )
}
"""Name -> preset, in the order of the page."""
