"""What a script has drawn arrives, also where another begins the moment it ends.

Symptom: A click or a tick that meets the very end of a script, before the server has heard its
    last words, begins another script thread, and what is not heard by then is dropped: a part of
    the page stays as it was before the click; and where the page was empty, the next thing that is
    drawn has no place in it, and the page ends in "Bad delta path index". On a busy machine it is
    heard late.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_last_words.py` passes without it.
"""

import time
from collections import deque
from typing import Any
from weakref import WeakKeyDictionary

from .private import PrivateName, warn_once

SESSION = PrivateName(
    "streamlit.runtime.app_session",
    "AppSession",
    "On a busy machine a part of a page may stay as it was before a click.",
)
PATIENCE = 5.0
"""Seconds for the thread to say that it has ended, the last thing that it says; it takes none."""
PAUSE = 0.01
"""Seconds between two looks whether it has. A thread that ends on a busy machine takes so long to
get its turn, and nobody notices so little; going round the loop without a pause took the processor
from the very thread that is waited for."""


def hear_scripts_out() -> None:
    """From now on a script begins when all is heard that the one before it has said."""
    session = SESSION.find()
    begin = getattr(session, "_create_scriptrunner", None)
    if begin is None:
        warn_once(SESSION.sentence())
    elif begin is not _begin_when_heard:
        _BEGIN[:] = [begin]
        session._create_scriptrunner = _begin_when_heard


_BEGIN: list[Any] = []
"""Streamlit's own way to begin a script."""


_WAITING: WeakKeyDictionary[Any, deque[Any]] = WeakKeyDictionary()
"""What each session is asked for and has not begun, in order."""


def _begin_when_heard(session: Any, asked: Any) -> None:
    """In the place of a session's `_create_scriptrunner`, which is called where there is no script,
    or one that has ended and takes no requests any more."""
    _WAITING.setdefault(session, deque()).append(asked)
    _begin(session, time.monotonic() + PATIENCE)


def _begin(session: Any, until: float) -> None:
    """Begin what waits, the first as a script, which takes what follows; or look again soon. What
    the script before has said stands in the line of the event loop, and its end comes last."""
    waiting = _WAITING[session]
    if session._state.name == "SHUTDOWN_REQUESTED":
        waiting.clear()
    while waiting:
        before = session._scriptrunner
        if before is None or time.monotonic() > until:
            _BEGIN[0](session, waiting.popleft())
        elif before.request_rerun(waiting[0]):
            waiting.popleft()
        else:
            loop = session._event_loop
            loop.call_soon_threadsafe(loop.call_later, PAUSE, _begin, session, until)
            return
