"""Letters that were broken on their way: a wrong encoding, and words parted at the ends of lines.

As `junk.py`, every function takes time in proportion to the text.
"""

import re
from collections.abc import Sequence

from .junk import Edit


def _byte_of() -> dict[str, int]:
    """Return letter -> the byte that cp1252 reads as it; latin-1 fills the gaps of cp1252."""
    found = {chr(byte): byte for byte in range(0x80, 0x100)}
    for byte in range(0x80, 0xA0):
        letter = bytes([byte]).decode("cp1252", "ignore")
        found |= {letter: byte} if letter else {}
    return found


BYTES = _byte_of()
_LATER = "[" + "".join(re.escape(letter) for letter, byte in BYTES.items() if byte < 0xC0) + "]"
UNIT = re.compile(rf"[\xc2-\xdf]{_LATER}|[\xe0-\xef]{_LATER}{{2}}|[\xf0-\xf4]{_LATER}{{3}}")
"""One letter of UTF-8, read as cp1252: Ã© for é."""
RUN = re.compile(rf"(?:{UNIT.pattern})+")
SURE = re.compile(
    rf"Ã(?![…–—‘’“”]){_LATER}|Â[\xa0-\xaa\xac-\xba\xbc-\xbf]|â[€‚„]{_LATER}|ð[Ÿ\x9f]{_LATER}{{2}}"
    rf"|(?:{UNIT.pattern}){{2}}"
)
"""What hardly stands in a sound text. One unit of another kind may: LIBERTÉ… holds one."""
PARTED = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ac]\r?\n[ \t]{0,20}(?=([^\W\d_]{1,7}))")
ALONE = frozenset(["und", "oder", "bzw", "sowie", "and", "or"])
"""Words before which a hyphen stands for the rest of a word: Haus- und Gartenbau."""


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with the edits made."""
    if not edits:
        return text
    pieces, at = [], 0
    for start, stop, new in edits:
        pieces += [text[at:start], new]
        at = stop
    return "".join([*pieces, text[at:]])


def wrong_encoding(text: str) -> list[Edit]:
    """Return UTF-8 that was read as cp1252, with its letters (é for Ã©), also where it happened
    twice."""
    if text.isascii() or not SURE.search(text):
        return []
    found: list[Edit] = []
    for run in RUN.finditer(text):
        edits = [edit for unit in UNIT.finditer(text, *run.span()) if (edit := _decoded(unit))]
        now = "".join(new for _, _, new in edits)
        whole = sum(stop - start for start, stop, _ in edits) == len(run[0])
        if whole and (again := wrong_encoding(now)):
            edits = [(*run.span(), edited(now, again))]
        found += edits
    return found


def _decoded(unit: re.Match[str]) -> Edit | None:
    try:
        return (*unit.span(), bytes(map(BYTES.__getitem__, unit[0])).decode())
    except UnicodeDecodeError:
        return None


def parted_words(text: str) -> list[Edit]:
    """Return hyphens at ends of lines where the next line goes on in small letters, with the
    break: Umwelt-ministerium is one word, Nord-Süd and Haus- und Gartenbau stay."""
    if "\n" not in text:
        return []
    return [
        (*match.span(), "")
        for match in PARTED.finditer(text)
        if match[1][0].islower() and match[1] not in ALONE
    ]
