"""What workers have of corpora: which they read themselves, and which documents they have kept."""

import asyncio
import threading
import time
from collections.abc import Callable, Container, Sequence
from typing import Any

from ..corpus.corpus import CorpusError
from ..corpus.stored import StoredCorpus
from ..corpus.stored.elsewhere import said
from .answering import ask_each
from .shards import counts_at

ASK_AGAIN = 300.0
"""Seconds after which a worker is asked again that could not read a corpus."""
ANSWER_SECONDS = 30.0
"""That a worker has to open a corpus: a second where it lies in an object store."""

HANGING_SECONDS = ANSWER_SECONDS + 10.0
"""After which a worker is not waited for that should have said at least that."""
BEING_ASKED = "It is being asked."

REMEDY = (
    "It is sent its documents, which changes no number. To let it read them, make the folder's "
    "path the same there, or name its address with --shards (BNPEXPLORER_SHARDS)."
)
"""Where a worker cannot read."""


async def can_read(address: str, name: str, fingerprint: str, dask_worker: Any = None) -> str:
    """On a worker: why it cannot read this corpus; empty if it can."""
    scratch = getattr(dask_worker, "local_directory", None)
    try:
        opening = asyncio.to_thread(counts_at, address, name, fingerprint, scratch)
        await asyncio.wait_for(opening, ANSWER_SECONDS)
    except CorpusError as problem:
        return str(problem)
    except TimeoutError:
        return f"{said(address)} does not answer within {ANSWER_SECONDS:.0f} s."
    return ""


class Holdings:
    """What workers have of corpora, as far as this machine knows; several threads may ask."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell`: what to know of workers, in sentences."""
        self._tell = tell
        self._lock = threading.Lock()
        self._kept: dict[bytes, str] = {}
        """Key of a part -> the worker that kept it last."""
        self._readers: dict[tuple[str, str], tuple[str, float]] = {}
        """Worker and fingerprint -> why it does not read that corpus, or empty; and since when."""

    def ask(self, client: Any, workers: Sequence[str], address: str, corpus: StoredCorpus) -> None:
        """Find out which of these workers read a corpus, as far as that is not known. Other runs
        that ask meanwhile do not wait: to them these workers do not read it yet."""
        name, fingerprint = corpus.folder.name, corpus.manifest.fingerprint
        with self._lock:
            now = time.monotonic()
            unknown = [w for w in workers if self._unknown(w, fingerprint, now)]
            self._readers |= {(worker, fingerprint): (BEING_ASKED, now) for worker in unknown}
        answers: dict[str, Any] = {}
        try:
            if unknown:
                asked = (can_read, address, name, fingerprint)
                answers = ask_each(client, unknown, HANGING_SECONDS, *asked)
        finally:  # also where the cluster went meanwhile: then they are asked again
            with self._lock:
                for worker in unknown:
                    self._note(worker, fingerprint, answers.get(worker), now)

    def _note(self, worker: str, fingerprint: str, answer: Any, now: float) -> None:
        """What a worker said to `can_read`; None if it was not asked."""
        if answer is None:
            self._readers.pop((worker, fingerprint), None)
            return
        why = answer if isinstance(answer, str) else f"{type(answer).__name__}: {answer}."
        if isinstance(answer, TimeoutError):
            why = "It does not answer."
        self._readers[worker, fingerprint] = why, now
        if why:
            self._tell(f"Worker {worker} cannot read the corpus itself: {why} {REMEDY}")

    def _unknown(self, worker: str, fingerprint: str, now: float) -> bool:
        why, since = self._readers.get((worker, fingerprint), ("", -1.0))
        return since < 0 or bool(why and now - since > ASK_AGAIN)

    def reads(self, worker: str, fingerprint: str) -> bool:
        """Whether a worker reads the corpus with this fingerprint."""
        return self._readers.get((worker, fingerprint), ("?", 0.0))[0] == ""

    def reads_no_more(self, worker: str, fingerprint: str, why: str) -> None:
        """A worker failed to read; `why` is told, once of all that it was asked for at once."""
        if self.reads(worker, fingerprint):
            self._readers[worker, fingerprint] = why, time.monotonic()
            self._tell(why)

    def forget(self, there: Container[str]) -> None:
        """Workers that are not there any more; one that comes in their place is asked anew."""
        with self._lock:
            gone = {worker for worker, _ in self._readers if worker not in there}
            gone |= {worker for worker in set(self._kept.values()) if worker not in there}
            if gone:
                self._readers = {k: v for k, v in self._readers.items() if k[0] not in gone}
                self._kept = {k: w for k, w in self._kept.items() if w not in gone}

    def holder(self, key: bytes) -> str:
        """The worker that has a part; empty if none is known."""
        return self._kept.get(key, "")

    def keeps(self, worker: str, keys: Sequence[bytes]) -> None:
        self._kept.update(dict.fromkeys(keys, worker))

    def keeps_not(self, key: bytes) -> None:
        self._kept.pop(key, None)
