"""Same seeds, same bits: with any threads, saved and opened in between, scored or not."""

import tempfile
from pathlib import Path

import numpy as np

from ..evaluate import split_heldout
from ..inference.pool import Pool, Threads
from ..runs.run import Run
from ..state.snapshot import Topics
from .expecting import bars, dozen, expect, expect_lawful, learned_topics, same, small


def gives_equal_bits_for_any_threads(name: str) -> None:
    corpus = bars(60)

    def fit(seed: int, pool: Pool | None) -> Topics:
        run = Run(small(name), corpus, seed=seed, batch_size=20, passes=2)
        run.pool = pool  # none at all, where it is None
        return learned_topics(run)

    with Threads(1) as one, Threads(4) as four:
        alone = fit(5, None)
        expect(same(alone, fit(5, one)), "one thread and none give different numbers")
        expect(same(alone, fit(5, four)), "four threads and none give different numbers")
    other = fit(6, None).topic_word
    equal = np.array_equal(alone.topic_word, other)
    expect(not equal, "another seed gives the same numbers")


def goes_on_bit_for_bit(name: str) -> None:
    corpus, heldout = split_heldout(bars(60), seed=0, n=10)

    def run() -> Run:
        # Six mini-batches a pass: methods that read the corpus once are saved before their end too.
        return Run(small(name), corpus, seed=2, batch_size=9, passes=3, heldout=heldout)

    straight, halved = run(), run()
    whole = learned_topics(straight)
    for _ in range(5 if halved.passes > 1 else 2):
        halved.step()
    loaded = _saved_and_opened(halved)
    expect(same(learned_topics(loaded), whole), "a run that was saved and opened ends otherwise")
    expect(same(learned_topics(halved), whole), "a run that was saved ends otherwise")
    ours, theirs = straight.snapshot(), loaded.snapshot()
    a, b = ([point.heldout for point in snapshot.trace] for snapshot in (ours, theirs))
    expect(np.array_equal(a, b, equal_nan=True), "the opened run has other scores")
    expect(ours.events == theirs.events, "the opened run has other events")


def begins_as_it_would_have(name: str) -> None:
    """What is saved before the first step has no state, and makes it when it goes on."""
    runs = [Run(small(name), dozen(), seed=5, batch_size=4, passes=2) for _ in range(2)]
    runs[0] = _saved_and_opened(runs[0])
    expect(runs[0].state is None, "a state was made before its turn")
    for run in runs:
        run.step()
        run.step()
    topics = [run.snapshot().topics for run in runs]
    expect(same(*topics), "a run that was saved before its first step learns otherwise")


def _saved_and_opened(run: Run) -> Run:
    if run.state is not None:
        expect_lawful(run)
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "a.run")
        return Run.load(Path(folder) / "a.run")


def learns_the_same_unscored(name: str) -> None:
    # Importance sampling draws random numbers: they must not come from the method's stream.
    protocol = "exact" if small(name).model.mixture else "importance"
    train, heldout = split_heldout(dozen(), seed=0, n=2, protocol=protocol)

    def fit(scored: bool) -> Topics:
        seen = heldout if scored else None
        return learned_topics(Run(small(name), train, seed=3, batch_size=4, passes=2, heldout=seen))

    expect(same(fit(False), fit(True)), "scores change what is learned")
