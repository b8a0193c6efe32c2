"""What a person says about topics: names, which to hide, which to keep on top. By identity."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .edits import Edit


@dataclass(frozen=True)
class Labels:
    """Names, hidden and pinned topics of one run, by topic identity; changed by making another."""

    names: Mapping[int, str] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()

    def name(self, topic: int) -> str:
        """The name that was given, or the identity itself."""
        return self.names.get(topic, f"topic {topic}")

    def head(self, topic: int) -> str:
        """Identity and name, for heads of columns and choices: a name may be given twice."""
        return f"topic {topic}: {self.names[topic]}" if topic in self.names else f"topic {topic}"

    def rename(self, topic: int, name: str) -> "Labels":
        """Give a name; an empty one takes it away."""
        names = {k: v for k, v in self.names.items() if k != topic}
        return replace(self, names={**names, topic: name.strip()} if name.strip() else names)

    def hide(self, topic: int, hidden: bool = True) -> "Labels":
        return replace(self, hidden=self.hidden | {topic} if hidden else self.hidden - {topic})

    def pin(self, topic: int, pinned: bool = True) -> "Labels":
        return replace(self, pinned=self.pinned | {topic} if pinned else self.pinned - {topic})

    def after(self, edit: Edit) -> "Labels":
        """Once topics were changed by hand: what was said goes with the identities.

        A merged topic has the largest one's name, or the first other that was given; of a split the
        larger part keeps all. What has lost its words has lost its name: words that come to the
        place of an emptied topic are others.
        """
        stay = edit.children[:1]
        gone = set(edit.topics) - set(stay)
        names = {k: v for k, v in self.names.items() if k not in gone}
        if edit.kind == "merge":
            given = [self.names[k] for k in (*stay, *edit.topics) if k in self.names]
            names |= dict.fromkeys(stay, given[0]) if given else {}
        return Labels(names, self.hidden - gone, self.pinned - gone)

    def to_json(self) -> dict[str, Any]:
        """A JSON-able tree."""
        names = {str(topic): name for topic, name in self.names.items()}
        return {"names": names, "hidden": sorted(self.hidden), "pinned": sorted(self.pinned)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> "Labels":
        """What `to_json` wrote; what is missing counts as empty."""
        names = {int(topic): str(name) for topic, name in tree.get("names", {}).items()}
        hidden, pinned = (frozenset(map(int, tree.get(key, ()))) for key in ("hidden", "pinned"))
        return cls(names, hidden, pinned)
