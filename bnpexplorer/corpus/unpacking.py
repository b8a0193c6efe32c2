"""Files packed with gzip, xz, bzip2 or zstd: what they hold, within the same budget for each."""

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from .corpus import CorpusError
from .decoding import CHUNK, MAX_UNPACKED
from .source import reason

MAX_DICTIONARY = 1 << 28
"""Most bytes of memory that unpacking xz may take: its own largest setting takes 65 MB, and the
head of a file may ask for 4 GB."""


class Stream(Protocol):
    """What hands out unpacked bytes, at most so many at a time, and none at its end."""

    def read(self, n: int, /) -> bytes: ...


@dataclass(frozen=True)
class Packing:
    """One way to pack a file."""

    name: str
    magic: bytes
    """The first bytes of every such file."""
    suffix: str
    open: Callable[[bytes], Stream]


def unpacked(name: str, data: bytes) -> tuple[str, bytes, str]:
    """The name without the packing's ending, at most `MAX_UNPACKED` bytes of content, and a
    sentence; a file that is not packed stays as it is, without one. Raises CorpusError."""
    packing = next((p for p in PACKINGS if data.startswith(p.magic)), None)
    if packing is None:
        return name, data, ""
    content = _content(name, data, packing)
    inner = re.sub(rf"\{packing.suffix}$", "", name, flags=re.IGNORECASE)
    return inner, content, f"Unpacked with {packing.name}."


def _content(name: str, data: bytes, packing: Packing) -> bytes:
    pieces, size = [], 0
    try:
        stream = packing.open(data)
        while piece := stream.read(CHUNK):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_UNPACKED:
                raise CorpusError(
                    f"{name} unpacks to more than {MAX_UNPACKED // 10**6:,} MB; split it, or give "
                    "a part."
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
    return b"".join(pieces)


class _Xz:
    """The streams of an xz file, one after the other: `lzma.open` knows no limit of memory."""

    def __init__(self, data: bytes) -> None:
        self._rest, self._stream = data, self._next()

    def _next(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY)

    def read(self, n: int, /) -> bytes:
        while True:
            if self._stream.eof:
                rest = self._stream.unused_data.lstrip(b"\0")  # what may stand between streams
                if not rest:
                    return b""
                self._rest, self._stream = rest, self._next()
            piece = self._stream.decompress(self._rest, n)
            self._rest = b""
            if piece:
                return piece
            if not self._stream.eof:  # and all of the file is used up
                raise EOFError


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", ".gz", lambda data: gzip.GzipFile(fileobj=io.BytesIO(data))),
    Packing("xz", b"\xfd7zXZ\x00", ".xz", _Xz),
    Packing("bzip2", b"BZh", ".bz2", lambda data: bz2.BZ2File(io.BytesIO(data))),
    Packing(
        "zstd",
        b"\x28\xb5\x2f\xfd",
        ".zst",
        lambda data: pa.CompressedInputStream(pa.BufferReader(data), "zstd"),
    ),
)
