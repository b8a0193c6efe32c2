"""Compare runs: their facts side by side, which may be compared, and where their settings differ.

Runs are compared only if they share the texts (equal vocabulary and word totals), the held-out
documents and the protocol. Others are left out, with the reason.

Runs of one method are named by two settings at most in which they differ ("hdp-svi batch size 64"),
knobs first; runs that no setting tells apart get a number.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import numpy as np

from ..core.display import HtmlRepr
from ..core.knob import knobs_of, label_of
from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS, effective_topics, npmi, split_of, unigram_score
from ..methods import METHODS
from ..methods.base import Method
from ..runs.run import Run
from ..state.moment import Moment
from ..state.snapshot import Snapshot

LARGEST = 20
"""Topics whose coherence is averaged: the largest ones, as in studies of claims."""


@dataclass(frozen=True)
class ScoreGround:
    """What held-out scores depend on beside the run: on equal grounds runs can be compared."""

    corpus: str
    """The corpus's name."""
    n_docs: int
    """Documents of the whole corpus, before the split."""
    n_heldout: int
    texts: str
    """A hash of the vocabulary and of how often each word occurs: equal whatever the split."""
    split: str
    """A hash of what is learned and of what is held out."""
    protocol: str
    """A key of `PROTOCOLS`, "stream", or empty where nothing is scored."""
    unigram: float = float("nan")
    """The score of word frequencies on it; nan where nothing is held out."""


def ground_of(run: Run) -> ScoreGround:
    """The ground that a run stands on."""
    parts = [run.corpus]
    if run.heldout is not None:
        parts.append(run.heldout.whole)
    totals = sum(_word_totals(part) for part in parts)
    digest = hashlib.sha256(np.asarray(totals, dtype=np.int64).tobytes())
    digest.update("\0".join(run.corpus.vocab).encode())
    n_heldout = sum(part.n_docs for part in parts[1:])
    return ScoreGround(
        run.corpus.name,
        run.corpus.n_docs + n_heldout,
        n_heldout,
        digest.hexdigest()[:16],
        split_of(run.corpus, run.heldout),
        run.protocol,
        unigram_score(run.corpus, run.heldout) if run.heldout else float("nan"),
    )


def _word_totals(corpus: Corpus) -> Any:
    return corpus.word_totals.astype(np.float64)


def protocol_title(protocol: str) -> str:
    """The protocol in words."""
    if protocol in PROTOCOLS:
        return PROTOCOLS[protocol].title
    return "each mini-batch before it is learned" if protocol else "not scored"


def why_apart(one: ScoreGround, other: ScoreGround) -> str:
    """Why scores of two runs say nothing about each other; empty if they can be compared."""
    if one.texts != other.texts:
        same_name = f"other texts or words of {other.corpus}"
        what = same_name if one.corpus == other.corpus else f"another corpus: {other.corpus}"
        return f"{what} ({other.n_docs:,} documents)"
    if one.protocol != other.protocol:
        return f"scored by another protocol: {protocol_title(other.protocol)}"
    if one.split != other.split:
        if one.n_heldout != other.n_heldout:
            return f"another split: {other.n_heldout:,} documents held out, not {one.n_heldout:,}"
        return "another split: other documents are held out (the run's seed chooses them)"
    return ""


@dataclass(frozen=True, eq=False)
class Compared:
    """One run, live or saved, as a comparison sees it."""

    moment: Moment
    name: str
    method: str
    status: str
    ground: ScoreGround
    settings: Mapping[str, Any]
    """Seed, batch size, passes, order, and every knob of the method and its model."""
    coherence: float = float("nan")
    """Mean NPMI of the largest topics in the texts learned (nan: not computed)."""

    @property
    def run_id(self) -> str:
        return self.moment.run_id

    @property
    def snapshot(self) -> Snapshot:
        return self.moment.snapshot

    @property
    def heldout(self) -> float:
        """The last held-out score (nan: none yet)."""
        score = self.snapshot.heldout
        return float("nan") if score is None else score

    @property
    def pace(self) -> float:
        """Documents learned in a second (nan before the first)."""
        seconds = self.snapshot.seconds
        return self.snapshot.docs_seen / seconds if seconds > 0 else float("nan")

    def facts(self) -> dict[str, Any]:
        """Column -> value of the comparison's table, without the settings."""
        moment, docs_seen = self.moment, self.snapshot.docs_seen
        return {
            "run": self.name,
            "method": self.method,
            "held-out": self.heldout,
            "documents": docs_seen,
            "passes": docs_seen / moment.docs_in_pass,
            "seconds": self.snapshot.seconds,
            "documents/s": self.pace,
            "topics in use": len(moment.in_use),
            "effective topics": effective_topics(moment.topics),
            "coherence": self.coherence,
            "memory, MB": self.snapshot.memory / 2**20,
            "status": self.status,
        }


def compared(
    run: Run, moment: Moment, name: str, status: str, coherence: float = float("nan")
) -> Compared:
    """The values of a run at a moment that a comparison needs; reads nothing else that a step
    changes."""
    ground, settings = ground_of(run), settings_of(run)
    return Compared(moment, name, run.method.name, status, ground, settings, coherence)


def coherence_of(run: Run, moment: Moment) -> float:
    """Mean NPMI of the twenty largest topics in the texts that the run learns; nan without any."""
    topics = moment.topics
    if not len(topics):
        return float("nan")
    largest = topics.by_size[:LARGEST]
    return float(npmi(topics.topic_word[largest], run.corpus).mean())


def table_of(rows: Sequence[Compared], all_settings: bool = False) -> list[dict[str, Any]]:
    """Rows of a table, the best held-out score first: facts, then settings.

    Settings that differ stand first and are marked with ≠; the others only where `all_settings`.
    """
    apart, equal = differing([row.settings for row in rows]) if rows else ([], [])
    names = {name: f"≠ {name}" for name in apart}
    names |= {name: name for name in equal} if all_settings else {}
    # A score that is not there yet comes last.
    ranked = sorted(rows, key=lambda row: -row.heldout if row.heldout == row.heldout else np.inf)
    return [
        row.facts() | {words: row.settings.get(name) for name, words in names.items()}
        for row in ranked
    ]


def sort_by_ground(
    rows: Sequence[Compared], ground: ScoreGround
) -> tuple[list[Compared], list[tuple[Compared, str]]]:
    """Runs that can be compared on `ground`, and the others with the reason."""
    inside, outside = [], []
    for row in rows:
        why = why_apart(ground, row.ground)
        if why:
            outside.append((row, why))
        else:
            inside.append(row)
    return inside, outside


def in_words(value: Any) -> str:
    """A number as it is worth reading; nothing for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True, eq=False)
class Comparison(HtmlRepr):
    """Runs that can be compared with the first of them, and the others with the reason."""

    ground: ScoreGround
    inside: tuple[Compared, ...]
    outside: tuple[tuple[Compared, str], ...]

    @classmethod
    def of(cls, rows: Sequence[Compared]) -> "Comparison":
        """Of at least one row, on the ground of the first."""
        inside, outside = sort_by_ground(rows, rows[0].ground)
        return cls(rows[0].ground, tuple(inside), tuple(outside))

    def table(self, all_settings: bool = False) -> list[dict[str, Any]]:
        """As `table_of`."""
        return table_of(self.inside, all_settings)


def side_by_side(
    runs: Mapping[str, Run] | Sequence[Run], statuses: Sequence[str] = ()
) -> Comparison:
    """Compare runs by their names, or by their methods and the settings in which they differ.

    `statuses`: of each, in their order, where somebody knows more than whether it has ended.
    Raises ValueError if there is no run.
    """
    if isinstance(runs, Mapping):
        names, members = list(runs), list(runs.values())
    else:
        members = list(runs)
        names = told_apart([r.method.name for r in members], [settings_of(r) for r in members])
    if not members:
        raise ValueError("There is no run to compare; give one at least.")
    said = statuses or ["finished" if run.done else "unfinished" for run in members]
    moments = [run.moment(run_id=name) for run, name in zip(members, names, strict=True)]
    return Comparison.of(
        [
            compared(run, moment, name, status, coherence_of(run, moment))
            for run, moment, name, status in zip(members, moments, names, said, strict=True)
        ]
    )


BATCH_SIZE = "batch_size"
OF_RUNS = (BATCH_SIZE, "passes", "order", "seed")
"""What is chosen beside the knobs of model and method."""
MOST_NAMED = 2
"""Settings in the name of a run at most."""


def settings_of(run: Any) -> dict[str, Any]:
    """Everything that was chosen: seed, batch size, passes, order, knobs of model and method.

    Of a `Run`, or of whatever else has these and a `method`.
    """
    found = {name: getattr(run, name) for name in ("seed", BATCH_SIZE, "passes", "order")}
    for owner in (run.method.model, run.method):
        found |= {name: getattr(owner, name) for name, _, _ in knobs_of(owner)}
    return found


def sweepable(method: Method) -> list[str]:
    """Settings of a method that have a number: batch size, model's, method's."""
    found = [BATCH_SIZE]
    for owner in (method.model, method):
        for name, default, _ in knobs_of(owner):
            if isinstance(default, (int, float)) and not isinstance(default, bool):
                found.append(name)
    return found


@cache
def _words() -> dict[str, str]:
    owners = [owner for method in METHODS.values() for owner in (method(), method().model)]
    return {
        name: label_of(name, about).lower()
        for owner in owners
        for name, _, about in knobs_of(owner)
    }


def word_of(name: str) -> str:
    """A setting's name as it stands in a sentence: `batch size`."""
    return _words().get(name, name.replace("_", " "))


def differing(settings: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Names of settings that differ between runs, and of those that are equal in all.

    A setting that some runs do not have (another method's knob) differs.
    """
    names = list(dict.fromkeys(name for one in settings for name in one))
    missing = object()
    apart = [
        name
        for name in names
        if any(s.get(name, missing) != settings[0].get(name) for s in settings)
    ]
    return apart, [name for name in names if name not in apart]


def told_apart(names: Sequence[str], settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The runs' names; those that are equal with the settings in which these runs differ.

    At most `MOST_NAMED` of them, knobs first and the seed last; what is still equal gets a number,
    so that no two are alike.
    """
    found = []
    for name, mine in zip(names, settings, strict=True):
        apart, _ = differing([s for n, s in zip(names, settings, strict=True) if n == name])
        apart.sort(key=lambda key: OF_RUNS.index(key) + 1 if key in OF_RUNS else 0)
        parts = [_part(key, mine[key]) for key in apart if key in mine][:MOST_NAMED]
        found.append(" ".join([name, *parts]))
    taken = set(found)
    return [_numbered(name, taken) if found.count(name) > 1 else name for name in found]


def _numbered(name: str, taken: set[str]) -> str:
    """The name with the first number that nobody has taken, a person neither."""
    numbered = next(other for i in count(1) if (other := f"{name} #{i}") not in taken)
    taken.add(numbered)
    return numbered


def _part(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{word_of(name)} {'on' if value else 'off'}"
    return f"{word_of(name)} {value:g}" if isinstance(value, float) else f"{word_of(name)} {value}"
