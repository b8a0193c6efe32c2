"""The start and the end of Streamlit's server. Each workaround has its symptom below.

A server with something around it starts and ends as one that runs a script does.

Symptom: With `st.App`, which alone can refuse foreign hosts, `streamlit run` opens no browser, and
    a signal that ends the server kills it before what was learned is saved (`atexit`). One reader
    who takes nothing keeps it for ever.
Seen in: Streamlit 1.67, uvicorn 0.54.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `end_in_good_order`, and
    `streamlit run app.py` opens a browser without `open_browser`.

A terminal that is closed ends the server as a service manager does: what was learned is saved.

Symptom: Streamlit stops in good order at SIGTERM, SIGINT and SIGQUIT; SIGHUP kills it at once, and
    of 2,048 documents shown 64 were on the disk.
Seen in: Streamlit 1.67.
No longer needed when: Streamlit stops in good order at SIGHUP.

What is there for good is taken out of the garbage collector's sight.

Symptom: Streamlit collects garbage after every script run and every tick. With all libraries in
    sight that took 0.1 s each time, four fifths of what a watching tab cost.
Seen in: Streamlit 1.67.
No longer needed when: `python -m benchmarks.tabs` shows the same times without it.

What a server has one of.

Symptom: What `st.cache_resource` holds (the runs of a server, its library) is lost: a message that
    any browser may send empties all caches.
Seen in: Streamlit 1.67.
No longer needed when: `clear_cache` of the browser's protocol leaves `st.cache_resource` alone.

plotly.js lies where Streamlit serves it from before the server looks there.

Symptom: The first start of a fresh clone warns of a static folder that is not there and advises to
    turn static serving off, with which figures lose their zoom. Streamlit looks once, before any
    page is drawn, so the folder cannot be made by a page. It looks beside `app.py` alone: in a
    checkout that the account may only read, figures lost their zoom as well.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `serve_plotly` in `around`.
"""

import gc
import os
import signal
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

import plotly
import streamlit as st

from ...core.environment import CLUSTER, refuse_old_names, usual_threads
from ...core.installation import app_folder, cache_folder
from ...core.plugins import plugin
from ...core.store import replacing
from .callers import EVERYWHERE, own_hosts_only
from .messages import hear_scripts_out, send_what_was_drawn
from .private import PrivateName

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
    """Run around the app, for `st.App`. Ends a server with a wrong number of threads, a variable of
    an earlier version, or a cluster that does not answer: here the error is shown alone in the
    terminal, and not on the page of a person who starts a run."""
    try:
        refuse_old_names()
        usual_threads()
        if os.environ.get(CLUSTER, "").strip():
            plugin("cluster").use_named()
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


RUNTIME = PrivateName(
    "streamlit.runtime.runtime",
    "Runtime",
    "A terminal that is closed ends the app at once; end it with Ctrl-C, so that all is saved.",
)


def stop_with_terminal() -> None:
    """From any thread of the server: from now on SIGHUP does what SIGTERM does.

    Whoever started it with `nohup` wants it to go on: then nothing is changed. On Windows, which
    gives a closed window's programs no time, there is nothing to be done.
    """
    runtime = RUNTIME.find()
    if not hasattr(signal, "SIGHUP") or runtime is None or not runtime.exists():
        return
    # Only the main thread may say what a signal does; there the server's loop runs.
    loop = runtime.instance()._get_async_objs().eventloop
    loop.call_soon_threadsafe(_listen)


def _listen() -> None:
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Stop without a word: the server says "Stopping...", and would end where nobody can hear."""
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        if stat.S_ISCHR(os.fstat(stream).st_mode):  # a terminal that is gone is none to `isatty`
            os.dup2(silence, stream)
    signal.raise_signal(signal.SIGTERM)


def spare_collector() -> None:
    """Collect once, then freeze what is left: libraries, compiled kernels, samples."""
    gc.collect()
    gc.freeze()


T = TypeVar("T")


class Once(Generic[T]):
    """Made when it is first asked for, by whichever thread."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._lock = make, threading.RLock()
        self._made: list[T] = []

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def clear(self) -> None:
        """Make it anew when it is asked for next, as another server would."""
        with self._lock:
            self._made.clear()


STATIC = app_folder() / "static"
PLOTLY_FILE = f"plotly-{plotly.__version__}.min.js"
LOOKS = PrivateName(
    "streamlit.file_util",
    "get_app_static_dir",
    "In a folder that this account may only read, figures lose their zoom at every update.",
)


def serve_plotly() -> bool:
    """Put the file that ships inside the plotly wheel into the folder that is served, unless it is
    there; whether it is served. Beside the app, or else in the user's cache."""
    if not st.get_option("server.enableStaticServing"):
        return False
    if _put(STATIC):
        return True
    try:
        folder = cache_folder("static")
    except OSError:  # a machine where this account may write nowhere
        return False
    return LOOKS.find() is not None and _put(folder) and _serve_from(folder)


def _put(folder: Path) -> bool:
    """Write the file into a folder unless it is there; False if the folder is not writable."""
    source = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    target, content = folder / PLOTLY_FILE, source.read_bytes()
    try:
        if not target.exists() or target.read_bytes() != content:
            folder.mkdir(exist_ok=True)
            with replacing(target) as file:
                file.write(content)
    except OSError:
        return False
    return True


def _serve_from(folder: Path) -> bool:
    """Let Streamlit look there from now on."""
    setattr(import_module(LOOKS.module), LOOKS.name, lambda _: str(folder))
    return True
