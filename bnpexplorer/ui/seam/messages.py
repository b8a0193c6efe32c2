"""Messages from a script to the browser. Each workaround has its symptom below.

One thread a tab: `runner.fastReruns = false`.

Symptom: Now and then a page ends in "dictionary changed size during iteration". With fast reruns
    Streamlit starts a second script thread while the first still draws, and both change one session
    state. With one thread a click waits for the next call of Streamlit, and `styles.py` is
    needed.
Seen in: Streamlit 1.67.
No longer needed when: clicks in quick succession on the Live page, under load, raise nothing with
    the setting left out.

What is drawn is sent whole: `global.minCachedMessageSize` beyond any message.

Symptom: Streamlit sends a mere reference for what a browser says it has kept of an earlier look. A
    browser that asks for a page before it has heard that the last one has ended throws away in
    between what it said it had, and the tab ends in "Cached ForwardMsg MISS"; from then on each
    tick says "Cannot send rerun backMessage when disconnected from server". So it went for whoever
    turned to another view and back before its picture had come, a second on a slow network.
Seen in: Streamlit 1.67.
No longer needed when: `tests/browser/test_late.py` passes with the setting left out.

What a script has drawn arrives, also where another begins the moment it ends.

Symptom: A click or a tick that meets the very end of a script, before the server has heard its
    last words, begins another script thread, and what is not heard by then is dropped: a part of
    the page stays as it was before the click; and where the page was empty, the next thing that is
    drawn has no place in it, and the page ends in "Bad delta path index". On a busy machine it is
    heard late.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_last_words.py` passes without it.

What a script has drawn is sent, also where a tick begins before it went on its way.

Symptom: As a fragment begins, Streamlit throws away what it has not sent yet of that fragment, as
    if it were of an earlier tick. Where the whole page was drawn in between, as on a busy machine,
    the browser hears that the page is complete, takes away the fragment that it lacks, and puts
    what comes next into wrong places: buttons are gone for ten seconds and more, or the page ends
    in "Bad delta path index 11 (should be between [0, 10])". With a second between what is sent,
    Live lost 6 of 18 clicks on Pause and Resume and then ended; with this, none of 48.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_unsent.py` passes without it.
"""

import time
from collections import deque
from typing import Any
from weakref import WeakKeyDictionary

import streamlit as st

from .private import PrivateName, warn_once

SETTING = "runner.fastReruns"


def one_thread_a_tab() -> None:
    """Say once if this server was started without the setting, which only its start can change."""
    if st.get_option(SETTING):
        warn_once(f"Start the app with --{SETTING} false: else quick clicks may end in an error.")


SMALLEST_KEPT_MESSAGE = "global.minCachedMessageSize"
BEYOND = 1e9
"""Bytes; a message has 200 MB at most."""


def whole_messages() -> None:
    """Say once if this server was started without the setting, which only its start can change."""
    if st.get_option(SMALLEST_KEPT_MESSAGE) < BEYOND:
        asked = f"--{SMALLEST_KEPT_MESSAGE} {BEYOND:.0f}"
        warn_once(f"Start the app with {asked}: else quick clicks may end a page.")


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


QUEUE = PrivateName(
    "streamlit.runtime.forward_msg_queue",
    "ForwardMsgQueue",
    "On a busy machine a click may find a page that lacks a part.",
)


def send_what_was_drawn() -> None:
    """From now on a fragment that begins drops nothing; a whole page drops what it draws anew."""
    queue = QUEUE.find()
    clear = getattr(queue, "clear", None)
    if clear is None:
        warn_once(QUEUE.sentence())
    elif clear is not _clear_for_pages:
        _CLEAR[:] = [clear]
        queue.clear = _clear_for_pages


_CLEAR: list[Any] = []
"""Streamlit's own way to clear what waits to be sent."""


def _clear_for_pages(
    queue: Any, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
) -> None:
    """In the place of a queue's `clear`. What waits stays in order and is not joined with what a
    fragment draws now, which may stand in places that come after it only."""
    if fragment_ids_this_run is None:
        _CLEAR[0](queue, retain_lifecycle_msgs)
    else:
        queue._delta_index_map = {}
