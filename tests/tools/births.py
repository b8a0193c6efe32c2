"""Runs whose births a page shows, each with a replay of it: what the table must say of each."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from bnpexplorer.explore.why import power
from bnpexplorer.methods.base import Method
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.dpm_collapsed import DpmCollapsed
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.methods.dpm_tsvi import DpmTsvi
from bnpexplorer.methods.hdp_tsvi import HdpTsvi
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.plots.style import percent
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Event
from tests.twins.births import (
    ALPHA,
    CORPUS,
    DOC,
    ETA,
    GAMMA,
    replay_until,
    replayed_openings,
    replayed_pass,
    replayed_run,
    replayed_topics,
    weights_at,
)

SEED, SIZE, PASSES = 4, 7, 3


@dataclass(frozen=True)
class Birth:
    """What a replay finds of one."""

    document: int
    rows: list[list[str]]
    """Of the table, as they are read: the likeliest five others, then the new one."""


def birth(document: int, *logs: Any) -> Birth:
    """`logs`: prior weights, likelihoods, mean field's; by identity, -1 new, or as in a table."""
    if isinstance(logs[0], dict):
        log_prior, log_p, _ = logs
        best = sorted(log_prior.keys() - {-1}, key=lambda k: -(log_prior[k] + log_p[k]))[:5]
        logs = tuple([side[k] for k in (*best, -1)] for side in logs)
    prior, p, mean = logs
    shares = [softmax(np.add(prior, p)), softmax(np.add(prior, mean))]
    rows = [
        [power(prior[i]), power(p[i]), power(mean[i]), *(percent(float(s[i]), 1) for s in shares)]
        for i in range(len(prior))
    ]
    return Birth(int(document), rows)


Before = list[tuple[Any, Any, np.random.Generator]]
"""Of each step the state, the block and the random numbers before it."""


def clusters_opened(before: Before, births: list[Event]) -> list[Birth]:
    return [birth(*found) for step in before for found in replayed_openings(*step)]


def components_opened(before: Before, births: list[Event]) -> list[Birth]:
    found = []
    for state, batch, rng in before:
        if batch.index == 0:
            rows = [b.rows.tolist() for _, b, _ in before[: batch.of]]
            found += replayed_pass(state, rng, [d for block in rows for d in block])
    return [birth(*one) for one in found]


def topics_opened(before: Before, births: list[Event]) -> list[Birth]:
    found = []
    for number, (state, batch, rng) in enumerate(before, 1):
        id_of = dict(enumerate(state.slot_ids.tolist()))
        for n, event in enumerate([e for e in births if e.step == number], 1):
            old = copy.deepcopy(state)
            i, slot = replay_until(old, batch, n, copy.deepcopy(rng))
            weights = weights_at(old, i, old.rest[0] + old.weight[slot], id_of)
            found.append(birth(DOC[i], *weights))
            id_of[slot] = event.children[0]
    return found


def joint_topics_opened(before: Before, births: list[Event]) -> list[Birth]:
    found = []
    for state, batch, rng in before:
        opened, label_of, _ = replayed_topics(JOINT_TOPICS, state, batch.docs, rng)
        for label in label_of.values():
            place, _, *logs = opened[label][:5]
            found.append(birth(batch.rows[place], *logs))
    return found


def joint_clusters_opened(before: Before, births: list[Event]) -> list[Birth]:
    """From the documents and the seed alone."""
    happened = replayed_run(SEED, SIZE, PASSES, 1 + JOINT_CLUSTERS.burn_in, JOINT_CLUSTERS.keep)
    return [birth(one[2], *one[4:]) for one in happened if len(one) > 2]


JOINT_TOPICS = HdpTsvi(HDP(GAMMA, ALPHA, ETA), burn_in=2, kept_sweeps=2)
JOINT_CLUSTERS = DpmTsvi(DPMixture(GAMMA, ETA))

Replay = Callable[[Before, list[Event]], list[Birth]]
KINDS: dict[str, tuple[Method, Replay]] = {
    "sampler": (DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0), clusters_opened),
    "collapsed": (DpmCollapsed(DPMixture(GAMMA, ETA)), components_opened),
    "of words": (HdpGibbs(HDP(GAMMA, ALPHA, ETA), start="nothing", merge_passes=0), topics_opened),
    "mini-batches": (JOINT_CLUSTERS, joint_clusters_opened),
    "mini-batches of words": (JOINT_TOPICS, joint_topics_opened),
}


def run_of(kind: str) -> Run:
    """One that has not begun."""
    return Run(KINDS[kind][0], CORPUS, seed=SEED, batch_size=SIZE, passes=PASSES)


def replayed_births(kind: str, events: tuple[Event, ...]) -> dict[int, Birth]:
    """By the place of its event: every birth of `run_of(kind)`, found again with the same seed."""
    again, before = run_of(kind), []
    step = type(again.method).step

    def noted(method: Any, state: Any, batch: Any, rng: Any, pool: Any) -> Any:
        before.append((copy.deepcopy(state), batch, copy.deepcopy(rng)))
        return step(method, state, batch, rng, pool)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(again.method), "step", noted)
        while not again.done:
            again.step()
    places = [place for place, event in enumerate(events) if event.kind == "birth"]
    found = KINDS[kind][1](before, [events[place] for place in places])
    return dict(zip(places, found, strict=True))
