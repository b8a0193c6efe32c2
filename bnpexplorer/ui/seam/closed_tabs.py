"""What a closed tab held is let go.

Symptom: Streamlit keeps the state of a closed tab for two minutes, in case it comes back, and after
    that until the next tab closes: on a quiet server the texts of the last tabs stay for good. What
    it keeps them in has no lock; only the thread of its event loop may touch it.
Seen in: Streamlit 1.67.
No longer needed when: sessions that have expired are dropped without another event.
"""

import gc
import threading
from typing import Any

from .private import PrivateName, warn_once

RUNTIME = PrivateName(
    "streamlit.runtime", "Runtime", "What a closed tab held is let go when another tab closes."
)
PATH = ("_session_mgr", "_session_storage", "_cache")
"""From the runtime to its sessions that may come back, which expire by themselves when asked."""
AFTER = 150.0
"""Seconds after which a closed tab cannot come back; Streamlit waits for 120."""
WAIT = 2.0
"""Seconds for the event loop to get to it; whoever asks wants the memory, and can do without."""


def let_go_of_closed_tabs() -> None:
    """Drop the state of tabs that have been closed for longer than two minutes."""
    runtime = RUNTIME.find()
    if runtime is None or not runtime.exists():
        return
    cache: Any = runtime.instance()
    find_loop = getattr(cache, "_get_async_objs", None)
    for name in PATH:
        cache = getattr(cache, name, None)
    if find_loop is None or not hasattr(cache, "expire"):
        warn_once(RUNTIME.sentence())
        return
    done = threading.Event()

    def expire() -> None:
        cache.expire()
        done.set()

    try:
        find_loop().eventloop.call_soon_threadsafe(expire)
    except RuntimeError:  # the server ends, and everything with it
        return
    done.wait(WAIT)
    gc.collect()


def let_go_later() -> None:
    """As `let_go_of_closed_tabs`, when a tab that is closed now cannot come back any more."""
    timer = threading.Timer(AFTER, let_go_of_closed_tabs)
    timer.daemon = True  # the server may end before
    timer.start()
