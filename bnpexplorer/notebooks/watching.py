"""`Run.watch`: where somebody looks, and what shows a run there."""

import sys
import warnings
from typing import Any

from ..runs.run import Run
from .terminal import on_terminal
from .watch import Watch

WITHOUT = (
    "Live figures in notebooks come with the extra `notebook` "
    "(`pip install 'bnpexplorer[notebook]'`); until then, a bar."
)


def watch(run: Run, step_seconds: float = 0.0) -> Any:
    """As `Run.watch`."""
    watched = Watch(run, step_seconds)
    if not in_notebook():
        return on_terminal(watched)
    try:
        from .live import Live
    except ImportError:
        warnings.warn(WITHOUT, stacklevel=3)
        return on_terminal(watched, watched=True)
    watched.go_on()
    return Live(watched)


def in_notebook() -> bool:
    """Whether a notebook shows what cells return: of Jupyter (VS Code has its kernel) or marimo."""
    ipython, marimo = sys.modules.get("IPython"), sys.modules.get("marimo")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return True
    return marimo is not None and bool(marimo.running_in_notebook())
