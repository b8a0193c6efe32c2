"""What must hold after every step, on texts of every kind."""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..corpus.corpus import Corpus
from ..methods import make_method
from ..runs.run import Run
from .expecting import ARRAYS, bars, dozen, expect, expect_sound, finish, known, same, small


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
