"""`Run.watch`: where somebody looks, and what shows a run there.

A run watched in a terminal: the command line's bar, with score and topics.
"""

import sys
import warnings
from typing import Any

from ...core.display import plural
from ...core.progress import Bar
from ...runs.run import Run
from ...state.moment import Moment
from .watch import RunWatch

WITHOUT = (
    "Live figures in notebooks come with the extra `notebook` "
    "(`pip install 'bnpexplorer[notebook]'`); until then, a bar."
)


def watch(run: Run, step_seconds: float = 0.0) -> Any:
    """As `Run.watch`."""
    watched = RunWatch(run, step_seconds)
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


LOOK_SECONDS = 0.2


def on_terminal(watch: RunWatch, watched: bool = False) -> None:
    """Learn to the end, or until Ctrl-C, and draw the bar as it goes; `watched`: wherever it is
    drawn, somebody looks.

    Raises RuntimeError, in one sentence, if the method fails.
    """
    bar = Bar(watched)
    watch.go_on()
    try:
        while not watch.wait(LOOK_SECONDS) and watch.going:
            draw(bar, watch)
    except KeyboardInterrupt:
        watch.pause()
        while watch.going:  # the mini-batch at hand
            watch.wait(LOOK_SECONDS)
    draw(bar, watch, now=True)
    bar.end()
    if watch.thread.status == "failed":
        raise RuntimeError(watch.said())
    if not watch.done:
        print(f"bnpexplorer: {watch.said()} `watch` goes on.", file=sys.stderr)


def draw(bar: Bar, watch: RunWatch, now: bool = False) -> None:
    moment = watch.moment()
    if moment is None:
        bar.draw(0.0, watch.said(), now)
        return
    bar.draw(moment.snapshot.docs_seen / watch.run.planned_docs, words(moment), now)


def words(moment: Moment) -> str:
    """Score, topics and pace, in 40 letters."""
    snapshot, score = moment.snapshot, moment.snapshot.heldout
    pace = snapshot.docs_seen / max(snapshot.seconds, 1e-9)
    said = "" if score is None else f"score {score:.2f}, ".replace("-", "−")
    return f"{said}{plural(len(moment.in_use), moment.noun)}, {pace:,.0f} docs/s"
