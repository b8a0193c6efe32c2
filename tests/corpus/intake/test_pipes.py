"""Pipes are read by whoever was given them, and paths need be no UTF-8."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api
from tests.tools.readers import DATA, VOCAB, data
from tests.tools.waiting import NEVER

posix = pytest.mark.skipif(os.name != "posix", reason="pipes with a path")


def through_pipe(content):
    """The path of a pipe that gives this content once, as a shell's <(...)."""
    ours, theirs = os.pipe()
    with os.fdopen(theirs, "wb") as file:
        file.write(content)  # less than the 64 kB that a pipe holds
    return f"/dev/fd/{ours}"


@posix
def test_a_pipe_is_read_as_the_file_would_be():
    content = b"text\nthe sea and the rock\nsea waves here\nrock and waves"
    corpus = api.load(through_pipe(content), format="csv", min_df=1)
    assert (corpus.n_docs, "waves" in corpus.vocab) == (3, True)
    counts = b"3\n3\n2\n1 1 2\n3 2 1\n"
    assert api.load(through_pipe(counts), vocab=through_pipe(VOCAB[1])).n_docs == 2


@pytest.mark.second
@posix
def test_the_standard_input_is_ours_even_where_it_is_a_file():
    script = "from bnpexplorer.corpus.intake.api import load\nprint(load('/dev/stdin').n_docs)"
    with (DATA / "small.csv").open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", script],
            stdin=file,
            capture_output=True,
            text=True,
            timeout=NEVER,
        )
    assert done.stdout == f"{api.load(DATA / 'small.csv').n_docs}\n"


@posix
def test_a_pipe_without_end_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "300")
    with pytest.raises(CorpusError, match=r"^/dev/zero gives more than 60 MB, .* file .*MEMORY_MB"):
        api.load("/dev/zero")


def test_what_is_not_there_is_named_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=r"^There is no file no/a\.csv; check the name"):
        api.load("no/a.csv")
    Path("a.csv").write_text("text\nthe sea")
    with pytest.raises(CorpusError, match=r"^There is no file v\.txt; "):
        api.load("a.csv", vocab="v.txt")
    with pytest.raises(CorpusError, match=r"^There is no file a\x00b; "):
        api.load("a\0b")


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_a_name_that_is_no_utf_8_is_read(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(data("small.csv"))
    corpus = api.load(os.fsdecode(path))
    assert corpus.fingerprint == api.load(DATA / "small.csv").fingerprint
    assert corpus.name == "caf?.csv"
