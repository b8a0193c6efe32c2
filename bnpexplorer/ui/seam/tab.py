"""Browser tabs and their sessions. Each workaround has its symptom below.

Which tab a script runs for, and whether a tab is still there.

Symptom: Streamlit tells that a tab has gone by releasing what `st.cache_resource(scope="session")`
    holds for it, and releases the same for all tabs when any browser sends `clear_cache`: every run
    was paused a minute after that. So the server is asked instead.
Seen in: Streamlit 1.67.
No longer needed when: there is a public word for a tab that ends, which `clear_cache` does not say.

What a closed tab held is let go.

Symptom: Streamlit keeps the state of a closed tab for two minutes, in case it comes back, and after
    that until the next tab closes: on a quiet server the texts of the last tabs stay for good. What
    it keeps them in has no lock; only the thread of its event loop may touch it.
Seen in: Streamlit 1.67.
No longer needed when: sessions that have expired are dropped without another event.
"""

import gc
import secrets
import threading
from typing import Any

import streamlit as st

from .private import PrivateName, warn_once

CONTEXT = PrivateName(
    "streamlit.runtime.scriptrunner",
    "get_script_run_ctx",
    "A run goes on when its last tab is closed.",
)
RUNTIME = PrivateName("streamlit.runtime", "Runtime", CONTEXT.without)


def this_tab() -> str:
    """The tab's name, the same through all its script runs; a reload makes another tab."""
    context = CONTEXT.find()
    if context is not None and (running := context()) is not None:
        return str(running.session_id)
    name: str = st.session_state.setdefault("tab", secrets.token_hex(8))
    return name


def is_open(tab: str) -> bool:
    """Whether the tab is connected; True if that is unknown."""
    runtime = RUNTIME.find()
    try:
        return runtime is None or bool(runtime.instance().is_active_session(tab))
    except RuntimeError:  # no server runs: the script was started by itself, or by a test
        return True


TAB_RUNTIME = PrivateName(
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
    runtime = TAB_RUNTIME.find()
    if runtime is None or not runtime.exists():
        return
    cache: Any = runtime.instance()
    find_loop = getattr(cache, "_get_async_objs", None)
    for name in PATH:
        cache = getattr(cache, name, None)
    if find_loop is None or not hasattr(cache, "expire"):
        warn_once(TAB_RUNTIME.sentence())
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
