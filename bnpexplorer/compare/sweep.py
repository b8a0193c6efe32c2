"""A sweep: one method over a small grid of one or two settings, with repeated seeds.

A `claims.Study` drives it: all trials learn for the same seconds, every finished trial is written
at once, and the same sweep goes on from what is found. What it recommends is said by
`advice`.

All its seeds are tested on the same documents: hdp-svi after 3,072 State of the Union paragraphs
differed by 0.11 over three splits with one seed, and by 0.03 over three seeds on one split.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..claims import Picture, Trial
from ..claims.claim import Findings
from ..claims.reading import at_the_end, last_topics, over_seconds
from ..claims.study import findings_in, fit_to_budget
from ..core import store
from ..core.owned_files import private_folder
from ..core.store import home, read_json, write_json
from ..corpus.corpus import Corpus
from ..methods import METHODS, make_method
from ..runs.limits import LARGEST_BATCH, check_memory
from .rows import BATCH_SIZE, word_of

MOST_VALUES = 10
"""Of each setting."""
WIDE = 8.0
"""An axis is logarithmic where its largest value is this many times its smallest."""


def sweeps_folder() -> Path:
    """Where sweeps and their findings are kept."""
    return home() / "sweeps"


@dataclass(frozen=True)
class Axis:
    """A setting and its values, rising."""

    name: str
    """`batch_size`, a knob of the method or a field of its model."""
    values: tuple[float, ...]


def _axis_of(tree: Any) -> Axis | None:
    """Return the axis of a kept sweep, None where it has none. Raises ValueError if it is none."""
    if tree is None:
        return None
    values = store.part(tree, "values")
    if not isinstance(values, list | tuple) or not all(type(v) in (int, float) for v in values):
        raise ValueError("the values of a sweep are no numbers")
    return Axis(store.unpack(str, store.part(tree, "name"), {}), tuple(values))


def values_of(text: str, name: str) -> tuple[float, ...]:
    """Parse `8, 64, 512` as (8, 64, 512), rising. Raises ValueError, which names the mistake."""
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    found = set()
    for part in parts:
        try:
            number = float(part)
        except ValueError:
            raise ValueError(
                f"{name}: {part.strip()!r} is not a number; write values like 8, 64, 512."
            ) from None
        if not math.isfinite(number):
            raise ValueError(f"{name}: {part.strip()!r} is not a number that can be tried.")
        found.add(number)
    if not 1 <= len(found) <= MOST_VALUES:
        raise ValueError(f"{name}: give 1 to {MOST_VALUES} values; got {len(found)}.")
    return tuple(sorted(found))


@dataclass(frozen=True)
class Sweep:
    """A grid over one or two settings of a method; an experiment for a `Study`.

    Raises ValueError that names the setting if a value is out of its range.
    """

    method: str
    across: Axis
    """Along the horizontal axis."""
    lines: Axis | None = None
    """One line a value."""
    preset: str = "default"
    batch_size: int = 256
    """Where it is not swept."""
    protocol: ClassVar[str] = ""
    passes: ClassVar[int] = 0
    orders: ClassVar[bool] = False
    one_split: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"There is no method {self.method!r}.")
        if self.lines is not None and self.lines.name == self.across.name:
            raise ValueError("Choose two different settings, or only one.")
        for trial in self.trials(1):
            if trial.batch_size < 1:
                raise ValueError(f"The batch size must be at least 1; got {trial.batch_size}.")
            make_method(trial.method, trial.preset, dict(trial.values))

    @property
    def name(self) -> str:
        """The method, and a hash of all else, the way of splitting among it."""
        digest = hashlib.sha256(json.dumps([self.to_json(), "one split"]).encode()).hexdigest()
        return f"{self.method}-{digest[:8]}"

    @property
    def title(self) -> str:
        """The method and what is swept, in words."""
        swept = [axis for axis in (self.across, self.lines) if axis is not None]
        parts = [f"{word_of(a.name)} {', '.join(f'{v:g}' for v in a.values)}" for a in swept]
        return f"{self.method}: {' × '.join(parts)}"

    def line_names(self) -> list[str]:
        """The names of the lines of the pictures."""
        if self.lines is None:
            return [self.method]
        return [f"{word_of(self.lines.name)} {value:g}" for value in self.lines.values]

    def trials(self, n_seeds: int) -> list[Trial]:
        """Every point of the grid, seed by seed."""
        found = []
        for seed in range(n_seeds):
            for line, second in zip(self.line_names(), self._seconds(), strict=True):
                for x in self.across.values:
                    found.append(self._trial(line, seed, {self.across.name: x} | second))
        return found

    def _seconds(self) -> list[dict[str, float]]:
        """For every line its own setting."""
        if self.lines is None:
            return [{}]
        return [{self.lines.name: value} for value in self.lines.values]

    def _trial(self, line: str, seed: int, settings: Mapping[str, float]) -> Trial:
        values = dict(settings)
        size = values.pop(BATCH_SIZE, float(self.batch_size))
        if size != round(size) or not 1 <= size <= LARGEST_BATCH:
            raise ValueError(
                f"The batch size must be a whole number from 1 to {LARGEST_BATCH:,}; got {size:g}."
            )
        pairs = tuple(values.items())
        return Trial(
            line, settings[self.across.name], self.method, seed, int(size), self.preset, pairs
        )

    def check_memory(self, corpus: Corpus) -> None:
        """Raises ValueError with the estimate if a trial would not fit."""
        for values in {trial.values for trial in self.trials(1)}:
            check_memory(make_method(self.method, self.preset, dict(values)), corpus)

    def pictures(self, findings: Findings) -> list[Picture]:
        """Score and topics against the first setting, with the spread over seeds; and over time."""
        names = self.line_names()
        places = self.across.values
        wide = places[0] > 0 and places[-1] / places[0] >= WIDE
        x_title = word_of(self.across.name)
        middle = places[len(places) // 2]
        return [
            at_the_end(findings, names, f"Held-out score by {x_title}", x_title, logarithmic=wide),
            at_the_end(
                findings,
                names,
                f"Topics in use by {x_title}",
                x_title,
                "topics in use",
                last_topics,
                logarithmic=wide,
            ),
            over_seconds(
                findings, names, f"Held-out score over time, {x_title} {middle:g}", place=middle
            ),
        ]

    # ---- keeping ---------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """A JSON-able tree."""
        return asdict(self)

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> "Sweep":
        """Return what `to_json` wrote. Raises ValueError if it is not that."""
        axes = [_axis_of(store.part(tree, key)) for key in ("across", "lines")]
        if axes[0] is None:
            raise ValueError("A sweep needs a setting.")
        kinds = {"method": str, "preset": str, "batch_size": int}
        others = {n: store.unpack(kind, store.part(tree, n), {}) for n, kind in kinds.items()}
        return cls(across=axes[0], lines=axes[1], **others)

    def write(self, corpus: Corpus) -> None:
        """Keep the sweep, and the name of the texts, beside its findings, for later sessions."""
        path = _sweep_path(self.name)
        texts = read_json(path).get("texts", {})
        texts |= {corpus.fingerprint: [corpus.name, corpus.n_docs]}
        private_folder(path.parent)
        write_json(path, self.to_json() | {"texts": texts})

    @classmethod
    def read(cls, name: str) -> "Sweep | None":
        """The sweep of that name; None if there is none or it is damaged."""
        try:
            return cls.from_json(read_json(_sweep_path(name)))
        except ValueError:
            return None


@dataclass(frozen=True)
class SweepFindings:
    """What a sweep has found, as it lies on the disk; its texts need not be at hand."""

    sweep: Sweep
    fingerprint: str
    texts: str
    """The name of its texts; empty where an earlier version wrote it."""
    n_docs: int
    n_seeds: int
    budget: float
    """Seconds."""
    n_trials: int
    findings: Findings
    """At least one."""

    @property
    def done(self) -> bool:
        return len(self.findings) == self.n_trials


def kept_paths() -> list[Path]:
    """Files of findings, the latest first."""
    paths = [path for path in sweeps_folder().glob("*.json") if FINDINGS.match(path.stem)]
    return sorted(paths, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def kept_sweep(path: Path) -> SweepFindings | None:
    """Return the contents of the file; None if it is damaged, empty or written by another
    version."""
    parts = FINDINGS.match(path.stem)
    sweep = Sweep.read(parts["sweep"]) if parts else None
    if parts is None or sweep is None:
        return None
    n_seeds, budget = int(parts["seeds"]), float(parts["budget"])
    try:
        trials = fit_to_budget(sweep.trials(n_seeds), budget)[0]
    except ValueError:
        return None
    findings, texts = findings_in(path, trials), parts["texts"]
    name, n_docs = read_json(_sweep_path(sweep.name)).get("texts", {}).get(texts, ("", 0))
    kept = SweepFindings(
        sweep, texts, str(name), int(n_docs), n_seeds, budget, len(trials), findings
    )
    return kept if findings else None


FINDINGS = re.compile(
    r"(?P<sweep>.+-[0-9a-f]{8})-(?P<texts>[0-9a-f]+)-(?P<seeds>\d+)-(?P<budget>[\d.]+)$"
)
"""The name of a file of findings, as `Study` makes it."""


def _sweep_path(name: str) -> Path:
    return sweeps_folder() / f"{name}.json"
