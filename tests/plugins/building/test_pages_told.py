"""What the pages say of large builds, part by part."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.corpus.readers.source import ReadOptions, Source
from bnpexplorer.corpus.text import AS_COUNTED, usual_settings
from bnpexplorer.plugins.building import builds, pages
from bnpexplorer.plugins.building.steps import SHARES


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (1_234_000, "1.2 MB"),
        (999_940_000, "999.9 MB"),
        (1_234_000_000, "1.2 GB"),
        (5_678_900_000_000, "5,678.9 GB"),
    ],
)
def test_a_size_in_words(n, words):
    assert pages.bytes_in_words(n) == words


@pytest.mark.parametrize(
    ("names", "n_files", "whole", "words"),
    [
        (["a*b.csv"], 1, True, "**a\\*b.csv**: 2.5 MB."),
        (
            ["a.csv", "b.csv", "c.csv"],
            3,
            False,
            "**a.csv and 2 more**: 3 files, 2.5 MB. Below is what its first 3,000 documents say.",
        ),
        (["folder"], 1200, True, "**folder**: 1,200 files, 2.5 MB."),
    ],
)
def test_how_much_there_is_and_of_what_the_form_speaks(names, n_files, whole, words):
    looked = SimpleNamespace(n_files=n_files, n_bytes=2_500_000, n_docs=3000, whole=whole)
    assert pages._sizes([Path("/home/me") / name for name in names], looked) == words


def new(n_docs):
    return replace(usual_settings(n_docs), whole_words=True)


def test_settings_suit_as_many_documents_as_the_bytes_tell():
    """A tenth of the letters was looked at, in 120 documents: there are some 1,200."""
    source = Source("a.csv", "csv", texts=("x" * 10,) * 120)
    part = SimpleNamespace(n_bytes=12_000, whole=False)
    whole = SimpleNamespace(n_bytes=12_000, whole=True)
    usual = ReadOptions()
    assert pages._usual(part, usual, source) == new(1200) != new(120)
    assert pages._usual(whole, usual, source) == new(120)
    assert pages._usual(part, ReadOptions(join="kind"), source) == new(120)
    packed = SimpleNamespace(n_bytes=100, whole=False)
    assert pages._usual(packed, usual, source) == new(120), "more letters than bytes"
    assert pages._usual(part, usual, Source("a", "ldac", vocab=("a",))) == AS_COUNTED


def test_the_folder_that_is_proposed_lies_beside_the_file(tmp_path):
    file, folder = tmp_path / "news.2019.csv.gz", tmp_path / "my.texts"
    file.write_text("x")
    folder.mkdir()
    assert pages._proposed(file) == tmp_path / "news.corpus"
    assert pages._proposed(folder) == tmp_path / "my.texts.corpus"
    hidden = tmp_path / ".csv"
    hidden.write_text("x")
    assert pages._proposed(hidden) == tmp_path / "texts.corpus"


def test_of_a_reading_the_share_of_its_bytes_is_told():
    """`done` is of the whole build, of which reading is a part."""
    part = SHARES["reading"] / sum(SHARES.values())

    def told(said="1,200 documents", step="reading", done=0.25 * part, n_bytes=2_000_000_000):
        build = SimpleNamespace(said=said, step=step, done=done)
        return pages._how_far(SimpleNamespace(build=build, order=SimpleNamespace(n_bytes=n_bytes)))

    assert told() == " · 1,200 documents, 25 % of 2,000 MB"
    assert told(step="cutting", done=0.9 * part) == " · 1,200 documents"
    assert told(done=part) == " · 1,200 documents", "it has read all"
    assert told(n_bytes=0) == " · 1,200 documents"
    assert told(said="") == ""
    assert pages._how_far(SimpleNamespace(build=None)) == ""


def test_a_build_that_this_tab_did_not_begin_is_not_opened_by_itself(monkeypatch):
    asked = []
    there = [
        SimpleNamespace(built=built, build_id=name)
        for built, name in ((True, "mine"), (False, "mine too"), (True, "theirs"))
    ]
    monkeypatch.setattr(builds, "builds", lambda: there)
    monkeypatch.setattr(st, "session_state", {pages.MINE: {"mine", "mine too"}})
    monkeypatch.setattr(pages, "_ask_for", lambda begun: asked.append(begun.build_id))
    pages.take_built()
    assert asked == ["mine"]
