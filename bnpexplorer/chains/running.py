"""Chains: one method from several starts and seeds, which learn the same documents in turn.

A single chain cannot tell whether it has reached the posterior: one that is stuck looks settled.
Chains that began far apart and tell the same are the only evidence there is (Gelman & Rubin 1992).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compare.in_turn import InTurn
from ..core.arrays import F64
from ..core.knob import knobs_of
from ..corpus.corpus import Corpus
from ..evaluate import effective_topics, score, topics_in_use
from ..methods import Method
from ..runs.plan import Plan
from ..runs.run import Run
from .judging import Verdict, judge

FEWEST, MOST = 2, 8
DRAWS = 200
"""Draws of a whole chain that are enough; each is scored, which takes its time."""
LOG_JOINT = ("log joint", "log p(words, topics)")
"""What samplers call the log probability of the texts and of their state."""


@dataclass(frozen=True)
class Draw:
    """What one chain tells at one point, without labels of topics."""

    docs_seen: int
    values: dict[str, float]
    """Key of `QUANTITIES` -> value; without a log joint but for samplers, without a score where
    nothing is held out."""


class Chains(InTurn):
    """Runs of one method on one split that differ in their start and their seed.

    A draw is kept after a pass of a method whose passes are whole, and else after a mini-batch;
    where there are more than 2 `DRAWS` of these, now and then. Its score is that of the state
    alone: averaged over states, as the run's own is, draws would follow each other too closely.

    Raises ValueError if the runs are too few or too many, or differ in more than start and seed.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        if not FEWEST <= len(runs) <= MOST:
            raise ValueError(f"There are {FEWEST} to {MOST} chains; got {len(runs)}.")
        first = runs[0]
        for run in runs:
            if with_start(run.method, start_of(first.method)) != first.method:
                raise ValueError("All chains have the same method and settings, but for the start.")
            for what in ("corpus", "heldout", "passes", "order", "batch_size"):
                if getattr(run, what) != getattr(first, what):
                    raise ValueError(f"All chains have the same {what}.")
        super().__init__(runs)
        self.starts = tuple(start_of(run.method) for run in runs)
        """Of every chain its start; empty where the method has only one."""
        whole = first.n_batches if first.method.batching == "fixed" else 1
        self._every = whole * max(1, first.passes * first.n_batches // whole // DRAWS)
        self._draws: list[list[Draw]] = [[] for _ in runs]

    @property
    def draws(self) -> tuple[tuple[Draw, ...], ...]:
        """Of every chain its draws so far."""
        return tuple(tuple(found) for found in self._draws)

    @property
    def share_done(self) -> float:
        """How much of the work is behind, from 0 to 1."""
        runs = [self.runs[i] for i in self.sound]
        return min(1.0 if run.done else run.docs_seen / run.planned_docs for run in runs)

    @property
    def sound(self) -> tuple[int, ...]:
        """Places of the chains that have not failed."""
        return tuple(i for i in range(len(self.runs)) if i not in self.failed)

    def _step_one(self, i: int) -> None:
        run = self.runs[i]
        run.step()
        if run.n_steps % self._every == 0 or run.done:
            self._draws[i].append(draw_of(run))

    def kept_draws(self) -> dict[str, F64]:
        """Key of `QUANTITIES` -> float64 (C, N): the latter half of the draws of every sound chain.

        Of chains of different length the last so many as the shortest has.
        """
        sound = [self._draws[i] for i in self.sound]
        n = min(len(found) for found in sound) // 2
        last = [found[len(found) - n :] for found in sound]
        keys = last[0][0].values if n else {}
        return {key: np.array([[draw.values[key] for draw in c] for c in last]) for key in keys}

    def verdict(self) -> Verdict:
        """Whether the chains have met, so far."""
        starts = [self.starts[i] for i in self.sound]
        return judge(self.kept_draws(), starts, self.method.model.noun)

    def score(self) -> float | None:
        """The held-out score of a prediction that averages over all sound chains and their states.

        None if nothing is held out.
        """
        first = self.runs[0]
        if first.heldout is None:
            return None
        kept = []
        for run in (self.runs[i] for i in self.sound):
            states = run.method.kept(run.state) or ((1.0, run.method.topics(run.state)),)
            total = sum(weight for weight, _ in states)
            kept += [(weight / total, topics) for weight, topics in states]
        return score(first.method.model, kept[0][1], first.heldout, kept=tuple(kept))


def draw_of(run: Run) -> Draw:
    """What the chain tells now."""
    method = run.method
    topics = method.topics(run.state)
    values: dict[str, float] = {}
    if method.kind == "sampler":
        scalars = run.latest_info.scalars
        joint = [scalars[name] for name in LOG_JOINT if name in scalars]
        values = {"log_joint": joint[0]} if joint else {}
    if run.heldout is not None:
        values["heldout"] = score(method.model, topics, run.heldout, pool=run.pool)
    n_effective = effective_topics(topics)
    values["topics"] = float(topics_in_use(topics))
    values["entropy"] = math.log(n_effective) if n_effective else 0.0
    return Draw(run.docs_seen, values)


# ---- starting ------------------------------------------------------------------------------------


def starts_offered(method: Method) -> tuple[str, ...]:
    """What its knob `start` offers; nothing where there is none."""
    return next((about.choices for name, _, about in knobs_of(method) if name == "start"), ())


def start_of(method: Method) -> str:
    """Where its state begins, by its knob `start`; empty where there is no choice."""
    return str(getattr(method, "start", "")) if starts_offered(method) else ""


def with_start(method: Method, start: str) -> Method:
    changed: Any = method  # every method is a frozen dataclass
    return replace(changed, start=start) if start else method


def starts_of(method: Method, n: int) -> list[str]:
    """Starts of `n` chains: the method's own and all others that its knob offers, in turn."""
    own = start_of(method)
    starts = [own, *(start for start in starts_offered(method) if start != own)]
    return [starts[i % len(starts)] for i in range(n)]


def chains_of(plan: Plan, corpus: Corpus, n: int = 4, learn_all: bool = False) -> Chains:
    """`n` chains of the plan on its split, not yet started; the first is the plan's own run.

    The others have the seeds after the plan's, and every start in turn that the method offers: of a
    sampler half begin from nothing and half from many. `learn_all`: nothing is held out.
    Raises what `Plan.split` and `Plan.start` do, and ValueError if there are too few or too many.
    """
    train, heldout = (corpus, None) if learn_all else plan.split(corpus)
    runs = []
    for i, start in enumerate(starts_of(plan.method, n)):
        chain = replace(plan, method=with_start(plan.method, start), seed=plan.seed + i)
        if i:
            chain = replace(chain, start_from=None)  # others began elsewhere, or tell nothing new
        name = f"chain {i + 1}, from {start}" if start else f"chain {i + 1}"
        runs.append(chain.start(train, heldout, f"{plan.method.name}, {name}"))
    return Chains(runs)
