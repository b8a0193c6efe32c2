"""The main function of a process of `compilers.py`."""

from typing import Any

from ..core.child import Channel
from ..core.environment import stand_back
from ..methods import make_method
from .warming import warm


def main(_: Channel, name: str, values: dict[str, Any]) -> None:
    """Compile the kernels of the method `name` with low priority."""
    stand_back()
    warm(make_method(name, values=values))
