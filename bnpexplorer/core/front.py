"""How a value shows itself in a notebook: asked for here, drawn by a room far above.

Notebooks ask the value itself (`_repr_html_`), which lies low; what draws it needs scores, palette
and the report's pictures, which lie high (`bnpexplorer/notebooks`). No room imports upwards: the
package itself, which Python makes before any of its rooms, says by `reach_by` where that room is.
"""

from collections.abc import Callable
from typing import Any, Protocol


class Front(Protocol):
    """What the room above offers."""

    def html(self, value: Any) -> str: ...

    def watch(self, run: Any, step_seconds: float) -> Any: ...


_reach: list[Callable[[], Front]] = []


def reach_by(load: Callable[[], Front]) -> None:
    """Let values be shown by what `load` gives; it is called when the first one is to be shown."""
    _reach[:] = [load]


def front() -> Front:
    """The room that shows values."""
    return _reach[0]()


class Shown:
    """A value that shows itself in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """HTML without scripts, all text in it escaped."""
        return front().html(self)
