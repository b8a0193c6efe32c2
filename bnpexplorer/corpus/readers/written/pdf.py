"""PDF documents, by the package pypdf: the text that they hold, and no pictures of text."""

import io
import logging
import re

from ...corpus import CorpusError
from ...words.language.stems import imported
from ..source import reason
from .blocks import Block, Written

BEGIN = b"%PDF"
NO_TITLE = re.compile(
    r"\s*(untitled.*|microsoft \w+ - .*|[^\s]+\.(docx?|odt|rtf|tex|dvi|indd|pdf|qxd|pptx?))\s*",
    re.IGNORECASE,
)
"""Titles that programs give."""


def read_pdf(where: str, data: bytes) -> Written:
    """A PDF document, a block a page; a scan has none. The bookmarks of the highest level are
    headings of the pages that they lead to.

    Raises CorpusError for one that is damaged or encrypted, and where pypdf is not installed.
    """
    pypdf = imported("pypdf", f"{where} is a PDF document: such are read")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not _opens(reader):
            raise CorpusError(
                f"{where} is a PDF document that is protected by a password; save it without one."
            )
        chapters = _bookmarks(reader)
        blocks = []
        for number, page in enumerate(reader.pages):
            blocks += [*chapters.get(number, ()), Block(page.extract_text())]
        title = str(getattr(reader.metadata, "title", None) or "")
    except (CorpusError, MemoryError):
        raise
    except Exception as error:  # on hostile bytes pypdf raises every kind
        raise CorpusError(
            f"{where} is a damaged or unusual PDF document ({reason(error)}); save it again, or "
            "copy its text into a .txt file."
        ) from None
    if not any(block.text.strip() for block in blocks if not block.level):
        blocks = []
    return Written.of("" if NO_TITLE.fullmatch(title) else title, blocks)


def _opens(reader: object) -> bool:
    """Whether an encrypted document can be read without a password."""
    try:
        return bool(reader.decrypt(""))  # type: ignore[attr-defined]
    except Exception:  # also where a package for its kind of encryption is missing
        return False


def _bookmarks(reader: object) -> dict[int, list[Block]]:
    """Number of a page, from 0 -> the headings that lead to it."""
    found: dict[int, list[Block]] = {}
    try:
        for mark in reader.outline:  # type: ignore[attr-defined]
            if isinstance(mark, list):  # those below the last one
                continue
            page = reader.get_destination_page_number(mark)  # type: ignore[attr-defined]
            found.setdefault(page, []).append(Block(str(mark.title), 1))
    except Exception:  # bookmarks that lead nowhere are no reason not to read the text
        return {}
    return found
