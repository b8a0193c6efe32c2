"""Findings that the Claims page offers: earlier studies of the texts at hand, and kept ones."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from ...claims import CLAIMS, Claim, Study
from ...claims.kept import Kept, all_kept
from ...claims.study import results_folder
from ...core.display import plural
from ...corpus import Corpus

USUAL = 600.0
"""Seconds of a study by passes that is only read: they do not matter."""


@dataclass(frozen=True)
class StudyOnDisk:
    """The findings of one study on disk."""

    study: Study[Claim]
    """Only to be read: whoever goes on with it makes another one."""
    outcome: str

    @property
    def size(self) -> str:
        """Time and seeds, in words."""
        minutes, passes = self.study.budget / 60, self.study.passes
        if passes:
            span = "1 pass" if passes == 1 else f"{passes:,} passes"
        else:
            span = f"{minutes:g} minute{'' if minutes == 1 else 's'}"
        return f"{span}, {self.study.n_seeds} seeds"

    @property
    def progress(self) -> str:
        """How many of its trials have ended, in words."""
        return f"{len(self.study.findings)} of {len(self.study.trials)} trials"


Finds = Mapping[str, list[StudyOnDisk]]
"""Claim -> its findings, the finished and the longest first."""


def finds_of(corpus: Corpus) -> Finds:
    """All findings on disk for the corpus."""
    found: dict[str, list[StudyOnDisk]] = {}
    for path in results_folder().glob(f"*-{corpus.fingerprint}-*.json"):
        name, _, size = path.stem.partition(f"-{corpus.fingerprint}-")
        if name in CLAIMS:
            one = _read(str(path), path.stat().st_mtime_ns, size, CLAIMS[name], corpus)
            if one is not None:
                found.setdefault(name, []).append(one)
    for several in found.values():
        several.sort(
            key=lambda f: (f.study.done, f.study.passes or f.study.budget, f.study.n_seeds),
            reverse=True,
        )
    return found


@st.cache_resource(show_spinner=False, max_entries=256)
def _read(path: str, changed: int, size: str, _claim: Claim, _corpus: Corpus) -> StudyOnDisk | None:
    """One file; None if it is damaged, foreign or of a version that planned other trials."""
    seeds, _, span = size.partition("-")
    by_passes = span.startswith("p")
    if by_passes != bool(_claim.passes):
        return None
    try:
        budget, passes = (USUAL, int(span[1:])) if by_passes else (float(span), 0)
        study = Study(_claim, _corpus, budget, int(seeds), Path(path).parent, passes=passes)
    except ValueError:
        return None
    return StudyOnDisk(study, _claim.verdict(study.findings).outcome) if study.findings else None


@st.cache_resource(show_spinner=False)
def kept_finds() -> Mapping[str, list[tuple[Kept, str]]]:
    """Return the findings that come with the package and their outcomes, by claim.

    Texts on which it was too early for a verdict stand last.
    """
    found: dict[str, list[tuple[Kept, str]]] = {}
    for kept in all_kept():
        found.setdefault(kept.claim.name, []).append((kept, kept.verdict.outcome))
    for several in found.values():
        several.sort(key=lambda one: one[1] == "too early")
    return found


@st.cache_resource(show_spinner=False)
def exact_outcome(name: str) -> str:
    """The outcome of a claim that needs no trials; empty if it needs them."""
    claim = CLAIMS[name]
    return "" if claim.trials(1) else claim.verdict({}).outcome


def paper_and_place(claim: Claim) -> tuple[str, str]:
    """`Wang, Paisley & Blei 2011, table 1` -> `Wang et al. 2011` and `table 1`."""
    paper, place = re.findall(r"^(.*? \d{4}), (.*)$", claim.source)[0]
    authors, year = paper.rsplit(" ", 1)
    if "," in authors:
        authors = authors.split(",")[0] + " et al."
    return f"{authors} {year}", place


def papers() -> dict[str, list[Claim]]:
    """Papers and their claims, in the order of the registry."""
    found: dict[str, list[Claim]] = {}
    for claim in CLAIMS.values():
        found.setdefault(paper_and_place(claim)[0], []).append(claim)
    return found


def at_a_glance(finds: Finds) -> pd.DataFrame:
    """Return every claim and its outcome: of the longest finished study, else of a kept one."""
    rows = []
    for claim in CLAIMS.values():
        paper, place = paper_and_place(claim)
        outcome, size, progress = exact_outcome(claim.name) or "not tried", "", ""
        for kept, said in kept_finds().get(claim.name, ())[:1]:
            outcome, size, progress = said, f"kept: {kept.on}", plural(len(kept.findings), "trial")
        if claim.name in finds:
            best = finds[claim.name][0]
            outcome, size, progress = best.outcome, best.size, best.progress
        rows.append((outcome, claim.title, paper, place, size, progress))
    return pd.DataFrame(rows, columns=["outcome", "claim", "paper", "where", "study", "trials"])
