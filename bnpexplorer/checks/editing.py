"""Topics are merged, split and deleted by hand, and the chain goes on from a sound state."""

import json
from typing import Any

import numpy as np

from ..core import store
from ..runs.run import Run
from .conserving import held_words, words_of
from .expecting import bars, expect, expect_lawful, known, small

PASSES = 6


def stays_sound_when_changed_by_hand(name: str) -> None:
    """In the middle of a pass and at its end: words are conserved, the state satisfies what it
    declares, the state of before and the method's random numbers are untouched."""
    run = _learned(name)
    for _ in range(3):
        for kind in ("merge", "split", "delete"):
            _change(run, kind)
        run.step()
        expect_lawful(run)
    again = _learned(name)
    for edit in run.edits:
        while again.n_steps < edit.step:
            again.step()
        again.edit(edit.kind, edit.topics)
    again.step()
    expect(_bits(run.state) == _bits(again.state), "the same changes do not give the same bits")


def _learned(name: str) -> Run:
    values = known(name, {"start": "nothing", "burn_in": 0, "thin": 1, "gamma": 5.0})
    run = Run(small(name, **values), bars(60), seed=3, batch_size=25, passes=20)
    for _ in range(PASSES * run.n_batches + 1):
        run.step()
    return run


def _change(run: Run, kind: str) -> None:
    topics = run.method.topics(run.state)
    ids = topics.topic_ids[topics.by_size][: 3 if kind == "merge" else 1]
    chosen, before = tuple(ids.tolist()), set(topics.topic_ids[topics.in_use].tolist())
    state, told = run.state, _bits(run.state)
    stream = json.dumps(run._method_rng.bit_generator.state)
    edit = run.edit(kind, chosen)
    expect(_bits(state) == told, f"to {kind} topics changes the state that was given")
    same = stream == json.dumps(run._method_rng.bit_generator.state)
    expect(same, f"to {kind} topics takes random numbers of the method")
    expect_lawful(run)
    expect(not run.method.kept(run.state), "states of before the change are averaged over")
    now = run.method.topics(run.state)
    held = np.allclose(held_words(now), words_of(run.corpus), rtol=1e-4, atol=1e-3)
    expect(held, f"to {kind} topics does not conserve their words")
    after = set(now.topic_ids[now.in_use].tolist())
    expected = before - set(chosen) | set(edit.children)
    expect(after == expected, f"to {kind} {chosen} of {sorted(before)} gives {sorted(after)}")
    n_parts = {"merge": 1, "split": 2, "delete": 0}[kind]
    expect(len(edit.children) == n_parts, f"to {kind} topics gives {edit.children}")


def _bits(state: Any) -> tuple[str, dict[str, bytes]]:
    arrays: store.Arrays = {}
    return json.dumps(store.pack(state, arrays)), {k: a.tobytes() for k, a in arrays.items()}
