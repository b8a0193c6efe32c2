"""Texts written in an encoding come back letter for letter, and the encoding is said."""

import pytest

from bnpexplorer.corpus.readers.formats import ReadOptions, read
from tests.tools.readers import FRENCH, notes


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


@pytest.mark.parametrize("long", ["word " * 400_000, "x" * 2_000_000])
def test_a_long_line_without_accents_before_others_is_soon_read(long):
    """A search that tried the line from every place would not end in a day."""
    source = read("t.txt", f"{long}\n{FRENCH}\n".encode("cp1252"))
    assert source.texts == (long.strip(), FRENCH)


@pytest.mark.parametrize(
    ("text", "split"),
    [("a\nb", "line"), ("a\n \t\nb", "paragraph"), ("\n\n a\nb\n\n \n" + "\n" * 1_000_000, "line")],
)
def test_a_blank_line_between_pasted_texts_makes_paragraphs(text, split):
    assert f"one document a {split}" in notes(
        read("box", text.encode(), options=ReadOptions(format="pasted"))
    )


def test_an_emoji_far_down_a_large_file_is_kept():
    lines = ["plain words"] * 200_000 + ["sea 😀"]
    source = read("t.txt", "\n".join(lines).encode())
    assert source.texts[-1] == "sea 😀"
