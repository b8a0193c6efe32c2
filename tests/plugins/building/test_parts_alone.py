"""Small functions of a build, each by itself."""

import numpy as np
import pytest

from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.plugins.building import chunks, steps
from bnpexplorer.plugins.building.facts import FileFacts
from bnpexplorer.plugins.building.merging import WordFamily, WordForm, chosen, kinds_of


def test_how_many_documents_of_a_file_come_before_a_chunk():
    part = FileFacts("a.csv", "csv", ("text",), 2, (5, 7, 11), ())
    assert [part.before(chunk) for chunk in (2, 3, 4)] == [0, 5, 12]


def test_what_is_unknown_is_written_as_nothing():
    days = np.array(["2001-02-03", "NaT"], "datetime64[D]")
    assert chunks.written(days) == ["2001-02-03", ""]
    assert chunks.written(np.array(["sea", None], object)) == ["sea", ""]


def test_words_of_one_kind_have_the_name_of_the_first_of_the_commonest():
    words = [WordForm("hill", "hill", 3, 2), WordForm("hill", "hills", 3, 1)]
    assert list(kinds_of(words)) == [WordFamily("hill", "hill", 6, 3)]


def test_of_words_as_frequent_the_last_in_the_alphabet_goes():
    kinds = [WordFamily(name, name, 5, 2) for name in ("hill", "lake", "sea")]
    found = chosen(kinds, 10, TextSettings(min_df=2, max_df=1.0, max_features=2))
    assert [kind.name for kind in found.kinds] == ["hill", "lake"], "2 documents are enough"


def test_the_steps_before_are_in_what_is_done(monkeypatch):
    monkeypatch.setattr(steps, "SHARES", {"reading": 3, "counting": 5, "writing": 2})
    assert steps.of_all("counting", 0.5) == pytest.approx(0.55)
    assert steps.of_all("writing", 1.0) == 1.0
