"""Write the findings of `python -m benchmarks.claims`, in one file for each claim and its texts."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from bnpexplorer.claims import Claim, Study, Trial, TrialOutcome
from bnpexplorer.claims.claim import TOO_FEW
from bnpexplorer.claims.kept import FOLDER, Kept, all_kept

HEAVY = ("words", "sizes", "scalars", "coherence", "memory")
"""Parts of an outcome that are kept only where the verdict or a picture needs them: at all moments,
or at the last one."""


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
