"""Every check fails for a method that breaks its promise, and the command says so."""

import re
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Annotated, ClassVar

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.checks import CHECKS, Failed, declaring
from bnpexplorer.cli import check as checking
from bnpexplorer.core.arrays import F64
from bnpexplorer.core.knob import knob
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.kernels import jit
from bnpexplorer.kernels.jit import KERNELS, kernel
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.methods.lda_svi import LdaSvi, State
from bnpexplorer.state.invariants import Constraint
from bnpexplorer.state.snapshot import Event

CALLS = count()


class NoYear(LdaSvi):
    """Nobody knows when."""

    source = "a paper"


class TakenColour(LdaSvi):
    """That of lda-batch."""

    colour = 7


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


@dataclass
class Silent(State):
    pairs: F64 = field(default_factory=lambda: np.zeros((0, 0)))


class SaysNothing(LdaSvi):
    state_type = Silent

    def init(self, corpus, rng):
        return Silent(**vars(super().init(corpus, rng)))


@dataclass(eq=False)
class OfDocuments(State):
    pairs: Annotated[F64, Constraint("D", "n_topics")] = field(
        default_factory=lambda: np.zeros((0, 0))
    )


class GrowsWithoutEstimate(LdaSvi):
    """Something of every document, and no word of it in `memory`."""

    state_type = OfDocuments

    def init(self, corpus, rng):
        pairs = np.zeros((corpus.n_docs, self.model.n_topics))
        return OfDocuments(**vars(super().init(corpus, rng)), pairs=pairs)


class OneTooMany(GrowsWithoutEstimate):
    """A last row that its `Constraint` does not know of."""

    def init(self, corpus, rng):
        state = super().init(corpus, rng)
        state.pairs = np.pad(state.pairs, ((0, 1), (0, 0)))
        return state


class UnsoundWeights(LdaSvi):
    def topics(self, state):
        return replace(super().topics(state), unseen=0.5)


class HardlyUnsoundWeights(LdaSvi):
    def topics(self, state):
        topics = super().topics(state)
        return replace(topics, unseen=topics.unseen + 1e-8)


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


@dataclass(eq=False)
class Rough(State):
    def opened(self, corpus):
        self.lam.stats = self.lam.stats.round(9)


class OpensRoughly(LdaSvi):
    """Its state is not written to the last bit."""

    state_type = Rough

    def init(self, corpus, rng):
        return Rough(**vars(super().init(corpus, rng)))


class ForgetsTheBatchScale(LdaSvi):
    def step(self, state, batch, rng, pool):
        state.n_docs = batch.docs.n_docs
        return super().step(state, batch, rng, pool)


class ForgetsEarlierBlocks(LdaSvi):
    batching = "fixed"


class CutsWeights(LdaSvi):
    """What a kernel does that goes `for _ in range(count)`."""

    def step(self, state, batch, rng, pool):
        docs = batch.docs
        cut = Corpus(docs.indptr, docs.word_ids, docs.counts.astype(np.int32), docs.vocab)
        return super().step(state, replace(batch, docs=cut), rng, pool)


class LosesAWord(LdaSvi):
    """One of the commonest of a batch, where it stands there twice."""

    def step(self, state, batch, rng, pool):
        counts = batch.docs.counts.copy()
        counts[counts.argmax()] -= counts.max() >= 2
        return super().step(
            state, replace(batch, docs=replace(batch.docs, counts=counts)), rng, pool
        )


class FallingBound(LdaSvi):
    ascends = True

    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        return state, replace(info, bound=-float(state.t))


class HardlyFallingBound(LdaSvi):
    """By a ten-millionth of itself at every step."""

    ascends = True

    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        return state, replace(info, bound=-1e7 - float(state.t))


class LearnsNothing(LdaSvi):
    def topics(self, state):
        topics = super().topics(state)
        return replace(topics, topic_word=np.full_like(topics.topic_word, 1 / state.lam.n_words))


class ReportsWhatItWasAsked(LdaSvi):
    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        told = {"alpha": self.model.alpha} if self.learn_alpha else {}
        return state, replace(info, scalars={**info.scalars, **told})


class ChangesTheGivenState(LdaGibbs):
    """Nothing to go back to."""

    def edit(self, state, kind, topics, ground, rng):
        new, event = super().edit(state, kind, topics, ground, rng)
        state.tokens = new.tokens
        return new, event


class AveragesOverBoth(LdaGibbs):
    """States of before a change by hand, too."""

    def edit(self, state, kind, topics, ground, rng):
        new, event = super().edit(state, kind, topics, ground, rng)
        return replace(new, kept=(self.topics(state),)), event


class MergesOneTooFew(LdaGibbs):
    def edit(self, state, kind, topics, ground, rng):
        return super().edit(state, kind, topics[:2], ground, rng)


class SaysNothingOfThreads(LdaGibbs):
    in_turn = ""


class HidesItsThreads(LdaSvi):
    parallel, in_turn = "none", "One thread: so it says."


class BoastsOfThreads(LdaGibbs):
    parallel, in_turn = "in part", "Several threads count; one draws."


class DoesItAllAndExcuses(LdaSvi):
    in_turn = "One thread does the rest."


WRONG = [
    ("describes_itself", NoYear, "no year"),
    ("describes_itself", TakenColour, "7 is that of lda-batch; free for lda: 0, 1, 3, 5, 6"),
    ("describes_its_knobs", KnobWithoutRange, "loose has neither"),
    ("names_its_papers", UnknownPaper, "nobody1900"),
    ("names_its_papers", WrongPaper, "does not name Teh 2006"),
    ("refuses_values_out_of_range", TakesEverything, "it takes"),
    ("declares_its_state", UndeclaredState, "Loose.lam"),
    (
        "declares_its_state",
        OneTooMany,
        r"OfDocuments.pairs has the shape \(13, 6\) in place of \(12",
    ),
    ("estimates_its_memory", ForgetfulEstimate, "the estimate is -30"),
    ("estimates_its_memory", GrowsWithoutEstimate, "300 documents holds 14,.* estimate says 0"),
    ("keeps_its_topics_sound", UnsoundWeights, "sum to 1.5"),
    ("keeps_its_topics_sound", HardlyUnsoundWeights, "sum to 1.00000001"),
    ("reports_what_happens_to_topics", SilentBirth, "without an event"),
    ("reports_what_happens_to_topics", StampedEvents, "stamps events"),
    ("shares_no_memory_with_its_state", SharedMemory, "changed"),
    ("learns_degenerate_texts", FailsOnOneDocument, "nothing to learn"),
    ("learns_with_one_topic", FailsWithOneTopic, "not enough"),
    ("stays_finite", NotFinite, "total is"),
    ("gives_equal_bits_for_any_threads", AsksForThePool, "one thread and none"),
    ("gives_equal_bits_for_any_threads", NeverRandom, "another seed"),
    ("shares_its_work_as_it_says", SaysNothingOfThreads, "in_turn is no sentence"),
    ("shares_its_work_as_it_says", HidesItsThreads, "its steps use the pool"),
    ("shares_its_work_as_it_says", BoastsOfThreads, "no step gives work to the pool"),
    ("shares_its_work_as_it_says", DoesItAllAndExcuses, "in_turn says why not"),
    ("goes_on_bit_for_bit", KeepsSomethingElsewhere, "ends otherwise"),
    ("goes_on_bit_for_bit", OneTooMany, "breaks its own `Constraint`"),
    ("begins_as_it_would_have", KeepsSomethingElsewhere, "learns otherwise"),
    ("goes_on_from_everywhere", OpensRoughly, "after 1 steps: opened, it goes on otherwise"),
    ("goes_on_from_everywhere", OneTooMany, r"damaged \(state.pairs has the shape"),
    ("learns_the_same_unscored", KeepsSomethingElsewhere, "scores change"),
    ("moves_in_the_words_of_a_batch", ForgetsTheBatchScale, "other words"),
    ("moves_in_the_words_of_a_batch", CutsWeights, "seed 1: a step moved in other words"),
    ("holds_every_word_once", ForgetsEarlierBlocks, "do not hold the words"),
    ("moves_in_the_words_of_a_batch", LosesAWord, "seed 0: a step moved in other words"),
    ("raises_its_bound", FallingBound, "the bound fell"),
    ("raises_its_bound", HardlyFallingBound, "the bound fell"),
    ("predicts_better_than_word_frequencies", LearnsNothing, "word frequencies"),
    ("stays_sound_when_changed_by_hand", ChangesTheGivenState, "merge topics changes the state"),
    ("stays_sound_when_changed_by_hand", AveragesOverBoth, "are averaged over"),
    ("stays_sound_when_changed_by_hand", MergesOneTooFew, "merge .* gives"),
    ("learns_what_it_says", ReportsWhatItWasAsked, "alpha is"),
]


def register(monkeypatch, name, method):
    """`method` among ours under `name`, until the test ends."""
    monkeypatch.setitem(METHODS._places, name, "")
    monkeypatch.setitem(METHODS._ours, name, method)


@pytest.mark.second
@pytest.mark.parametrize(("check", "wrong", "why"), WRONG, ids=lambda x: getattr(x, "__name__", x))
def test_a_broken_promise_is_found(check, wrong, why, monkeypatch):
    wrong.name = "wrong"
    register(monkeypatch, "wrong", wrong)
    assert CHECKS[check].concerns(wrong)
    with pytest.raises((Failed, ArithmeticError, AssertionError, ValueError), match=why):
        CHECKS[check].run("wrong")


def test_every_check_has_a_method_that_fails_it():
    """But for what the compiler does, and for what is only measured."""
    others = {"compiles_every_kernel_once", "takes_short_steps"}
    assert {check for check, _, _ in WRONG} == set(CHECKS) - others


def test_a_colour_may_be_shared_when_none_is_free(monkeypatch):
    for colour in range(8):
        other = type("Other", (LdaSvi,), {"colour": colour})
        register(monkeypatch, f"other-{colour}", other)
    TakenColour.name = "wrong"
    register(monkeypatch, "wrong", TakenColour)
    CHECKS["describes_itself"].run("wrong")


def test_a_second_signature_is_found(monkeypatch, capsys):
    @kernel
    def twice(x):
        return x + 1

    twice(1)
    twice(1.0)
    KERNELS.pop()
    monkeypatch.setattr(jit, "KERNELS", [twice])
    declaring.report([])
    assert capsys.readouterr().out.startswith("twice ")


def only(monkeypatch, wrong, *names):
    """A method that is called `wrong`, and no other checks than those `names`: the dict of them."""
    fewer = {name: check for name, check in CHECKS.items() if name in names}
    monkeypatch.setattr("bnpexplorer.checks.CHECKS", fewer)
    monkeypatch.setattr("bnpexplorer.cli.check.CHECKS", fewer)
    wrong.name = "wrong"
    monkeypatch.setitem(METHODS._outside, "wrong", wrong)
    return fewer


def test_the_command_says_what_failed_and_ends_with_1(monkeypatch, capsys):
    only(monkeypatch, ForgetfulEstimate, "describes_itself", "estimates_its_memory")
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


def test_a_traceback_stands_there_once(monkeypatch, capsys):
    checks = only(monkeypatch, FailsOnOneDocument, "learns_degenerate_texts")
    checks["again"] = checks["learns_degenerate_texts"]
    assert main(["check", "wrong", "wrong"]) == 1
    said = capsys.readouterr().out
    assert said.count("Traceback") == 2  # one for each time that the method is asked for
    assert said.count("ZeroDivisionError: nothing to learn (as above)") == 2


def test_another_place_at_which_it_breaks_off_has_its_traceback():
    def at_first():
        raise ZeroDivisionError("nothing to learn")

    def later():
        raise ZeroDivisionError("nothing to learn")

    said, told = set(), []
    for step in (at_first, later, at_first):
        with pytest.raises(ZeroDivisionError) as found:
            step()
        told.append(checking._why(found.value, said))
    assert ["Traceback" in why for why in told] == [True, True, False]
    assert told[2] == "ZeroDivisionError: nothing to learn (as above)"


def test_a_state_that_declares_nothing_is_said_to_do_so_once(monkeypatch, capsys):
    only(monkeypatch, SaysNothing, "declares_its_state", "goes_on_bit_for_bit")
    assert main(["check", "wrong"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("Silent.pairs: no `Constraint` says what holds of these arrays")
    assert lines[1].endswith("goes on bit for bit when opened: as above")


def test_the_longest_step_is_said(monkeypatch, capsys):
    only(monkeypatch, ForgetfulEstimate, "takes_short_steps")
    assert main(["check", "wrong"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert re.search(r"takes short steps: \d\.\d\d s at most for 256 .* 0.25 s", line)
