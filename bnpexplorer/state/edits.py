"""Edits of a run by hand: topics merged, split, deleted, and passes added."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

NAMED, LETTERS = 4, 200
"""Topics that a sentence names, and letters of a name."""
MOST_EDITS = 10_000
"""Of a run; a file from elsewhere may claim any number."""
EditKind = Literal["merge", "split", "delete", "run on"]


@dataclass(frozen=True)
class Edit:
    """One change by hand, after the step at which it was made; enough to make it again."""

    kind: str
    topics: tuple[int, ...] = ()
    """Identities, in the order in which they were given."""
    names: tuple[str, ...] = ()
    """What each of these was called then."""
    children: tuple[int, ...] = ()
    """Identities that hold their words afterwards: of a merge and of a split; the first one is of
    the largest topic, or part, and was there before."""
    step: int = 0
    docs_seen: int = 0
    passes: int = 0
    """Of "run on": passes added."""
    planned: int = 0
    """Of "run on": passes that were planned before."""
    until: str = ""
    """Of "run on": the rule by which the run was to end; `ended` says why it did, as `Progress`."""
    ended: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(name[:LETTERS] for name in self.names))

    @property
    def sentence(self) -> str:
        """What was done and when, in words."""
        after = f"after {self.docs_seen:,} documents"
        if self.kind == "run on":
            return f"{self.passes:,} more {'pass' if self.passes == 1 else 'passes'} {after}."
        said = listed(self.names)
        done = {
            "merge": f"{said} merged into one",
            "split": f"{said} split in two",
            "delete": f"{said} deleted",
        }
        return f"{done[self.kind]} {after}."


def listed(names: Sequence[str]) -> str:
    """The names as words of a sentence; of many only the first."""
    first, left = names[:NAMED], len(names) - NAMED
    if left > 0:
        return f"{', '.join(first)} and {left:,} more"
    return " and ".join(filter(None, (", ".join(first[:-1]), *first[-1:])))


def check_edit(kind: str, topics: Sequence[int], in_use: Collection[int]) -> None:
    """Raise ValueError, in a sentence for people, if topics in use cannot be changed so."""
    if kind not in get_args(EditKind) or kind == "run on":
        raise ValueError(f"Topics are merged, split or deleted; got {kind!r}.")
    for topic in topics:
        if topic not in in_use:
            raise ValueError(f"There is no topic {topic} now; it has come to its end.")
    if len(set(topics)) < len(topics):
        raise ValueError("A topic was named twice.")
    if kind == "merge" and len(topics) < 2:
        raise ValueError("Choose two topics or more to merge.")
    if kind == "split" and len(topics) != 1:
        raise ValueError("Choose one topic to split.")
    if kind == "delete" and not 0 < len(topics) < len(in_use):
        raise ValueError("Choose topics to delete, and leave one at least for their words.")
