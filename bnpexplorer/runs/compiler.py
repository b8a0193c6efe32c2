"""What a process of `compilers.py` does."""

import os
import threading
from typing import Any

from ..core.environment import stand_back
from ..methods import make_method
from .warming import warm


def main(name: str, values: dict[str, Any]) -> None:
    """Compile what a run of a method needs, behind all other work of the machine, as long as the
    server is there."""
    stand_back()
    threading.Thread(target=_end_with_server, daemon=True).start()
    warm(make_method(name, values=values))


def _end_with_server() -> None:
    """Wait until nothing can come any more, which is when the server is gone."""
    while os.read(0, 1):
        pass
    os._exit(1)
