"""What `python -m benchmarks.claims` has found, as it is kept: one file a claim and texts."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bnpexplorer.claims import CLAIMS, Claim, ClaimVerdict, Study, Trial, TrialOutcome
from bnpexplorer.claims.claim import TOO_FEW
from bnpexplorer.claims.learned import is_short

FOLDER = Path(__file__).parent / "claims"
HEAVY = ("words", "sizes", "scalars", "coherence", "memory")
"""Parts of an outcome that are kept only where the verdict or a picture needs them: at all moments,
or at the last one."""


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
    def name(self) -> str:
        """Of its file and of its pictures."""
        return f"{self.claim.name}-{self.texts}"

    @property
    def has_curves(self) -> bool:
        """Whether more than the ends of its trials was kept, so that pictures can be drawn."""
        return any(len(outcome.scores) > 1 for outcome in self.findings.values())

    def has_all(self, study: Study[Claim]) -> bool:
        """Whether nothing is left to be learned of what a study would try."""
        return len(self.complete(study)) == len(study.trials)

    def complete(self, study: Study[Claim]) -> dict[Trial, TrialOutcome]:
        """What is kept of a study's trials that needs no more."""
        found = {t: self.findings[t] for t in study.trials if t in self.findings}
        return {
            trial: outcome
            for trial, outcome in found.items()
            if not is_short(trial, outcome)
            and (study.passes or outcome.converged or outcome.seconds[-1] >= 0.9 * study.share)
        }


def lean(claim: Claim, findings: Mapping[Trial, TrialOutcome]) -> dict[Trial, TrialOutcome]:
    """The findings without what neither the verdict nor a picture needs: words of twenty topics at
    seven moments are most of a file."""
    found = dict(findings)
    for part in HEAVY:
        for moments in (slice(0), slice(-1, None)):
            less = {t: replace(o, **{part: getattr(o, part)[moments]}) for t, o in found.items()}
            if _same(claim, less, found):
                found = less
                break
    return found


def _same(
    claim: Claim, one: Mapping[Trial, TrialOutcome], other: Mapping[Trial, TrialOutcome]
) -> bool:
    try:
        drawn = [
            [picture.figure(False, 14).to_json() for picture in claim.pictures(findings)]
            for findings in (one, other)
        ]
        return claim.compare(one) == claim.compare(other) and drawn[0] == drawn[1]
    except (IndexError, ValueError):  # it reads what is not there
        return False


def write(kept: Kept, folder: Path = FOLDER) -> None:
    tree = {
        "claim": kept.claim.name,
        "texts": kept.texts,
        "corpus": kept.corpus,
        "made": kept.made,
        "seeds": kept.seeds,
        "trials": {
            trial.key: {name: values for name, values in asdict(outcome).items() if values}
            for trial, outcome in lean(kept.claim, kept.findings).items()
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kept.name}.json"
    path.write_text(json.dumps(tree, separators=(",", ":")) + "\n", encoding="utf-8")


def read(path: Path) -> Kept:
    """What `write` wrote; trials are told by their keys, which hold all of them."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    findings = {
        _trial(key): TrialOutcome(**{name: _tuples(values) for name, values in outcome.items()})
        for key, outcome in tree["trials"].items()
    }
    claim = CLAIMS[tree["claim"]]
    return Kept(claim, tree["texts"], tree["corpus"], tree["made"], tree["seeds"], findings)


def _trial(key: str) -> Trial:
    fields = json.loads(key)
    fields["values"] = tuple((name, value) for name, value in fields.get("values", ()))
    return Trial(**fields)


def _tuples(values: list[object]) -> tuple[object, ...]:
    return tuple(values)


def all_kept(folder: Path = FOLDER) -> list[Kept]:
    """Everything in the folder: claims in the order of the registry, the paragraphs first."""
    found = [read(path) for path in folder.glob("*.json")]
    order = list(CLAIMS)
    return sorted(found, key=lambda kept: (order.index(kept.claim.name), kept.texts))


def taken_over(study: Study[Claim], texts: str, folder: Path = FOLDER) -> Kept | None:
    """What a study would find, where another claim has tried the same on these texts."""
    claim = study.experiment
    for kept in all_kept(folder):
        found = {t: kept.findings[t] for t in study.trials if t in kept.findings}
        one = replace(kept, claim=claim, findings=found)
        alike = _how_tried(kept.claim) == _how_tried(claim) and kept.texts == texts
        if alike and one.has_all(study) and _judges(claim, found):
            return one
    return None


def _how_tried(claim: Claim) -> tuple[object, ...]:
    """What decides, beside the trial, what a trial finds."""
    return claim.protocol, claim.orders, claim.one_split


def _judges(claim: Claim, findings: Mapping[Trial, TrialOutcome]) -> bool:
    """Whether all that the verdict needs was kept."""
    try:
        return claim.compare(findings).sentence != TOO_FEW
    except (IndexError, ValueError):
        return False
