"""What workers compute in tests: functions that they can import."""

import os
import signal
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bnpexplorer.core.arrays import F64, I32
from bnpexplorer.inference.slices import Slice
from bnpexplorer.plugins.cluster import guests, parts
from bnpexplorer.plugins.cluster.places import Place
from bnpexplorer.runs.run import Run

STEP = Run.step


class Found(NamedTuple):
    rows: F64
    words: I32
    stats: F64


def some_sum(words: I32, seed: int, given: F64) -> Found:
    """A sum over `words` that `given` float64 (W, K) has a part in."""
    rng = np.random.default_rng(seed)
    stats = rng.random((len(words), given.shape[1])) * given[words]
    return Found(rng.random(3), words, stats)


def flags(array: Any, given: Any) -> list[tuple[bool, bool, str]]:
    return [(bool(a.flags.writeable), bool(a.flags.aligned), a.dtype.str) for a in (array, given)]


def who(_: int, given: float) -> int:
    """The process that computed it, after `given` seconds."""
    time.sleep(given)
    return os.getpid()


def waits(place: int, given: str) -> int:
    """Goes on when there is a file (`given`)."""
    while not Path(given).exists():
        time.sleep(0.01)
    return place


def dies_once(place: int, given: str) -> int:
    """Kills its own process with -9, but only the first that comes here (`given`: a folder)."""
    try:
        (Path(given) / "died").mkdir()
    except FileExistsError:
        return 10 * place
    os.kill(os.getpid(), signal.SIGKILL)
    return -1


def hangs_once(place: int, given: str) -> int:
    """Stops its own process for ever, but only the first that comes here (`given`: a folder)."""
    if _turn(Path(given)) == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
    return 10 * place


def dies_elsewhere(place: int, given: int) -> int:
    """Kills every process but that of the test."""
    if os.getpid() != given:
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * place


def fails(place: int, given: int) -> int:
    if place == given:
        raise ArithmeticError(f"no number at {place}")
    return place


def dies_amid(piece: guests.Piece, texts: guests.GuestTexts) -> Any:
    """`drive_on`, but whoever comes here third (the texts' name is a folder) kills itself with -9
    when it has learned one mini-batch more."""
    if _turn(Path(texts.corpus.name)) == 2:
        guests.drive_on(piece._replace(seconds=0.0), texts)
        os.kill(os.getpid(), signal.SIGKILL)
    return guests.drive_on(piece, texts)


def hangs_amid(piece: guests.Piece, texts: guests.GuestTexts) -> Any:
    """`drive_on`, but whoever comes here third (the texts' name is a folder) stops for ever."""
    if _turn(Path(texts.corpus.name)) == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
    return guests.drive_on(piece, texts)


def _turn(folder: Path) -> int:
    """How many came before, of all processes."""
    for turn in count():
        with suppress(FileExistsError):
            (folder / str(turn)).mkdir()
            return turn
    raise AssertionError


def late(run: Run) -> None:
    """A step; the second chain fails in its 21st."""
    if run.chain is not None and run.chain.place == 1 and run.n_steps == 20:
        raise ArithmeticError("no number")
    STEP(run)


def fails_late(piece: guests.Piece, texts: guests.GuestTexts) -> Any:
    """`drive_on` by such steps."""
    return _driven_by(late, piece, texts)


def _driven_by(step: Any, piece: guests.Piece, texts: guests.GuestTexts) -> Any:
    Run.step = step  # type: ignore[method-assign]
    try:
        return guests.drive_on(piece, texts)
    finally:
        Run.step = STEP  # type: ignore[method-assign]


def forgets(piece: guests.Piece, texts: guests.GuestTexts) -> Any:
    """`drive_on` on a worker that never has what it drove before."""
    texts.guests.clear()
    return guests.drive_on(piece, texts)


def no_step(run: Run) -> None:
    raise ArithmeticError("no number")


def always_fails(piece: guests.Piece, texts: guests.GuestTexts) -> Any:
    """`drive_on` where no step can be taken."""
    return _driven_by(no_step, piece, texts)


def seen(piece: Slice, _: Any) -> list[Any]:
    """What a slice is, in plain numbers."""
    docs = piece.sound().docs
    kinds = [array.dtype.str for array in (piece.words, *docs)]
    return [piece.first, piece.last, kinds, piece.words.tolist(), *(a.tolist() for a in docs)]


def held(dask_worker: Any) -> list[str]:
    """The names of all that the actors of a worker keep, of all clients."""
    actors = [one for one in dask_worker.state.actors.values() if isinstance(one, Place)]
    return sorted(name for one in actors for name in one.kept)


def forget_parts() -> None:
    """A worker as if it had just begun."""
    parts.KEPT.__init__()  # type: ignore[misc]


def transitions(dask_scheduler: Any) -> int:
    """How often a scheduler has seen a task change."""
    return int(dask_scheduler.transition_counter)


def grow_old(seconds: float, dask_scheduler: Any) -> bool:
    """A scheduler that knows that nothing is done, as if it had known it for so much longer;
    whether it does."""
    known = dask_scheduler.idle_since is not None
    if known:
        dask_scheduler.idle_since -= seconds
    return known
