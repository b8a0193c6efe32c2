"""A terminal that is closed ends the server as a service manager does: what was learned is saved.

Symptom: Streamlit stops in good order at SIGTERM, SIGINT and SIGQUIT; SIGHUP kills it at once, and
    of 2,048 documents shown 64 were on the disk.
Seen in: Streamlit 1.67.
No longer needed when: Streamlit stops in good order at SIGHUP.
"""

import os
import signal
import stat
from types import FrameType

from .private import PrivateName

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
