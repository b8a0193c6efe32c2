"""Whose mistake it is when reading fails: that of our lines, unless a parser raised it."""

import dataclasses
import io
import json
import logging
import zipfile

import numpy as np
import pandas as pd
import pytest

from bnpexplorer.core import faults, packing, store
from bnpexplorer.core.faults import is_own
from bnpexplorer.corpus.readers import table as readers_table
from bnpexplorer.corpus.readers import unpacking


def raised(function, *arguments):
    """What a call raises, with its traceback."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        function(*arguments)
    return caught.value


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (packing.pack, (1, {}, 2, 3)),  # TypeError: one argument too many
        (unpacking.unpacked, (None, None)),  # AttributeError or TypeError in our lines
        (store.arguments_of, ({}, None)),  # TypeError
        (lambda: dataclasses.fields(store), ()),  # TypeError in a library that reads no file
        (lambda: np.no_such_name, ()),  # AttributeError in numpy's own function
        (lambda: {}["x"], ()),
        (lambda: [][0], ()),
        (lambda: no_such_name, ()),  # noqa: F821
        (packing.resolved, ("unknown",)),
    ],
)
def test_what_our_lines_raise_is_ours(function, arguments):
    assert is_own(raised(function, *arguments))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (store.unpack, (int, "x", {})),  # a Misfit
        (json.loads, ("{",)),
        (json.loads, ("[" * 100_000,)),  # RecursionError
        (zipfile.ZipFile, (io.BytesIO(b"PK"),)),
        (pd.read_csv, (io.StringIO(""),)),
        (np.lib.format.read_magic, (io.BytesIO(b"x"),)),
        (np.lib.format.read_array_header_1_0, (io.BytesIO(b"\4\0{1:["),)),
        (open, ("/no/such/file",)),
        (bytes.decode, (b"\xff", "utf-8")),
    ],
)
def test_what_a_file_holds_is_not_ours(function, arguments):
    assert not is_own(raised(function, *arguments))


def test_what_a_parser_raises_is_the_files_whatever_its_kind(monkeypatch):
    names = {"__name__": "pandas.io.parsers"}
    exec("def parse(): raise AttributeError('hostile bytes')", names)
    monkeypatch.setattr(readers_table, "parse", names["parse"], raising=False)
    assert not is_own(raised(names["parse"]))


def of_module(name, **known):
    """A function of that module that does `then()`, or else raises a KeyError."""
    names = {"__name__": name, **known}
    exec("def do(*_):\n if 'then' in globals(): then()\n raise KeyError('planted')", names)
    return names["do"]


@pytest.mark.parametrize(
    ("outer", "inner", "own"),
    [
        ("bnpexplorer.corpus.readers", "pandas.io", False),
        ("pandas.io", "bnpexplorer.corpus.readers", True),
        ("bnpexplorer.corpus.readers", "numpy.linalg", True),
        ("json.decoder", "numpy.linalg", False),
        ("numpy.linalg", "bnpexplorers", True),
    ],
)
def test_the_innermost_module_that_is_known_says_whose_an_error_is(outer, inner, own):
    assert is_own(raised(of_module(outer, then=of_module(inner)))) is own


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (KeyError("doc"), "'doc' is missing"),
        (OSError(28, "No space left on device", "/a/path"), "No space left on device"),
        (OSError("a tape\n  ran out. "), "a tape ran out"),
        (ValueError("x" * 79 + "yz"), "x" * 79 + "y"),
        (ValueError(" ... "), "ValueError"),
        (ZeroDivisionError(), "ZeroDivisionError"),
    ],
)
def test_what_was_wrong_is_short_and_has_no_path(problem, said):
    assert faults.short(problem) == said


@pytest.mark.parametrize("kind", [AttributeError, TypeError, KeyError, NameError])
def test_an_error_of_ours_names_its_kind_and_is_logged_with_its_traceback(kind, caplog):
    def reads():
        raise kind("planted")

    with (
        caplog.at_level(logging.CRITICAL),
        pytest.raises(store.StoreError) as said,
        store.named("my.run"),
    ):
        reads()
    sentence = str(said.value)
    assert sentence.startswith("my.run was not read because of an error of bnpexplorer's own")
    assert kind.__name__ in sentence
    assert "damaged" not in sentence
    assert sentence.endswith(faults.WHERE)
    (record,) = caplog.records
    assert "in reads" in record.getMessage()
    assert "planted" in record.getMessage()


def test_a_damaged_file_is_told_as_damaged_and_nothing_is_logged(caplog):
    with pytest.raises(store.StoreError, match=r"^my\.run is damaged"), store.named("my.run"):
        store.unpack(int, "x", {})
    assert not caplog.records
