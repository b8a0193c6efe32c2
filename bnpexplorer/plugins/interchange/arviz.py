"""ArviZ: the traces of samplers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.arrays import F64
from ...runs.draws import LOG_JOINT
from ...runs.run import Run

Trace = dict[int, Mapping[str, float]]
"""Documents processed -> what the state told then."""
JOINT = "log_joint"


def to_arviz(runs: Run | Sequence[Run]) -> Any:
    """ArviZ's `InferenceData` of one run of a sampler, or of several as chains.

    `posterior` has what a state tells without labels of topics, float64 (chain, draw): `topics` in
    use, `entropy` of their sizes and, where documents are held out, `heldout`, the score of the
    state alone; `sample_stats` has `lp`, the log joint of texts and state. Topics themselves have
    no place there, since their labels may change from draw to draw. In `attrs`, `docs_per_draw`
    says how many documents lie between two draws; `draw` counts from 0.

    Draws are kept of chains and of runs that go on until they have settled (`Plan.of(...,
    chains=4)`, whose `chains_of(plan, corpus).runs` are given here, or `until="settled"`), and all
    are given: leave out those of the beginning by `.sel(draw=slice(n, None))`. A run without them
    gives the rows of its history after whole sweeps, where these are as far apart from each other,
    as of up to 200 sweeps: `topics`, and what the sampler learns beside them, such as `gamma`.

    Needs ArviZ. Raises ValueError if a run is not of a sampler, if there are fewer than two draws,
    or if draws do not lie evenly.
    """
    import arviz

    chains = [runs] if isinstance(runs, Run) else list(runs)
    for run in chains:
        if run.method.kind != "sampler":
            raise ValueError(
                f"{run.method.name} follows a curve and draws nothing from a posterior; give runs "
                "of a sampler, such as hdp-gibbs."
            )
    drawn = bool(chains) and all(run.draws for run in chains)
    traces = [_drawn(run) if drawn else _history(run) for run in chains]
    docs = _even(set.intersection(*(set(trace) for trace in traces)) if traces else set())
    told = [set(trace[at]) for trace in traces for at in docs]
    values = {name: _values(traces, docs, name) for name in sorted(set.intersection(*told))}
    posterior = {name: found for name, found in values.items() if name != JOINT}
    stats = {"lp": values[JOINT]} if JOINT in values else None
    return arviz.from_dict(
        posterior=posterior, sample_stats=stats, attrs={"docs_per_draw": docs[1] - docs[0]}
    )


def _drawn(run: Run) -> Trace:
    return {draw.docs_seen: draw.values for draw in run.draws}


def _history(run: Run) -> Trace:
    """Rows of its history, which are all that there is of a run that nobody judges.

    Amid a sweep some documents are older than others, and samplers tell no log joint.
    """
    rows: Trace = {}
    for point in run.history:
        if point.docs_seen % run.corpus.n_docs:
            continue
        told = {"topics": float(point.n_topics), **point.scalars}
        if np.isfinite(point.heldout):
            told["heldout"] = point.heldout
        rows[point.docs_seen] = {
            JOINT if name in LOG_JOINT else name.replace(" ", "_"): value
            for name, value in told.items()
        }
    return rows


def _even(places: set[int]) -> list[int]:
    """The documents at which draws lie, as far apart from each other. Raises ValueError."""
    docs = sorted(places)
    if len(docs) > 2 and docs[-1] - docs[-2] < docs[1] - docs[0]:
        docs.pop()  # where the run ended, between two draws
    gaps = set(np.diff(docs).tolist())
    if len(gaps) == 1:
        return docs
    found = f"{len(docs)} draws" if len(docs) < 2 else "draws that do not lie evenly"
    raise ValueError(
        f"These runs have {found} in common; learn for longer, with Plan.of(..., chains=4) or "
        'until="settled", which keep draws for this.'
    )


def _values(traces: Sequence[Trace], docs: Sequence[int], name: str) -> F64:
    """float64 (chain, draw)."""
    return np.array([[trace[at][name] for at in docs] for trace in traces], np.float64)
