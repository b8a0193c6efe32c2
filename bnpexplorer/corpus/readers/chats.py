"""Reader of the chats that WhatsApp exports: lines of date, author and message.

Both forms are read, `[31.12.20, 21:15:03] Ann: text` of iOS and `31.12.20, 21:15 - Ann: text` of
Android, in the order of day and month and with the clock of any country.
"""

import datetime
import re
from collections.abc import Iterable, Iterator

from ...core.display import plural
from ..corpus import CorpusError
from .decoding import Data, find_encoding, open_text
from .reader import CLEAR, Look, Reader
from .source import NONE, Source, Upload
from .tables import Row, RowTable, read_rows

MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202c\ufeff"))
"""Signs of the direction of writing, which stand before lines and messages."""
HEAD = re.compile(
    r"[\u200e\u200f\u202a\ufeff]*(\[)?(\d{1,4})([./-])(\d{1,2})\3(\d{1,4})(?:,| à| um)?[ \u00a0]"
    r"(\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?:[ \u00a0\u202f]?([ap])\.?[ \u00a0]?m\.?)?"
    r"(?(1)\]| [-–])[ \u00a0]",
    re.IGNORECASE,
)
"""Groups 2, 4 and 5 are the numbers of the date, 7 is the half of the day."""
LOG = re.compile(r"\[?\d{4}-\d\d-\d\d ")
"""How a line of a program's log begins, and none of a chat."""
AUTHOR = re.compile(r"([^:\"“„«\n]{1,60}): ?")
MEDIA = re.compile(
    r"<[^<>\n]{3,120}>|[\w.-]+\.\w{2,4} \([^()\n]{5,40}\)|null"
    r"|(?:image|video|audio|sticker|gif|document|contact card) omitted"
    r"|(?:this message was|you) deleted(?: this message)?\.?",
    re.IGNORECASE,
)
"""A message that stands for a picture or the like, or that was deleted."""
EDITED = re.compile(r"<[^<>\n]{5,60}>$")
FIELDS = {"text": "text", "id": NONE, "title": NONE, "date": "date", "label": "author"}
ENOUGH = 3
"""Lines with a date by which a chat is known, or all lines of a shorter one."""


def chat_table(upload: Upload) -> RowTable:
    """Return the messages of a chat as rows. Raises CorpusError where there is none."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    day_first, told = _order(name, _lines(data, codec))
    notes = [f"Read as a WhatsApp chat, one message a document, {encoding}.", *told]
    rows = _rows(name, _lines(data, codec), day_first, notes)
    columns = ("date", "time", "author", "text")
    return RowTable(name, "whatsapp", rows, columns, notes, "line", fields=FIELDS)


def read_chat(upload: Upload) -> Source:
    """Return the messages of a chat, the author as the label."""
    return read_rows(chat_table(upload), upload.options)


def _lines(data: Data, codec: str) -> Iterator[str]:
    return iter(open_text(data, codec, newline=None))


def _order(name: str, lines: Iterable[str]) -> tuple[bool, list[str]]:
    """Whether days come before months, and a sentence where the dates do not tell."""
    heads = [0, 0]
    dots = twelve = seen = False
    for line in lines:
        if found := HEAD.match(line):
            heads = [max(heads[0], int(found[2])), max(heads[1], int(found[4]))]
            seen, dots, twelve = True, found[3] == ".", found[7] is not None
    if not seen:
        raise CorpusError(f"{name} has no messages of a chat; give it as plain text.")
    if heads[0] > 31 or dots or (heads[0] > 12) != (heads[1] > 12):
        return heads[1] <= 12, []
    order = "month" if twelve else "day"
    return not twelve, [f"The dates do not tell whether day or month is first: {order} first."]


def _rows(name: str, lines: Iterable[str], day_first: bool, notes: list[str]) -> Iterator[Row]:
    message: dict[str, str] = {}
    begun, rest, system, media = 0, list[str](), 0, 0

    def done() -> dict[str, str]:
        text = "".join(rest).translate(MARKS).strip()
        return message | {"text": "" if MEDIA.fullmatch(text) else EDITED.sub("", text).rstrip()}

    for number, line in enumerate(lines, start=1):
        found = HEAD.match(line)
        if found is None:
            rest.append(line)
            continue
        if message:
            media += not (row := done())["text"]
            yield begun, row
        begun, content = number, line[found.end() :]
        author = AUTHOR.match(content)
        said = content[author.end() :] if author else ""
        if author is None or (said[:1] == "\u200e" and not MEDIA.fullmatch(said[1:].strip())):
            system, message, rest = system + 1, {}, []
            continue
        message = {
            "date": _day(found, day_first),
            "time": found[6] + (f" {found[7].upper()}M" if found[7] else ""),
            "author": author[1].translate(MARKS).strip(" ~\u202f\u00a0"),
        }
        rest = [said]
    if message:
        media += not (row := done())["text"]
        yield begun, row
    if system:
        notes.append(f"{plural(system, 'line')} of the system left out.")
    if media:
        notes.append(f"{plural(media, 'message')} without words, such as pictures.")


def _day(found: re.Match[str], day_first: bool) -> str:
    """Return the date as 2020-12-31, or unchanged where there is no such day."""
    first, second, third = (int(found[group]) for group in (2, 4, 5))
    if first > 31:
        year, month, day = first, second, third
    else:
        year = third if third > 99 else 2000 + third
        day, month = (first, second) if day_first else (second, first)
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return found[0].strip(" []-\u200e")


def _sniff(look: Look) -> float:
    if not look.lines or not HEAD.match(f"{look.lines[0]} ") or LOG.match(look.lines[0]):
        return 0.0
    heads = [found for line in look.lines if (found := HEAD.match(line))]
    authors = sum(bool(AUTHOR.match(found.string, found.end())) for found in heads)
    enough = min(ENOUGH, len(look.lines))
    return CLEAR if len(heads) >= enough and authors >= max(1, len(heads) / 3) else 0.0


WHATSAPP = Reader(
    "whatsapp",
    "WhatsApp chat",
    "An exported chat: a message a document, authors are labels.",
    (),
    _sniff,
    read_chat,
    chat_table,
    later=True,
)
