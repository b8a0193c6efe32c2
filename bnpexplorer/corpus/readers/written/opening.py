"""Which documents of writing programs are read, how they are known, and what reads them."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from ..archives import BROKEN, ZIPS
from ..decoding import opened
from ..reader import Look
from .blocks import Written
from .docx import is_docx, read_docx
from .epub import CONTAINER, read_epub
from .odt import KIND, read_odt
from .pdf import BEGIN as PDF
from .pdf import read_pdf
from .rtf import BEGIN as RTF
from .rtf import read_rtf


@dataclass(frozen=True)
class DocumentForm:
    """One form of documents."""

    key: str
    """Its name in scripts, and its ending without the dot."""
    title: str
    sentence: str
    fits: Callable[[Look], bool]
    """Whether the content of a file is of this form, whatever its name."""
    read: Callable[[str, bytes], Written]
    """Reads what messages call by a name. Raises CorpusError."""

    @property
    def suffix(self) -> str:
        return f".{self.key}"


def _is_odt(look: Look) -> bool:
    if "mimetype" not in look.parts:
        return False
    try:
        with zipfile.ZipFile(opened(look.data)) as archive, archive.open("mimetype") as kind:
            return kind.read(len(KIND)) == KIND
    except (*BROKEN, RuntimeError):
        return False


FORMS = (
    DocumentForm(
        "docx",
        "Word",
        "Text with tables and notes; no comments, nothing deleted.",
        lambda look: is_docx(look.parts),
        read_docx,
    ),
    DocumentForm(
        "odt",
        "OpenDocument text",
        "Text with tables and notes; no comments, nothing deleted.",
        _is_odt,
        read_odt,
    ),
    DocumentForm(
        "epub",
        "EPUB",
        "A book in its order, without navigation.",
        lambda look: CONTAINER in look.parts,
        read_epub,
    ),
    DocumentForm("rtf", "RTF", "Text.", lambda look: look.start.startswith(RTF), read_rtf),
    DocumentForm(
        "pdf",
        "PDF",
        "The text layer; scans have none.",
        lambda look: look.start.startswith(PDF) or (look.suffix == ".pdf" and PDF in look.start),
        read_pdf,
    ),
)
KEYS = tuple(form.key for form in FORMS)
SUFFIXES = tuple(form.suffix for form in FORMS)


def form_of(look: Look) -> DocumentForm | None:
    """The form of a file; None for another one. A ZIP archive without entries, such as one that was
    cut short, is of the form that its name says."""
    found = next((form for form in FORMS if form.fits(look)), None)
    if found is None and look.start[:4] in ZIPS and not look.parts:
        return next(
            (f for f in FORMS if f.suffix == look.suffix and f.key not in ("rtf", "pdf")), None
        )
    return found
