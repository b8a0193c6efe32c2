"""Readers of messages: mailboxes (mbox) and single e-mails (eml), decoded and without attachments.

Quoted lines and signatures stay in the texts: the clean-up "messages" leaves them out.
"""

import binascii
import contextlib
import email
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime

from ...core.display import plural
from ..corpus import CorpusError
from .decoding import Data, opened
from .reader import SURE, Look, Reader
from .source import Source, Upload
from .tables import Row, RowTable, read_rows
from .text import without_tags

BEGIN = re.compile(rb"From \S+ (?:.* )?\w{3} \w{3} {1,2}\d")
"""The line before each message of a mailbox."""
QUOTED_BEGIN = re.compile(rb"^>(>*From )", re.MULTILINE)
"""How a mailbox writes a line of a text that begins like that."""
HEADERS = re.compile(
    rb"(?:(?:From|To|Subject|Date|Cc|Received|Return-Path|Delivered-To|Message-ID|MIME-Version"
    rb"|Content-Type|Reply-To|DKIM-Signature|X-[\w-]+): ?[^\n]*(?:\n[ \t][^\n]*)*\n){3}",
    re.IGNORECASE,
)
LARGEST = 100_000_000
"""Bytes of one message, with its attachments."""
MOST_PARTS = 10_000
"""Parts of one message that are looked at."""
FIELDS = {"text": "text", "id": "message id", "title": "subject", "date": "date", "label": "from"}
COLUMNS = ("message id", "date", "from", "address", "to", "subject", "text")


def mail_table(upload: Upload) -> RowTable:
    """Return the messages of a mailbox, or the one of a file, as rows."""
    notes = ["Read as e-mail: one message a document, without attachments."]
    rows = _rows(upload.name, upload.data, notes)
    return RowTable(upload.name, "mail", rows, COLUMNS, notes, "message", fields=FIELDS)


def read_mail(upload: Upload) -> Source:
    """Return the messages: their text, or else their HTML without tags, the subject as the title,
    the sender as the label."""
    return read_rows(mail_table(upload), upload.options)


def _rows(name: str, data: Data, notes: list[str]) -> Iterator[Row]:
    wrong = 0
    for number, content in enumerate(_messages(name, data), start=1):
        try:
            body = _MessageBody(email.message_from_bytes(content))
            yield number, _cells(body)
        except RecursionError:
            raise CorpusError(
                f"{name}, message {number:,}: its parts are nested too deeply; remove it from the "
                "file."
            ) from None
        wrong += body.wrong
    if wrong:
        notes.append(
            f"{plural(wrong, 'part')} of messages named no encoding that fits; Windows-1252 was "
            "taken."
        )


def _messages(name: str, data: Data) -> Iterator[bytes]:
    """The bytes of each message. Raises CorpusError for one that is too large."""
    lines: list[bytes] = []
    size, number, after_blank = 0, 1, True
    in_mailbox = BEGIN.match(data[:200].lstrip()) is not None
    with opened(data) as file:
        for line in file:
            if in_mailbox and after_blank and BEGIN.match(line):
                if size:
                    yield _unquoted(lines)
                    number += 1
                lines, size = [], 0
            elif size or line.strip():
                lines.append(line)
                size += len(line)
            after_blank = not line.strip()
            if size > LARGEST:
                raise CorpusError(
                    f"{name}, message {number:,} takes more than {LARGEST // 10**6:,} MB; remove "
                    "it from the file."
                )
    if size:
        yield _unquoted(lines) if in_mailbox else b"".join(lines)


def _unquoted(lines: list[bytes]) -> bytes:
    return QUOTED_BEGIN.sub(rb"\1", b"".join(lines))


class _MessageBody:
    """The text of a message. `wrong`: how many of its parts named no encoding that fits."""

    def __init__(self, message: Message) -> None:
        self.message, self.wrong, self._left = message, 0, MOST_PARTS
        self.text = self._text(message).strip()

    def _text(self, part: Message) -> str:
        self._left -= 1
        if self._left < 0 or _is_attached(part):
            return ""
        kind, held = part.get_content_type(), part.get_payload()
        if isinstance(held, list):
            if kind == "multipart/alternative":
                return self._best([one for one in held if isinstance(one, Message)])
            if part.get_content_maintype() != "multipart":
                return ""  # a message within the message is an attachment
            texts = (self._text(one).strip() for one in held if isinstance(one, Message))
            return "\n\n".join(filter(None, texts))
        if kind == "text/plain":
            return self._decoded(part)
        return without_tags(self._decoded(part)) if kind == "text/html" else ""

    def _best(self, parts: list[Message]) -> str:
        """The first filled one of alternatives, plain text before others."""
        parts.sort(key=lambda part: part.get_content_type() != "text/plain")
        return next((text for part in parts if (text := self._text(part)).strip()), "")

    def _decoded(self, part: Message) -> str:
        try:
            content = part.get_payload(decode=True)
        except (ValueError, binascii.Error, MessageError):
            content = None
        raw = content if isinstance(content, bytes) else b""
        for charset in (part.get_content_charset() or "", "utf-8"):
            try:
                return _in_lines(raw.decode(charset))
            except (LookupError, ValueError):
                continue
        self.wrong += 1
        return _in_lines(raw.decode("cp1252", "replace"))


def _in_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_param("name"))


def _cells(body: _MessageBody) -> dict[str, str]:
    message = body.message
    sender, address = parseaddr(_header(message, "From"))
    return {
        "message id": _header(message, "Message-ID").strip("<>"),
        "date": _day(_header(message, "Date")),
        "from": sender or address,
        "address": address.lower(),
        "to": _header(message, "To"),
        "subject": _header(message, "Subject"),
        "text": body.text,
    }


def _header(message: Message, name: str) -> str:
    """A header in one line, decoded as far as it can be."""
    values = (str(v) for key, v in message.raw_items() if key.lower() == name.lower())
    raw = next(values, "").encode("utf-8", "surrogateescape")
    try:
        value = raw.decode("utf-8")
    except UnicodeDecodeError:
        value = raw.decode("cp1252", "replace")
    with contextlib.suppress(ValueError, LookupError, MessageError, binascii.Error):
        value = str(make_header(decode_header(value)))
    return " ".join(value.encode("utf-8", "replace").decode().replace("\0", "").split())


def _day(value: str) -> str:
    """The day as it was where the message was sent; what cannot be read stays."""
    try:
        return parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


def _sniff(look: Look) -> float:
    start = look.start.lstrip(b"\xef\xbb\xbf \t\r\n").replace(b"\r\n", b"\n")
    if BEGIN.match(start):
        _, _, start = start.partition(b"\n")
        return SURE if re.match(rb"[\w-]+:", start) else 0.0
    return SURE if HEADERS.match(start[:20_000]) else 0.0


MAIL = Reader(
    "mail",
    "E-mail",
    "A mailbox (mbox) or a message (eml): a message a document, without attachments.",
    (".mbox", ".eml", ".mbx"),
    _sniff,
    read_mail,
    mail_table,
    many=True,
)
