"""Labels that a person gives to topics, by identity: names, groups, topics hidden or kept on
top."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..core import store
from .edits import Edit

MOST_GROUPED = 10_000
"""Topics in groups at most: more than any run has."""


@dataclass(frozen=True)
class Labels:
    """What a person says of the topics of one run, by identity; changed by making another.

    All that was done by hand is told by its fields: nothing else changes how topics are shown.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    groups: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Topic -> those that count as one with it, in ascending order; they go by its identity. No
    topic is in two groups, and none is in its own."""
    folded: frozenset[int] = frozenset()
    """Topics that somebody folded away as filler with an earlier version; `Moment.filler` is now
    recognised of itself."""
    about: int | None = None
    """How many topics are shown in place of all; 0: all of them; None: nobody has chosen."""

    @property
    def unseen(self) -> frozenset[int]:
        """Topics that lists leave out."""
        return self.hidden | self.folded

    def rename(self, topic: int, name: str) -> "Labels":
        """Give a name; an empty one takes it away."""
        names = {k: v for k, v in self.names.items() if k != topic}
        return replace(self, names={**names, topic: name.strip()} if name.strip() else names)

    def hide(self, topic: int, hidden: bool = True) -> "Labels":
        """Leave a topic off lists, or have it back, also one that was folded away."""
        if hidden:
            return replace(self, hidden=self.hidden | {topic})
        return replace(self, hidden=self.hidden - {topic}, folded=self.folded - {topic})

    def pin(self, topic: int, pinned: bool = True) -> "Labels":
        return replace(self, pinned=self.pinned | {topic} if pinned else self.pinned - {topic})

    def after(self, edit: Edit) -> "Labels":
        """Once topics were changed by hand: what was said goes with the identities.

        A merged topic has what was said of the largest one, and its name or the first other that
        was given; of a split the larger part keeps all. What has lost its words has lost its name:
        words that come to the place of an emptied topic are others. Groups go on without it.
        """
        gone = set(edit.topics) - set(edit.children[:1])
        before = self._merged(edit) if edit.kind == "merge" else self
        names = {k: v for k, v in before.names.items() if k not in gone}
        groups = {}
        for first, rest in self.groups.items():
            left = [topic for topic in (first, *rest) if topic not in gone]
            if len(left) > 1:
                groups[left[0]] = tuple(left[1:])
        kept = (flag - gone for flag in (before.hidden, before.pinned, before.folded))
        hidden, pinned, folded = kept
        return Labels(names, hidden, pinned, groups, folded, self.about)

    def _merged(self, edit: Edit) -> "Labels":
        """Give the topic that stays what people saw of it: of a group what is said of the one that
        it goes by, whichever of its members is the largest."""
        stays, goes_by = edit.children[0], self.group_of
        shown = [goes_by.get(topic, topic) for topic in (stays, *edit.topics)]
        given = [self.names[topic] for topic in shown if topic in self.names]

        def kept(flag: frozenset[int]) -> frozenset[int]:
            return flag - {stays} | (flag & {shown[0]} and {stays})

        return replace(
            self.rename(stays, given[0] if given else ""),
            hidden=kept(self.hidden),
            pinned=kept(self.pinned),
            folded=kept(self.folded),
        )

    def members(self, topic: int) -> tuple[int, ...]:
        """The topics that count as this one: itself, and those grouped with it."""
        return (topic, *self.groups.get(topic, ()))

    def show(self, about: int) -> "Labels":
        """Choose how many topics are shown; 0 for all."""
        return replace(self, about=about)

    # ---- groups ----------------------------------------------------------------------------

    def group(self, topics: Iterable[int]) -> "Labels":
        """Let topics, or groups by their first, count as one from now on; it goes by the first."""
        first, *others = dict.fromkeys(topics)
        members = {m for topic in (first, *others) for m in self.members(topic)}
        groups = {k: v for k, v in self.groups.items() if k not in members}
        rest = tuple(sorted(members - {first}))
        return replace(self, groups={**groups, first: rest} if rest else groups)

    def ungroup(self, topic: int) -> "Labels":
        """Take a group apart."""
        return replace(self, groups={k: v for k, v in self.groups.items() if k != topic})

    @property
    def group_of(self) -> dict[int, int]:
        """Topic in a group -> the one that the group goes by, without that one itself."""
        return {m: first for first, members in self.groups.items() for m in members}

    # ---- JSON ------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """A JSON-able tree; what says nothing new is left out, as versions before this wrote it."""
        tree: dict[str, Any] = {
            "names": {str(topic): name for topic, name in self.names.items()},
            "hidden": sorted(self.hidden),
            "pinned": sorted(self.pinned),
        }
        if self.groups:
            tree["groups"] = {str(first): list(rest) for first, rest in self.groups.items()}
        tree |= {"folded": sorted(self.folded)} if self.folded else {}
        return tree | ({} if self.about is None else {"about": self.about})

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> "Labels":
        """Read the output of `to_json`; missing parts count as empty.

        Raises ValueError where a topic is in two groups, or a part is of another type.
        """

        def read(name: str, kind: Any, usual: Any) -> Any:
            return store.unpack(kind, tree.get(name, usual), {})

        tree = store.unpack(dict[str, Any], tree, {})
        names = {int(topic): name for topic, name in read("names", dict[str, str], {}).items()}
        sets = (frozenset(read(name, list[int], [])) for name in ("hidden", "pinned", "folded"))
        hidden, pinned, folded = sets
        groups = {
            int(first): tuple(sorted(rest))
            for first, rest in read("groups", dict[str, list[int]], {}).items()
        }
        grouped = [topic for first, rest in groups.items() for topic in (first, *rest)]
        if len(set(grouped)) < len(grouped) or len(grouped) > MOST_GROUPED:
            raise ValueError("its groups of topics share a topic, or are too many")
        return cls(names, hidden, pinned, groups, folded, read("about", int | None, None))
