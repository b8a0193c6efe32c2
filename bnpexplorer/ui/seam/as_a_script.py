"""A server with something around it starts and ends as one that runs a script does.

Symptom: With `st.App`, which alone can refuse foreign hosts, `streamlit run` opens no browser, and
    a signal that ends the server kills it before what was learned is saved (`atexit`). One reader
    who takes nothing keeps it for ever.
Seen in: Streamlit 1.67, uvicorn 0.54.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `end_in_good_order`, and
    `streamlit run app.py` opens a browser without `open_browser`.
"""

import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

import streamlit as st

from ...cluster import use_named
from ...core.environment import usual_threads
from .hosts import EVERYWHERE, own_hosts_only
from .last_words import hear_scripts_out
from .private import PrivateName
from .static_folder import serve_plotly
from .unsent import send_what_was_drawn

SHOW = PrivateName(
    "streamlit.cli_util",
    "open_browser",
    "No browser opens at the start; open the address that it says.",
)
URL = PrivateName("streamlit.web.server.server_util", "get_url", SHOW.without)
SIGNALS = ("SIGINT", "SIGTERM", "SIGQUIT", "SIGBREAK")
"""At which `streamlit run` ends in good order; not every system has all."""
PATIENCE = 5
"""Seconds that a server that ends waits for who still reads; service managers kill it after 10."""


def around() -> dict[str, Any]:
    """What `st.App` puts around the app. Ends the server that was given a wrong number of threads,
    or a cluster that does not answer: said here, it stands alone in the terminal, and not on the
    page of whoever starts a run."""
    try:
        usual_threads()
        use_named()
    except ValueError as problem:
        sys.exit(f"bnpexplorer: {problem}")
    hear_scripts_out()
    send_what_was_drawn()
    serve_plotly()
    return {"middleware": [own_hosts_only()], "lifespan": life}


@asynccontextmanager
async def life(_: object) -> AsyncIterator[None]:
    """From the start of the server to its end, in its own thread."""
    end_in_good_order()
    open_browser()
    yield


def end_in_good_order() -> None:
    """From now on a signal lets the server end, and no more; a second one ends it at once.

    uvicorn would send itself the signal once more at the end, of which it dies. How long it waits
    for readers it looks up when it ends.
    """
    server: Any = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if not hasattr(server, "should_exit"):
        return  # somebody else's server, who says how it ends
    server.config.timeout_graceful_shutdown = PATIENCE

    def stop(number: int, frame: FrameType | None) -> None:
        server.force_exit = server.should_exit  # as uvicorn itself at a second Ctrl-C
        server.should_exit = True

    for name in SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


def open_browser() -> None:
    """Show the app to whoever started it, unless it was started without a screen."""
    show, url = SHOW.find(), URL.find()
    if show is not None and url is not None and not st.get_option("server.headless"):
        show(url(address_to_show()))


def address_to_show() -> str:
    """Under which name or address whoever started the server finds it."""
    named, listens = st.get_option("browser.serverAddress"), st.get_option("server.address")
    return str(listens if named == "localhost" and listens not in (None, *EVERYWHERE) else named)
