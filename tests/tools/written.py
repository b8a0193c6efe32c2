"""Small files of messages, transcripts, XML and annotated text, as people's programs write them,
with the texts of `forms.py`."""

import email.message
import json
from collections.abc import Sequence

from .readers import packed_zip

Rows = Sequence[dict[str, str]]


def message(row: dict[str, str]) -> email.message.EmailMessage:
    """A row as a message with an attachment, by Python's own writer."""
    made = email.message.EmailMessage()
    made["From"] = f"{row['label'].title()} Lee <{row['label']}@example.org>"
    made["To"] = "list@example.org"
    made["Date"] = rfc_date(row["date"])
    made["Subject"] = row["title"]
    made["Message-ID"] = f"<{row['id']}>"
    made.set_content(row["text"])
    made.add_attachment(b"attached letters", "text", "plain", filename="a.txt")
    return made


def rfc_date(day: str) -> str:
    """A day in the form of messages, late in the evening far in the west."""
    year, month, number = day.split("-")
    names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return f"{int(number)} {names[int(month) - 1]} {year} 23:30:00 -0900"


def mailbox(rows: Rows) -> bytes:
    """A mailbox, with the signs that it has before lines that begin as its own do."""
    begin = b"From a@example.org Thu Jan  1 00:00:00 2015\n"
    return b"".join(begin + message(row).as_bytes() + b"\n" for row in rows)


def chat(rows: Rows) -> bytes:
    """A chat of Android's form, with lines of the system and a picture."""
    lines = ["3/1/10, 9:00 PM - Messages and calls are end-to-end encrypted."]
    for row in rows:
        year, month, day = row["date"].split("-")
        begin = f"{int(month)}/{int(day) + 20}/1{year[3]}, 9:15 PM - {row['label'].title()}: "
        lines += [begin + row["text"].replace(". It", ".\nIt"), f"{begin}<Media omitted>"]
    return "".join(f"{line}\n" for line in lines).encode()


def clock(seconds: int, sign: str) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{sign}500"


def cues(rows: Rows, sign: str, voices: bool) -> str:
    """Two cues a row, 40 seconds apart."""
    parts = []
    for i, row in enumerate(rows):
        words = row["text"].split()
        for j, half in enumerate((words[:5], words[5:])):
            start = 40 * i + 10 * j
            begin = f"<v {row['label'].title()}>" * voices
            times = f"{clock(start, sign)} --> {clock(start + 9, sign)}"
            parts.append(f"{2 * i + j + 1}\n{times}\n{begin}<i>{' '.join(half)}</i>\n")
    return "\n".join(parts)


def play(rows: Rows) -> bytes:
    """A play in TEI, a speech a scene."""
    header = "<title>Play</title><author>A. Lee</author>"
    scenes = "".join(
        f"<div type='scene'><head>{row['title']}</head><stage>Enter</stage>"
        f"<sp who='#{row['label']}'>"
        f"<speaker>{row['label'].title()}.</speaker><p>{row['text']}</p></sp></div>"
        for row in rows
    )
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n<TEI xmlns='http://www.tei-c.org/ns/1.0'>"
        f"<teiHeader><fileDesc><titleStmt>{header}</titleStmt></fileDesc></teiHeader>"
        f"<text><body>{scenes}</body></text></TEI>\n"
    ).encode()


def wiki(rows: Rows) -> bytes:
    """A dump of a wiki, with a redirect and a page of talk."""

    def page(row: dict[str, str], ns: int = 0, more: str = "") -> str:
        text = row["text"].replace("sailor", "[[Sailor (x)|sailor]]", 1)
        return (
            f"<page><title>{row['title']}</title><ns>{ns}</ns><id>{row['id']}</id>{more}"
            f"<revision><id>1</id><timestamp>{row['date']}T10:00:00Z</timestamp><text>{{{{Box|x}}}}"
            f"{text}&lt;ref&gt;A book&lt;/ref&gt;\n[[Category:{row['label']}]]</text></revision>"
            "</page>\n"
        )

    pages = "".join(map(page, rows))
    others = page(rows[0], 1) + page(rows[1], 0, "<redirect title='x'/>")
    return f"<mediawiki xml:lang='en'>\n{pages}{others}</mediawiki>\n".encode()


def conllu(rows: Rows) -> bytes:
    """Each row as a document of one sentence, whose lemmas are its words in small letters."""
    parts = []
    for row in rows:
        parts.append(f"# newdoc id = {row['id']}\n# date = {row['date']}\n# text = {row['text']}\n")
        for i, word in enumerate(row["text"].split(), start=1):
            cells = (str(i), word, word.lower(), "X", *["_"] * 6)
            parts.append("\t".join(cells) + "\n")
        parts.append("\n")
    return "".join(parts).encode()


def mallet(rows: Rows) -> bytes:
    """Three lines a row."""
    lines = (f"{row['id']}-{i} {row['label']} {row['text']}\n" for row in rows for i in range(3))
    return "".join(lines).encode()


def slack(rows: Rows) -> bytes:
    """An export of channels, the second day with one who joined."""
    people = [{"id": "U1", "profile": {"display_name": "Ann"}}, {"id": "U2", "name": "bob"}]
    files = {"users.json": json.dumps(people).encode(), "channels.json": b"[]"}
    for i, row in enumerate(rows):
        said = {"type": "message", "user": f"U{i % 2 + 1}", "ts": f"{10**9 + 86400 * i}.000{i}"}
        joined = {**said, "subtype": "channel_join", "text": "has joined"}
        messages = [{**said, "text": row["text"]}, *([joined] if i else [])]
        files[f"{row['label']}/2001-09-{9 + i:02}.json"] = json.dumps(messages).encode()
    return packed_zip(files)


def channel_day(rows: Rows) -> bytes:
    """One file of such an export."""
    said = [
        {"type": "message", "user": row["label"], "ts": f"{10**9 + i}.0", "text": row["text"]}
        for i, row in enumerate(rows)
    ]
    return json.dumps(said).encode()


def written(rows: Rows) -> dict[str, bytes]:
    """Name -> content of one file of each form."""
    return {
        "list.mbox": mailbox(rows),
        "one.eml": message(rows[0]).as_bytes(),
        "chat.txt": chat(rows),
        "slack.zip": slack(rows),
        "2001-09-09.json": channel_day(rows),
        "film.srt": cues(rows, ",", False).encode(),
        "meeting.vtt": f"WEBVTT\n\n{cues(rows, '.', True)}".encode(),
        "play.xml": play(rows),
        "wiki.xml": wiki(rows),
        "words.conllu": conllu(rows),
        "import.txt": mallet(rows),
    }


FORMS = {
    "list.mbox": "Mailbox (mbox)",
    "one.eml": "Message (eml)",
    "chat.txt": "Chat that WhatsApp exported",
    "slack.zip": "Export of Slack",
    "2001-09-09.json": "One file of such an export",
    "film.srt": "Subtitles (SRT)",
    "meeting.vtt": "Transcript with speakers (WebVTT)",
    "play.xml": "TEI",
    "wiki.xml": "Dump of MediaWiki",
    "words.conllu": "CoNLL-U",
    "import.txt": "Lines of id, label and text, as MALLET imports them",
}
"""Example -> what people call it."""
