"""Whose mistake it is when a file is not read: the file's, or bnpexplorer's own. Open this where
code catches what reading raises, or tells a person why a file was not read.

What keeps a run from its next step, and is no fault of the run.
"""

import logging
import platform
import traceback

from .installation import version
from .packing import UnknownHint

LOG = logging.getLogger(__name__)
OWN = (AttributeError, TypeError, KeyError, IndexError, NameError, AssertionError, ImportError)
"""Kinds that our code raises by mistake. It says of a file's mistake ValueError or OSError."""
PARSERS = (
    "ast.",
    "charset_normalizer.",
    "encodings.",
    "json.",
    "numpy.lib.",
    "numpy.random.",
    "pandas.",
    "pyarrow.",
    "tokenize.",
    "zipfile.",
)
"""Modules whose own code takes apart what a file holds."""
WHERE = (
    "Details are in the terminal or the log of the process that runs bnpexplorer: send them to the "
    "people who maintain it, and the file too if you may share it."
)


def is_own(problem: BaseException) -> bool:
    """Return whether an exception tells of a mistake in bnpexplorer.

    It does if it is of a kind in `OWN`, unless a library of `PARSERS` raised it: on hostile bytes
    these raise every kind.
    """
    if isinstance(problem, UnknownHint):
        return True
    if type(problem).__module__ != "builtins" or not isinstance(problem, OWN):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    # A library's module or class that lacks a name says so in a function of its own.
    while frames and frames[-1].f_code.co_name in ("__getattr__", "__getattribute__"):
        frames.pop()
    for frame in reversed(frames):
        module = f"{frame.f_globals.get('__name__', '')}."
        if module.startswith("bnpexplorer."):
            return True
        if module.startswith(PARSERS):
            return False
    return True


def trace_of(problem: BaseException) -> str:
    """Return the details that a maintainer needs to find the mistake."""
    return "".join(traceback.format_exception(problem))


def own_sentence(name: str, why: str, trace: str) -> str:
    """Log an error of our own, and return what a person is told of it.

    `name`: of the file; `why`: the error in short; `trace`: its traceback.
    """
    LOG.critical(
        "bnpexplorer %s failed on Python %s:\n%s", version(), platform.python_version(), trace
    )
    return (
        f"{name} was not read because of an error of bnpexplorer's own ({why}); the file may be "
        f"sound. {WHERE}"
    )


def told(name: str, problem: BaseException, damaged: str) -> str:
    """Return the sentence about a file that was not read: `damaged`, unless the error is ours,
    which is logged."""
    if not is_own(problem):
        return damaged
    return own_sentence(name, f"{type(problem).__name__}: {short(problem)}", trace_of(problem))


def note(name: str, problem: BaseException) -> None:
    """Log an error of our own where a damaged file counts as none, so that nobody is told."""
    told(name, problem, "")


def short(problem: BaseException) -> str:
    """Return what was wrong, for the end of a sentence."""
    if isinstance(problem, KeyError):
        return f"{problem} is missing"
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror  # without the number of the error and the path
    return " ".join(str(problem).split())[:80].rstrip(".") or type(problem).__name__


class NotNow(Exception):
    """The next step cannot be taken now; the message says why and what to do. The run stands where
    its last step left it, and may go on: nobody is there to compute it, or its texts on the disk
    cannot be read."""
