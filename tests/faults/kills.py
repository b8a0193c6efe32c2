"""A server is killed while it saves, renames, deletes, imports: what was acknowledged is there."""

import ast
import contextlib
import os
import signal
import time
from dataclasses import astuple
from pathlib import Path
from typing import NoReturn

import numpy as np

from bnpexplorer.runs.saved.library import Library
from tests.tools.disk import Dies, Killed, watched
from tests.tools.keeping import Known, Person, check, exported, run_of


def between_changes(rng: np.random.Generator, folder: Path) -> None:
    """It ends before any one change of a file."""
    exported()
    person = Person(Library(folder), rng)
    for _ in range(int(rng.integers(6))):
        person.act()
    dies = Dies(int(rng.integers(60)))
    with contextlib.suppress(Killed), watched(dies):
        while True:
            person.act()
    check(person, folder)


def by_signal(rng: np.random.Generator, folder: Path) -> None:
    """A process that says what it has done is killed at any moment."""
    if not hasattr(os, "fork"):
        return
    exported(), run_of(0), run_of(1), run_of(2)
    wait = float(rng.uniform(0.0, 0.15))
    hear, say = os.pipe()
    child = os.fork()
    if child == 0:
        _work(rng, folder, say)
    os.close(say)
    time.sleep(wait)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(hear, "rb") as heard:
        whole = heard.read().rpartition(b"\n")[0]
    person = Person(Library(folder), rng)
    if whole:
        known, person.unsure = ast.literal_eval(whole.splitlines()[-1].decode())
        person.known = {run_id: Known(*values) for run_id, values in known.items()}
    check(person, folder)


def _work(rng: np.random.Generator, folder: Path, say: int) -> NoReturn:
    """Work for ever, and write down what is done and what is begun."""

    def says(person: Person) -> None:
        known = {run_id: astuple(one) for run_id, one in person.known.items()}
        os.write(say, f"{(known, sorted(person.unsure))}\n".encode())

    try:
        person = Person(Library(folder), rng, says=says)
        while True:
            person.act()
    finally:
        os._exit(1)


IN_GATE = 6
TRIALS = {"between_changes": between_changes, "by_signal": by_signal}
