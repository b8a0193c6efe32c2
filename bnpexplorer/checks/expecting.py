"""Helpers of the checks: how one fails, small corpora, small settings, whole runs."""

import dataclasses
import typing
from functools import cache
from typing import Any

import numpy as np

from ..core.arrays import F64
from ..core.knob import knobs_of
from ..core.packing import hints_of
from ..corpus.corpus import Corpus
from ..methods import METHODS, make_method
from ..methods.base import Method
from ..runs.run import Run
from ..state.invariants import Constraint, check
from ..state.snapshot import Topics


class Failed(Exception):
    """A check found something wrong; says what, in one sentence."""


def expect(holds: bool, otherwise: str) -> None:
    """Raise Failed with the sentence `otherwise` unless it holds."""
    if not holds:
        raise Failed(otherwise)


# ---- corpora -------------------------------------------------------------------------------------


@cache
def dozen() -> Corpus:
    """Twelve short documents over nine words, two of them with one word only."""
    counts = np.random.default_rng(3).poisson(0.9, size=(12, 9))
    counts[0] = [3, 0, 0, 0, 0, 0, 0, 0, 0]
    counts[1] = [0, 0, 0, 0, 0, 0, 0, 0, 1]
    counts[2, 0] += 20  # one count beyond the table of small rising factorials
    return Corpus.from_csr(counts, name="dozen")


@cache
def draw_bars(n_docs: int, seed: int, mean_length: float = 60.0) -> tuple[Corpus, F64]:
    """Documents over a 5x5 image, and their ten true topics (10, 25): its rows and columns."""
    rng = np.random.default_rng(seed)
    image = np.arange(25).reshape(5, 5)
    topics = np.zeros((10, 25))
    for i in range(5):
        topics[i, image[i]] = topics[5 + i, image[:, i]] = 0.2
    counts = np.stack(
        [
            rng.multinomial(
                max(rng.poisson(mean_length), 2), rng.dirichlet(np.full(10, 0.2)) @ topics
            )
            for _ in range(n_docs)
        ]
    )
    vocab = [f"r{w // 5}c{w % 5}" for w in range(25)]
    return Corpus.from_csr(counts, vocab, name="bars"), topics


def bars(n_docs: int = 300) -> Corpus:
    """The first of 300 such documents."""
    return draw_bars(300, 11)[0].take(np.arange(n_docs))


# ---- methods and runs ----------------------------------------------------------------------------


def known(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Those of the `values` that the method or its model has a knob for."""
    method = METHODS[name]()
    names = {n for n, _, _ in [*knobs_of(method), *knobs_of(method.model)]}
    return {key: value for key, value in values.items() if key in names}


def small(name: str, **values: Any) -> Method:
    """The method with few topics, so that a check takes a moment."""
    fewer = known(name, {"n_topics": 6, "truncation": 8, "doc_truncation": 4})
    return make_method(name, "default", {**fewer, **values})


def finish(run: Run) -> Run:
    """The run when it is done."""
    while not run.done:
        run.step()
    return run


def learned_topics(run: Run) -> Topics:
    """The topics at the run's end."""
    return finish(run).snapshot().topics


def expect_lawful(run: Run) -> None:
    """Fail if the state would be refused when it comes from a file, where it stands now."""
    kind = run.method.state_type
    missing = undeclared(kind)
    expect(not missing, f"{', '.join(missing)}: no `Constraint` says what holds of these arrays")
    try:
        check(run.state, run.ground(), kind.__qualname__)
    except ValueError as problem:
        raise Failed(f"its state breaks its own `Constraint` or `mismatch`: {problem}") from problem


def undeclared(kind: type) -> list[str]:
    """Fields with arrays, all the way down, that say nothing of their shape; each once."""
    missing = []
    for name, hint in hints_of(kind, extras=True).items():
        inside = _parts(hint)
        for part in inside:
            if dataclasses.is_dataclass(part) and isinstance(part, type):
                missing += undeclared(part)
        has_array = any(typing.get_origin(part) is np.ndarray for part in inside)
        if has_array and not any(isinstance(part, Constraint) and part.axes for part in inside):
            missing.append(f"{kind.__qualname__}.{name}")
    return list(dict.fromkeys(missing))


def _parts(hint: Any) -> list[Any]:
    """A type and everything that stands in its brackets."""
    return [hint, *(part for inside in typing.get_args(hint) for part in _parts(inside))]


ARRAYS = ("topic_word", "total", "size", "weight", "topic_ids")


def same(a: Topics, b: Topics) -> bool:
    """Bit for bit."""
    return all(np.array_equal(getattr(a, f), getattr(b, f)) for f in ARRAYS)


def expect_sound(topics: Topics, n_words: int) -> None:
    """Fail unless shapes, types, signs and sums of the topics are those of `Topics`."""
    n = len(topics.topic_ids)
    words = topics.topic_word
    expect(words.shape == (n, n_words), f"topic_word has shape {words.shape}")
    expect(words.dtype == np.float32, f"topic_word is {words.dtype}, not float32")
    for name in ("total", "size", "weight"):
        array = getattr(topics, name)
        expect(array.shape == (n,) and array.dtype == np.float64, f"{name} is not float64 ({n},)")
        expect(bool(np.all(np.isfinite(array)) and np.all(array >= 0)), f"{name} is {array}")
    expect(topics.topic_ids.dtype == np.int64, "topic_ids are not int64")
    expect(len(set(topics.topic_ids.tolist())) == n, "two topics have one identity")
    expect(bool(np.allclose(words.sum(axis=1), 1.0, rtol=1e-5)), "a topic's words do not sum to 1")
    whole = float(topics.weight.sum() + topics.unseen)
    expect(abs(whole - 1.0) <= 1e-9, f"weights and unseen sum to {whole}")
    expect(topics.unseen >= 0, f"unseen is {topics.unseen}")
