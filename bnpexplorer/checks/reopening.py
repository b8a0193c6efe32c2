"""Wherever a run may be saved it opens, and goes on as if it had never been closed.

Two runs of one seed go side by side, and one of them is written and read back at many moments.
Both stand alike before each step, so what differs after it was changed by the file.
Drawn settings, and drawn corpora of few and tiny documents, where components come and go.

Same seeds, same bits: with any threads, saved and opened in between, scored or not.
"""

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..core import store
from ..core.knob import Knob, knobs_of
from ..corpus.corpus import Corpus
from ..evaluate import split_heldout
from ..inference.pool import Pool, Threads
from ..inference.start import GivenTopics
from ..methods import make_method
from ..methods.base import LEARN_AFTER, Method, can_begin
from ..runs.run import Run
from ..state.snapshot import Topics
from .expecting import Failed, bars, dozen, expect, expect_lawful, learned_topics, same, small

SEEDS = range(2)
"""Nine of twelve found that `dpm-collapsed` had kept counts of components that it had dropped."""
OFTEN = 0.5
"""Of all moments but the end: a file takes as long as a step."""
AT_MOST = 10
"""Of whole numbers among the knobs: topics, sweeps, particles."""
CONCENTRATIONS = {
    "gamma": (0.3, 5.0, 30.0),
    "base_gamma": (0.3, 30.0),
    "alpha": (0.2, 3.0),
    "eta": (0.02, 0.5, 1.0),
}
"""Large ones open components that the next pass empties."""


def goes_on_from_everywhere(name: str) -> None:
    for seed in SEEDS:
        try_reopening(name, seed)


def try_reopening(name: str, seed: int) -> None:
    """One drawn run. Raises Failed, which says how to draw it again and where it stood."""
    straight, reopened = drawn_run(name, seed), drawn_run(name, seed)
    moments = np.random.default_rng(seed)
    while not straight.done:
        where = f"seed {seed}, {straight.method}, after {straight.n_steps} steps"
        if moments.random() < OFTEN:
            reopened = _written_and_read(reopened, where)
        straight.step()
        reopened.step()
        expect(_told(straight) == _told(reopened), f"{where}: opened, it goes on otherwise")
    _written_and_read(reopened, f"seed {seed}, {straight.method}, at its end")


def drawn_run(name: str, seed: int) -> Run:
    """Random knobs, switches and start, on few documents; long enough to learn concentrations."""
    rng = np.random.default_rng(seed)
    method, corpus = _drawn_method(name, rng), _drawn_corpus(rng)
    passes = LEARN_AFTER + 2 if method.batching == "fixed" else 3
    batch_size = -(-corpus.n_docs // int(rng.integers(1, 5)))
    run = Run(method, corpus, int(rng.integers(2**31)), batch_size, passes)
    if can_begin(method) and rng.random() < 0.3:
        shape = (int(rng.integers(1, AT_MOST)), corpus.n_words)
        run.begin_at(GivenTopics(rng.gamma(0.3, 5.0, shape) + 1e-9, "topics of chance"))
    return run


def _drawn_method(name: str, rng: np.random.Generator) -> Method:
    default = make_method(name)
    every = [*knobs_of(default), *knobs_of(default.model)]
    drawn = {knob: _drawn(knob, value, about, rng) for knob, value, about in every}
    return make_method(name, "default", drawn)


def _drawn(knob: str, default: Any, about: Knob, rng: np.random.Generator) -> Any:
    if knob in CONCENTRATIONS:
        return float(rng.choice(CONCENTRATIONS[knob]))
    if about.choices:
        return str(rng.choice(about.choices))
    if isinstance(default, bool):
        return bool(rng.random() < 0.5)
    if isinstance(default, int):
        return int(rng.integers(int(about.low or 0), AT_MOST, endpoint=True))
    return 0.0 if knob == "bound_tolerance" else default


def _drawn_corpus(rng: np.random.Generator) -> Corpus:
    """Documents of one to some dozens of tokens, of one topic or of several."""
    n_docs, n_words = int(rng.integers(3, 25)), int(rng.integers(2, 15))
    topics = rng.dirichlet(np.full(n_words, 0.2), int(rng.integers(1, 8)))
    shares = rng.dirichlet(np.full(len(topics), 0.2), n_docs)
    lengths = 1 + rng.poisson(rng.choice([0.3, 3.0, 20.0]), n_docs)
    return Corpus.from_csr(rng.multinomial(lengths, shares @ topics))


def _written_and_read(run: Run, where: str) -> Run:
    (texts, arrays), (standing, more) = run.pack_texts(), run.pack_standing()
    file = io.BytesIO()
    store.write_to(file, {**texts, **standing}, {**arrays, **more}, compressed=False)
    try:
        return Run.unpack(*store.read(file), "its file")
    except store.StoreError as problem:
        raise Failed(f"{where}: {problem}") from problem


def _told(run: Run) -> tuple[Any, ...]:
    """The state, bit for bit, and what the last step reported."""
    arrays: store.Arrays = {}
    tree = store.pack(run.state, arrays)
    numbers = {key: (a.dtype.str, a.shape, a.tobytes()) for key, a in arrays.items()}
    return json.dumps(tree), numbers, repr(run.latest_info)


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
