"""Reader of subtitles and transcripts with times (SRT, WebVTT).

Times and tags go, sentences are joined over the cues. Where speakers are named, each turn is a
document with its speaker as the label; else all of a file is one, or its minutes.
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..corpus import CorpusError
from .decoding import Data, find_encoding, open_text
from .reader import CLEAR, Look, Reader
from .source import MINUTES, NONE, Source, Upload
from .tables import Row, RowTable, read_rows

TIMES = re.compile(r"\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}\s*-->\s*\d[\d:]*[.,]\d")
BEGIN = re.compile(rf"\s*(WEBVTT\b|(\d+\s*\n)?{TIMES.pattern})")
VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s+([^<>\n]{1,200})>")
TAGS = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|</?[a-z]?>|<[\d:.]{5,12}>|\{\\[^{}\n]{1,100}\}")
NAMED = re.compile(r"(?:>> ?)?([^\W\d_][\w .'’-]{0,40}): +(?=\S)")
"""How a cue begins whose speaker stands in its text, as Zoom writes it."""
MOSTLY = 0.5
"""The share of cues that begin so from which on these are speakers."""
ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "?”", "!”")
FIELDS = {"text": "text", "id": NONE, "title": "title", "date": NONE, "label": "speaker"}
COLUMNS = ("title", "start", "speaker", "text")


@dataclass
class Cue:
    """One cue."""

    number: int
    seconds: int
    """When it begins."""
    lines: list[str]


def transcript_table(upload: Upload) -> RowTable:
    """Return the turns of speakers, minutes or the whole of a transcript as rows."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    names, rolling = _looked_at(_cues(name, data, codec))
    minutes = upload.options.split == MINUTES
    turns = "each turn of a speaker" if names is not None else ""
    each = " and ".join(filter(None, (turns, "each minute" * minutes))) or "the file"
    notes = [f"Read as a transcript, one document for {each}, {encoding}."]
    rows = _rows(name, _spoken(_cues(name, data, codec), names, rolling), minutes)
    return RowTable(name, "transcript", rows, COLUMNS, notes, "cue", fields=FIELDS)


def read_transcript(upload: Upload) -> Source:
    """Return the turns of speakers, or the minutes or all of a transcript without speakers."""
    return read_rows(transcript_table(upload), upload.options)


def _cues(name: str, data: Data, codec: str) -> Iterator[Cue]:
    """The cues in order. Raises CorpusError where there is none."""
    number, cue, before, in_text = 0, None, "", False
    is_vtt = data[:200].find(b"WEBVTT") >= 0
    for line in open_text(data, codec, newline=None):
        line = line.strip()
        if found := TIMES.match(line):
            if cue is not None:
                if cue.lines and before and cue.lines[-1] == before and not is_vtt:
                    cue.lines.pop()  # the number of the next cue, with no blank line before it
                yield cue
            number += 1
            hours, rest, seconds = (int(part or 0) for part in found.groups()[:3])
            cue, in_text = Cue(number, 3600 * hours + 60 * rest + seconds, []), True
        elif not line:
            in_text = not is_vtt and in_text
        elif cue is not None and in_text:
            cue.lines.append(line)
        before = line if line.isdecimal() else ""
    if cue is None:
        raise CorpusError(f"{name} has no cues with times; give it as plain text.")
    yield cue


def _looked_at(cues: Iterable[Cue]) -> tuple[bool | None, bool]:
    """Whether speakers stand in the text (True), in tags (False) or nowhere (None), and whether
    each cue repeats the line before, as those that were made while somebody spoke do."""
    n = named = voices = rolling = 0
    for cue in cues:
        text = "\n".join(cue.lines)
        n += bool(text)
        named += bool(NAMED.match(TAGS.sub("", text)))
        voices += bool(VOICE.search(text))
        rolling += bool(re.search(r"<\d\d:[\d:.]+>", text))
    by_name = named >= 2 and named >= MOSTLY * n
    return False if voices else True if by_name else None, bool(rolling)


def _spoken(
    cues: Iterable[Cue], names: bool | None, rolling: bool
) -> Iterator[tuple[Cue, str, str]]:
    """The cues with speaker and text, one for each voice in it."""
    speaker, last = "", ""
    for cue in cues:
        lines = [line for line in cue.lines if not (rolling and _plain(line) == last)]
        last = _plain(lines[-1]) if lines else last
        text = " ".join(lines)
        if names is False:
            before, *parts = VOICE.split(text)
            if _plain(before):
                yield cue, speaker, _plain(before)
            for voice, words in zip(parts[::2], parts[1::2], strict=True):
                speaker = _plain(voice)
                yield cue, speaker, _plain(words)
            continue
        text = _plain(text)
        if names and (found := NAMED.match(text)):
            speaker, text = found[1].strip(), text[found.end() :]
        yield cue, speaker, text


def _plain(text: str) -> str:
    return " ".join(html.unescape(TAGS.sub("", text)).split())


def _rows(name: str, spoken: Iterable[tuple[Cue, str, str]], minutes: bool) -> Iterator[Row]:
    """One row a turn; with `minutes` a new one with the first sentence of each minute too."""
    title = PurePosixPath(name.split(", entry ")[-1]).stem
    first: Cue | None = None
    who, texts = "", list[str]()

    def row(begun: Cue) -> Row:
        hours, rest = divmod(begun.seconds, 3600)
        start = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
        cells = {"title": title, "start": start, "speaker": who, "text": " ".join(texts)}
        if who or minutes:
            cells["title"] = f"{title} {start}"
        return begun.number, cells

    for cue, speaker, text in spoken:
        ended = not texts or texts[-1].endswith(ENDS)
        later = first is not None and cue.seconds // 60 > first.seconds // 60
        if first is not None and texts and (speaker != who or (minutes and later and ended)):
            yield row(first)
            first, texts = None, []
        first, who = first or cue, speaker
        if text:
            texts.append(text)
    if first is not None:
        yield row(first)


def _sniff(look: Look) -> float:
    return CLEAR if BEGIN.match(look.text.lstrip("\ufeff")) else 0.0


TRANSCRIPT = Reader(
    "transcript",
    "Transcript (SRT, WebVTT)",
    "Subtitles with times: a turn of a speaker a document, or all of the file, or its minutes.",
    (".srt", ".vtt"),
    _sniff,
    read_transcript,
    transcript_table,
    later=True,
    many=True,
)
