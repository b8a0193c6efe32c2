"""Forms that are known and not read are refused by their names, with the way out; another package
adds a form by an entry point."""

import io
import pickle
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import formats
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from bnpexplorer.corpus.readers.reader import SURE, Reader
from bnpexplorer.corpus.readers.refused import KINDS
from bnpexplorer.corpus.readers.source import Source
from tests.tools.readers import packed_zip


def _npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, a=np.arange(3))
    return file.getvalue()


ODS = b"application/vnd.oasis.opendocument.spreadsheet"
SHEET = packed_zip({"mimetype": ODS, "content.xml": b"<x/>"})
KNOWN = [
    (b'<?xml version="1.0"?>\n<rss><p>Sea</p></rss>\n', "an XML file, which is not read; save"),
    ("<?xml version='1.0'?><a/>\n".encode("utf-16"), "an XML file, which is not read; save"),
    (b"1 1:0.5 7:2\n-1 2:1 3:1 9:1\n", "an svmlight file, whose numbers have no words; write"),
    (b"+1 qid:3 1:1\n+1 qid:3 2:1 # x\n", "an svmlight file, whose numbers have no words; write"),
    (pickle.dumps({"a": 1}, 2), "a Python pickle, which is never opened because it can run code"),
    (pickle.dumps({"a": 1}, 5), "a Python pickle, which is never opened because it can run code"),
    (b"X\n\0\0\0\x03\0\x04", "an R data file, not text; write the table with write.csv"),
    (b"RDX3\nX\n\0\0", "an R data file, not text; write the table with write.csv"),
    (b"$FL2@(#) SPSS DATA FILE", "an SPSS file, not text; export it as CSV"),
    (b"<stata_dta><header>", "a Stata file, not text; export it as CSV"),
    (b"SQLite format 3\0", "an SQLite database, not text; export a table as CSV"),
    (b"\xac\xed\0\x05sr", "a file of Java, such as MALLET's instances, not text; give the texts"),
    (SHEET, "an OpenDocument file, not text; save it as .odt or plain text, or a table as .xlsx"),
    (_npz(), "a file of NumPy arrays, not text; save the counts as Matrix Market"),
]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv", "a.json", "a.xlsx"])
@pytest.mark.parametrize(("content", "said"), KNOWN)
def test_a_known_form_is_refused_by_its_name(content, said, name):
    with pytest.raises(CorpusError) as told:
        read(name, content)
    text = str(told.value)
    is_text = any(part in said for part in ("which is not", "svmlight"))
    if name == "a.xlsx" and is_text:
        assert text.startswith("a.xlsx is no Excel file in spite of its name")
        return
    assert text.startswith(f"{name} is {said}"), text
    assert text.endswith(".")
    assert "\n" not in text


LIKE = """From the sea to the hill.
@home, at sea
PT boats at sea
Subject: the sea.
ORCHESTRA at sea
RIFF of a guitar
TY is a name
1 sea:2"""


@pytest.mark.parametrize("line", LIKE.split("\n"))
def test_texts_that_only_look_a_little_like_one_are_read(line):
    assert read("a.txt", f"{line}\nthe hill\n".encode()).texts == (line, "the hill")


def test_a_form_that_is_asked_for_is_not_refused():
    svmlight = b"1 1:0.5 7:2\n-1 2:1 3:1 9:1\n"
    assert read("a.txt", svmlight, options=ReadOptions(format="text")).n_docs == 2


def test_every_first_bytes_stand_once_and_say_a_way_out():
    begins = [magic for magic, _, _ in KINDS]
    assert len({*begins}) == len(begins)
    assert all(what and way for _, what, way in KINDS)


def test_a_pickle_in_an_archive_is_not_opened():
    content = packed_zip({"a.txt": b"sea", "b.txt": pickle.dumps([1], 4)}, zipfile.ZIP_STORED)
    with pytest.raises(
        CorpusError, match=r"a\.zip, entry b\.txt is a Python pickle, which is never"
    ):
        read("a.zip", content)


# ---- readers of other packages -----------------------------------------------------------------


def sniff(look) -> float:
    return SURE * look.start.startswith(b"~sea~")


def read_seas(upload) -> Source:
    return Source(upload.name, "seas", tuple(upload.data.decode().split("~")[2:]))


SEAS = Reader("seas", "Seas", "Texts of the sea.", (".sea",), sniff, read_seas)


def point(name, thing):
    def load():
        if isinstance(thing, Exception):
            raise thing
        return thing

    return SimpleNamespace(name=name, value=f"{name}:READER", load=load)


def test_another_package_adds_a_reader_and_a_broken_one_breaks_nothing(monkeypatch, caplog):
    points = [point("seas", SEAS), point("broken", ImportError("gone")), point("csv", formats.CSV)]
    monkeypatch.setattr(formats, "entry_points", lambda group: points * (group == formats.GROUP))
    found = formats._all_readers()
    assert [*found] == [*formats.READERS, "seas"]
    assert found["csv"] is formats.CSV
    assert "The reader broken (broken:READER) is left out: gone." in caplog.text
    assert "The reader csv" in caplog.text
    monkeypatch.setattr(formats, "READERS", found)
    assert read("a.txt", b"~sea~wide~blue").texts == ("wide", "blue")
