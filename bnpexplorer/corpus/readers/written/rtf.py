"""RTF documents, by the package striprtf."""

import codecs
import re

from ...corpus import CorpusError
from .blocks import Block, Written

BEGIN = b"{\\rtf"
CODEPAGE = re.compile(rb"\\ansicpg(\d{1,5})")
BRACES = re.compile(rb"\\[\\{}]|[{}]")
TITLE = re.compile(r"\{\\title\s([^{}]*)\}")


def read_rtf(where: str, data: bytes) -> Written:
    """An RTF document; it has no headings here. Raises CorpusError."""
    from striprtf.striprtf import rtf_to_text

    if not _is_whole(data):
        raise CorpusError(
            f"{where} is an RTF document that ends in its middle; it was cut short, so copy or "
            "download it again."
        )
    found = CODEPAGE.search(data[:1000])
    codec = _codec(found[1].decode() if found else "")
    letters = data.decode(codec, "replace")

    def plain(rtf: str) -> str:
        try:
            text: str = rtf_to_text(rtf, codec, "replace")
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise CorpusError(
                f"{where} is a damaged RTF document ({error}); save it again, or as plain text."
            ) from None

    title = TITLE.search(letters[:20_000])
    named = plain(f"{{\\rtf1 {title[1]}}}") if title else ""
    return Written.of(named, map(Block, plain(letters).split("\n")))


def _is_whole(data: bytes) -> bool:
    """Whether the brace that the document begins with is closed."""
    depth = 0
    for brace in BRACES.finditer(data):
        depth += {b"{": 1, b"}": -1}.get(brace[0], 0)
        if depth == 0:
            return True
    return False


def _codec(number: str) -> str:
    """The codec of a code page; Windows-1252 where it is unknown."""
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return "cp1252"
