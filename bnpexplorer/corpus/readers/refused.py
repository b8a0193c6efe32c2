"""Known forms of files that are not read: how each begins, its name, and the way out.

A form leaves this table when it gets a reader.
"""

import re

from ..corpus import CorpusError

ANOTHER = "give a text, CSV or ZIP file"
KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture", ANOTHER),
    (b"\xff\xd8\xff", "a JPEG picture", ANOTHER),
    (b"GIF8", "a GIF picture", ANOTHER),
    (b"II*\0", "a TIFF picture", ANOTHER),
    (b"MM\0*", "a TIFF picture", ANOTHER),
    (
        b"\xd0\xcf\x11\xe0",
        "an old or protected Word or Excel file",
        "save it as .docx or .xlsx without password, CSV or text",
    ),
    (b"SQLite format 3", "an SQLite database", "export a table as CSV"),
    (b"7z\xbc\xaf", "a 7z archive", "pack the texts as .zip"),
    (b"Rar!", "a RAR archive", "pack the texts as .zip"),
    *(
        (b"\x80%c" % version, "a Python pickle, which is never opened because it can run code",
         "save the table as CSV or Parquet")
        for version in (2, 3, 4, 5)
    ),
    (b"\x93NUMPY", "a NumPy array", "save the counts as Matrix Market"),
    (b"\xac\xed\0\x05", "a file of Java, such as MALLET's instances", "give the texts themselves"),
    *(
        (begin, "an R data file", "write the table with write.csv")
        for begin in (b"RDX2\n", b"RDX3\n", b"X\n\0\0\0")
    ),
    (b"$FL2", "an SPSS file", "export it as CSV"),
    (b"$FL3", "an SPSS file", "export it as CSV"),
    (b"<stata_dta>", "a Stata file", "export it as CSV"),
    (b"\x89HDF", "an HDF5 file", "export a table as CSV"),
    (b"Obj\x01", "an Avro file", "export it as CSV or Parquet"),
    (b"\x7fELF", "a program", ANOTHER),
    (b"MZ\x90", "a program", ANOTHER),
)  # fmt: skip
"""First bytes, what the file is, and the way out."""

TEXTS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), what, way)
    for pattern, what, way in (
        (r"<(\?xml\b|!DOCTYPE\s+(?!html)|TEI\b|mediawiki\b)", "an XML file",
         "save its texts as plain text or CSV"),
    )
)  # fmt: skip
"""How their text begins."""
SVMLIGHT = re.compile(r"[+-]?\d+(\.\d+)?( qid:\d+)?( \d+:[-+.\deE]+)+ *(#.*)?")
OFFICE = (
    ("ppt/presentation.xml", "a PowerPoint file", "save it as plain text"),
    (
        "content.xml",
        "an OpenDocument file",
        "save it as .odt or plain text, or a table as .xlsx or CSV",
    ),
    ("xl/workbook.bin", "an Excel file in binary form", "save it as .xlsx"),
    ("Index/Document.iwa", "a file of Pages, Numbers or Keynote", "export it as text or CSV"),
    ("[Content_Types].xml", "a Word or PowerPoint file", "save it as plain text"),
)
"""A part of a ZIP archive, what makes one with it, and the way out."""


def refuse(name: str, what: str, way: str) -> CorpusError:
    """The sentence that refuses a file."""
    return CorpusError(f"{name} is {what}, not text; {way}.")


def refuse_binary(name: str, start: bytes) -> None:
    """Raise CorpusError if a file that begins so holds no plain text."""
    for magic, what, way in KINDS:
        if start.startswith(magic):
            raise refuse(name, what, way)


def refuse_text(name: str, text: str, lines: list[str]) -> None:
    """Raise CorpusError if a text that begins so, and its first lines, are of a form that is not
    read."""
    begin = text[:20_000].lstrip("\ufeff \t\r\n")
    for pattern, what, way in TEXTS:
        if pattern.match(begin):
            raise CorpusError(f"{name} is {what}, which is not read; {way}.")
    if lines and all(map(SVMLIGHT.fullmatch, lines)):
        raise CorpusError(
            f"{name} is an svmlight file, whose numbers have no words; write the counts as Matrix "
            "Market and give their vocabulary."
        )


def refuse_office(name: str, paths: list[str]) -> None:
    """Raise CorpusError for a ZIP archive that is a document of some program."""
    known = set(paths)
    for part, what, way in OFFICE:
        if part in known and (part != "content.xml" or "mimetype" in known):
            raise refuse(name, what, way)
    if known and all(path.endswith(".npy") for path in known):
        raise refuse(name, "a file of NumPy arrays", "save the counts as Matrix Market")
