"""Files packed with gzip, xz, bzip2 or zstd: what they hold, within the same budget for each."""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Protocol

import pyarrow as pa

from ..corpus import CorpusError
from .decoding import CHUNK, MAX_UNPACKED, Data, opened
from .source import reason

MAX_DICTIONARY = 1 << 28
"""Most bytes of memory that unpacking xz may take: its own largest setting takes 65 MB, and the
head of a file may ask for 4 GB."""


class BoundedStream(Protocol):
    """What hands out unpacked bytes, at most so many at a time, and none at its end."""

    def read(self, n: int, /) -> bytes: ...


@dataclass(frozen=True)
class Packing:
    """One way to pack a file."""

    name: str
    magic: bytes
    """The first bytes of every such file."""
    suffix: str
    open: Callable[[IO[bytes]], BoundedStream]

    @property
    def note(self) -> str:
        return f"Unpacked with {self.name}."

    def inner(self, name: str) -> str:
        """The name of what is inside: without the packing's ending."""
        return re.sub(rf"\{self.suffix}$", "", name, flags=re.IGNORECASE)


def unpacked(name: str, data: bytes) -> tuple[str, bytes, str]:
    """The name without the packing's ending, at most `MAX_UNPACKED` bytes of content, and a
    sentence; a file that is not packed stays as it is, without one. Raises CorpusError."""
    packing = packing_of(data)
    if packing is None:
        return name, data, ""
    content = b"".join(contents(name, data, packing, MAX_UNPACKED))
    return packing.inner(name), content, packing.note


def packing_of(data: Data) -> Packing | None:
    """How a file is packed, by its first bytes; None if it is not."""
    return next((p for p in PACKINGS if data.startswith(p.magic)), None)


def contents(name: str, data: Data, packing: Packing, most: int | None = None) -> Iterator[bytes]:
    """The unpacked content piece by piece, `most` bytes in all. Raises CorpusError."""
    size = 0
    try:
        stream = packing.open(opened(data))
        while piece := stream.read(CHUNK):
            yield piece
            size += len(piece)
            if most is not None and size > most:
                raise CorpusError(
                    f"{name} unpacks to more than {most // 10**6:,} MB; split it, or give a part."
                )
    except MemoryError:
        raise  # one of pyarrow's exceptions is both
    except EOFError:
        raise CorpusError(
            f"{name} ends in the middle of its {packing.name} data; it was cut short, so copy or "
            "download it again."
        ) from None
    except (OSError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
        raise CorpusError(
            f"{name} is a damaged {packing.name} file ({reason(error)}); copy or download it again."
        ) from None


class _Xz:
    """The streams of an xz file, one after the other: `lzma.open` knows no limit of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._rest, self._stream = file, b"", self._next()

    def _next(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY)

    def read(self, n: int, /) -> bytes:
        while True:
            if self._stream.eof:
                rest = self._stream.unused_data.lstrip(b"\0")  # what may stand between streams
                while not rest and (rest := self._file.read(CHUNK)):
                    rest = rest.lstrip(b"\0")
                if not rest:
                    return b""
                self._rest, self._stream = rest, self._next()
            if not self._rest and self._stream.needs_input:
                self._rest = self._file.read(CHUNK)
                if not self._rest:  # and all of the file is used up
                    raise EOFError
            piece = self._stream.decompress(self._rest, n)
            self._rest = b""
            if piece:
                return piece


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", ".gz", lambda file: gzip.GzipFile(fileobj=file)),
    Packing("xz", b"\xfd7zXZ\x00", ".xz", _Xz),
    Packing("bzip2", b"BZh", ".bz2", lambda file: bz2.BZ2File(file)),
    Packing(
        "zstd",
        b"\x28\xb5\x2f\xfd",
        ".zst",
        lambda file: pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"),
    ),
)
