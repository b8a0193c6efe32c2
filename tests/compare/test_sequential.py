"""Runs that are stepped as one: by a driver while there is one, and with one copy of the texts."""

import dataclasses

import pytest

from bnpexplorer.compare.rows import differing, ground_of, why_apart
from bnpexplorer.compare.sequential import SequentialRuns, share_texts
from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import Heldout, split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run


class Told:
    """A driver that notes what it is told; each of its steps is one of every run."""

    def __init__(self, runs: SequentialRuns) -> None:
        self.runs, self.told = runs, []

    def prepare(self) -> None:
        self.told.append("prepare")

    def step(self) -> None:
        self.told.append("step")
        for run in self.runs.runs:
            run.step()

    def begin_anew(self) -> None:
        self.told.append("begin anew")


def two(dozen, passes=3):
    return SequentialRuns(
        [Run(make_method("lda-svi", values={"n_topics": k}), dozen, 0, 6, passes) for k in (2, 3)]
    )


def test_a_driver_drives_until_all_have_ended_and_is_left_then(dozen):
    runs = two(dozen)
    runs.driver = driver = Told(runs)
    runs.prepare()
    for _ in range(6):
        assert runs.is_at_once
        runs.step()
    assert driver.told == ["prepare", *["step"] * 6]
    assert [run.docs_seen for run in runs.runs] == [36, 36]
    assert (runs.done, runs.driver, runs.is_at_once) == (True, None, False)


def test_a_step_here_leaves_the_driver_out_and_lets_it_begin_anew(dozen, monkeypatch):
    runs = two(dozen)
    runs.driver = driver = Told(runs)
    runs.step_once()
    assert driver.told == ["begin anew"]
    assert [run.docs_seen for run in runs.runs] == [6, 6]
    assert runs.driver is driver

    def fails():
        raise MemoryError

    for run in runs.runs:
        monkeypatch.setattr(run, "step", fails)
    with pytest.raises(MemoryError):
        runs.step_once()
    assert runs.driver is driver, "also after an error"
    alone = two(dozen)
    alone.step_once()
    assert ([run.docs_seen for run in alone.runs], alone.driver) == ([6, 6], None)


def another(corpus: Corpus) -> Corpus:
    """As many documents with other counts."""
    return Corpus.from_csr(corpus.to_csr().toarray() + 1, corpus.vocab)


@pytest.mark.parametrize("part", ["corpus", "observed", "hidden", "heldout", ""])
def test_texts_are_shared_where_all_that_is_learned_and_held_out_is_equal(dozen, part):
    train, heldout = split_heldout(dozen, 0, n=4)
    copy = dataclasses.replace(train)
    held = Heldout(heldout.protocol, *map(dataclasses.replace, heldout.parts))
    if part == "corpus":
        copy = another(copy)
    elif part == "heldout":
        held = None
    elif part:
        held = dataclasses.replace(held, **{part: another(getattr(held, part))})
    runs = [Run(make_method("lda-svi"), *given) for given in ((train, 0), (copy, 1))]
    runs[0].heldout, runs[1].heldout = heldout, held
    share_texts(runs)
    shared = [runs[1].corpus is train, runs[1].heldout is heldout]
    assert shared == [not part] * 2
    assert (runs[0].corpus, runs[0].heldout) == (train, heldout)


# ---- which runs stand on one ground ------------------------------------------------------------


def test_equal_counts_of_other_words_are_other_texts(dozen):
    words = tuple(f"w{i}" for i in range(dozen.n_words))
    one, other = (
        ground_of(Run(make_method("lda-svi"), Corpus.from_csr(dozen.to_csr(), vocab, name="a")))
        for vocab in (words, words[::-1])
    )
    assert why_apart(one, other) == f"other texts or words of a ({dozen.n_docs} documents)"
    assert why_apart(one, one) == ""


def test_a_setting_that_a_run_has_not_got_differs_from_one_without_a_value():
    assert differing([{"a": None, "b": 1}, {"b": 1}]) == (["a"], ["b"])
    assert differing([{"b": 1}, {"a": None, "b": 1}]) == (["a"], ["b"])
    assert differing([{"a": None}, {"a": None}]) == ([], ["a"])
