"""The forms of references: how each begins, and which of its tags stand for which column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .bibtex import ENTRY, FIRST_ENTRY

BEGIN = 5_000
"""Letters in which the first record begins: some programs write a few lines before it."""
FEW_REMARKS = 200
"""Letters in which the first entry of BibTeX begins where the ending does not tell: a text may cite
itself so further down."""


@dataclass(frozen=True)
class ReferenceForm:
    """One form of references."""

    title: str
    columns: Mapping[str, tuple[str, ...]]
    """Column -> tags, of which the first that is filled is taken."""
    dates: tuple[str, ...]
    """Tags of dates, the one with the surest year first."""
    begins: re.Pattern[str]
    """How the first record begins."""
    tag: re.Pattern[str] = ENTRY
    """A line with a tag and its value."""
    first: str = ""
    """The tag that begins a record; empty: a blank line parts records."""
    end: str = ""
    """The tag that ends a record, where there is one."""
    lists: frozenset[str] = frozenset()
    """Tags of which each line is a value."""
    between: str = " "
    """What stands between the lines of one value."""


RIS = ReferenceForm(
    "RIS",
    {
        "id": ("DO", "AN", "ID"),
        "title": ("TI", "T1", "CT", "BT"),
        "abstract": ("AB", "N2"),
        "journal": ("JF", "T2", "JO", "BT", "JA", "J2"),
        "type": ("TY",),
        "keywords": ("KW",),
        "authors": ("AU", "A1"),
    },
    ("PY", "Y1", "DA"),
    re.compile(r"^\ufeff?TY  -(?: .*)?\n\s*[A-Z][A-Z0-9]  -", re.MULTILINE),
    re.compile(r"([A-Z][A-Z0-9])  -(?: (.*))?$"),
    "TY",
    "ER",
    frozenset(("KW",)),
    between="\n",
)
LOOSE_RIS = replace(
    RIS,
    begins=re.compile(r"^\ufeff?TY ?-(?: .*)?\n\s*[A-Z][A-Z0-9] ?-", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9]) {0,2}-(?: (.*))?$"),
)
"""With fewer blanks behind a tag, as some programs write it."""
WEB_OF_SCIENCE = ReferenceForm(
    "Web of Science",
    {
        "id": ("UT", "DI"),
        "title": ("TI",),
        "abstract": ("AB",),
        "journal": ("SO", "SE", "JI"),
        "type": ("DT", "PT"),
        "keywords": ("DE", "ID"),
        "authors": ("AF", "AU", "BA"),
    },
    ("PY", "PD"),
    re.compile(r"(?:FN [^\n]*\n|VR [^\n]*\n|\s)*PT [A-Z]{1,3}[ \t]*\n(?:[A-Z][A-Z0-9] |ER)"),
    re.compile(r"([A-Z][A-Z0-9])(?: (.*))?$"),
    "PT",
    "ER",
    frozenset(["AU", "AF", "BA", "BE", "BF", "CA", "CR"]),
)
PUBMED = ReferenceForm(
    "PubMed",
    {
        "id": ("PMID",),
        "title": ("TI", "BTI", "TT"),
        "abstract": ("AB", "OAB"),
        "journal": ("JT", "TA"),
        "type": ("PT",),
        "keywords": ("OT", "MH"),
        "authors": ("FAU", "AU"),
    },
    ("DP", "DEP"),
    re.compile(r"\s*PMID ?- ?\d+[ \t]*\n[A-Z]{2,4} *-"),
    re.compile(r"(?=.{4}-)([A-Z]{2,4}) *-(?: (.*))?$"),
    "PMID",
)
ENDNOTE = ReferenceForm(
    "EndNote",
    {
        "id": ("R", "M"),
        "title": ("T",),
        "abstract": ("X",),
        "journal": ("J", "B"),
        "type": ("0",),
        "keywords": ("K",),
        "authors": ("A",),
    },
    ("D", "8"),
    re.compile(r"\s*%0 \S[^\n]*\n\s*%\S"),
    re.compile(r"%(\S)(?: (.*))?$"),
    "0",
    lists=frozenset(("K",)),
    between="\n",
)
REFER = replace(
    ENDNOTE,
    begins=re.compile(r"\s*(?=(?:[^\n]+\n)*?%T \S)%[A-Z] \S[^\n]*\n\s*%[A-Z0-9@] \S"),
    first="",
)
"""Without a type, as refer has it."""
BIBTEX = ReferenceForm(
    "BibTeX",
    {
        "id": ("unique-id", "doi", "pmid", "@key"),
        "title": ("title",),
        "abstract": ("abstract",),
        "journal": ("journal", "journaltitle", "booktitle", "publisher"),
        "type": ("@type",),
        "keywords": ("keywords", "keyword", "author_keywords"),
        "authors": ("author", "editor"),
    },
    ("date", "year", "@day"),
    FIRST_ENTRY,
)
TAGGED = (RIS, LOOSE_RIS, WEB_OF_SCIENCE, PUBMED, ENDNOTE, REFER)


def form_of(text: str, suffix: str = "") -> ReferenceForm | None:
    """Return the form of a file that begins so; None where it has no references."""
    begin = text[:BEGIN].lstrip("\ufeff \t\r\n")
    for form in (*TAGGED, BIBTEX):
        found = form.begins.search(begin) if form.first == "TY" else form.begins.match(begin)
        if found:
            return form
    return BIBTEX if ENTRY.search(text if suffix == ".bib" else begin[:FEW_REMARKS]) else None
