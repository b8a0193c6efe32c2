"""What is learned: bounds, predictions, concentrations."""

import numpy as np

from ..evaluate import score, split_heldout, unigram_score
from ..methods import METHODS, make_method
from ..runs.run import Run
from ..state.snapshot import Snapshot
from .expecting import bars, expect, finish, known, learned_topics, small


def raises_its_bound(name: str) -> None:
    learning = {f"learn_{which}": True for which in METHODS[name].learnable()}
    for seed, values in ((0, {}), (1, {}), (0, learning)):
        run = Run(small(name, **values), bars(80), seed=seed, batch_size=20, passes=25)
        bounds = np.array([p.bound for p in finish(run).history if np.isfinite(p.bound)])
        # A mixture that starts from clusters converges at once.
        expect(len(bounds) > 2, f"it reported {len(bounds)} bounds in 25 passes")
        falls = np.diff(bounds) < -1e-8 * np.abs(bounds[1:])
        expect(not falls.any(), f"seed {seed}, {values or 'nothing learned'}: the bound fell")


def predicts_better_than_word_frequencies(name: str) -> None:
    method = make_method(name, "default", known(name, {"n_topics": 15, "truncation": 30}))
    # Hiding whole words of 25 misleads: the true topics would score below word frequencies.
    protocol = "exact" if method.model.mixture else "tokens-90-10"
    corpus, heldout = split_heldout(bars(), seed=0, n=50, protocol=protocol)
    whole_passes = method.kind == "mean field" and method.batching == "fixed"
    passes = 60 if whole_passes else 12  # full batches move slowly at first
    topics = learned_topics(Run(method, corpus, batch_size=50, passes=passes))
    reached, needed = score(method.model, topics, heldout), unigram_score(corpus, heldout) + 0.05
    expect(reached > needed, f"it scores {reached:.3f}, and word frequencies {needed - 0.05:.3f}")


def learns_what_it_says(name: str) -> None:
    """Each concentration moves alone and is reported with its value in force."""
    model = make_method(name).model
    for which in METHODS[name].learnable():
        snapshot = _fitted(name, which)
        values, scalars = concentrations(snapshot, name), snapshot.trace[-1].scalars
        value, start = values[which], getattr(model, which)
        expect(np.isfinite(value) and value != start, f"{which} is {value}, as at the start")
        near = abs(scalars.get(which, np.nan) - value) <= 1e-12 * value
        expect(bool(near), f"{which} is {value} and reported as {scalars.get(which)}")
        for other in values.keys() - {which}:
            expect(other not in scalars, f"{other} is reported though it is not learned")
            first = getattr(model, other, np.nan)
            moved = abs(values[other] - first) > 1e-6 * first
            expect(not moved, f"{other} moved from {first} to {values[other]}, asked for {which}")


def concentrations(snapshot: Snapshot, name: str) -> dict[str, float]:
    """gamma, alpha and eta in force; LDA's alpha is that of one topic."""
    topics = snapshot.topics
    shared = len(topics) if hasattr(METHODS[name]().model, "n_topics") else 1
    return {"gamma": topics.gamma, "alpha": topics.concentration / shared, "eta": topics.eta}


def _fitted(name: str, which: str) -> Snapshot:
    fewer = {"n_topics": 10, "truncation": 15, "doc_truncation": 6, "start_passes": 2}
    learned = {f"learn_{other}": other == which for other in METHODS[name].learnable()}
    method = make_method(name, "default", {**known(name, fewer), **learned})
    return finish(Run(method, bars(150), batch_size=50, passes=8)).snapshot()
