"""Whole runs on the workers of a cluster, one a worker, each computed there as if it were alone.

A run travels as its standing, what a step changes: plain arrays and a manifest, as a file holds
them. It comes back after some seconds, and only then has it changed here: a worker that dies costs
these seconds, and another does them again with equal numbers. The texts go to every worker once,
those of a corpus on the disk by the name of its folder.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ..core import store
from ..corpus.corpus import Corpus
from ..evaluate import Heldout
from ..runs.packed_texts import pack_texts, unpack_texts
from ..runs.run import Run
from ..runs.warming import warm_in_turn
from ..state.snapshot import Info
from .message import Message
from .pool import ClusterPool
from .sending import Sending

SECONDS = 4.0
"""That a run learns on a worker before it comes back: what a killed worker costs at most, and how
long a person waits who stops. To pack and unpack the 5 MB of a run of KOS takes 0.03 s."""

Texts = tuple[Corpus, Heldout | None]

_OPENED: WeakKeyDictionary[Message, Texts] = WeakKeyDictionary()
"""On a worker: texts that were sent, as long as Dask keeps them; unpacked once."""

log = logging.getLogger(__name__)


def drive(run: Run, docs: int, seconds: float = SECONDS) -> None:
    """Let a run learn until it has processed so many documents, or for so many seconds, but one
    mini-batch at least; one that has processed them is only prepared. Raises what a step does."""
    deadline = time.monotonic() + seconds
    run.prepare()
    while not run.done and run.docs_seen < docs:
        run.step()
        if time.monotonic() > deadline:
            return


class Trials:
    """Runs over the same texts, which the workers of a pool drive at once.

    Texts stay with the workers as long as this object is kept.
    """

    def __init__(self, pool: ClusterPool, corpus: Corpus, heldout: Heldout | None = None) -> None:
        self.pool, self.seconds = pool, SECONDS
        self._corpus, self._heldout = corpus, heldout
        self._client: Any = None
        self._there: dict[str, asyncio.Future[Any]] = {}
        """Address of every worker that has the texts, or soon will -> Dask's name for them."""

    def advance(self, runs: Sequence[Run], docs: int) -> list[int]:
        """As `drive`, of every run by a worker; the places of runs that are left as they were.

        These were lost with several workers, or failed there, and fail again where they are driven
        next. Raises PoolLost if there is no worker, and ValueError with a sentence if a worker
        cannot open the texts; then all runs are as they were.
        """
        if not runs:
            return []
        self.pool.ready()
        found: dict[int, Any] = {}
        pieces = [(*_packed(run), docs, self.seconds) for run in runs]
        self.pool.send(drive_all, self._send, pieces, found)
        missed = []
        for place, run in enumerate(runs):
            came = found.get(place)
            if came is None:
                missed.append(place)
                continue
            manifest, arrays = came
            run.stand(manifest, arrays)
            run.latest_info = store.unpack(Info, manifest["info"], arrays)
            run.threads = 1
        return missed

    async def _send(self, sending: Sending, pieces: list[Any], found: dict[int, Any]) -> None:
        if sending.client is not self._client:  # the scheduler was gone and is back
            self._client, self._there = sending.client, {}

        async def texts(_: int, worker: str) -> Any:
            if worker not in self._there:
                packed = Message(pack_texts(self._corpus, self._heldout))
                bring = sending.scatter(f"texts-{len(self._there)}", packed, worker)
                self._there[worker] = asyncio.ensure_future(bring)
            return await asyncio.shield(self._there[worker])

        alone = [(i, i + 1) for i in range(len(pieces))]
        try:
            await sending.share_out(driven, pieces, alone, texts, found)
        finally:
            for worker in sending.gone:
                self._there.pop(worker, None)


def _packed(run: Run) -> store.Packed:
    """What a run is beside its texts."""
    manifest, arrays = run.pack_standing()
    if run.state is None:
        manifest["given"] = store.pack(run.given, arrays, "given")
    return manifest, arrays


# ---- on a worker ---------------------------------------------------------------------------------


def drive_all(work: Any, texts: Message, pieces: Message) -> Message:
    """`work` of every piece with these texts."""
    opened = _OPENED.get(texts)
    if opened is None:
        opened = _OPENED[texts] = unpack_texts(*texts.value())
    return Message([work(*piece, opened) for piece in pieces.value()])


def driven(
    manifest: dict[str, Any], arrays: store.Arrays, docs: int, seconds: float, texts: Texts
) -> store.Packed | None:
    """Where a run stands after `drive`, with what its last step told; None if a step failed."""
    run = Run.unpack(manifest, arrays, "The run that was sent", texts=texts)
    run.pool = None  # the worker's other threads have runs of their own
    warm_in_turn(run.method)
    try:
        drive(run, docs, seconds)
    except Exception as problem:  # whoever sent it drives it, and tells
        log.info("A run failed: %r", problem)
        return None
    standing, stood = run.pack_standing()
    standing["info"] = store.pack(run.latest_info, stood, "info")
    return standing, stood
