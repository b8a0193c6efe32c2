"""Methods of a fixed number of topics tell which have ended and which are back, at every step."""

import pytest

from bnpexplorer.checks.expecting import bars, known
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs.run import Run

FIXED = [
    name
    for name in METHODS.ours
    if {"truncation", "n_topics"}
    & {knob for owner in (METHODS[name]().model, METHODS[name]()) for knob, *_ in knobs_of(owner)}
]
SETTINGS = {"truncation": 30, "n_topics": 30, "doc_truncation": 4, "start": "random", "gamma": 0.9}


@pytest.mark.parametrize("name", FIXED)
def test_events_lead_from_the_topics_in_use_to_those_after_the_step(name):
    """By identity, though topics are sorted anew: some hold less than a word or a document."""
    method = make_method(name, "default", known(name, SETTINGS | {"start_length": 1.0}))
    run, n_events = Run(method, bars(25), seed=4, batch_size=9, passes=12), 0
    run.prepare()

    def in_use():
        topics = method.topics(run.state)
        return set(topics.topic_ids[topics.in_use].tolist())

    before = in_use()
    while not run.done:
        run.step()
        after, events = in_use(), run.latest_info.events
        assert {e.parents for e in events if e.kind == "death"} == {(i,) for i in before - after}
        assert {e.children for e in events if e.kind == "birth"} == {(i,) for i in after - before}
        assert len(events) == len(before ^ after)
        before, n_events = after, n_events + len(events)
    assert n_events > 0
