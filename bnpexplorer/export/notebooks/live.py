"""Live figures in a notebook: a widget that asks for the newest drawing and passes buttons on.

The browser asks and the kernel answers, never the thread that learns: marimo takes what another
thread sends for nobody's, and a notebook that is closed costs nothing. What is sent is the report's
drawing, 7 to 10 kB for 160 texts, where Plotly's widget brings 4.9 MB of script.
"""

from typing import Any

import anywidget
import traitlets

from .card import STYLE, card, script
from .watch import RunWatch


class Live(anywidget.AnyWidget):
    """The figures of one run, with buttons to pause, to go on and to take single steps."""

    _esm = script()
    style = traitlets.Unicode(STYLE).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    """Plain text."""
    said = traitlets.Unicode().tag(sync=True)
    """Plain text."""
    drawing = traitlets.Unicode().tag(sync=True)
    """HTML without scripts."""
    state = traitlets.Unicode().tag(sync=True)
    """`going`, `paused` or `done`."""
    answers = traitlets.Int(0).tag(sync=True)
    """How often the browser was answered."""

    def __init__(self, watch: RunWatch) -> None:
        super().__init__()
        self._watch = watch
        self._acts = {"pause": watch.pause, "go_on": watch.go_on, "step": watch.step}
        self.on_msg(self._answer)
        self._tell()

    def _answer(self, _: Any, asked: Any, buffers: Any) -> None:
        """Do what a button asks for; whatever else is asked, tell how the run stands."""
        act = self._acts.get(asked.get("do", "")) if isinstance(asked, dict) else None
        if act is not None:
            act()
        self._tell()

    def _tell(self) -> None:
        watch = self._watch
        with self.hold_sync():
            self.state = "done" if watch.done else "going" if watch.going else "paused"
            self.title, self.said, self._drawn = watch.title, watch.said(), watch.drawing()
            self.drawing = self._drawn
            self.answers += 1

    # ---- the same by hand --------------------------------------------------------------------

    def go_on(self) -> None:
        """Learn until the run is done."""
        self._answer(self, {"do": "go_on"}, None)

    def pause(self) -> None:
        """Stop after the mini-batch at hand."""
        self._answer(self, {"do": "pause"}, None)

    def step(self) -> None:
        """Learn from one more mini-batch, then pause."""
        self._answer(self, {"do": "step"}, None)

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the run is done, while the figures stand still; False after `timeout`
        seconds."""
        ended = self._watch.wait(timeout)
        self._tell()
        return ended

    def _repr_html_(self) -> str:
        """Where no widgets are shown, such as in a page made of the notebook: how it stood."""
        return str(card(self.title, self._drawn))
