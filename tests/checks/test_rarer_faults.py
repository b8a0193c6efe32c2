"""Faults that show at one moment only: when opened again, when changed by hand, in tiny texts."""

import json
import re
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.checks import CHECKS, Check, Failed, declaring, stepping
from bnpexplorer.cli import check as checking
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.methods.lda_svi import LdaSvi, State
from bnpexplorer.state.snapshot import Event
from tests.checks.test_checks import register
from tests.checks.test_each_promise import expect_missed, reports, shared, steps

assert shared


def other_words(state, batch, info):
    """The step writes other words into the texts that it is given."""
    batch.corpus.word_ids.flags.writeable = True
    batch.corpus.word_ids[0] = 1
    return info


def takes(wrong):
    """A method that takes a number if `wrong` says so of the range and of it."""

    def __post_init__(self):
        try:
            LdaSvi.__post_init__(self)
        except ValueError as problem:
            found = re.search(r"from (\S+) to (\S+); got (\S+)\.$", str(problem))
            if found is None or not wrong(*map(float, found.groups())):
                raise

    return {"__post_init__": __post_init__}


@dataclass(eq=False)
class KnowsThatItWasOpened(State):
    def opened(self, corpus):
        self.was_opened = True


class TellsThatItWasOpened(LdaSvi):
    state_type = KnowsThatItWasOpened

    def init(self, corpus, rng):
        return KnowsThatItWasOpened(**vars(super().init(corpus, rng)))

    def step(self, state, batch, rng, pool):
        opened = float(getattr(state, "was_opened", False))
        state, info = super().step(state, batch, rng, pool)
        return state, replace(info, scalars={**info.scalars, "opened": opened})


class CountsItsSteps(LdaSvi):
    """Three runs of 18 steps: the first as it should be, of the second and third not all."""

    steps: ClassVar[list[int]] = []

    def step(self, state, batch, rng, pool):
        self.steps.append(1)
        return super().step(state, batch, rng, pool)


class PublishesOtherTopics(CountsItsSteps):
    """Publish other topics within every run after the first; the right ones at its end."""

    steps: ClassVar[list[int]] = []

    def topics(self, state):
        found = super().topics(state)
        if len(self.steps) <= 18 or state.t == 18:
            return found
        return replace(found, topic_word=np.roll(found.topic_word, 1, axis=1))


class LearnsOtherwiseOnceSaved(CountsItsSteps):
    """The run that was saved, when it goes on after the opened one has come to its end."""

    steps: ClassVar[list[int]] = []

    def step(self, state, batch, rng, pool):
        state.lam.eta += 1e-9 * (len(self.steps) >= 18 + 18)
        return super().step(state, batch, rng, pool)


class DrawsFromTheStepsNumbers(LdaGibbs):
    """A change by hand takes random numbers of those that the next step would get."""

    numbers: ClassVar[list[np.random.Generator]] = []

    def step(self, state, batch, rng, pool):
        self.numbers[:] = [rng]
        return super().step(state, batch, rng, pool)

    def edit(self, state, kind, topics, ground, rng):
        self.numbers[0].random()
        return super().edit(state, kind, topics, ground, rng)


class CallsAnotherItsChild(LdaGibbs):
    """A topic that was there before, and that nobody touched."""

    def edit(self, state, kind, topics, ground, rng):
        new, event = super().edit(state, kind, topics, ground, rng)
        found = self.topics(new)
        there = found.topic_ids[found.in_use].tolist()
        other = next(topic for topic in there if topic not in event.children)
        return new, replace(event, children=(*event.children, other))


LACKING = [
    ("keeps_its_topics_sound", LdaSvi, steps(other_words), "it changed the corpus"),
    (
        "refuses_values_out_of_range",
        LdaSvi,
        takes(lambda low, high, got: got < low),
        r"it takes -?[\d.]+ for",
    ),
    (
        "refuses_values_out_of_range",
        LdaSvi,
        takes(lambda low, high, got: got > high),
        r"it takes [\d.]+ for",
    ),
    (
        "moves_in_the_words_of_a_batch",
        LdaSvi,
        reports(Event("prune", (99,))),
        "hardly a step went by without a topic being pruned",
    ),
    (
        "goes_on_from_everywhere",
        TellsThatItWasOpened,
        {},
        "seed 0, .*, after [1-9] steps: opened, it goes on otherwise",
    ),
    ("goes_on_bit_for_bit", PublishesOtherTopics, {}, "the opened run has other scores"),
    ("goes_on_bit_for_bit", LearnsOtherwiseOnceSaved, {}, "^a run that was saved ends otherwise"),
    (
        "stays_sound_when_changed_by_hand",
        DrawsFromTheStepsNumbers,
        {},
        "to merge topics takes random numbers of the method",
    ),
    ("stays_sound_when_changed_by_hand", CallsAnotherItsChild, {}, r"to merge topics gives \("),
]


@pytest.mark.second
@pytest.mark.parametrize(
    ("check", "base", "lacks", "why"),
    LACKING,
    ids=[f"{c}-{i}" for i, (c, *_) in enumerate(LACKING)],
)
def test_a_fault_that_shows_at_one_moment_is_found(check, base, lacks, why, monkeypatch, shared):
    expect_missed(check, base, lacks, why, monkeypatch)


@pytest.mark.parametrize("size", [(3, 1), (1, 4), (1, 1)])
def test_each_of_the_tiny_texts_is_learned(size, monkeypatch):
    """Learn corpora of one word, one document and one token, and check the topics."""

    def init(self, corpus, rng):
        if (corpus.n_docs, corpus.n_words) == size:
            raise ZeroDivisionError("nothing to learn")
        return LdaSvi.init(self, corpus, rng)

    def topics(self, state):
        found = LdaSvi.topics(self, state)
        here = (state.n_docs, state.lam.n_words) == size
        return replace(found, size=-found.size) if here else found

    check = CHECKS["learns_degenerate_texts"]
    for lacks, why in (({"init": init}, ZeroDivisionError), ({"topics": topics}, Failed)):
        register(monkeypatch, "wrong", type("Wrong", (LdaSvi,), {"name": "wrong", **lacks}))
        with pytest.raises(why):
            check.run("wrong")


def test_the_longest_of_all_steps_is_told(monkeypatch):
    clock = iter([10.0, 10.5, 20.0, 23.25, 30.0, 31.0, 40.0, 40.75])
    monkeypatch.setattr(stepping, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert CHECKS["takes_short_steps"].run("lda-svi") == (
        "3.25 s at most for 256 short texts; as a rule, 0.25 s at the default batch size"
    )
    assert next(clock, None) is None


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit(f'no {sys.argv[1:]}')", r"no \['lda-svi', 'hdp-svi'\]"),
        ("print('twice [(int64,), (float64,)]')", r"more than once: twice \[\(int64,\), \(f"),
    ],
)
def test_what_the_other_process_finds_of_kernels_is_told(monkeypatch, program, why):
    monkeypatch.setattr(declaring, "PROGRAM", program)
    with pytest.raises(Failed, match=why):
        declaring.compiles_every_kernel_once("lda-svi", "hdp-svi")


def test_a_program_is_told_what_failed_and_what_was_measured(monkeypatch, capsys):
    def fails(name):
        raise Failed(f"{name} learns nothing")

    checks = {
        "one": Check("learns", fails),
        "two": Check("is quick", lambda name: f"{name} takes 2 s"),
        "three": Check("is there", lambda name: None),
    }
    clock = iter([1.0, 2.0, 4.5, 10.0, 10.25])
    monkeypatch.setattr(checking, "CHECKS", checks)
    monkeypatch.setattr(checking, "checks_of", lambda name: list(checks))
    monkeypatch.setattr(checking, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert main(["check", "hdp-svi", "--json"]) == 1
    base = {"method": "hdp-svi"}
    assert json.loads(capsys.readouterr().out) == {
        "failed": 1,
        "checks": [
            {
                **base,
                "check": "one",
                "sentence": "learns",
                "passed": False,
                "why": "hdp-svi learns nothing",
            },
            {
                **base,
                "check": "two",
                "sentence": "is quick",
                "passed": True,
                "measured": "hdp-svi takes 2 s",
                "seconds": 2.5,
            },
            {
                **base,
                "check": "three",
                "sentence": "is there",
                "passed": True,
                "measured": None,
                "seconds": 0.25,
            },
        ],
    }


def test_all_methods_are_checked_if_asked_in_their_order(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(checking, "CHECKS", {"one": Check("is there", asked.append)})
    monkeypatch.setattr(checking, "checks_of", lambda name: ["one"])
    assert main(["check", "--all"]) == 0
    assert asked == list(METHODS)
    assert capsys.readouterr().out.endswith("\nNothing failed.\n")
