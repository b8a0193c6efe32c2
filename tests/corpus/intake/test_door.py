"""What comes in from outside is read in a child process, within limits of memory and time."""

import copy
import gzip
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.intake import api, children, process, work
from bnpexplorer.corpus.intake.process import Child
from bnpexplorer.corpus.intake.usage import ReadingLimits, resident_bytes, usage_of
from bnpexplorer.corpus.readers.formats import read_files
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.text import TextSettings, default_settings, make_corpus
from bnpexplorer.corpus.words.occurrences import find_words
from tests.tools.readers import DATA, VOCAB, data
from tests.tools.waiting import at_most, returned, until

SLOW = "😀(?:a|aa)+!"
"""A pattern whose time grows 1.6-fold with every letter, but only after a sign that no trial of
patterns thinks of."""
ENDLESS = "😀" + "a" * 60
LATE = "sea " * 300 + ENDLESS
"""Beyond the letters of a text on which a pattern is tried."""


@pytest.fixture
def limits(monkeypatch):
    """Sets the limits of reading."""

    def given(megabytes=1500, seconds=30):
        monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", str(megabytes))
        monkeypatch.setenv("BNPEXPLORER_READ_SECONDS", str(seconds))

    return given


def same(one, other):
    assert one.fingerprint == other.fingerprint
    assert (one.name, one.vocab, one.n_empty_dropped) == (
        other.name,
        other.vocab,
        other.n_empty_dropped,
    )
    theirs = other.docs.columns()
    assert one.docs.columns().keys() == theirs.keys()
    for name, column in one.docs.columns().items():
        np.testing.assert_array_equal(column, theirs[name])


@pytest.mark.parametrize("name", ["small.csv", "tiny.jsonl"])
def test_what_is_read_apart_is_what_is_read_here(name):
    files = [(name, data(name))]
    here, apart = read_files(files), api.read_files(files)
    assert replace(apart, docs=here.docs) == replace(here, docs=here.docs) or (
        (apart.texts, apart.columns, apart.chosen, apart.notes)
        == (here.texts, here.columns, here.chosen, here.notes)
    )
    settings = default_settings(here)
    (corpus, report), (wanted, expected) = (
        api.count_words(apart, settings),
        make_corpus(here, settings),
    )
    same(corpus, wanted)
    assert report.removed == expected.removed
    assert report.commonest == expected.commonest
    np.testing.assert_array_equal(report.zipf, expected.zipf)
    same(api.load(DATA / name), wanted)
    words = wanted.vocab[:2]
    same(api.leave_out(corpus, words, settings)[0], leave_out(wanted, words, settings)[0])


def test_counts_with_their_vocabulary_and_empty_documents():
    files = [("docword.a.txt", b"3\n3\n2\n1 1 2\n3 2 1\n"), VOCAB]
    here, apart = read_files(files), api.read_files(files)
    settings = default_settings(here)
    same(api.count_words(apart, settings)[0], make_corpus(here, settings)[0])


def test_words_are_found_apart_as_here():
    settings = TextSettings(min_df=1, token_pattern=r"<(\w+)>|\w\w+", ngram_max=2)
    text, index = "The <Sea> and the rock; a sea rock", {"sea": 0, "sea rock": 1}
    assert api.find_words(text, settings, index) == find_words(text, settings, index)


@pytest.mark.second
def test_a_bomb_is_refused_in_one_sentence_that_names_limit_and_remedy(limits):
    limits(megabytes=400)
    bomb = gzip.compress(b"word " * 60_000_000 + "\U0001f600".encode())
    before = resident_bytes(os.getpid())
    with pytest.raises(CorpusError, match=r"^Reading a\.txt\.gz takes more than 400 MB") as said:
        api.read_files([("a.txt.gz", bomb)])
    assert "BNPEXPLORER_MEMORY_MB" in str(said.value)
    assert resident_bytes(os.getpid()) - before < 50e6


@pytest.mark.second
def test_what_takes_too_long_is_refused_and_the_next_file_is_read(limits):
    limits(seconds=1)
    api.read_files([("a.txt", b"one\ntwo")])
    settings = TextSettings(min_df=1, token_pattern=SLOW)
    source = read_files([("a.txt", LATE.encode())])
    with pytest.raises(CorpusError, match="takes more than 1 second of processor time"):
        api.count_words(source, settings)
    limits()
    assert api.read_files([("a.txt", b"one\ntwo")]).n_docs == 2


@pytest.mark.second
def test_a_pattern_that_never_ends_holds_no_thread(monkeypatch):
    """At work in this process it would hold the interpreter's lock, and every tab with it."""
    monkeypatch.setattr(api, "PATTERN_SECONDS", 0.5)
    children.CHILDREN.warm()
    settings = TextSettings(min_df=1, token_pattern=SLOW)
    refusal = pytest.raises(CorpusError, match=r"did not cut this text within 0\.5 seconds")
    with at_most(0.25), refusal:
        api.find_words(ENDLESS, settings, {})


def test_a_long_text_is_cut_apart_and_within_a_time(monkeypatch):
    """Junk of three million letters took the server's own process up to 19 s."""
    here, apart = [], []
    monkeypatch.setattr(
        api, "cut_here", lambda text, _: here.append(len(text)) or work.cut(text, _)
    )
    do = children.CHILDREN.do
    monkeypatch.setattr(
        children.CHILDREN, "do", lambda f, **all: apart.append(len(all["text"])) or do(f, **all)
    )
    monkeypatch.setattr(api, "LONG", 100)
    settings = TextSettings(min_df=1)
    short, long = "sea " * 25, "sea " * 26
    found = [api.find_words(text, settings, {"sea": 0}) for text in (short, long)]
    assert (here, apart) == ([100], [104])
    assert [len(one.occurrences) for one in found] == [25, 26]

    def too_slow(function, at_most, **all):
        assert at_most == api.LONG_SECONDS
        raise process.ReadingFailed("time")

    monkeypatch.setattr(children.CHILDREN, "do", too_slow)
    with pytest.raises(CorpusError, match=r"text of 104 letters was not cut within 10 seconds"):
        api.find_words(long, settings, {"sea": 0})


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("deep"), OverflowError("large")])
def test_whatever_a_reader_raises_ends_in_one_sentence(error, monkeypatch):
    def fail(*_, **__):
        raise error

    from bnpexplorer.corpus.intake import child

    monkeypatch.setitem(child.WORK, "read", fail)
    answer, result = child._done(child.Request("read", 1, 1), {}, {})
    assert result is None
    assert answer.ended == ("memory" if isinstance(error, MemoryError) else "failed")
    refusal = str(api.refusal("a.csv", api.ReadingFailed(answer.ended, answer.sentence)))
    assert refusal.count(". ") == 0
    assert "a.csv" in refusal


@pytest.mark.second
def test_a_child_that_crashes_is_a_sentence(monkeypatch):
    child = Child(api.reading_limits())
    child.wait()
    child._process.terminate()
    monkeypatch.setattr(children.CHILDREN, "_take", lambda _: child)
    with pytest.raises(CorpusError, match=r"^a\.txt cannot be read"):
        api.read_files([("a.txt", b"one")])
    assert not child.usable


@pytest.mark.second
def test_a_child_has_no_secrets_no_sockets_writes_no_file_and_is_replaced_when_tired(monkeypatch):
    monkeypatch.setenv("OF_THE_SERVER", "secret")
    group = children.Children()
    try:
        child = group._take(api.reading_limits())
        child.do(work.read, 30, files=[("a.txt", np.frombuffer(b"one", np.uint8))], options={})
        about = Path(f"/proc/{child._process.pid}")
        if about.is_dir():
            assert b"secret" not in (about / "environ").read_bytes()
            opened = [os.readlink(link) for link in (about / "fd").iterdir()]
            assert not [name for name in opened if name.startswith("socket")]
            allowed = (about / "limits").read_text()
            assert re.search(r"Max file size +0 +0 ", allowed)
            assert re.search(r"Max cpu time +\d+ ", allowed), "it ends should the server be gone"
            assert re.search(r"Max core file size +0 +0 ", allowed)
            assert Path(os.readlink(about / "cwd")) == Path(child._folder).resolve()
        group._give_back(child)
        monkeypatch.setattr(process, "TIRED_FILES", 1)
        assert group._take(api.reading_limits()) is not child
        assert child._process.returncode is not None
        assert not Path(child._folder).exists()
    finally:
        group.end()


@pytest.mark.second
def test_the_watch_alone_ends_a_child_that_holds_too_much():
    """As on systems that limit no process."""
    child = children.CHILDREN._take(api.reading_limits())
    child.wait()
    child.limits = ReadingLimits(megabytes=50)
    source = read_files([("a.txt", ENDLESS.encode())])
    settings = TextSettings(min_df=1, token_pattern=SLOW)
    with pytest.raises(api.ReadingFailed) as said:
        child.do(work.count, 20, sent=work.Sent.of(source), settings=settings)
    assert said.value.why == "memory"
    assert not child.usable
    children.CHILDREN._give_back(child)


@pytest.mark.second
def test_a_folder_is_read_as_it_was_asked_for(tmp_path):
    """In this process and by a child: in its encoding, and divided."""
    paragraph = " ".join(["Straße am Hafen bei Flut und Ebbe und Wind"] * 2)
    for i in range(3):
        (tmp_path / f"{i}.txt").write_text("\n\n".join([paragraph] * (i + 2)), "cp1252")
    options = ReadOptions(encoding="cp1252", passages="paragraphs")
    for loaded in (
        work.load(api.place_of(tmp_path), None, options, {"min_df": 1}),
        api.load_with_report(tmp_path, None, options, {"min_df": 1}),
    ):
        assert loaded.corpus.n_docs == 2 + 3 + 4
        assert "straße" in loaded.corpus.vocab


@pytest.mark.second
def test_a_small_file_costs_little_more_than_here(monkeypatch):
    """It is read at once, not at the next look of the watch, by the child that is there."""
    group, files = children.Children(), [("a.txt", b"one two\nthree four")]
    monkeypatch.setattr(api, "CHILDREN", group)

    def seven_times():
        with at_most(7 * 0.05):
            for _ in range(7):
                api.read_files(files)

    try:
        api.read_files(files)
        (child,) = group._all
        pid, before = child._process.pid, usage_of(child._process.pid).seconds
        monkeypatch.setattr(process, "PAUSE", 3600.0)
        returned(seven_times)
        assert usage_of(pid).seconds - before < 7 * 0.05
        assert [one._process.pid for one in group._all] == [pid]
    finally:
        group.end()


@pytest.mark.second
def test_the_child_ends_with_the_server():
    script = """
from bnpexplorer.corpus.intake import children
from bnpexplorer.corpus.intake.api import read_files
read_files([("a.txt", b"one")])
(child,) = children.CHILDREN._all
print(child._process.pid, flush=True)
import os; os._exit(1)  # as killed: nothing is tidied up
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    pid = int(done.stdout)
    until(lambda: not resident_bytes(pid))


def test_a_refusal_that_quotes_the_file_at_length_keeps_its_remedy():
    head = b"%%MatrixMarket matrix coordinat" + b"[" * 5000 + b" integer general\n"
    with pytest.raises(
        CorpusError, match=r"^a\.mtx, line 1.* \.\.\. .*integer general'\.$"
    ) as said:
        api.read_files([("a.mtx", head + b"1 3 1\n1 1 1\n"), VOCAB])
    assert len(str(said.value)) < 610


def test_counts_that_a_child_made_up_are_not_taken_for_a_source():
    """Whoever has read a hostile file may say anything."""
    counts = Corpus(np.array([0, 1, 2]), np.array([0, 1]), np.array([1, 2]), ("sea", "hill"))
    sent = work.Sent("a.mtx", "mtx", None, counts, DocTable())
    assert sent.source().n_docs == 2
    for lie in (
        {"word_ids": np.array([0, 7], np.int32)},
        {"counts": np.array([1, -2], np.int32)},
        {"indptr": np.array([0, 5, 2])},
    ):
        wrong = copy.copy(counts)
        for name, value in lie.items():
            object.__setattr__(wrong, name, value)
        with pytest.raises(ValueError, match=r"follow|whole numbers|vocabulary lacks"):
            replace(sent, counts=wrong).source()
