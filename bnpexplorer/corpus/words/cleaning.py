"""Clean-up of texts before words are cut: switches, presets, and the way back to what was written.

What repairs letters (entities, ligatures) changes a text's length and keeps a map of places; what
takes whole spans away puts as many blanks there. So every word that counts still has its place in
the text that a person reads.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...core.arrays import I64
from . import junk, mending
from .junk import Edit, Edits, Span, Spans
from .mending import edited


@dataclass(frozen=True)
class CleaningSwitch:
    """One switch of the clean-up."""

    short: str
    """What it finds, on a switch."""
    title: str
    """The same at the beginning of a sentence."""
    done: str
    """What becomes of it, for the end of a sentence."""
    signs: str
    """A text without one of these has nothing of it; empty: look in any case."""
    spans: Spans | None = None
    """Places that become blank."""
    edits: Edits | None = None
    """Places that get other letters, before any becomes blank."""

    def spans_of(self, text: str) -> list[Span]:
        """Places that become blank."""
        return self.spans(text) if self.spans and self._may_be_in(text) else []

    def edits_of(self, text: str) -> list[Edit]:
        """Places that get other letters, in the order of the text."""
        return self.edits(text) if self.edits and self._may_be_in(text) else []

    def found_in(self, text: str) -> list[Span]:
        """All that it finds in a text as it stands."""
        return sorted([*self.spans_of(text), *((a, b) for a, b, _ in self.edits_of(text))])

    def _may_be_in(self, text: str) -> bool:
        return bool(_one_of(self.signs)(text))


PARTS = {
    "messages": CleaningSwitch(
        "Messages: headers, quotes, signatures",
        "Headers, quotes and signatures of messages",
        "left out, but for the words of subjects",
        ":>-",
        junk.message_lines,
    ),
    "html": CleaningSwitch(
        "HTML",
        "HTML tags and entities",
        "tags left out, entities read",
        "<&",
        junk.markup,
        junk.entities,
    ),
    "encoding": CleaningSwitch(
        "Wrong encoding",
        "Letters read in a wrong encoding, such as Ã© for é",
        "mended",
        "",
        None,
        mending.wrong_encoding,
    ),
    "hyphens": CleaningSwitch(
        "Hyphens at line ends",
        "Words parted at line ends",
        "joined where the next line goes on in small letters",
        "\n",
        None,
        mending.parted_words,
    ),
    "links": CleaningSwitch("Links", "Links", "left out", "/.…", junk.links),
    "emails": CleaningSwitch("E-mail addresses", "E-mail addresses", "left out", "@", junk.emails),
    "names": CleaningSwitch("@names", "@names", "left out", "@＠", junk.names),
    "tags": CleaningSwitch("#tags: leave out", "#tags", "left out", "#＃", junk.spans_of(junk.TAG)),
    "tag-words": CleaningSwitch(
        "#tags: keep the words", "#tags", "their words kept", "#＃", junk.signs_of_tags
    ),
    "contractions": CleaningSwitch(
        "Contractions",
        "Contractions such as don't and l'homme",
        "pieces such as don and l left out",
        junk.APOSTROPHE[1:-1],
        junk.contractions,
    ),
    "broken": CleaningSwitch(
        "Broken characters",
        "Broken characters",
        "words with letters lost left out, soft hyphens and ligatures mended",
        "",
        junk.broken,
        junk.invisible,
    ),
    "copyright": CleaningSwitch(
        "Copyright line at the end",
        "A publisher's copyright line at the end",
        "left out",
        "©(cC",
        junk.copyright_line,
    ),
    "numbers": CleaningSwitch("Numbers", "Numbers", "left out", "", junk.spans_of(junk.NUMBER)),
}
"""By name, in the order in which they are at work: a header holds addresses, an element links."""
PRESETS = {
    "tweets": ("html", "links", "emails", "names", "tag-words", "contractions", "broken"),
    "news": ("html", "links", "emails", "contractions", "broken"),
    "speeches": ("contractions", "broken"),
    "web-pages": ("html", "links", "emails", "names", "tag-words", "contractions", "broken"),
}


LATER = frozenset(("encoding", "hyphens", "copyright"))
"""Parts that the first version had not: "auto" finds them for texts cut in the new way alone."""
CERTAIN = frozenset(("html", "links", "contractions", "broken"))
"""Parts that take away no word of a text, and which a form has at work from the start."""


@cache
def _one_of(signs: str) -> Callable[[str], object]:
    """What tells whether a text has one of these signs; of no signs, whether it has any letter."""
    if not signs:
        return bool
    if len(signs) <= 2:  # in a third of the time
        first, last = signs[0], signs[-1]
        return lambda text: first in text or last in text
    return re.compile(f"[{re.escape(signs)}]").search


def canonical(switches: str) -> str:
    """Names of parts and presets as names of parts in their order: "tweets" becomes "html links
    ...", "none" nothing.

    Raises ValueError for another name.
    """
    named: set[str] = set()
    for name in re.split(r"[\s,;]+", switches.strip()):
        if name in PRESETS:
            named |= {*PRESETS[name]}
        elif name in PARTS:
            named.add(name)
        elif name not in ("", "none"):
            raise ValueError(
                f"There is no clean-up {name!r}; choose auto, none, a preset "
                f"({', '.join(PRESETS)}) or some of {', '.join(PARTS)}."
            )
    return " ".join(name for name in PARTS if name in named)


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A text after the clean-up, and how it lies over the one before."""

    text: str
    places: I64
    """int64 (n + 1,): where each of its n letters, and its end, stood before."""
    removed: tuple[Span, ...]
    """Places of the text before that became blank, in its order, none over another."""
    mended: tuple[Edit, ...]
    """Places of the text before that got other letters, in its order, none over another."""


def clean(text: str, switches: str) -> str:
    """The text with some letters mended and some parts blank. `switches`: as `canonical` gives."""
    mending, blanking = _at_work(switches)
    for may_be_in, edits in mending:
        if may_be_in(text) and (mended := edits(text)):
            text = edited(text, mended)
    for may_be_in, spans in blanking:
        if may_be_in(text) and (gone := spans(text)):
            text = _blank(text, gone)
    return text


@cache
def _at_work(
    switches: str,
) -> tuple[
    list[tuple[Callable[[str], object], Edits]], list[tuple[Callable[[str], object], Spans]]
]:
    """What mends and what blanks, each after what tells whether it need look: found once for all
    texts, since asking every part about every tweet took a fifth of the time."""
    parts = [PARTS[name] for name in switches.split()]
    mending = [(_one_of(part.signs), part.edits) for part in parts if part.edits]
    return mending, [(_one_of(part.signs), part.spans) for part in parts if part.spans]


def cleaned(text: str, switches: str) -> Cleaned:
    """As `clean`, with the way back."""
    parts = [PARTS[name] for name in switches.split()]
    places = np.arange(len(text) + 1, dtype=np.int64)
    mended: list[Edit] = []
    for part in parts:
        edits = part.edits_of(text)
        mended += [(int(places[a]), int(places[b]), new) for a, b, new in edits]
        places = places[_places(edits, len(text))]
        text = edited(text, edits)
    gone = np.zeros(len(text), bool)
    for part in parts:
        spans = part.spans_of(text)
        for a, b in spans:
            gone[a:b] = True
        text = _blank(text, spans)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], gone, [False]))))
    removed = places[edges].reshape(-1, 2).tolist()
    return Cleaned(text, places, tuple((a, b) for a, b in removed), _outermost(mended))


def _places(edits: Sequence[Edit], length: int) -> I64:
    """Where every letter of an edited text, and its end, stood in the text of this length."""
    pieces, at = [], 0
    for a, b, new in edits:
        pieces += [np.arange(at, a), np.full(len(new), a)]
        at = b
    return np.concatenate([*pieces, np.arange(at, length + 1)]).astype(np.int64)


def _blank(text: str, spans: Sequence[Span]) -> str:
    if not spans:
        return text
    if len(spans) == 1:
        a, b = spans[0]
        return text[:a] + " " * (b - a) + text[b:]
    pieces, at = list[str](), 0
    for a, b in sorted(spans):
        if b > at:
            pieces += (text[at:a], " " * (b - max(a, at)))
            at = b
    return "".join([*pieces, text[at:]])


def _outermost(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Without those inside another: `&shy;` became a soft hyphen first, then nothing."""
    last = {(a, b): new for a, b, new in edits}
    kept: list[Edit] = []
    for (a, b), new in sorted(last.items(), key=lambda item: (item[0][0], -item[0][1])):
        if not kept or a >= kept[-1][1]:
            kept.append((a, b, new))
    return tuple(kept)
