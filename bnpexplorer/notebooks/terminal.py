"""A run watched in a terminal: the command line's bar, with score and topics."""

import sys

from ..core.bar import Bar
from ..state.moment import Moment
from .watch import Watch

LOOK_SECONDS = 0.2


def on_terminal(watch: Watch, watched: bool = False) -> None:
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


def draw(bar: Bar, watch: Watch, now: bool = False) -> None:
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
    return f"{said}{len(moment.in_use):,} {moment.noun}s, {pace:,.0f} docs/s"
