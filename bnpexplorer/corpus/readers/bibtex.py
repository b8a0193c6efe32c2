"""Entries of BibTeX as records, and the letters of what LaTeX writes with commands."""

import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ...core.display import plural

ENTRY = re.compile(r"^[ \t]*@\w{3,20}\s*[{(]\s*[^,{}()=\n]{0,200},\s*[\w-]+\s*=", re.MULTILINE)
FIRST_ENTRY = re.compile(
    r"(?:%[^\n]*\n|@(?:string|comment|preamble)\b[^\n]*\n|\s)*"
    r"@\w{3,20}\s*[{(]\s*[^\s,{}]*\s*,\s*[\w-]+\s*=",
    re.IGNORECASE,
)
"""The first entry, after remarks and abbreviations."""
COMMAND_BEGINS = re.compile(
    rf"{ENTRY.pattern}|^[ \t]*@(?:string|comment|preamble)\b", re.MULTILINE | re.IGNORECASE
)
QUOTED = re.compile(r"\\\"\s*(?:\{[^{}]{1,3}\}|\\?[A-Za-z])")
"""A letter with its dots, which ends no value in quotes."""
ODD_KEY = re.compile(r"^([ \t]*@\w+\s*\{)[ \t]*([^,{}()=\"\n]{0,200}),", re.MULTILINE)
AS_WRITTEN = frozenset(("doi", "url", "file", "eprint", "pmid", "unique-id", "issn", "isbn"))
"""Fields that hold no LaTeX."""
ESCAPED = re.compile(r"\\(?=[_%&#])")
LISTS = frozenset(("author", "editor"))
FIRST_DAMAGED = 3
CLOSING = "}}}"
"""What a value that was cut, and its entry, may lack."""


def bibtex_records(text: str, notes: list[str]) -> Iterator[dict[str, str]]:
    """The entries of a text, field -> value in letters, with "@type", "@key" and "@day", the day
    and month. An entry that is damaged is read as far as it goes, which `notes` tell at the end."""
    from pybtex.database.input.bibtex import month_names  # type: ignore[import-untyped]

    text = QUOTED.sub(r"{\g<0>}", ODD_KEY.sub(_with_key, text))
    macros, damaged = _Macros(month_names), list[int]()
    # Each entry is parsed on its own, so that a brace that is never closed costs this entry alone.
    starts = [found.start() for found in COMMAND_BEGINS.finditer(text)]
    line, before = 1, 0
    for start, stop in pairwise([*starts, len(text)]):
        line, before = line + text.count("\n", before, start), start
        found, whole = _parsed(text[start:stop], macros)
        if not whole:
            damaged.append(line)
            found, _ = _parsed(text[start:stop].rstrip() + CLOSING, macros)
        yield from found
    if damaged:
        at = ", ".join(f"{line:,}" for line in damaged[:FIRST_DAMAGED])
        more = ", ..." if len(damaged) > FIRST_DAMAGED else ""
        notes.append(
            f"{plural(len(damaged), 'entry', 'entries')} could not be read to the end (line {at}"
            f"{more}); what stands there before the damage is read. Mend braces and commas there."
        )


def _parsed(text: str, macros: "_Macros") -> tuple[list[dict[str, str]], bool]:
    """The entries of a text up to the first damage, and whether there is none."""
    from pybtex.database.input.bibtex import LowLevelParser

    problems: list[Exception] = []
    found = []
    for kind, (key, *rest) in LowLevelParser(text, handle_error=problems.append, macros=macros):
        if kind.lower() not in ("string", "preamble"):
            found.append(_record(kind, key or "", rest[0]))
        if problems:
            break
    return found, not problems


class _Macros(dict[str, str]):
    """Abbreviations by their names in small letters; one that is not defined is its name."""

    def __getitem__(self, name: str) -> str:
        return self.get(name.lower(), name)

    def __setitem__(self, name: str, value: str) -> None:
        super().__setitem__(name.lower(), value)


def _with_key(found: re.Match[str]) -> str:
    """The begin of an entry whose key has no blanks."""
    return f"{found[1]}{'_'.join(found[2].split()) or '-'},"


def _record(kind: str, key: str, fields: list[tuple[str, Any]]) -> dict[str, str]:
    record = {"@type": kind.lower(), "@key": key.strip("-")}
    for name, parts in fields:
        name, value = name.lower(), " ".join("".join(parts).split())
        value = ESCAPED.sub("", value) if name in AS_WRITTEN else in_letters(value)
        if name in LISTS:
            value = value.replace(" and ", "; ")
        record.setdefault(name, value)
    month, day = record.pop("month", ""), record.pop("day", "")
    if month.isdecimal():
        record["@day"] = "-".join(filter(None, (record.get("year", ""), month, day)))
    elif month:
        record["@day"] = f"{day} {month}".strip()
    return record


# ---- LaTeX -------------------------------------------------------------------------------------

ACCENT = (
    r"\\[`'^\"~=.] ?(?:\{ ?\\?[A-Za-z] ?\}|\\[ij](?![A-Za-z])|[A-Za-z])"
    r"|\\[cvuHkbdr](?: ?\{ ?\\?[A-Za-z] ?\}| [A-Za-z](?![A-Za-z]))"
)
COMMAND = re.compile(rf"{ACCENT}|\\[A-Za-z]+\*? ?|\\.|-{{2,3}}|``|''|~|[{{}}]|\$")
"""A letter with its accent, another command, and signs that LaTeX writes in its own way."""
NO_TEXT = re.compile(
    r"\\(?:cite[a-z]{0,9}|ref|label|begin|end)\*?(?:\[[^\]]{0,80}\])? {0,2}\{[^{}]{0,200}\}"
)
MATHS = re.compile(r"\$([^$\n]{1,200})\$")
PLAIN = {
    **{"{": "", "}": "", "$": "", r"\$": "$", "~": " ", r"\ ": " ", r"\,": " ", r"\\": " "},
    **{r"\textquoteleft": "‘", r"\textquoteright": "’", r"\textless": "<", r"\textgreater": ">"},
    **{r"\textquotedblleft": "“", r"\textquotedblright": "”"},
}
"""What latexcodec leaves as it is."""
SIGNS = ("\\", "{", "}", "$", "~", "--", "``", "''")


def in_letters(text: str) -> str:
    r"""The letters that LaTeX shows of a text: Müller for M{\"u}ller. Commands go, and their
    arguments stay."""
    if not any(sign in text for sign in SIGNS):
        return text
    if "$" in text:
        text = MATHS.sub(lambda found: re.sub(r"(?<!\\)[_^]", "", found[0]), text)
    text = COMMAND.sub(lambda found: _letters(found[0]), NO_TEXT.sub(" ", text))
    return " ".join(text.split())


@lru_cache(1 << 12)
def _letters(command: str) -> str:
    import latexcodec  # noqa: F401  (it registers the codec)

    name = command if len(command) == 2 else command.strip()
    if name in PLAIN:
        return PLAIN[name]
    if len(name) > 2 and not name[1].isalpha():  # an accent: of \'{\i} it knows \'\i
        name = re.sub(r"[{}\s]", "", name)
    for written in (name, f"${name}$"):  # some are known within formulas alone
        decoded: str = codecs.decode(written, "ulatex")  # type: ignore[call-overload]
        shown = re.sub("[{}$]", "", decoded).strip()
        if not shown.startswith("\\"):
            return shown
    return " " * command.endswith(" ") if name[1].isalpha() else name[1:]
