"""Checks that must hold after every step, on texts of every kind.

What is learned: bounds, predictions, concentrations.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..corpus.corpus import Corpus
from ..evaluate import score, split_heldout, unigram_score
from ..methods import METHODS, make_method
from ..runs.run import Run
from ..state.snapshot import Snapshot
from .expecting import (
    ARRAYS,
    bars,
    dozen,
    expect,
    expect_sound,
    finish,
    known,
    learned_topics,
    same,
    small,
)


def keeps_its_topics_sound(name: str) -> None:
    corpus = dozen()
    before = corpus.counts.copy(), corpus.word_ids.copy()
    run = Run(small(name), corpus, seed=1, batch_size=5, passes=3)
    seen: set[int] = set()
    gone: set[int] = set()
    while not run.done:
        run.step()
        topics = run.snapshot().topics
        expect_sound(topics, corpus.n_words)
        ids = set(topics.topic_ids.tolist())
        expect(not ids & gone, "an identity came back")
        gone |= seen - ids
        seen |= ids
    unchanged = np.array_equal(corpus.counts, before[0])
    unchanged &= np.array_equal(corpus.word_ids, before[1])
    expect(bool(unchanged), "it changed the corpus")


def reports_what_happens_to_topics(name: str) -> None:
    """Whatever comes is born, split off or merged into; whatever is pruned is gone."""
    run = Run(small(name), dozen(), seed=1, batch_size=5, passes=6)
    run.prepare()
    before = set(run.method.topics(run.state).topic_ids.tolist())
    while not run.done:
        run.step()
        after = set(run.method.topics(run.state).topic_ids.tolist())
        events = run.latest_info.events
        for event in events:
            kinds = ("birth", "death", "prune", "merge", "split")
            expect(event.kind in kinds, f"an event is called {event.kind!r}")
            expect((event.step, event.docs_seen) == (0, 0), "it stamps events; the run does that")
        children = {child for event in events for child in event.children}
        expect(after - before <= children, "a topic came without an event")
        pruned = {p for event in events if event.kind == "prune" for p in event.parents}
        expect(not pruned & after, "a topic that was pruned is there")
        before = after


def shares_no_memory_with_its_state(name: str) -> None:
    run = Run(small(name), dozen(), batch_size=6, passes=2)
    run.step()
    taken = run.snapshot().topics
    copy = replace(taken, **{f: getattr(taken, f).copy() for f in ARRAYS})
    for field in ARRAYS:
        getattr(run.snapshot().topics, field)[...] = 7
    expect(same(run.snapshot().topics, taken), "topics that were written into changed the state")
    run.step()
    expect(same(taken, copy), "a step changed topics that were taken before it")


def degenerate() -> Iterator[tuple[str, Corpus]]:
    """Corpora that leave nothing to learn."""
    yield "one word", Corpus.from_csr(np.array([[4], [1], [30]]))
    yield "one document", Corpus.from_csr(np.array([[2, 0, 1, 5]]))
    yield "one token", Corpus.from_csr(np.array([[1]]))


def learns_degenerate_texts(name: str) -> None:
    for _, corpus in degenerate():
        run = finish(Run(small(name), corpus, batch_size=2, passes=3))
        expect_sound(run.snapshot().topics, corpus.n_words)


def learns_with_one_topic(name: str) -> None:
    ones = known(name, {"n_topics": 1, "truncation": 1, "doc_truncation": 1})
    run = Run(make_method(name, "default", ones), dozen(), batch_size=4, passes=2)
    expect_sound(finish(run).snapshot().topics, dozen().n_words)


def takes_short_steps(name: str) -> str:
    """Says how long the longest step takes, and never fails: machines differ."""
    finish(Run(small(name), dozen(), batch_size=6, passes=1))  # compiles what it needs
    method, corpus = make_method(name, "default"), bars(300)
    batch_size = method.presets["default"].batch_size
    run = Run(method, corpus, batch_size=batch_size, passes=2)
    longest = 0.0
    run.prepare()
    while not run.done:
        started = time.perf_counter()
        run.step()
        longest = max(longest, time.perf_counter() - started)
    return (
        f"{longest:.2f} s at most for {min(batch_size, corpus.n_docs)} short texts; as a rule, "
        "0.25 s at the default batch size"
    )


def stays_finite(name: str) -> None:
    run = finish(Run(small(name), dozen(), batch_size=3, passes=50))
    expect_sound(run.snapshot().topics, dozen().n_words)


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
