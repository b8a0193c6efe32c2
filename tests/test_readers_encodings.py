"""Texts written in an encoding come back letter for letter, and the encoding is said."""

import pytest
from reader_tools import FRENCH, notes

from bnpexplorer.corpus.readers import ReadOptions, read


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("utf-8", "encoding UTF-8."),
        ("utf-8-sig", "UTF-8 with byte order mark"),
        ("utf-16", "encoding UTF-16"),
        ("utf-16-le", "UTF-16 (little endian) (no byte order mark; guessed)"),
        ("utf-16-be", "UTF-16 (big endian) (no byte order mark; guessed)"),
        ("utf-32", "encoding UTF-32"),
        ("cp1252", "guessed as Windows-1252"),
        ("latin-1", "guessed as Windows-1252"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "txt", "jsonl"])
def test_encodings_are_found_and_said(codec, said, ending):
    content = {
        "csv": f"id,text\n1,{FRENCH}\n2,plain words\n",
        "txt": f"{FRENCH}\nplain words\n",
        "jsonl": f'{{"text": "{FRENCH}"}}\n{{"text": "plain words"}}\n',
    }[ending]
    source = read(f"t.{ending}", content.encode(codec))
    assert source.texts == (FRENCH, "plain words")
    assert said in notes(source)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Поезд пришёл на станцию вовремя, и пассажиры вышли на перрон.", "cp1251"),
        ("Поезд пришёл на станцию вовремя, и пассажиры вышли на перрон.", "koi8_r"),
        ("Die Bäckerei schließt früh, weil die Straße überschwemmt wurde.", "cp1252"),
        ("It’s a “nice” day – isn’t it? The rest is plain English prose.", "cp1252"),
        ("Zażółć gęślą jaźń; pociąg przyjechał na stację o świcie.", "cp1250"),
        ("電車は時間どおりに駅に着きました。乗客はホームに降りました。", "cp932"),
    ],
)
def test_other_encodings_are_guessed_and_can_be_named(text, codec):
    content = f"{text}\n{text}\n".encode(codec)
    assert read("t.txt", content).texts == (text, text)
    named = read("t.txt", content, options=ReadOptions(encoding=codec))
    assert named.texts == (text, text)
    assert "(as asked)" in notes(named)


def test_an_emoji_far_down_a_large_file_is_kept():
    lines = ["plain words"] * 200_000 + ["sea 😀"]
    source = read("t.txt", "\n".join(lines).encode())
    assert source.texts[-1] == "sea 😀"
