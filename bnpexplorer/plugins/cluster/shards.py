"""On a worker: the counts of a stored corpus at an address, checked and opened once.

An address is a folder, as this machine and others see it, or whatever fsspec reads (`s3://...`).
From a folder documents are read where they lie; of anything else the blocks that are asked for are
copied to this machine's disk, since a mini-batch is a few bytes here and a few there.
"""

import os
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arrays import I32, I64, Bools
from ...corpus.corpus import CorpusError
from ...corpus.stored.counts import StoredCounts
from ...corpus.stored.elsewhere import SPARE, said
from ...corpus.stored.layout import (
    COUNTS,
    HEADER,
    INDPTR,
    MANIFEST,
    TYPES,
    WORD_IDS,
    Manifest,
    manifest_of,
    read_manifest,
)
from ...corpus.stored.stored import missing

BLOCK = 2**18
"""Bytes that are copied at once: a request takes as long as some 100 kB on most networks."""
FILES = (INDPTR, WORD_IDS, COUNTS)

MOST_OPEN = 8
"""Corpora that a worker keeps open: more than most apps learn from at once. Each has three open
files, of which a process may often have 256 in all, and one that lies elsewhere a copy on the
worker's disk as large as its counts."""

_OPENED: "OrderedDict[tuple[str, str], StoredCounts]" = OrderedDict()
"""Address and fingerprint -> counts; what was used last is last. Files stay open."""
_LOCK = threading.Lock()


def shards_at(asked: str) -> str:
    """An address as a person gives it: paths become whole, since workers run in other folders.

    Raises ValueError if it is none.
    """
    address = asked.strip()
    if not address or address.startswith("://"):
        raise ValueError(
            "Where workers read is a folder's path, or an address such as s3://BUCKET/news.corpus; "
            f"got {asked!r}."
        )
    return address if "://" in address else os.path.abspath(address)


def counts_at(
    address: str, name: str, fingerprint: str, scratch: str | None = None
) -> StoredCounts:
    """The counts of the corpus with this fingerprint, in the folder at an address or in the folder
    called `name` within it. `scratch`: where copies go.

    Raises CorpusError, which says why they cannot be read.
    """
    found = _used((address, fingerprint))
    if found is None:  # outside the lock: a disk that does not answer holds up nobody else
        found = _used((address, fingerprint), _opened(address, name, fingerprint, scratch))
        assert found is not None
    return found


def _used(key: tuple[str, str], opened: StoredCounts | None = None) -> StoredCounts | None:
    """Return the open counts of `key`, or `opened`. The least recently used counts are dropped:
    their files and copies go once nothing reads from them."""
    with _LOCK:
        found = _OPENED.pop(key, opened)
        if found is not None:
            _OPENED[key] = found
        while len(_OPENED) > MOST_OPEN:
            _OPENED.popitem(last=False)
        return found


def open_anew(address: str, fingerprint: str) -> None:
    """Forget the open counts of `fingerprint`, which were faulty, so that they are opened again."""
    with _LOCK:
        _OPENED.pop((address, fingerprint), None)


def _opened(address: str, name: str, fingerprint: str, scratch: str | None) -> StoredCounts:
    problems = []
    for place in (address, f"{address.rstrip('/')}/{name}"):
        try:
            found = _remote(place, scratch) if "://" in place else _local(Path(place))
        except CorpusError as problem:
            problems.append(str(problem))
            continue
        if found.manifest.fingerprint == fingerprint:
            return found
        problems.append(f"In {said(place)} is another corpus, that of {found.manifest.name!r}.")
    raise CorpusError(problems[0])


def _local(folder: Path) -> StoredCounts:
    manifest = read_manifest(folder)
    if fault := missing(folder, manifest):
        raise CorpusError(fault)
    return StoredCounts(folder, manifest)


def _remote(address: str, scratch: str | None) -> StoredCounts:
    shown = said(address)
    try:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem

        system, path = url_to_fs(address)
        if isinstance(system, LocalFileSystem):  # `file://`
            return _local(Path(path))
        written = system.cat_file(f"{path}/{MANIFEST}").decode("utf-8")
        manifest = manifest_of(written, shown, f"{shown}/{MANIFEST}")
        for name in FILES:
            found, size = system.size(f"{path}/{name}"), manifest.sizes()[name]
            if found != size:
                raise CorpusError(f"{shown}/{name} has {found:,} bytes in place of {size:,}.")
    except CorpusError:
        raise
    except FileNotFoundError:
        raise CorpusError(f"There is no stored corpus in {shown}.") from None
    except Exception as problem:  # of many kinds, whose words may hold the address with its secrets
        raise CorpusError(f"{shown} cannot be read ({type(problem).__name__}).") from problem
    return Copied(system, path, shown, manifest, scratch)


class Copied(StoredCounts):
    """Counts at a remote address; each block is copied when it is first needed.

    The copy ends with the process. Raises CorpusError if the disk has no room for all of it.
    """

    def __init__(
        self, system: Any, path: str, shown: str, manifest: Manifest, scratch: str | None
    ) -> None:
        folder = Path(tempfile.mkdtemp(prefix="bnpexplorer-shards-", dir=scratch))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        super().__init__(folder, manifest, shown)
        self._system, self._path = system, path
        self._sizes = {name: manifest.sizes()[name] for name in FILES}
        self._there: dict[str, Bools] = {}
        self._bringing = threading.Lock()
        room, all_of_it = shutil.disk_usage(folder).free - SPARE, sum(self._sizes.values())
        if all_of_it > room:
            raise CorpusError(
                f"A copy of the counts in {shown} has {all_of_it / 1e6:,.0f} MB, for which the "
                f"disk has no room ({max(room, 0) / 1e6:,.0f} MB)."
            )
        for name, size in self._sizes.items():
            with open(folder / name, "wb") as file:
                file.truncate(size)  # takes no room until it is written
            self._there[name] = np.zeros(-(-size // BLOCK), bool)

    def documents(self, firsts: I64, lasts: I64) -> tuple[I64, I32, I32]:
        self._bring(INDPTR, firsts, lasts + 1)
        begins = [int(self.read(INDPTR, first, first + 1)[0]) for first in firsts.tolist()]
        ends = [int(self.read(INDPTR, last, last + 1)[0]) for last in lasts.tolist()]
        for name in (WORD_IDS, COUNTS):
            self._bring(name, np.array(begins, np.int64), np.array(ends, np.int64))
        return super().documents(firsts, lasts)

    def _bring(self, name: str, firsts: I64, lasts: I64) -> None:
        """Copy the blocks of a file that hold numbers `firsts` to `lasts`, as far as they lack."""
        size, there = self._sizes[name], self._there[name]
        item = int(TYPES[name][2])
        begins = np.clip(HEADER + item * firsts, 0, size - 1)
        ends = np.clip(HEADER + item * lasts - 1, 0, size - 1)
        with self._bringing:
            wanted = np.zeros(len(there) + 1, np.int64)
            np.add.at(wanted, begins // BLOCK, 1)
            np.add.at(wanted, ends // BLOCK + 1, -1)
            lacking = list(_runs((wanted.cumsum()[:-1] > 0) & ~there))
            starts = [BLOCK * a for a, _ in lacking]
            stops = [min(BLOCK * b, size) for _, b in lacking]
            try:
                urls = [f"{self._path}/{name}"] * len(lacking)
                found = self._system.cat_ranges(urls, starts, stops) if lacking else []
                with open(self.folder / name, "r+b") as file:
                    for start, stop, data in zip(starts, stops, found, strict=True):
                        if isinstance(data, BaseException):
                            raise data
                        if len(data) != stop - start:
                            raise EOFError("it ends too early")
                        file.seek(start)
                        file.write(data)
            except Exception as problem:  # of many kinds, as in `_remote`
                place = int(firsts[0])
                document = place if name == INDPTR else None
                why = f"{name}: {type(problem).__name__}"
                raise self._damaged(document, why, place) from problem
            for a, b in lacking:
                there[a:b] = True


def _runs(wanted: Bools) -> Iterator[tuple[int, int]]:
    """Yield the wanted places as ranges."""
    edges = np.flatnonzero(np.diff(wanted, prepend=False, append=False))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
