"""What a script has drawn is sent, also where a tick begins before it went on its way.

Symptom: As a fragment begins, Streamlit throws away what it has not sent yet of that fragment, as
    if it were of an earlier tick. Where the whole page was drawn in between, as on a busy machine,
    the browser hears that the page is complete, takes away the fragment that it lacks, and puts
    what comes next into wrong places: buttons are gone for ten seconds and more, or the page ends
    in "Bad delta path index 11 (should be between [0, 10])". With a second between what is sent,
    Live lost 6 of 18 clicks on Pause and Resume and then ended; with this, none of 48.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_unsent.py` passes without it.
"""

from typing import Any

from .private import PrivateName, warn_once

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
