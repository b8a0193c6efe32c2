"""XML as a stream of elements and letters, without entities that a file declares itself.

`tei.py` and `mediawiki.py` read it; nothing outside the file is ever opened.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.entities import html5
from typing import Any
from xml.parsers import expat

from ..corpus import CorpusError
from .decoding import CHUNK, Data, opened

DEEPEST = 1_000
"""Elements within elements."""
ROOT = re.compile(
    r"(?:\s|<\?[^>]{0,2000}>|<!--.{0,20000}?-->|<!DOCTYPE[^<>\[]{0,2000}(?:\[[^\]]{0,20000}\]\s?)?>)*<(?:\w+:)?([\w.]+)",
    re.DOTALL,
)
"""What a file begins with, up to the name of its first element."""


def root_of(text: str) -> str:
    """Return the name of the first element of a text that is XML, or an empty string."""
    found = ROOT.match(text.lstrip("\ufeff"))
    return found[1] if found else ""


@dataclass
class XmlPart:
    """A begin or an end of an element, or letters between."""

    kind: str
    """ "begin", "end" or "text"."""
    name: str
    """Of the element, without its namespace."""
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    line: int = 0


def parts_of(name: str, data: Data, encoding: str = "") -> Iterator[XmlPart]:
    """Return the parts of an XML file in order. Raises CorpusError for one that is damaged,
    declares entities, or nests its elements too deeply."""
    try:
        parser = expat.ParserCreate(encoding or None)
    except (LookupError, ValueError):
        raise CorpusError(f"{name}: XML knows no encoding {encoding!r}; leave it open.") from None
    made = _Parts(name, parser)
    try:
        with opened(data) as file:
            while piece := file.read(CHUNK):
                parser.Parse(piece)
                yield from made.taken()
            parser.Parse(b"", True)
            yield from made.taken()
    except CorpusError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        line = getattr(error, "lineno", parser.CurrentLineNumber)
        code = getattr(error, "code", 0)
        what = expat.ErrorString(code) if code else "its encoding is unknown"
        raise CorpusError(
            f"{name}, line {line:,}: the XML is damaged there ({what}); mend the line, or export "
            "the file again."
        ) from None


class _Parts:
    """Keeps the parts that the parser tells until they are taken."""

    def __init__(self, name: str, parser: Any) -> None:
        self._name, self._parser, self._deep = name, parser, 0
        self._parts: list[XmlPart] = []
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._declared
        parser.SkippedEntityHandler = self._skipped

    def taken(self) -> list[XmlPart]:
        """Return the parts since the last call."""
        parts, self._parts = self._parts, []
        return parts

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._deep += 1
        line = self._parser.CurrentLineNumber
        if self._deep > DEEPEST:
            raise CorpusError(
                f"{self._name}, line {line:,}: its elements are nested too deeply; give a part."
            )
        self._parts.append(XmlPart("begin", name.rpartition(":")[2], "", attributes, line))

    def _end(self, name: str) -> None:
        self._deep -= 1
        self._parts.append(XmlPart("end", name.rpartition(":")[2]))

    def _text(self, text: str) -> None:
        self._parts.append(XmlPart("text", "", text))

    def _declared(self, name: str, *_: Any) -> None:
        raise CorpusError(
            f"{self._name}, line {self._parser.CurrentLineNumber:,}: it declares the entity "
            f"{name[:40]!r}, which is not followed; write the letters themselves."
        )

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._text(html5.get(f"{name};", " "))
