"""From bytes to text: refusing what is no text, finding the encoding and saying so.

Nothing is ever replaced or skipped silently: a file is decoded strictly, or refused with a reason.
"""

import codecs
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from charset_normalizer import from_bytes

from ...core.display import plural
from ..corpus import CorpusError
from .refused import refuse_binary

MAX_UNPACKED = 500_000_000
"""Most bytes that a compressed file may unpack to."""
CHUNK = 1 << 20
FEW_ZEROS = 0.001
"""The share of zero bytes in a text that are thought to be damage."""
SAMPLE = 1 << 16

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NAMES = {
    "ascii": "ASCII",
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with byte order mark",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 (little endian)",
    "utf-16-be": "UTF-16 (big endian)",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252",
    "cp1251": "Windows-1251",
    "cp1250": "Windows-1250",
    "latin_1": "ISO-8859-1",
}
# Among encodings that explain the bytes equally well, the commoner one wins.
PREFERRED = ("cp1252", "latin_1", "cp1251", "koi8_r", "cp932", "shift_jis", "euc_jp", "gb18030")


class Stored:
    """The bytes of a file on the disk, of which only what is asked for is held: it stands wherever
    readers take the bytes of a file that may be larger than memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = path.stat().st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(max(stop - start, 0))

    def open(self) -> IO[bytes]:
        return self.path.open("rb")

    def startswith(self, begin: bytes) -> bool:
        return self[: len(begin)] == begin


Data = bytes | Stored
"""The content of a file, in memory or on the disk."""


def pieces_of(data: Data) -> Iterator[bytes]:
    """The content, at most `CHUNK` bytes at a time."""
    return (data[start : start + CHUNK] for start in range(0, len(data), CHUNK))


def opened(data: Data) -> IO[bytes]:
    """A stream over the content."""
    return io.BytesIO(data) if isinstance(data, bytes) else data.open()


def is_blank(data: Data) -> bool:
    """Whether a file holds nothing but blanks."""
    return not any(piece.strip() for piece in pieces_of(data))


def encoding_name(codec: str) -> str:
    """The name people know: "Windows-1252" for "cp1252"."""
    return NAMES.get(codec, codec.replace("_", "-"))


def without_zeros(data: bytes) -> tuple[bytes, int]:
    """A text in UTF-8 without a few zero bytes, and how many there were; anything else as it is."""
    zeros = data.count(0)
    if not 0 < zeros <= max(FEW_ZEROS * len(data), 1) or data.startswith((b"PK", b"PAR1", b"%PDF")):
        return data, 0
    cleaned = data.replace(b"\0", b"")
    return (data, 0) if _first_bad(cleaned, "utf-8") is not None else (cleaned, zeros)


def find_encoding(name: str, data: Data, wanted: str = "") -> tuple[str, str]:
    """The codec of a text file and a sentence about it; the whole of `data` decodes with it.

    `wanted`: a codec named by the person, taken without guessing. Order of trial: byte order mark,
    UTF-8, UTF-16 without mark, then charset-normalizer's best guess.

    Raises CorpusError for bytes that are no text, an unknown codec, or bytes the codec lacks.
    """
    if is_blank(data):
        raise CorpusError(f"{name} is empty; give a file with at least one document.")
    if wanted:
        return _named(name, data, wanted)
    for mark, codec in BOMS:
        if data.startswith(mark):
            _insist(name, data, codec)
            return codec, f"encoding {encoding_name(codec)}"
    refuse_binary(name, data[:SAMPLE])
    codec = _utf16_without_mark(data)
    if codec and _first_bad(data, codec) is None:
        return codec, f"encoding {encoding_name(codec)} (no byte order mark; guessed)"
    controls = len(re.findall(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", data[:SAMPLE]))
    at = _first_zero(data)
    if at >= 0 or controls > 0.01 * min(len(data), SAMPLE):
        where = f" (a zero byte on line {_line_of(data, at):,})" if at >= 0 else ""
        raise CorpusError(
            f"{name} holds bytes that are no text{where}; give a text, CSV, JSON lines, Parquet "
            "or ZIP file."
        )
    bad = _first_bad(data, "utf-8")
    if bad is None:
        return "utf-8", "encoding UTF-8"
    return _guess(name, data, bad)


def decode(name: str, data: Data, wanted: str = "") -> tuple[str, str]:
    """The whole text of a file with newlines as `\\n`, and a sentence about its encoding."""
    codec, note = find_encoding(name, data, wanted)
    needed = decoded_size(data, codec)
    if needed > MAX_UNPACKED:
        raise CorpusError(
            f"{name} would take {needed / 1e6:,.0f} MB as text; the most is "
            f"{MAX_UNPACKED // 10**6:,} MB, so split it."
        )
    return open_text(data, codec, newline=None).read(), note


def open_text(data: Data, codec: str, newline: str | None = "") -> io.TextIOWrapper:
    """A text stream over `data`: decoded piece by piece, so that a large file is held only once."""
    return io.TextIOWrapper(opened(data), encoding=codec, newline=newline)


def decoded_size(data: Data, codec: str) -> int:
    """Bytes of the text that `data` becomes: Python takes as many for every letter as the widest of
    them needs, so that one emoji makes a text four times as large."""
    if codec not in ("utf-8", "utf-8-sig"):  # UTF-16 and 32 hold two bytes or more for a letter
        ascii_alone = all(piece.isascii() for piece in pieces_of(data))
        return len(data) if ascii_alone else 2 * len(data)
    widest, following = 0, 0
    for part in pieces_of(data):
        piece = np.frombuffer(part, np.uint8)
        widest = max(widest, int(piece.max()))
        following += int(np.count_nonzero((piece & 0xC0) == 0x80))
    return (len(data) - following) * (4 if widest >= 0xF0 else 2 if widest >= 0xC4 else 1)


def _named(name: str, data: Data, wanted: str) -> tuple[str, str]:
    try:
        codec = codecs.lookup(wanted).name
        " ".encode(codec)
    except (LookupError, ValueError):
        raise CorpusError(
            f"{name}: no text encoding is called {wanted!r}; try utf-8, cp1252 or utf-16."
        ) from None
    _insist(name, data, codec)
    return codec, f"encoding {encoding_name(codec)} (as asked)"


def _insist(name: str, data: Data, codec: str) -> None:
    bad = _first_bad(data, codec)
    if bad is not None:
        raise CorpusError(
            f"{name}, line {_line_of(data, bad):,}: the bytes there are not valid "
            f"{encoding_name(codec)}; choose another encoding, or save the file as UTF-8."
        )


def _first_bad(data: Data, codec: str) -> int | None:
    """Where decoding fails (within a few bytes), or None if all of it decodes."""
    decoder = codecs.getincrementaldecoder(codec)()
    start = 0
    try:
        for start in range(0, len(data), CHUNK):
            decoder.decode(data[start : start + CHUNK], start + CHUNK >= len(data))
    except UnicodeError as error:
        return min(start + getattr(error, "start", 0), len(data) - 1)
    return None


def _line_of(data: Data, offset: int) -> int:
    whole = range(0, offset, CHUNK)
    return sum(data[a : min(a + CHUNK, offset)].count(b"\n") for a in whole) + 1


def _first_zero(data: Data) -> int:
    """Where the first zero byte is; -1 if there is none."""
    for i, piece in enumerate(pieces_of(data)):
        at = piece.find(b"\0")
        if at >= 0:
            return i * CHUNK + at
    return -1


def _utf16_without_mark(data: Data) -> str:
    """UTF-16 text of mostly Latin letters has a zero in every second byte."""
    head = data[:SAMPLE]
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.4 * half and even < 0.01 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.01 * half:
        return "utf-16-be"
    return ""


def _guess(name: str, data: Data, bad: int) -> tuple[str, str]:
    # No regular expression: one that tries a long line from every place took minutes for 100 kB.
    lines = [line for line in data[: 64 * CHUNK].split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[: 2 * SAMPLE]
    _refuse_nearly_utf8(name, data, bad)
    found = list(from_bytes(sample[:SAMPLE]))
    if not found:
        raise CorpusError(
            f"{name}, line {_line_of(data, bad):,}: no encoding explains the bytes; save the file "
            "as UTF-8, or choose its encoding."
        )
    best = (found[0].chaos, found[0].coherence)
    tied = [c for m in found if (m.chaos, m.coherence) == best for c in m.could_be_from_charset]
    codec = next((c for c in PREFERRED if c in tied), found[0].encoding)
    _insist(name, data, codec)
    words = [w for w in re.findall(r"\w+", sample.decode(codec, "ignore")) if not w.isascii()]
    seen = ", ".join(f"“{word}”" for word in [*dict.fromkeys(words)][:3])
    check = f"; it gives words such as {seen}: if they look wrong, choose the encoding"
    return codec, f"encoding guessed as {encoding_name(codec)}{check if seen else ''}"


def _refuse_nearly_utf8(name: str, data: Data, bad: int) -> None:
    """A UTF-8 file with a few broken bytes must not be read as something else from end to end."""
    good, spoilt = 0, 0
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces_of(data):  # letters that two pieces share are few among all
        good += len(re.findall(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}", piece))
        spoilt += decoder.decode(piece).count("\ufffd")
    spoilt += decoder.decode(b"", True).count("\ufffd")
    if good > 4 * spoilt:
        raise CorpusError(
            f"{name}, line {_line_of(data, bad):,}: the file is UTF-8 except for "
            f"{plural(spoilt, 'broken character')}, the first one there; mend that line, or choose "
            "the encoding."
        )
