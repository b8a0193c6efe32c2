"""Chats: WhatsApp's export in the forms of its systems and countries, and Slack's."""

import json

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, guess_format, read
from tests.tools.forms import EXAMPLES, ROWS, TEXTS, found
from tests.tools.readers import notes, packed_zip

NOW = ReadOptions(as_of="2026-03-05")
ANDROID = """31.12.20, 21:14 - Messages and calls are end-to-end encrypted.
31.12.20, 21:15 - Ann Lee: the sea is wide
and blue: so it is

so far
31.12.20, 21:16 - Ann Lee: <Medien ausgeschlossen>
31.12.20, 21:16 - Bob: IMG-1.jpg (file attached)
31.12.20, 21:17 - Ann Lee created group "Trip: sea"
01.01.21, 09:00 - Bob: a hill <This message was edited>
"""
IOS = """[12/31/20, 9:14:03\u202fPM] Trip: \u200eMessages and calls are end-to-end encrypted.
[12/31/20, 9:15:03\u202fPM] Ann Lee: the sea is wide
and blue: so it is

so far
\u200e[12/31/20, 9:16:00\u202fPM] Ann Lee: \u200eimage omitted
\u200e[12/31/20, 9:16:00\u202fPM] Bob: \u200e<attached: 1.jpg>
[12/31/20, 9:17:03\u202fPM] Ann Lee: \u200eAnn Lee changed the group name
[1/1/21, 9:00:00\u202fAM] ~\u202fBob: a hill \u200e<This message was edited>
"""


@pytest.mark.parametrize("content", [ANDROID, IOS])
def test_messages_of_both_systems(content):
    source = read("chat.txt", content.encode(), options=NOW)
    assert source.format == "whatsapp"
    assert source.texts == ("the sea is wide\nand blue: so it is\n\nso far", "", "", "a hill")
    assert source.docs.label.tolist() == ["Ann Lee", "Ann Lee", "Bob", "Bob"]
    days = ["2020-12-31"] * 3 + ["2021-01-01"]
    assert source.docs.date.astype(str).tolist() == days
    assert source.docs.id is None
    assert "2 lines of the system left out." in notes(source)
    assert "2 messages without words, such as pictures." in notes(source)
    assert (source.rows.unit, source.rows.number.tolist()) == ("line", [2, 6, 7, 9])


@pytest.mark.parametrize(
    ("heads", "days"),
    [
        (["13/2/20, 21:15 -", "3/4/20, 21:15 -"], ["2020-02-13", "2020-04-03"]),
        (["2/13/20, 9:15 PM -", "3/4/20, 9:15 AM -"], ["2020-02-13", "2020-03-04"]),
        (["2/3/20, 9:15 PM -", "3/4/20, 9:15 AM -"], ["2020-02-03", "2020-03-04"]),
        (["2/3/2020, 21:15 -", "3/4/2020 21:15 -"], ["2020-03-02", "2020-04-03"]),
        (["02.03.2020, 21:15 -", "03.04.20, 21.15 -"], ["2020-03-02", "2020-04-03"]),
        (["13/02/2020 à 21:15 -", "03/04/2020 à 21:15 -"], ["2020-02-13", "2020-04-03"]),
        (["[2020/3/2, 9:15:00 p.m.]", "[2020/4/3, 21:15:00]"], ["2020-03-02", "2020-04-03"]),
        (["[2020-03-02, 21:15:00]", "[2020-04-03, 21:15:00]"], ["2020-03-02", "2020-04-03"]),
    ],
)
def test_dates_of_all_countries(heads, days):
    """As they stand in the order that all of them tell; without as_of too, where asked for."""
    content = "".join(f"{head} Ann: the sea\n" for head in heads).encode()
    for options in (ReadOptions(format="whatsapp"), ReadOptions("whatsapp", as_of=NOW.as_of)):
        source = read("a.txt", content, options=options)
        assert source.docs.date.astype(str).tolist() == days
        unsure = "do not tell whether day or month is first" in notes(source)
        assert unsure == (heads[0].startswith("2/3/20"))


def test_a_day_that_is_none_stays_unknown():
    content = b"31.12.20, 21:15 - Ann: sea\n31.02.20, 21:15 - Ann: hill\n"
    days = read("a.txt", content, options=NOW).docs.date.astype(str).tolist()
    assert days == ["2020-12-31", "NaT"]


@pytest.mark.parametrize(
    "content",
    [
        "2020-12-31 21:15:00 - INFO: started\n2020-12-31 21:15:01 - INFO: done\n",
        "31.12.20, 21:15 - the sea\n31.12.20, 21:16 - the hill\n",
        "1/2/20 sea\n1/3/20 hill\n",
        "The sea on 31.12.20, 21:15 - Ann: wide\n",
    ],
)
def test_other_lines_with_dates_are_no_chat(content):
    assert guess_format("a.txt", content.encode(), as_of=NOW.as_of) == "text"


def test_readings_of_before_have_a_line_a_document():
    assert read("chat.txt", ANDROID.encode()).n_docs == 8
    assert guess_format("film.srt", EXAMPLES["film.srt"]) == "text"
    for name in ("words.conllu", "import.txt"):
        assert guess_format(name, EXAMPLES[name]) == "text"
    assert guess_format("d.json", DAY) == "jsonl"


def test_a_chat_in_an_archive_with_its_pictures_is_read():
    content = packed_zip({"_chat.txt": IOS.encode(), "1.jpg": b"\xff\xd8\xff"})
    assert read("chat.zip", content, options=NOW).texts[3] == "a hill"


def test_messages_of_a_day_can_be_joined():
    options = ReadOptions(as_of=NOW.as_of, join="date")
    source = read("chat.txt", ANDROID.encode(), options=options)
    assert source.n_docs == 2
    assert source.texts[1] == "a hill"


def test_a_text_that_is_asked_for_as_a_chat_and_is_none():
    with pytest.raises(CorpusError, match=r"a\.txt has no messages of a chat; give it as plain"):
        read("a.txt", b"the sea\n", options=ReadOptions(format="whatsapp"))


# ---- Slack -------------------------------------------------------------------------------------

DAY = json.dumps(
    [
        {
            "type": "message",
            "user": "U7",
            "ts": "1577880000.0001",
            "text": "<@U7> &amp; <@U8|bo> see <https://x.y|the site>, <https://x.y> in <#C1|sea>",
            "user_profile": {"real_name": "Ann Lee"},
        },
        {"type": "message", "subtype": "channel_join", "ts": "1577880001.0", "text": "joined"},
        {"type": "message", "subtype": "bot_message", "username": "bot", "ts": "x", "text": "hi"},
    ]
).encode()


def test_an_export_gives_channels_people_and_days():
    source = found()["slack.zip"]
    order = sorted(range(6), key=lambda i: ROWS[i]["label"])
    assert source.texts == tuple(TEXTS[i] for i in order)
    assert source.docs.label.tolist() == [ROWS[i]["label"] for i in order]
    assert source.docs.date.astype(str).tolist() == [f"2001-09-{9 + i:02}" for i in order]
    assert "5 messages of Slack itself, such as who joins, left out." in notes(source)
    authors = read("slack.zip", EXAMPLES["slack.zip"], options=ReadOptions(label="author"))
    assert authors.docs.label.tolist() == [("Ann", "bob")[i % 2] for i in order]


def test_one_file_of_an_export_is_read_too():
    source = read("2020-01-01.json", DAY, options=NOW)
    assert source.format == "slack-day"
    assert source.texts == ("@U7 & @bo see the site, https://x.y in #sea", "hi")
    assert source.docs.label.tolist() == ["Ann Lee", "bot"]
    assert source.docs.date.astype(str).tolist() == ["2020-01-01", "NaT"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'[{"type": "message", ', r"entry a/2020-01-01\.json, line 1: the JSON is damaged there"),
        (b'{"a": 1}', r"entry a/2020-01-01\.json is no list of messages; export"),
        (b"[" * 100_000, r"entry a/2020-01-01\.json .*JSON .*; export"),
    ],
)
def test_a_damaged_export_is_told_by_its_entry(content, said):
    packed = packed_zip({"users.json": b"[]", "a/2020-01-01.json": content})
    with pytest.raises(CorpusError, match=said):
        read("slack.zip", packed)
