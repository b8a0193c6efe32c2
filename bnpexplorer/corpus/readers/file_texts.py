"""From a file to the texts of its documents: one, or one for each heading."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ...core.display import plural
from ..corpus import CorpusError
from .decoding import Data, decode
from .reader import Look
from .refused import refuse_binary
from .source import BY_HEADINGS, ReadOptions
from .text import is_html, without_tags
from .written.blocks import Written
from .written.opening import FORMS, SUFFIXES, form_of
from .written.webpage import written_page

HTML = (".html", ".htm", ".xhtml")
MARKDOWN = (".md", ".markdown")
FRONT = re.compile(r"\A\s*---\n(?:[^\n]*\n){0,200}?---\n")
"""Names and values above a text in Markdown."""
KINDS = {
    "zip": "a ZIP of texts",
    "tar": "a tar archive of texts",
    "folder": "a folder of texts",
    "html": "HTML",
} | {form.key: form.title for form in FORMS}
"""Key of a reader, or "tar" -> what it reads, in a sentence."""
NAMED = 3
"""Files that a sentence names."""


@dataclass(frozen=True)
class Part:
    """A document of a file."""

    title: str
    """Its own; empty where it has none."""
    text: str


class Decoding:
    """Turns files into texts, one after the other, and counts encodings and forms."""

    def __init__(self, name: str, options: ReadOptions, html: bool = False) -> None:
        """`html`: whether all files are HTML, whatever their names."""
        self._name, self._options, self._html = name, options, html
        self._apart = options.split == BY_HEADINGS
        self._encodings, self._forms = Counter[str](), Counter[str]()
        self._without_text: list[str] = []
        self._without_headings: list[str] = []
        self._unread: dict[str, CorpusError] = {}
        self._filled, self._n_parts = False, 0
        self.n_headings = 0
        """Headings of the files that can be read by headings."""

    def parts(self, path: str, data: bytes) -> list[Part]:
        """Return the documents of a file, at least one; one without text for a blank file, and for
        a damaged or encrypted document among other files. Raises CorpusError."""
        found = self._parts(path, data) if data.strip() else [Part("", "")]
        self._filled = self._filled or any(part.text.strip() for part in found)
        self._n_parts += len(found)
        return found

    def _parts(self, path: str, data: bytes) -> list[Part]:
        where = f"{self._name}, entry {path}" if path != self._name else self._name
        look = Look(path, data)
        form = form_of(look)
        if form is None and look.suffix not in SUFFIXES:
            return self._plain(where, path, data)
        try:
            if form is None:
                refuse_binary(where, look.start)
                raise misnamed(where, next(f.title for f in FORMS if f.suffix == look.suffix))
            written = form.read(where, data)
        except CorpusError as problem:
            if path == self._name:
                raise
            self._unread[path] = problem
            return [Part("", "")]
        self._forms[form.title] += 1
        if not written.blocks:
            self._without_text.append(path)
        return self._of_written(written, path)

    def _plain(self, where: str, path: str, data: Data) -> list[Part]:
        """The documents of a text, of HTML without its tags."""
        text, encoding = decode(where, data, self._options.encoding)
        self._encodings[encoding.split(";")[0]] += 1
        suffix = PurePosixPath(path).suffix.lower()
        if suffix in MARKDOWN:
            text = FRONT.sub("", text)
        if not (self._html or suffix in HTML or (not suffix and is_html(text))):
            return [Part("", text)]
        if self._options.as_of or self._apart:
            return self._of_written(written_page(text), path)
        return [Part("", without_tags(text).strip())]  # as the first version read it

    def _of_written(self, written: Written, path: str) -> list[Part]:
        self.n_headings += sum(block.level > 0 for block in written.blocks)
        if not self._apart:
            return [Part(written.title, written.text)]
        if not written.has_headings:
            self._without_headings.append(path)
        return [Part(title, text) for title, text in written.chapters()]

    def notes(self, kind: str) -> tuple[str, ...]:
        """Return sentences about all files. Raises CorpusError if all were empty."""
        if not self._filled:
            if self._unread:
                raise next(iter(self._unread.values()))
            if self._without_text:
                raise CorpusError(
                    f"{self._name} holds no text: it is empty or a scan, whose text must be "
                    "recognised (OCR) first; give the result of that."
                )
            raise CorpusError(
                f"{self._name}: all its text files are empty; give at least one with words."
            )
        found = [f"{plural(n, 'file')} in {e}" for e, n in self._encodings.items()]
        found += [f"{plural(n, f'{title} file')}" for title, n in self._forms.items()]
        how = "one document a file"
        if self._apart:
            how = f"one document a heading, {plural(self._n_parts, 'document')}"
        notes = [f"Read as {KINDS[kind]}, {how}: {', '.join(found)}."]
        if self._without_headings:
            n = plural(len(self._without_headings), "file")
            notes.append(f"{n} without headings: {_listed(self._without_headings)}.")
        return (*notes, *self.warnings())

    def warnings(self) -> tuple[str, ...]:
        """Return the notes on files that the person probably meant to be read."""
        told = []
        if n := len(self._without_text):
            told.append(
                f"{plural(n, 'file')} without text, such as scans: {_listed(self._without_text)}; "
                "have their text recognised (OCR)."
            )
        if self._unread:
            first = next(iter(self._unread.values()))
            files = plural(len(self._unread), "file")
            told.append(f"{files} could not be read: {_listed([*self._unread])}. {first}")
        return tuple(told)


def misnamed(where: str, title: str) -> CorpusError:
    """Return the refusal of a file whose name belongs to another form."""
    return CorpusError(
        f"{where} is no {title} file in spite of its name; rename it, or write it again."
    )


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(paths[:NAMED]) + (" and others" if len(paths) > NAMED else "")
