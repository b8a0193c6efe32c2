"""Checks of the declarations of a method: its knobs, its threads and its kernels.

Each kernel is compiled once: a second signature would double the wait at the first start.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, TypeVar

from ..core import store
from ..core.knob import knobs_of
from ..corpus.corpus import Corpus
from ..export.citations import papers_of
from ..inference.pool import Pieces, Threads
from ..methods import METHODS, make_method
from ..methods.base import Method
from ..methods.making import model_class
from ..plots.style import LIGHT
from ..runs.run import Run
from .expecting import Failed, bars, dozen, expect, expect_lawful, finish, small


def describes_itself(name: str) -> None:
    method = METHODS[name]()
    expect(isinstance(method, Method), "it lacks something that `methods/base.py` asks for")
    expect(method.name == name, f"it calls itself {method.name!r}")
    expect(bool(type(method).__doc__), "its class has no docstring")
    expect(bool(re.search(r"\b(19|20)\d\d\b", method.source)), "its source names no year")
    expect(method.batching in ("shuffled", "fixed", "once"), f"batching is {method.batching!r}")
    expect(method.kind in ("mean field", "sampler", "particles"), f"kind is {method.kind!r}")
    for what, why in (("births", method.untold), ("ends", method.untold_ends)):
        said = why.endswith(".") or not why
        expect(said, f"{why!r} is no sentence of why {what} have no details")
    expect(method.colour in range(len(LIGHT)), f"colour is {method.colour}")
    _has_a_colour_of_its_own(name)
    expect("default" in method.presets, 'it has no preset "default"')
    for preset in method.presets:
        make_method(name, preset)
    try:
        # What no method allows, so that types forbid it too: the check is that it fails.
        method.model = None  # type: ignore[misc, assignment]
    except FrozenInstanceError:
        return
    expect(False, "it is not frozen")


def _has_a_colour_of_its_own(name: str) -> None:
    """Among our methods of its model, as long as the palette has one that is free."""
    if name not in METHODS.ours:
        return
    model, colour = model_class(METHODS[name]).name, METHODS[name].colour
    others = [n for n in METHODS.ours if n != name and model_class(METHODS[n]).name == model]
    taken = {METHODS[other].colour: other for other in others}
    free = [str(place) for place in range(len(LIGHT)) if place not in taken]
    if free and colour in taken:
        which = f"free for {model}: {', '.join(free)}"
        raise Failed(f"colour {colour} is that of {taken[colour]}; {which}")


def describes_its_knobs(name: str) -> None:
    method = METHODS[name]()
    described = [*knobs_of(method), *knobs_of(method.model)]
    expect(bool(described), "it has no knobs")
    for knob, default, about in described:
        expect(about.help.endswith("."), f"the help of {knob} is no sentence")
        bounded = about.choices or isinstance(default, bool) or about.low is not None
        expect(bool(bounded), f"{knob} has neither choices nor a range")


def names_its_papers(name: str) -> None:
    method = METHODS[name]
    papers = papers_of(method)
    expect(bool(papers), "it names no paper")
    for paper in papers:
        family = paper.authors[0].split(",")[0]
        there = re.search(rf"\b{re.escape(family)}\b[^;]*\b{paper.year}\b", method.source)
        expect(bool(there), f"its source does not name {family} {paper.year}")


def refuses_values_out_of_range(name: str) -> None:
    method = METHODS[name]()
    for knob, _, about in [*knobs_of(method), *knobs_of(method.model)]:
        wrong: list[Any] = [] if about.low is None else [about.low - 1]
        wrong += [] if about.high is None else [about.high + 1]
        wrong += ["no such choice"] if about.choices else []
        for value in wrong:
            try:
                make_method(name, "default", {knob: value})
            except ValueError as problem:
                expect(knob in str(problem), f"the refusal of a wrong {knob} does not name it")
            else:
                expect(False, f"it takes {value!r} for {knob}")


def declares_its_state(name: str) -> None:
    """Every array has its `Constraint`, and it holds at every step."""
    run = Run(small(name), dozen(), seed=2, batch_size=5, passes=2)
    while not run.done:
        run.step()
        expect_lawful(run)


SMALL_CHANGE = 16
"""Bytes a document that need no estimate: the documents themselves take more."""


def estimates_its_memory(name: str) -> None:
    """What a state holds of more documents is estimated, within a factor of two."""
    method, few, many = small(name), bars(30), bars(300)
    less, more = method.memory(few), method.memory(many)
    expect(isinstance(less, int) and less >= 0, f"the estimate is {less!r}")
    expect(more >= less, "ten times as many documents are said to need less")
    held = _beside_topics(method, many)
    grown = held - _beside_topics(method, few)
    expect(
        grown <= 2 * more + SMALL_CHANGE * many.n_docs,
        f"its state of {many.n_docs} documents holds {held:,} bytes beside topics by words, its "
        f"estimate says {more:,}",
    )


def _beside_topics(method: Method, corpus: Corpus) -> int:
    """Bytes of the arrays of a state after one pass, but for those with an entry for each word,
    which `runs/limits.py` counts by itself."""
    arrays: store.Arrays = {}
    store.pack(finish(Run(method, corpus, batch_size=100, passes=1)).state, arrays)
    return sum(a.nbytes for a in arrays.values() if corpus.n_words not in a.shape)


PROGRAM = "import sys; from bnpexplorer.checks import declaring; declaring.report(sys.argv[1:])"


def compiles_every_kernel_once(*names: str) -> None:
    """Of what runs of these methods need; in a process of its own, which nothing else has used."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names], capture_output=True, text=True, check=False
    )
    expect(done.returncode == 0, done.stderr[-2000:])
    expect(not done.stdout, f"compiled more than once: {done.stdout.strip()}")


def report(names: list[str]) -> None:
    """Print every kernel that runs of these methods, under every protocol, compile twice."""
    import numpy as np

    from ..corpus.corpus import Corpus
    from ..evaluate import PROTOCOLS, split_heldout
    from ..kernels.jit import KERNELS
    from ..runs.run import Run
    from .expecting import finish

    counts = np.random.default_rng(0).poisson(0.7, (30, 12))
    counts[:, 0] += 1
    corpus = Corpus.from_csr(counts)
    for name in names:
        method = METHODS[name]()
        for protocol, about in PROTOCOLS.items():
            if method.model.name in about.models:
                train, heldout = split_heldout(corpus, 0, n=5, protocol=protocol)
                finish(Run(method, train, batch_size=10, passes=2, heldout=heldout))
    kernels: list[Any] = list(KERNELS)
    for kernel in kernels:
        # A constant argument makes numba specialise a small helper; that costs nothing to speak of.
        found = [s for s in kernel.signatures if "Literal" not in str(s)]
        if len(found) > 1:
            sys.stdout.write(f"{kernel.__name__} {found}\n")


R = TypeVar("R")
BATCH = 150
"""Documents in a mini-batch: more than a slice has (`inference/slices.py`)."""


class Asked(Threads):
    """Two threads, and the most parts that they were given at once."""

    def __init__(self) -> None:
        super().__init__(2)
        self.most = 0

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        self.most = max(self.most, n)
        super().here(work, n)

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        self.most = max(self.most, len(pieces))
        return super().each(work, pieces, given)


def shares_its_work_as_it_says(name: str) -> None:
    method = METHODS[name]
    expect(method.parallel in ("documents", "in part", "none"), f"parallel is {method.parallel!r}")
    why, alone = method.in_turn, method.parallel == "none"
    if method.parallel == "documents":
        expect(not why, "all its documents are fitted apart, and in_turn says why not")
    else:
        expect(why.endswith("."), "in_turn is no sentence that says what one thread does")
    with Asked() as pool:
        run = Run(small(name), bars(), seed=4, batch_size=BATCH, passes=2, pool=pool)
        run.step()
        run.step()
    given = pool.most > 1
    expect(not (given and alone), "parallel is 'none', and its steps use the pool")
    expect(given or alone, f"parallel is {method.parallel!r}, and no step gives work to the pool")
