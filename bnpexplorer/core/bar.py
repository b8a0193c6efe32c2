"""How far something has come, on standard error."""

import sys
import time


class Bar:
    """A bar, drawn anew in one line five times a second, and only where somebody watches.

    `watched`: whether somebody does; else whether standard error is a terminal.
    """

    def __init__(self, watched: bool = False) -> None:
        self._watched = watched or sys.stderr.isatty()
        self._drawn = -1.0

    def draw(self, share: float, words: str, now: bool = False) -> None:
        """`share` from 0 to 1; `now`: even if it was drawn a moment ago."""
        self.tell(f"[{('#' * int(30 * share)).ljust(30, '.')}] {100 * share:3.0f} %  {words}", now)

    def tell(self, line: str, now: bool = False) -> None:
        """Words alone, where nobody knows the whole."""
        if self._watched and (now or time.monotonic() - self._drawn > 0.2):
            self._drawn = time.monotonic()
            print(f"\r{line[:78]:<78}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the bar as it stands and go to the next line, if anything was drawn."""
        if self._drawn >= 0:
            print(file=sys.stderr)
