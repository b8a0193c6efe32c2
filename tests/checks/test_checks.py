"""Every check fails for a method that breaks its promise, and the command says so."""

from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.checks import CHECKS, Failed, compiling
from bnpexplorer.core.knob import knob
from bnpexplorer.kernels import jit
from bnpexplorer.kernels.jit import KERNELS, kernel
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.lda_svi import LdaSvi
from bnpexplorer.state.snapshot import Event

CALLS = count()


class NoYear(LdaSvi):
    """Nobody knows when."""

    source = "a paper"


@dataclass(frozen=True)
class KnobWithoutRange(LdaSvi):
    loose: float = knob(1.0, help="Anything goes.")


class UnknownPaper(LdaSvi):
    papers = ("nobody1900",)


class WrongPaper(LdaSvi):
    papers = ("teh2006",)


@dataclass(frozen=True)
class TakesEverything(LdaSvi):
    def __post_init__(self):
        pass


@dataclass
class Loose:
    lam: np.ndarray[tuple[int, int], np.dtype[np.float64]]


class UndeclaredState(LdaSvi):
    state_type = Loose


class ForgetfulEstimate(LdaSvi):
    """More documents need less."""

    def memory(self, corpus):
        return -corpus.n_docs


class UnsoundWeights(LdaSvi):
    def topics(self, state):
        return replace(super().topics(state), unseen=0.5)


class SilentBirth(LdaSvi):
    """Its topics change their identity without a word."""

    def topics(self, state):
        topics = super().topics(state)
        return replace(topics, topic_ids=topics.topic_ids + 100 * state.t)


class StampedEvents(LdaSvi):
    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        return state, replace(info, events=(Event("death", (0,), step=3),))


class SharedMemory(LdaSvi):
    IDS: ClassVar[np.ndarray] = np.arange(6)

    def topics(self, state):
        return replace(super().topics(state), topic_ids=self.IDS)


class FailsOnOneDocument(LdaSvi):
    def step(self, state, batch, rng, pool):
        if state.n_docs == 1:
            raise ZeroDivisionError("nothing to learn")
        return super().step(state, batch, rng, pool)


class FailsWithOneTopic(LdaSvi):
    def init(self, corpus, rng):
        assert self.model.n_topics > 1, "one is not enough"
        return super().init(corpus, rng)


class NotFinite(LdaSvi):
    def topics(self, state):
        topics = super().topics(state)
        return replace(topics, total=np.full(6, np.inf)) if state.t > 100 else topics


class AsksForThePool(LdaSvi):
    def step(self, state, batch, rng, pool):
        state.lam.eta += 1e-9 * (pool is None)
        return super().step(state, batch, rng, pool)


class NeverRandom(LdaSvi):
    def init(self, corpus, rng):
        return super().init(corpus.take(np.arange(1)), np.random.default_rng(0))

    def step(self, state, batch, rng, pool):
        return state, super().step(super().init(batch.docs, rng), batch, rng, pool)[1]


class KeepsSomethingElsewhere(LdaSvi):
    """Every step learns at another rate than all steps before it, of whatever run."""

    def step(self, state, batch, rng, pool):
        state.lam.eta += 1e-9 * next(CALLS)
        return super().step(state, batch, rng, pool)


class ForgetsTheBatchScale(LdaSvi):
    def step(self, state, batch, rng, pool):
        state.n_docs = batch.docs.n_docs
        return super().step(state, batch, rng, pool)


class ForgetsEarlierBlocks(LdaSvi):
    batching = "fixed"


class FallingBound(LdaSvi):
    ascends = True

    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        return state, replace(info, bound=-float(state.t))


class LearnsNothing(LdaSvi):
    def topics(self, state):
        topics = super().topics(state)
        return replace(topics, topic_word=np.full_like(topics.topic_word, 1 / state.lam.n_words))


class ReportsWhatItWasAsked(LdaSvi):
    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        told = {"alpha": self.model.alpha} if self.learn_alpha else {}
        return state, replace(info, scalars={**info.scalars, **told})


WRONG = [
    ("describes_itself", NoYear, "no year"),
    ("describes_its_knobs", KnobWithoutRange, "loose has neither"),
    ("names_its_papers", UnknownPaper, "nobody1900"),
    ("names_its_papers", WrongPaper, "does not name Teh 2006"),
    ("refuses_values_out_of_range", TakesEverything, "it takes"),
    ("declares_its_state", UndeclaredState, "Loose.lam"),
    ("estimates_its_memory", ForgetfulEstimate, "the estimate is -30"),
    ("keeps_its_topics_sound", UnsoundWeights, "sum to 1.5"),
    ("reports_what_happens_to_topics", SilentBirth, "without an event"),
    ("reports_what_happens_to_topics", StampedEvents, "stamps events"),
    ("shares_no_memory_with_its_state", SharedMemory, "changed"),
    ("learns_degenerate_texts", FailsOnOneDocument, "nothing to learn"),
    ("learns_with_one_topic", FailsWithOneTopic, "not enough"),
    ("stays_finite", NotFinite, "total is"),
    ("gives_equal_bits_for_any_threads", AsksForThePool, "one thread and none"),
    ("gives_equal_bits_for_any_threads", NeverRandom, "another seed"),
    ("goes_on_bit_for_bit", KeepsSomethingElsewhere, "ends otherwise"),
    ("begins_as_it_would_have", KeepsSomethingElsewhere, "learns otherwise"),
    ("learns_the_same_unscored", KeepsSomethingElsewhere, "scores change"),
    ("moves_in_the_words_of_a_batch", ForgetsTheBatchScale, "other words"),
    ("holds_every_word_once", ForgetsEarlierBlocks, "do not hold the words"),
    ("raises_its_bound", FallingBound, "the bound fell"),
    ("predicts_better_than_word_frequencies", LearnsNothing, "word frequencies"),
    ("learns_what_it_says", ReportsWhatItWasAsked, "alpha is"),
]


@pytest.mark.parametrize(("check", "wrong", "why"), WRONG, ids=lambda x: getattr(x, "__name__", x))
def test_a_broken_promise_is_found(check, wrong, why, monkeypatch):
    wrong.name = "wrong"
    monkeypatch.setitem(METHODS._all, "wrong", wrong)
    assert CHECKS[check].concerns(wrong)
    with pytest.raises((Failed, ArithmeticError, AssertionError, ValueError), match=why):
        CHECKS[check].run("wrong")


def test_every_check_but_the_compiler_s_has_a_method_that_fails_it():
    assert {check for check, _, _ in WRONG} == set(CHECKS) - {"compiles_every_kernel_once"}


def test_a_second_signature_is_found(monkeypatch, capsys):
    @kernel
    def twice(x):
        return x + 1

    twice(1)
    twice(1.0)
    KERNELS.pop()
    monkeypatch.setattr(jit, "KERNELS", [twice])
    compiling.report([])
    assert capsys.readouterr().out.startswith("twice ")


def test_the_command_says_what_failed_and_ends_with_1(monkeypatch, capsys):
    for check in set(CHECKS) - {"describes_itself", "estimates_its_memory"}:
        monkeypatch.delitem(CHECKS, check)
    ForgetfulEstimate.name = "wrong"
    monkeypatch.setitem(METHODS._all, "wrong", ForgetfulEstimate)
    assert main(["check", "wrong", "lda-svi"]) == 1
    lines = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines[:4]] == [
        ["wrong", "ok"],
        ["wrong", "FAILED"],
        ["lda-svi", "ok"],
        ["lda-svi", "ok"],
    ]
    assert lines[1][2] == "estimates its memory: the estimate is -30"
    assert main(["check", "lda-svi"]) == 0
    assert main(["check", "nobody"]) == 2
    assert main(["check"]) == 2
    assert "There is no method 'nobody'" in capsys.readouterr().err
