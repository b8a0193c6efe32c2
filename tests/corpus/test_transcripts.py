"""Transcripts: SRT and WebVTT, their times, tags, speakers and minutes."""

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, guess_format, read
from tests.tools.forms import EXAMPLES, ROWS, TEXTS, found
from tests.tools.readers import packed_zip

NOW = ReadOptions(as_of="2026-03-05")
MINUTES = ReadOptions(as_of=NOW.as_of, split="minutes")
SRT = """1
00:00:58,000 --> 00:01:04,000
<i>The sea</i> is wide and
{\\an8}blue &amp; <font color="red">deep</font>

2
00:01:05,000 --> 00:01:09,500  X1:1 Y1:2
in spite of

all. A hill
3
00:01:10,000 --> 00:01:12,000
is high.

4
01:00:10,000 --> 01:00:12,000
5
"""
VTT = """\ufeffWEBVTT - of a meeting

NOTE this is
no text

STYLE
::cue(v) { color: red }

intro
00:01.000 --> 00:04.000 align:start position:0%
<v Ann Lee>The <c.x>sea</c> is

7
00:05.000 --> 00:06.000
<v Ann Lee>wide.</v>

00:07.000 --> 00:09.000
<v.loud Bob>A <00:00:08.000>hill.</v>
<v Ann Lee>No.
"""


def test_times_and_tags_go_and_sentences_are_joined():
    source = read("a.srt", SRT.encode(), options=NOW)
    assert source.texts == ("The sea is wide and blue & deep in spite of all. A hill is high. 5",)
    assert source.docs.title.tolist() == ["a"]
    assert (source.docs.label, source.docs.date, source.docs.id) == (None, None, None)


def test_minutes_end_with_their_sentences():
    source = read("a.srt", SRT.encode(), options=MINUTES)
    assert source.texts == ("The sea is wide and blue & deep in spite of all. A hill is high.", "5")
    assert source.docs.title.tolist() == ["a 00:00:58", "a 01:00:10"]
    assert source.rows.number.tolist() == [1, 4]
    film = read("film.srt", EXAMPLES["film.srt"], options=MINUTES)
    assert film.texts == (" ".join(TEXTS[:2]), TEXTS[2], " ".join(TEXTS[3:5]), TEXTS[5])


def test_speakers_are_labels_and_their_turns_documents():
    source = read("a.txt", VTT.encode(), options=NOW)
    assert source.texts == ("The sea is wide.", "A hill.", "No.")
    assert source.docs.label.tolist() == ["Ann Lee", "Bob", "Ann Lee"]
    meeting = found()["meeting.vtt"]
    assert meeting.texts == TEXTS
    assert meeting.docs.label.tolist() == [row["label"].title() for row in ROWS]
    parted = read("meeting.vtt", EXAMPLES["meeting.vtt"], options=MINUTES)
    assert parted.texts == TEXTS, "no turn goes on beyond a minute"


def test_speakers_in_the_text_are_found_where_most_cues_have_them():
    head = "WEBVTT\n\n"
    cue = "00:0{}:00.000 --> 00:0{}:09.000\n{}\n\n"
    said = ["Ann Lee: the sea", "it is: wide", "Bob: a hill", ">> Ann Lee: no"]
    content = head + "".join(cue.format(i, i, text) for i, text in enumerate(said))
    source = read("zoom.vtt", content.encode(), options=NOW)
    assert source.texts == ("the sea", "wide", "a hill", "no")
    plain = head + "".join(
        cue.format(i, i, t) for i, t in enumerate(["one", "so it is: wide", "x"])
    )
    assert read("zoom.vtt", plain.encode(), options=NOW).texts == ("one so it is: wide x",)


def test_lines_that_a_cue_repeats_of_the_one_before_count_once():
    cues = [
        "\nthe<00:00:00.500><c> sea</c>",
        "the sea\nis<00:00:02.500><c> wide</c>",
        "is wide\nso",
    ]
    times = "00:00:0{}.000 --> 00:00:0{}.000\n{}\n\n"
    content = "WEBVTT\n\n" + "".join(times.format(i, i, cue) for i, cue in enumerate(cues))
    assert read("a.vtt", content.replace("\n\nthe<", "\nthe<", 1).encode(), options=NOW).texts == (
        "the sea is wide so",
    )
    assert read("a.srt", b"1\n00:00:01,0 --> 00:00:02,0\nno\n\n2\n00:00:02,0 --> 00:00:03,0\nno\n",
                options=NOW).texts == ("no no",)  # fmt: skip


def test_transcripts_of_an_archive_are_read_together():
    content = packed_zip({"a/film.srt": SRT.encode(), "a/talk.vtt": VTT.encode()})
    source = read("a.zip", content, options=NOW)
    assert source.n_docs == 4
    assert source.docs.title.tolist()[:2] == ["film", "talk 00:00:01"]
    assert source.docs.label.tolist() == ["", "Ann Lee", "Bob", "Ann Lee"]


@pytest.mark.parametrize("content", ["The sea --> the hill\n", "1\n2\n3\n", "WEB\n"])
def test_other_texts_are_no_transcripts(content):
    assert guess_format("a.txt", content.encode(), as_of=NOW.as_of) == "text"


def test_a_transcript_without_cues_is_told():
    with pytest.raises(CorpusError, match=r"a\.vtt has no cues with times; give it as plain text"):
        read("a.vtt", b"WEBVTT\n\nNOTE nothing\n", options=NOW)
