"""Messages between the server and a child, and what a child answers: without any process."""

import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.core.child import Channel
from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.intake import child, wire, work
from bnpexplorer.corpus.readers.source import FIND_OUT, Source, strings
from bnpexplorer.corpus.text import describe
from bnpexplorer.corpus.words.settings import TextSettings

# ---- messages ----------------------------------------------------------------------------------


class Reads(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    def readinto(self, into):
        return super().readinto(into[:5])


def travelled(value, limit=None, taken=None):
    stream = io.BytesIO()
    wire.send(stream, value, limit)
    return wire.receive(Reads(stream.getvalue()), taken)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 500])
def test_strings_come_back_as_they_were_however_many(n):
    words = ["", "sea", "\xe4\u6d77\U0001f600", "a\0b\n"] * (n // 4 + 1)
    tree = {"a": [words[:n], {"b": words[:n]}], "c": 7}
    (found, arrays) = travelled(tree)
    assert found == {"value": tree}
    assert arrays == {}
    assert travelled(["half \ud800"] * 40)[0] == {"value": ["half ?"] * 40}


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.array([0.5, np.nan]),
        np.array([True, False]),
        np.array(["2001-01-01", "NaT"], "M8[D]"),
        np.array(["sea", "\xe4"]),
        np.zeros((0, 4), np.int32),
        np.arange(10, dtype=np.uint8)[::3],
    ],
)
def test_arrays_come_back_with_their_shape_and_type(array):
    tree, arrays = travelled([np.arange(3), array])
    first, found = (arrays[item["array"]] for item in tree["value"])
    assert first.tolist() == [0, 1, 2]
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(found, array)


def test_a_message_may_be_as_large_as_its_limit_and_no_larger(monkeypatch):
    array = np.arange(100)
    words = 40 * sys.getsizeof("x" * 9)  # which the version of Python decides
    many = ["x" * 9] * 40
    for value, size in (
        ([array], 800),
        ([many], words),
        ({"a": {"b": many}, "c": [[many, 7]]}, 2 * words),
    ):
        travelled(value, limit=size)
        with pytest.raises(wire.Oversize):
            wire.send(stream := io.BytesIO(), value, size - 1)
        assert stream.getvalue() == b"", "nothing is written before"
    travelled([array], taken=800)
    with pytest.raises(ValueError, match="a message beyond its limit"):
        travelled([array], taken=799)
    with pytest.raises(ValueError, match="a message beyond its limit"):
        travelled([array, array + 1], taken=1599)
    tree = len(json.dumps([["x" * 50], []]))
    monkeypatch.setattr(wire, "TREE", tree)
    travelled(["x" * 50])
    with pytest.raises(wire.Oversize):
        travelled(["x" * 51])


@pytest.mark.parametrize("named", [["a", "|O", [1]], ["a", "|V8", [1]], ["a", "<i8", [-1]]])
def test_what_no_child_of_ours_sends_is_no_message(named):
    text = json.dumps([[], [named]]).encode()
    for said in (len(text).to_bytes(8, "little") + text + bytes(8), (2**40).to_bytes(8, "little")):
        with pytest.raises(ValueError, match=r"^no message$"):
            wire.receive(io.BytesIO(said))
    with pytest.raises(EOFError):
        wire.receive(io.BytesIO(b"\7\0\0\0\0\0\0\0abc"))


# ---- what travels ------------------------------------------------------------------------------


def test_a_source_is_on_the_other_side_what_it_was():
    docs = DocTable(id=strings("ab"), text=strings(["sea", "hill"]))
    texts = Source(
        "mine", "excel", ("sea", "hill"), None, None, docs, ("x", "y"), {"text": "y"}, ("A", "B"),
        ("one", "two"), ("two",),
    )  # fmt: skip
    sent = work.Sent.of(texts)
    assert sent.docs.names() == ("id",), "texts travel once"
    found = sent.source()
    for name in ("name", "format", "texts", "columns", "chosen", "sheets", "notes", "warnings"):
        assert getattr(found, name) == getattr(texts, name)
    assert found.docs.text.tolist() == ["sea", "hill"]
    counts = Corpus.from_csr([[1, 0, 2], [0, 5, 0]], ["a", "b", "c"])
    found = work.Sent.of(Source("c", "mtx", counts=counts.to_csr(), vocab=counts.vocab)).source()
    assert (found.vocab, found.texts) == (("a", "b", "c"), None)
    assert found.counts.toarray().tolist() == [[1, 0, 2], [0, 5, 0]]


@pytest.mark.parametrize(
    "changed",
    [
        {"texts": None},
        {"counts": Corpus.from_csr([[1]])},
        {"docs": DocTable(id=strings("abc"))},
        {"docs": DocTable(date=strings("ab"))},
    ],
)
def test_parts_of_a_source_that_do_not_fit_are_refused(changed):
    fields = {"texts": ("sea", "hill"), "counts": None, "docs": DocTable(id=strings("ab"))}
    with pytest.raises(ValueError, match=r"neither texts nor counts|another length|its column"):
        work.Sent("a", "csv", **fields | changed).source()


PLACES = [
    (None, "its documents have no places"),
    (np.array([0.0, 2.0]), "its documents have no places"),
    (np.array([0, 3]), "it holds documents that are not there"),
    (np.array([-1, 2]), "it holds documents that are not there"),
]


@pytest.mark.parametrize(("places", "fault"), PLACES)
def test_documents_that_a_child_made_up_are_refused(places, fault):
    corpus = Corpus.from_csr([[1, 2], [3, 4]], docs=DocTable(id=np.array([2, 0])))
    docs = DocTable(title=strings(["a", "b", "c"]))
    made, report = work.Made(corpus, describe(corpus)).among(docs, "mine")
    assert (made.docs.title.tolist(), made.name, report.n_docs) == (["c", "a"], "mine", 2)
    wrong = Corpus.from_csr([[1, 2], [3, 4]], docs=DocTable(id=places))
    with pytest.raises(ValueError, match=fault):
        work.Made(wrong, report).among(docs, "mine")
    if places is not None and places.dtype == np.int64 and places[0] >= 0:
        assert work.Made(wrong, report).among(DocTable(), "mine")[0].n_docs == 2


def test_a_run_of_things_that_no_run_holds_is_refused(tmp_path):
    store.write(tmp_path / "a", {"x": {"array": "a"}}, {"a": np.array([1j])})
    with pytest.raises(
        store.StoreError, match=r"^my run is damaged \(it holds complex128, as no ru"
    ):
        work.run_file(str(tmp_path / "a"), None, 10**6, "my run")
    nothing = np.ndarray((3,), np.dtype("U0"))
    store.write(tmp_path / "a", {"x": {"array": "a"}}, {"a": nothing})
    with pytest.raises(store.StoreError, match=r"^my run is damaged \(it holds <U0, as no run"):
        work.run_file(str(tmp_path / "a"), None, 10**6, "my run")


def test_a_run_is_read_from_its_file_or_from_what_a_pipe_held(tmp_path):
    for name, scores in (("file", [1.5]), ("pipe", [2.5, 3.5])):
        store.write(tmp_path / name, {"scores": {"array": "s"}}, {"s": np.array(scores)})
    held = np.frombuffer((tmp_path / "pipe").read_bytes(), np.uint8)
    for content, scores in ((None, [1.5]), (held, [2.5, 3.5])):
        found = work.run_file(str(tmp_path / "file"), content, 10**6, "my run")
        assert [array.tolist() for array in found.arrays] == [scores]


def test_texts_that_the_server_has_do_not_travel_back():
    settings = TextSettings(min_df=1, max_df=1.0, min_tokens=1)
    texts = ("red sea hill", "", "sea rock", "hill hill")
    counted = work.count(work.Sent.of(Source("a", "text", texts)), settings)
    assert counted.corpus.docs.names() == ("id",)
    assert counted.corpus.docs.id.tolist() == [0, 2, 3]
    docs = DocTable(text=strings(t for t in texts if t), title=strings("xyz"))
    left = work.leave_out(replace(counted.corpus, docs=docs), ("hill",), settings)
    assert left.corpus.docs.id.tolist() == [0, 1]
    assert left.corpus.docs.text is None
    assert left.corpus.vocab == ("red", "rock", "sea")


# ---- what a child answers ----------------------------------------------------------------------


def asked_of(monkeypatch, arguments, handed_over=10**6, seconds=30.0):
    """The answer of a child that is asked once to cut a text, and the seconds that it may take."""
    allowed = []
    monkeypatch.setattr(child, "limit_time", allowed.append)
    asked, told = io.BytesIO(), io.BytesIO()
    wire.send(asked, [child.Request("cut", seconds, handed_over), arguments])
    asked.seek(0)
    child._serve(Channel(asked, told))
    tree, arrays = wire.receive(io.BytesIO(told.getvalue()))
    return store.unpack(child.Answer, tree["value"][0], arrays), tree["value"][1], allowed


def test_a_child_answers_with_what_came_of_it(monkeypatch):
    settings = TextSettings(min_df=1)
    answer, result, allowed = asked_of(monkeypatch, {"text": "the sea", "settings": settings})
    assert (answer.ended, answer.sentence) == ("well", "")
    assert result["plain"] == "the sea"
    assert allowed == [35.0], "the system ends it some seconds after the server would have"
    answer, result, _ = asked_of(monkeypatch, {"text": "sea " * 99, "settings": settings}, 50)
    assert (answer.ended, result) == ("memory", None)
    answer, result, _ = asked_of(monkeypatch, {"text": 7, "settings": settings})
    assert (answer.ended, result) == ("failed", None)
    monkeypatch.setitem(child.WORK, "cut", refuses)
    answer, result, _ = asked_of(monkeypatch, {"text": "sea"})
    assert (answer.ended, answer.sentence, result) == ("refused", "a.csv, line 3: no.", None)
    monkeypatch.setitem(child.WORK, "cut", finds_damage)
    answer, result, _ = asked_of(monkeypatch, {"text": "sea"})
    assert (answer.ended, answer.sentence, result) == ("refused", "my.run is damaged", None)


def refuses(text: str) -> int:
    raise CorpusError("a.csv, line 3: no.")


def finds_damage(text: str) -> int:
    raise store.StoreError("my.run is damaged")


def test_a_child_suggests_what_suits_the_texts_that_were_sent():
    texts = Source("a", "text", ("words and bit.ly/x",) * 9)
    found = work.suggest(work.Sent.of(texts), TextSettings(language="en"))
    assert found.settings == TextSettings(language="en", clean="links")


def test_what_a_child_may_take_beside_its_files_is_what_it_was_given():
    looked = work.Looked(work.Sent("a", "csv", ("x", "y"), None, DocTable()), False, 2, 9)
    assert looked.n_docs == 2
    assert work.Looked(work.Sent("a", "mtx", None, None, DocTable()), False, 2, 9).n_docs == 0
    files = ((("a.csv"), np.frombuffer(b"text\nsea\n", np.uint8)),)
    assert work.read(files, FIND_OUT).source().texts == ("sea",)
