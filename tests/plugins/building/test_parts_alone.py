"""Small functions of a build, each by itself."""

import errno
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.readers.dates import Clues
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.plugins.building import chunks, counting, facts, steps, worker
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


def test_dates_of_a_file_are_read_in_its_own_order_of_days_and_months(tmp_path):
    (tmp_path / counting.DATES).mkdir()
    docs = DocTable(date=np.array(["03/04/2020"], object))
    fields = ("text", "date")
    parts = (
        FileFacts("a.csv", "csv", fields, 0, (1,), (), Clues(first=True, numbers=True, dots=False)),
        FileFacts(
            "b.csv", "csv", fields, 1, (1,), (), Clues(second=True, numbers=True, dots=False)
        ),
    )
    task = facts.Task(facts.Facts(parts))
    days = [counting.days_of_chunk(tmp_path, task, chunk, docs).astype(str)[0] for chunk in (0, 1)]
    assert days == ["2020-04-03", "2020-03-04"]


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        (OSError(errno.EACCES, "closed", "a/words-3.npz"), "a/words-3.npz"),
        (OSError(errno.ENOSPC, "full"), "home"),
    ],
)
def test_a_disk_that_fails_is_told_with_the_file_if_it_is_known(problem, place):
    def work(chunk):
        raise problem

    said = worker._answer({"counting": work}, Path("home"), "counting", 3)
    assert said == [worker.DISK, problem.errno, place]
