"""What a process of `compilers.py` does."""

from typing import Any

from ..core.child import Channel
from ..core.environment import stand_back
from ..methods import make_method
from .warming import warm


def main(_: Channel, name: str, values: dict[str, Any]) -> None:
    """Compile what a run of a method needs, behind all other work of the machine."""
    stand_back()
    warm(make_method(name, values=values))
