"""Reader of the messages that Slack exports: a ZIP with a folder a channel and a file of JSON a
day, or one such file."""

import datetime
import html
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from ...core.display import plural
from ..corpus import CorpusError
from .archives import BROKEN, ZIPS, Archive, open_archive
from .decoding import Data, decode, opened
from .reader import SURE, Look, Reader
from .source import NONE, Source, Upload
from .tables import Row, RowTable, read_rows

LARGEST = 50_000_000
"""Bytes of the messages of one day."""
DAY = re.compile(r"(?:[^/]+/)*\d{4}-\d\d-\d\d\.json")
PEOPLE = "users.json"
MENTION = re.compile(r"<([@#!]?)([^<>|\s]{1,2000})(?:\|([^<>]{0,2000}))?>")
"""How a text names a person, a channel, a group or an address."""
OF_SLACK = re.compile(r"(channel|group|pinned|reminder|huddle)_\w+|bot_(add|remove|enable|disable)"
                      r"|sh_room_\w+|tombstone")  # fmt: skip
"""Kinds of messages that Slack writes itself."""
DAY_BEGINS = re.compile(r"\s*\[\s*\{")
DAY_OF_SLACK = 0.95
"""What a file of one day is, which is a list in JSON too."""
FIELDS = {"text": "text", "id": "id", "title": NONE, "date": "date"}
COLUMNS = ("id", "date", "channel", "author", "thread", "text")


def is_slack(data: Data) -> bool:
    """Whether a file is a ZIP archive with files of days in folders, and people or channels."""
    if data[:4] not in ZIPS:
        return False
    try:
        with zipfile.ZipFile(opened(data)) as archive:
            names = archive.namelist()
    except BROKEN:
        return False
    about = {PurePosixPath(name).name for name in names}
    return bool(about & {PEOPLE, "channels.json"}) and any(map(DAY.fullmatch, names))


def slack_table(upload: Upload) -> RowTable:
    """Return the messages of an export as rows. Raises CorpusError."""
    name, data = upload.name, upload.data
    notes = ["Read as an export of Slack, one message a document."]
    of_all = data[:4] in ZIPS
    found = _of_archive(name, data) if of_all else _of_day(name, data[: len(data)], "", {})
    fields = FIELDS | {"label": "channel" if of_all else "author"}
    rows = _by_people(found, notes)
    kind = "slack" if of_all else "slack-day"
    return RowTable(name, kind, rows, COLUMNS, notes, "message", fields=fields)


def read_slack(upload: Upload) -> Source:
    """Return the messages of an export; the channel is the label, or of one file the author."""
    return read_rows(slack_table(upload), upload.options)


def _of_archive(name: str, data: Data) -> Iterator[dict[str, str] | None]:
    with open_archive(name, data) as archive:
        people = _people(name, archive)
        days = (entry for entry in archive.entries if DAY.fullmatch(entry.path))
        for entry in sorted(days, key=lambda entry: entry.path):
            channel = PurePosixPath(entry.path).parent.name
            yield from _of_day(f"{name}, entry {entry.path}", entry.content(), channel, people)


def _people(name: str, archive: Archive) -> dict[str, str]:
    """Id of each person -> name."""
    found = [entry for entry in archive.entries if PurePosixPath(entry.path).name == PEOPLE]
    people = {}
    for one in _objects(f"{name}, entry {found[0].path}", found[0].content()) if found else ():
        profile = one.get("profile")
        names = profile if isinstance(profile, dict) else {}
        keys = (names.get("display_name"), one.get("real_name"), names.get("real_name"))
        people[str(one.get("id"))] = _first(*keys, one.get("name"))
    return people


def _first(*values: Any) -> str:
    """The first that is a filled string."""
    return next((v.strip() for v in values if isinstance(v, str) and v.strip()), "")


def _objects(name: str, content: bytes) -> list[dict[str, Any]]:
    """The objects of a file that is a list of them. Raises CorpusError."""
    if len(content) > LARGEST:
        raise CorpusError(
            f"{name} takes more than {LARGEST // 10**6:,} MB, too much for the messages of a day; "
            "export them again."
        )
    text, _ = decode(name, content, "utf-8")
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise CorpusError(
            f"{name}, line {error.lineno:,}: the JSON is damaged there ({error.msg}); export the "
            "messages again."
        ) from None
    except (RecursionError, ValueError):
        raise CorpusError(
            f"{name} holds JSON that is nested too deeply; export the messages again."
        ) from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise CorpusError(f"{name} is no list of messages; export the messages again.")
    return found


def _of_day(
    name: str, content: bytes, channel: str, people: Mapping[str, str]
) -> Iterator[dict[str, str] | None]:
    """The messages of one file; None for one of Slack itself."""
    for one in _objects(name, content):
        if OF_SLACK.fullmatch(str(one.get("subtype", ""))):
            yield None
            continue
        profile = one.get("user_profile")
        names = profile if isinstance(profile, dict) else {}
        who = str(one.get("user") or one.get("bot_id") or "")
        author = _first(people.get(who), names.get("display_name"), names.get("real_name"))
        time = str(one.get("ts", ""))
        yield {
            "id": f"{channel}/{time}" if channel else time,
            "date": _day(time),
            "channel": channel,
            "author": author or _first(one.get("username"), who),
            "thread": str(one.get("thread_ts", "")),
            "text": _read(_first(one.get("text")), people),
        }


def _by_people(found: Iterator[dict[str, str] | None], notes: list[str]) -> Iterator[Row]:
    left = 0
    for number, row in enumerate(found, start=1):
        left += row is None
        if row is not None:
            yield number, row
    if left:
        notes.append(f"{plural(left, 'message')} of Slack itself, such as who joins, left out.")


def _day(time: str) -> str:
    """Return the day of seconds since 1970, in UTC; empty for anything else."""
    try:
        moment = datetime.datetime.fromtimestamp(float(time), datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.date().isoformat()


def _read(text: str, people: Mapping[str, str]) -> str:
    """A text as people see it."""

    def shown(found: re.Match[str]) -> str:
        sign, target, label = found.groups()
        if sign == "@":
            return f"@{label or people.get(target, target)}"
        return f"{sign.replace('!', '@')}{label or target.split('^')[0]}"

    return html.unescape(MENTION.sub(shown, text))


def _sniff(look: Look) -> float:
    return SURE if is_slack(look.data) else 0.0


def _sniff_day(look: Look) -> float:
    keys = ("type", "ts", "text")
    begin = look.text.lstrip("\ufeff")[:2000]
    fits = DAY_BEGINS.match(begin) and all(f'"{key}"' in begin for key in keys)
    return DAY_OF_SLACK if fits else 0.0


READERS = (
    Reader(
        "slack",
        "Slack export",
        "A ZIP with a folder a channel and a file a day: a message a document.",
        (),
        _sniff,
        read_slack,
        slack_table,
    ),
    Reader(
        "slack-day",
        "Messages of a Slack channel",
        "One file of such an export.",
        (),
        _sniff_day,
        read_slack,
        slack_table,
        later=True,
    ),
)
