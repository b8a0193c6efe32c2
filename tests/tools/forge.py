"""Saved runs with one array of the state altered: what becomes of each. Run as a program, since a
kernel that is led astray may take the whole process with it.

    python forge_tools.py SEED [METHOD ...]

prints a line for every file, with what became of it: its name comes first.
"""

import io
import sys
from collections.abc import Iterator

import numpy as np

from bnpexplorer.checks.expecting import small
from bnpexplorer.core import store
from bnpexplorer.methods import METHODS
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run

STEPS = (0, 3, 5, 9)
"""Mini-batches learned when a run is saved: none, in the first pass, at its end, in the second."""


def saved(name: str, n_steps: int) -> store.Packed:
    """A small run of five mini-batches a pass, as it is written."""
    corpus = HDP(2.0, 1.0, 0.1).sample(np.random.default_rng(n_steps), 30, 12, 10.0).corpus
    run = Run(small(name), corpus, seed=n_steps, batch_size=-(-corpus.n_docs // 5), passes=4)
    run.prepare()
    while run.n_steps < n_steps and not run.done:
        run.step()
    texts, arrays = run.pack_texts()
    standing, more = run.pack_standing()
    copies = {key: np.array(array) for key, array in {**arrays, **more}.items()}
    return {**texts, **standing}, copies


def altered(array: np.ndarray, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    """Other contents, shapes and types."""
    whole = array.dtype.kind == "i"
    values = {
        "negative": -1,
        "larger": 7,
        "a million": 10**6,
        "huge": np.iinfo(array.dtype).max if whole else 1e300,
        **({} if whole else {"nan": np.nan, "infinite": np.inf}),
    }
    if array.size:
        for words, value in values.items():
            one = array.copy()
            one.flat[rng.integers(one.size)] = value
            yield words, one
        yield "all negative", -array - 1
        yield "permuted", rng.permutation(array.ravel()).reshape(array.shape)
        yield "cut off", array[:-1].copy()
    yield "longer", np.concatenate((array, np.ones((1, *array.shape[1:]), array.dtype)))
    yield "empty", array[:0].copy()
    yield "flat", array.ravel().copy() if array.ndim > 1 else array[:, None].copy()
    yield "transposed", np.ascontiguousarray(array.T)[..., None]
    yield "another type", array.astype(np.float32)
    yield "bytes turned round", array.astype(array.dtype.newbyteorder())


def outcome(saved: store.Packed, key: str, array: np.ndarray) -> str:
    """Write and read the altered array, open the file that has it, and take two steps."""
    manifest, arrays = saved
    file = io.BytesIO()
    store.write_to(file, manifest, {key: array}, compressed=False)
    try:
        manifest, found = store.read(file, name="theirs.zip")
        others = {name: other.copy() for name, other in arrays.items() if name != key}
        run = Run.unpack(manifest, {**others, **found}, "theirs.zip")
    except store.StoreError as problem:
        return f"refused: {problem}"
    for _ in range(2):
        if not run.done:
            run.step()
    topics = run.snapshot().topics
    numbers = (topics.topic_word, topics.total, topics.size, topics.weight)
    return "goes on" if all(np.isfinite(x).all() for x in numbers) else "not finite"


def say(words: str) -> None:
    """At once, before a kernel may end the process."""
    sys.stdout.write(words)
    sys.stdout.flush()


def main(seed: int, methods: list[str]) -> None:
    rng = np.random.default_rng(seed)
    for name in methods or METHODS:
        manifest, arrays = saved(name, STEPS[int(rng.integers(len(STEPS)))])
        names = [key for key in arrays if key.startswith("state.")]
        for key in rng.choice(names, min(len(names), 6), replace=False):
            forgeries = list(altered(arrays[key], rng))
            for i in rng.choice(len(forgeries), 4, replace=False):
                words, array = forgeries[i]
                say(f"{name} {key} {words}: ")
                say(f"{outcome((manifest, arrays), key, array)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
