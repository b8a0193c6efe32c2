"""Runs side by side: those on one ground with their facts, and why the others are left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.front import Shown
from ..runs.run import Run
from .rows import Compared, Ground, coherence_of, compared, sort_by_ground, table_of
from .settings import settings_of, told_apart


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Runs that can be compared with the first of them, and the others with the reason."""

    ground: Ground
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
