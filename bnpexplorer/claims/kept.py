"""Findings of the claims that come with the package: one file a claim and texts, in `found/`.

Each can be read on any machine; the Claims page shows them until somebody tries a claim on texts of
their own. `python -m benchmarks.claims` makes them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import CLAIMS
from .claim import Claim, ClaimVerdict
from .learned import is_short
from .study import Study
from .trial import Trial, TrialOutcome

FOLDER = Path(__file__).parent / "found"


@dataclass(frozen=True)
class Kept:
    """The findings of one claim on some texts."""

    claim: Claim
    texts: str
    """`sotu` or `sotu-passages`; or what the corpus is called."""
    corpus: str
    """Name and size, in words."""
    made: str
    """When and where, in words."""
    seeds: int
    findings: Mapping[Trial, TrialOutcome]

    @property
    def verdict(self) -> ClaimVerdict:
        return self.claim.verdict(self.findings)

    @property
    def on(self) -> str:
        """The name of the corpus."""
        return self.corpus.partition(", ")[0]

    @property
    def name(self) -> str:
        """Of its file and of its pictures."""
        return f"{self.claim.name}-{self.texts}"

    @property
    def has_curves(self) -> bool:
        """Whether more than the ends of its trials was kept, so that pictures can be drawn."""
        return any(len(outcome.scores) > 1 for outcome in self.findings.values())

    def has_all(self, study: Study[Claim]) -> bool:
        """Whether every trial of the study is kept and complete."""
        return len(self.complete(study)) == len(study.trials)

    def complete(self, study: Study[Claim]) -> dict[Trial, TrialOutcome]:
        """Return the kept trials of a study that need no more time."""
        found = {t: self.findings[t] for t in study.trials if t in self.findings}
        return {
            trial: outcome
            for trial, outcome in found.items()
            if not is_short(trial, outcome)
            and (study.passes or outcome.converged or outcome.seconds[-1] >= 0.9 * study.share)
        }


def read(path: Path) -> Kept:
    """Read one file of `found/`; the key of a trial holds all its settings."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    findings = {
        _trial(key): TrialOutcome(**{name: tuple(values) for name, values in outcome.items()})
        for key, outcome in tree["trials"].items()
    }
    claim = CLAIMS[tree["claim"]]
    return Kept(claim, tree["texts"], tree["corpus"], tree["made"], tree["seeds"], findings)


def _trial(key: str) -> Trial:
    fields = json.loads(key)
    fields["values"] = tuple((name, value) for name, value in fields.get("values", ()))
    return Trial(**fields)


def all_kept(folder: Path = FOLDER) -> list[Kept]:
    """Read every file of the folder: claims in the order of the registry, the paragraphs first."""
    found = [read(path) for path in folder.glob("*.json")]
    order = list(CLAIMS)
    return sorted(found, key=lambda kept: (order.index(kept.claim.name), kept.texts))
