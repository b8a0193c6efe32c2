"""Of checks that look at several things, each is missed by a method that lacks it alone."""

from dataclasses import FrozenInstanceError, dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from bnpexplorer.checks import CHECKS, Failed, checks_of
from bnpexplorer.checks.expecting import dozen
from bnpexplorer.core.knob import knob
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.methods.lda_svi import LdaSvi
from bnpexplorer.state.snapshot import Event, Topics
from tests.checks.test_checks import register


def told(**changed):
    """A method whose topics are changed so: functions of the published topics, by field."""

    def topics(self, state):
        found = LdaSvi.topics(self, state)
        return replace(found, **{name: of(found) for name, of in changed.items()})

    return {"topics": topics}


def steps(change):
    """A method whose steps report what `change` makes of the state, the batch and the `Info`."""

    def step(self, state, batch, rng, pool):
        state, info = LdaSvi.step(self, state, batch, rng, pool)
        return state, change(state, batch, info)

    return {"step": step}


def reports(*events):
    return steps(lambda state, batch, info: replace(info, events=events))


def scalars(of):
    return steps(lambda state, batch, info: replace(info, scalars=of(state, info.scalars)))


def written(state, batch, info):
    """The step writes into the texts that it is given."""
    batch.docs.counts.flags.writeable = True
    batch.corpus.counts.flags.writeable = True
    batch.corpus.counts[0] += 1
    return info


def melts(self, name, value):
    object.__setattr__(self, name, value)


@dataclass(frozen=True)
class HalfASentence(LdaSvi):
    loose: float = knob(1.0, 0, 2, help="No end")


class TakesAnyChoice(LdaSvi):
    def __post_init__(self):
        if self.start in ("k-means", "random"):
            super().__post_init__()


class NamesNoKnob(LdaSvi):
    def __post_init__(self):
        try:
            super().__post_init__()
        except ValueError as problem:
            raise ValueError("Something is out of range.") from problem


def drifting_alpha(self, state):
    """alpha moves, whatever is learned."""
    found = LdaSvi.topics(self, state)
    return replace(found, concentration=found.concentration * (1.0 + state.t))


def edited(change):
    def edit(self, state, kind, topics, ground, rng):
        return change(*LdaGibbs.edit(self, state, kind, topics, ground, rng), kind, topics)

    return {"edit": edit}


def other_words(new, event, kind, topics):
    """One token more in a topic, and nothing that tells of it."""
    new.tokens.total[0] += 1.0
    return new, event


class WritesIntoWhatItGave(LdaSvi):
    """Every step, into all topics that anybody took before it."""

    taken: ClassVar[list[Topics]] = []

    def topics(self, state):
        found = super().topics(state)
        self.taken.append(found)
        return found

    def step(self, state, batch, rng, pool):
        for found in self.taken:
            found.topic_word[:] = 0.0
        return super().step(state, batch, rng, pool)


class CountsItsThreads(LdaSvi):
    def step(self, state, batch, rng, pool):
        state.lam.eta += 1e-9 * (pool is not None and pool.n_workers > 1)
        return super().step(state, batch, rng, pool)


class CountsItsSteps(LdaSvi):
    """Once a whole run is behind, every topic is said to end at every step."""

    steps: ClassVar[list[int]] = []

    def step(self, state, batch, rng, pool):
        state, info = super().step(state, batch, rng, pool)
        self.steps.append(1)
        events = (Event("death", (0,)),) if len(self.steps) > 18 else ()
        return state, replace(info, events=events)


class DrawsEditsAnew(LdaGibbs):
    def edit(self, state, kind, topics, ground, rng):
        return super().edit(state, kind, topics, ground, np.random.default_rng())


class CountsTwice(LdaGibbs):
    def topics(self, state):
        found = super().topics(state)
        return replace(found, size=2.0 * found.size)


LACKING = [
    ("describes_itself", LdaSvi, {"name": "another"}, "it calls itself 'another'"),
    ("describes_itself", LdaSvi, {"__doc__": ""}, "its class has no docstring"),
    ("describes_itself", LdaSvi, {"batching": "sometimes"}, "batching is 'sometimes'"),
    ("describes_itself", LdaSvi, {"kind": "magic"}, "kind is 'magic'"),
    ("describes_itself", LdaSvi, {"untold": "no end"}, "of why births have no details"),
    ("describes_itself", LdaSvi, {"untold_ends": "no end"}, "of why ends have no details"),
    ("describes_itself", LdaSvi, {"colour": 8}, "colour is 8"),
    ("describes_itself", LdaSvi, {"colour": 3, "presets": {}}, 'no preset "default"'),
    ("describes_itself", LdaSvi, {"colour": 3, "__setattr__": melts}, "it is not frozen"),
    ("describes_its_knobs", HalfASentence, {}, "the help of loose is no sentence"),
    ("names_its_papers", LdaSvi, {"papers": ()}, "it names no paper"),
    ("refuses_values_out_of_range", TakesAnyChoice, {}, "'no such choice' for start"),
    ("refuses_values_out_of_range", NamesNoKnob, {}, "the refusal of a wrong .* does not name it"),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        told(topic_word=lambda t: t.topic_word.astype(np.float64)),
        "topic_word is float64",
    ),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        told(topic_word=lambda t: t.topic_word[:, 1:]),
        "topic_word has shape",
    ),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        told(topic_word=lambda t: t.topic_word * np.float32(1.001)),
        "words do not sum to 1",
    ),
    ("keeps_its_topics_sound", LdaSvi, told(size=lambda t: -t.size), "size is"),
    ("keeps_its_topics_sound", LdaSvi, told(total=lambda t: t.total * np.nan), "total is"),
    ("keeps_its_topics_sound", LdaSvi, told(weight=lambda t: t.weight[:-1]), "weight is not"),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        told(topic_ids=lambda t: np.zeros(len(t), np.int64)),
        "two topics have one identity",
    ),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        told(topic_ids=lambda t: t.topic_ids.astype(np.int32)),
        "topic_ids are not int64",
    ),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        told(weight=lambda t: 1.25 * t.weight, unseen=lambda t: -0.25),
        "unseen is -0.25",
    ),
    (
        "keeps_its_topics_sound",
        LdaSvi,
        {
            "topics": lambda self, state: replace(
                LdaSvi.topics(self, state), topic_ids=np.arange(6) + 10 * (state.t % 2)
            )
        },
        "an identity came back",
    ),
    ("keeps_its_topics_sound", LdaSvi, steps(written), "it changed the corpus"),
    (
        "reports_what_happens_to_topics",
        LdaSvi,
        reports(Event("wonder", (0,))),
        "an event is called 'wonder'",
    ),
    (
        "reports_what_happens_to_topics",
        LdaSvi,
        reports(Event("death", (0,), docs_seen=3)),
        "it stamps events",
    ),
    (
        "reports_what_happens_to_topics",
        LdaSvi,
        reports(Event("prune", (2,))),
        "a topic that was pruned is there",
    ),
    (
        "moves_in_the_words_of_a_batch",
        LdaSvi,
        scalars(lambda state, values: {}),
        'does not report its "step size"',
    ),
    ("raises_its_bound", LdaSvi, {"ascends": True}, "it reported 0 bounds in 25 passes"),
    (
        "learns_what_it_says",
        LdaSvi,
        scalars(lambda state, values: values | {"eta": state.lam.eta}),
        "eta is reported though it is not learned",
    ),
    (
        "learns_what_it_says",
        LdaSvi,
        {"learnable": classmethod(lambda cls: ("eta",))} | {"topics": drifting_alpha},
        "alpha moved from 0.1 to .*, asked for eta",
    ),
    ("learns_what_it_says", LdaSvi, told(eta=lambda t: 0.1), "eta is 0.1, as at the start"),
    (
        "stays_sound_when_changed_by_hand",
        LdaGibbs,
        edited(other_words),
        "its state breaks|does not conserve",
    ),
    ("stays_sound_when_changed_by_hand", DrawsEditsAnew, {}, "do not give the same bits"),
    ("holds_every_word_once", CountsTwice, {}, "seed 0: sizes sum to .*, not"),
    (
        "estimates_its_memory",
        LdaSvi,
        {"memory": lambda self, corpus: 10**6 - corpus.n_docs},
        "are said to need less",
    ),
    ("shares_no_memory_with_its_state", WritesIntoWhatItGave, {}, "a step changed topics"),
    ("gives_equal_bits_for_any_threads", CountsItsThreads, {}, "four threads and none"),
    ("goes_on_bit_for_bit", CountsItsSteps, {}, "the opened run has other events"),
    ("shares_its_work_as_it_says", LdaSvi, {"parallel": "everywhere"}, "parallel is 'everywhere'"),
]


@pytest.fixture
def shared():
    """All tests share the corpus of the checks: what a wrong method writes there is undone."""
    before = [(array, array.copy()) for array in (dozen().counts, dozen().word_ids)]
    yield
    for array, as_it_was in before:
        array.flags.writeable = True
        array[:] = as_it_was
        array.flags.writeable = False


@pytest.mark.parametrize(
    ("check", "base", "lacks", "why"),
    LACKING,
    ids=[f"{c}-{i}" for i, (c, *_) in enumerate(LACKING)],
)
def test_each_thing_that_a_check_looks_at_is_missed(check, base, lacks, why, monkeypatch, shared):
    expect_missed(check, base, lacks, why, monkeypatch)


def expect_missed(check, base, lacks, why, monkeypatch):
    wrong = type("Wrong", (base,), {"__doc__": "Lacks one thing.", "name": "wrong", **lacks})
    register(monkeypatch, "wrong", wrong)
    assert CHECKS[check].concerns(wrong)
    with pytest.raises(Failed, match=why):
        CHECKS[check].run("wrong")


@pytest.mark.second
def test_a_method_that_lacks_nothing_passes(monkeypatch):
    """The same with nothing changed: what fails above is what is lacking there."""
    right = type("Right", (LdaSvi,), {"__doc__": "Lacks nothing.", "name": "right", "colour": 3})
    register(monkeypatch, "right", right)
    for check in dict.fromkeys(check for check, base, *_ in LACKING if base is LdaSvi):
        if CHECKS[check].concerns(right):
            CHECKS[check].run("right")
    with pytest.raises(FrozenInstanceError):
        right().tau = 1.0


BY_STEPS = {"lda-svi", "dpm-svi", "dpm-tsvi", "hdp-svi", "hdp-tsvi", "hdp-catvi", "gdp-catvi"}
BY_HAND = {"lda-gibbs", "dpm-gibbs", "hdp-gibbs", "hdp-parallel-gibbs"}
ASCEND = {"lda-batch", "dpm-batch", "hdp-batch", "hdp-memoized", "hdp-splitmerge"}


@pytest.mark.parametrize(
    ("check", "names"),
    [
        ("moves_in_the_words_of_a_batch", BY_STEPS),
        ("holds_every_word_once", {*METHODS} - BY_STEPS),
        ("stays_sound_when_changed_by_hand", BY_HAND),
        ("raises_its_bound", ASCEND),
        ("keeps_its_topics_sound", {*METHODS}),
    ],
)
def test_each_method_makes_its_promises(check, names):
    assert {name for name in METHODS if check in checks_of(name)} == names
