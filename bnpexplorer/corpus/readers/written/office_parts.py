"""The parts of documents that are ZIP archives, and their XML, read within limits.

Entities that a document declares are refused, and no other file is opened.
"""

import contextlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any
from xml.parsers import expat

from ....core.faults import is_own
from ...corpus import CorpusError
from ..archives import BROKEN, MAX_ENTRIES, check_growth
from ..decoding import MAX_UNPACKED
from ..source import reason

DEEPEST = 1_000
"""Most elements within each other."""


class Handler:
    """Is told the elements of an XML file; `name` is without its namespace."""

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        """Take the begin of an element; attributes are known by names without namespaces."""

    def end(self, space: str, name: str) -> None:
        """Take the end of an element."""

    def letters(self, text: str) -> None:
        """Take text within the innermost element."""


class Package:
    """An open document that is a ZIP archive."""

    def __init__(self, where: str, title: str, archive: zipfile.ZipFile) -> None:
        """`where`: by which messages call it; `title`: of its form, such as "Word"."""
        self.where, self.title, self._archive = where, title, archive
        self.names = archive.namelist()
        self._size = 0
        if len(self.names) > MAX_ENTRIES:
            raise self.damaged(f"it has {len(self.names):,} parts")

    def damaged(self, why: str) -> CorpusError:
        """The sentence about a document that cannot be read."""
        return CorpusError(
            f"{self.where} is a damaged or unusual {self.title} file ({why}); save it again, or as "
            "plain text."
        )

    def protected(self) -> CorpusError:
        """The sentence about a document with a password."""
        return CorpusError(
            f"{self.where} is a {self.title} file that is protected by a password; save it without "
            "one."
        )

    def content(self, name: str) -> bytes:
        """The bytes of a part. Raises CorpusError for one that is encrypted, damaged or too
        large."""
        part = self._archive.getinfo(name)
        if part.flag_bits & 1:
            raise self.protected()
        self._size += part.file_size
        if self._size > MAX_UNPACKED:
            raise CorpusError(
                f"{self.where} unpacks to more than {MAX_UNPACKED // 10**6:,} MB; save a part of "
                "it."
            )
        check_growth(self.where, name, part.file_size, part.compress_size)
        return self._archive.read(part)

    def parse(self, name: str, handler: Handler) -> None:
        """Tell `handler` of the elements of a part, if there is such a part. Raises CorpusError."""
        if name in self.names:
            parse(self, name, self.content(name), handler)


def parse(package: Package, name: str, content: bytes, handler: Handler) -> None:
    """Tell `handler` of the elements of XML, the part `name` of a document. Raises CorpusError."""
    depth = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise package.damaged(f"{name} has more than {DEEPEST:,} elements within each other")
        space, _, local = tag.rpartition(" ")
        handler.begin(space, local, {k.rpartition(" ")[2]: v for k, v in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        space, _, local = tag.rpartition(" ")
        handler.end(space, local)

    def refuse(*_: Any) -> None:
        raise package.damaged(f"{name} declares entities, which are never expanded")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = handler.letters, refuse
    try:
        parser.ParseFile(io.BytesIO(content))
    except CorpusError:
        raise
    except (expat.ExpatError, ValueError) as error:  # ValueError: an encoding that is not known
        raise package.damaged(f"{name}: {reason(error)}") from None


@contextlib.contextmanager
def open_package(where: str, title: str, data: bytes) -> Iterator[Package]:
    """Open a document that is a ZIP archive. Raises CorpusError, also while it is read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield Package(where, title, archive)
    except CorpusError:
        raise
    except (*BROKEN, RuntimeError) as error:
        if is_own(error):
            raise
        raise CorpusError(
            f"{where} is a damaged {title} file ({reason(error)}); it may have been cut short, so "
            "copy or save it again."
        ) from None


class TextOf(Handler):
    """The text of the first element of a name."""

    def __init__(self, name: str) -> None:
        self._name, self._found, self._open = name, "", False
        self._done = False

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        self._open = self._open or (name == self._name and not self._done)

    def end(self, space: str, name: str) -> None:
        if self._open and name == self._name:
            self._open, self._done = False, True

    def letters(self, text: str) -> None:
        if self._open:
            self._found += text

    @property
    def text(self) -> str:
        """The text, empty for none."""
        return self._found.strip()


def title_in(package: Package, name: str) -> str:
    """The title that a part with facts about the document gives; empty for none."""
    found = TextOf("title")
    package.parse(name, found)
    return found.text
