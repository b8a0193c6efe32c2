"""Documents that somebody picked out, one bit each: as a filter keeps them, as an address has them.

D documents are (D + 7) // 8 bytes, the first document the highest bit of the first. An address has
them compressed by zlib, in the letters of base64 that need no escape.
"""

import base64
import binascii
import zlib

import numpy as np

from ..core.arrays import I64, Bools


def picked(rows: I64, n_docs: int) -> bytes:
    """The bits of these documents out of `n_docs`; none at all if there are no rows."""
    found = np.zeros(n_docs, bool)
    found[rows] = True
    return np.packbits(found).tobytes() if len(rows) else b""


def are_picked(bits: bytes, n_docs: int) -> Bools:
    """Which documents the bits stand for: bool (D,)."""
    found = np.unpackbits(np.frombuffer(bits, np.uint8), count=n_docs)
    return found.astype(bool)


def how_many(bits: bytes) -> int:
    return int.from_bytes(bits, "big").bit_count()


def as_letters(bits: bytes) -> str:
    """The bits as an address has them."""
    return base64.urlsafe_b64encode(zlib.compress(bits, 9)).decode().rstrip("=")


def of_letters(letters: str, n_docs: int) -> bytes:
    """The bits again; empty where the letters are not those of some of `n_docs` documents.

    An address is anybody's to write: no more is unpacked than so many documents have bits.
    """
    n_bytes = (n_docs + 7) // 8
    try:
        packed = base64.b64decode(letters + "=" * (-len(letters) % 4), b"-_", validate=True)
        reader = zlib.decompressobj()
        bits = reader.decompress(packed, n_bytes + 1)
    except (binascii.Error, ValueError, zlib.error):
        return b""
    spare = 8 * n_bytes - n_docs
    whole = reader.eof and len(bits) == n_bytes and not bits[-1] & ((1 << spare) - 1)
    return bits if whole and any(bits) else b""
