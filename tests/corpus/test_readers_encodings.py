"""Texts written in an encoding come back letter for letter, and the encoding is said."""

import codecs
from types import SimpleNamespace

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import decoding
from bnpexplorer.corpus.readers.decoding import Stored, decode, decoded_size, find_encoding
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


def test_a_guessed_encoding_is_said_with_words_to_check_it_by():
    """At most three different words that are not ASCII, in the order of the text."""
    text = "café au lait, café, crème, à midi, déjà vu"
    assert find_encoding("t.txt", text.encode("cp1252")) == (
        "cp1252",
        "encoding guessed as Windows-1252; it gives words such as “café”, “crème”, “à”: if they "
        "look wrong, choose the encoding",
    )
    assert find_encoding("t.txt", text.encode("cp1252"), "latin-1")[1] == (
        "encoding iso8859-1 (as asked)"
    )


@pytest.mark.parametrize(
    ("good", "said"),
    [
        (4, "no encoding explains the bytes; save the file as UTF-8, or choose its encoding."),
        (
            5,
            "the file is UTF-8 except for 2 broken characters, the first one there; mend that "
            "line, or choose the encoding.",
        ),
    ],
)
def test_a_file_that_is_utf_8_but_for_a_few_bytes_is_not_taken_for_another(good, said, monkeypatch):
    """More than four sound letters for each broken one; the line is that of the first of two."""
    monkeypatch.setattr(decoding, "from_bytes", lambda _: [])
    line = "ä" * good
    content = b"sea\n" + f"{line}\n{line}\n".encode() + b"h\xffll\nr\xffck\n"
    with pytest.raises(CorpusError) as told:
        find_encoding("t.txt", content)
    assert str(told.value) == f"t.txt, line 4: {said}"


def test_a_letter_cut_off_at_the_end_is_a_broken_one():
    """Of UTF-8; with four sound letters, as here, it is too many to call the file UTF-8."""
    content = ("ä" * 4 + "\nsea").encode() + b"\xc3"
    assert find_encoding("t.txt", content)[0] != "utf-8"
    with pytest.raises(CorpusError) as told:
        find_encoding("t.txt", "ä".encode() + content)
    assert str(told.value) == (
        "t.txt, line 2: the file is UTF-8 except for 1 broken character, the first one there; mend "
        "that line, or choose the encoding."
    )


def test_a_guess_must_fit_all_of_the_file(monkeypatch):
    """It is made by a sample; of those that fit that as well, the commonest is taken."""
    tied = ["koi8_r", "cp1251", "latin_1", "cp1252"]
    guess = SimpleNamespace(chaos=0.0, coherence=0.5, could_be_from_charset=tied, encoding="koi8_r")
    worse = SimpleNamespace(chaos=0.1, coherence=0.5, could_be_from_charset=[], encoding="cp1250")
    monkeypatch.setattr(decoding, "from_bytes", lambda _: [guess, worse])
    monkeypatch.setattr(decoding, "SAMPLE", 10)
    content = f"{FRENCH}\n".encode("cp1252")
    assert find_encoding("t.txt", content)[0] == "cp1252"
    tied.remove("cp1252")
    assert find_encoding("t.txt", content)[0] == "latin_1"
    tied.append("cp1252")
    with pytest.raises(CorpusError) as told:
        find_encoding("t.txt", content + b"plain\n\x81\x8d\n")
    assert str(told.value) == (
        "t.txt, line 3: the bytes there are not valid Windows-1252; choose another encoding, or "
        "save the file as UTF-8."
    )


@pytest.mark.parametrize("chunk", [3, 7, 2**20])
def test_where_something_is_wrong_is_found_in_whatever_pieces_a_file_is_read(
    chunk, monkeypatch, tmp_path
):
    """In memory and on the disk; letters and lines lie across pieces."""
    monkeypatch.setattr(decoding, "CHUNK", chunk)
    lines = ["Größe", "", "Über", "Maß"]
    for wrong, told in (
        (b"\0", "t.txt holds bytes that are no text (a zero byte on line 4); give a text, CSV, "
                "JSON lines, Parquet or ZIP file."),
        (b"\xff", "t.txt, line 4: the bytes there are not valid UTF-8; choose another encoding, or "
                  "save the file as UTF-8."),
    ):  # fmt: skip
        path = tmp_path / "t.txt"
        path.write_bytes("\n".join(lines).encode() + wrong + b"\nmore\n")
        for content in (path.read_bytes(), Stored(path)):
            with pytest.raises(CorpusError) as refused:
                find_encoding("t.txt", content, "utf-8" if wrong == b"\xff" else "")
            assert str(refused.value) == told
    for text in ("Größe\n", "sea\n" * 9, "海 sea", "😀"):
        for codec, wide in (("utf-8", 4 if "😀" in text else 2 if "海" in text else 1),):
            content = text.encode(codec)
            path.write_bytes(content)
            assert decoded_size(content, codec) == decoded_size(Stored(path), codec)
            assert decoded_size(content, codec) == len(text) * wide
            assert decode("t.txt", content) == (text, "encoding UTF-8")
    assert decoded_size("plain, then Maß".encode("cp1252"), "cp1252") == 2 * 15
    assert decoded_size(b"plain to its end", "cp1252") == 16
    assert [decoded_size(f"a {letter}".encode(), "utf-8") for letter in "ÿĀΩд߿"] == [3, 6, 6, 6, 6]


def test_a_file_on_the_disk_gives_what_its_bytes_give(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"0123456789")
    stored = Stored(path)
    assert len(stored) == 10
    for part in (slice(0, 4), slice(3, 7), slice(8, 99), slice(-3, None), slice(5, 2), slice(None)):
        assert stored[part] == b"0123456789"[part]
    assert stored.startswith(b"012")
    assert not stored.startswith(b"12")
    with stored.open() as file:
        assert file.read() == b"0123456789"


@pytest.mark.parametrize(("n_controls", "refused"), [(10, False), (11, True)])
def test_one_sign_in_a_hundred_may_be_none_of_a_text(n_controls, refused):
    content = b"\x01" * n_controls + b"a" * (1000 - n_controls)
    if refused:
        with pytest.raises(CorpusError, match=r"t\.txt holds bytes that are no text; give a text"):
            find_encoding("t.txt", content)
    else:
        assert find_encoding("t.txt", content) == ("utf-8", "encoding UTF-8")
    # Signs that lay out text, and the one that begins a colour, are none of these.
    assert find_encoding("t.txt", b"a\t\n\v\f\r\x1b" * 9) == ("utf-8", "encoding UTF-8")


@pytest.mark.parametrize(
    ("mark", "codec", "said"),
    [
        (codecs.BOM_UTF8, "utf-8", "UTF-8 with byte order mark"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    ],
)
def test_every_byte_order_mark_is_known(mark, codec, said):
    content = mark + f"{FRENCH}\nwords".encode(codec)
    assert decode("t.txt", content) == (f"{FRENCH}\nwords", f"encoding {said}")


def test_what_would_take_too_much_as_text_is_refused_by_its_size(monkeypatch):
    monkeypatch.setattr(decoding, "MAX_UNPACKED", 4_000_000)
    content = ("é" + "a" * 3_999_999).encode()
    assert len(decode("t.txt", content)[0]) == 4_000_000
    monkeypatch.setattr(decoding, "MAX_UNPACKED", 3_999_999)
    with pytest.raises(CorpusError) as told:
        decode("t.txt", ("海" + "a" * 2_000_000).encode())
    assert str(told.value) == ("t.txt would take 4 MB as text; the most is 3 MB, so split it.")
