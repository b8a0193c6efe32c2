"""Same seeds, same bits? Fingerprints of every method, to be compared before and after a change.

    python -m benchmarks.fingerprints before.json       (writes the file)
    python -m benchmarks.fingerprints before.json       (compares with it: what differs, exit 1)

Every method learns small texts and bars with each of its presets, with all its concentrations
learned, and as a stream; a fingerprint covers the state, the topics, the averaged states and the
scores, halfway and at the end. Bits are those of one machine and one set of packages, so the file
is for two versions of the code on one machine and is not kept.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bnpexplorer import METHODS, Corpus, Run, load, make_method, split_heldout
from bnpexplorer.evaluate import default_protocol, from_one_start

ROOT = Path(__file__).resolve().parents[1]
CLOCK = ("seconds", "memory", "details", "spread")
"""What is no number of the method, or merely tells of others."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of every array, number and word below a value."""
    if is_dataclass(value):
        value = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in CLOCK}
    if isinstance(value, Mapping):
        value = list(value.items())
    if isinstance(value, (tuple, list)):
        for i, item in enumerate(value):
            yield from leaves(item, f"{path}.{i}")
    elif isinstance(value, np.ndarray):
        yield path, f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    else:
        yield path, repr(value).encode()


def fingerprint(*values: Any) -> str:
    """Sixteen letters that change with any bit of the values."""
    digest = hashlib.sha256()
    for path, data in leaves(list(values)):
        digest.update(path.encode() + b"\0" + data + b"\0")
    return digest.hexdigest()[:16]


def bars(n_docs: int = 90, seed: int = 5) -> Corpus:
    """Documents over a picture of 5 x 5 whose topics are its rows and columns."""
    rng = np.random.default_rng(seed)
    image = np.arange(25).reshape(5, 5)
    topics = np.zeros((10, 25))
    for i in range(5):
        topics[i, image[i]] = topics[5 + i, image[:, i]] = 0.2
    mix = rng.dirichlet(np.full(10, 0.2), n_docs) @ topics
    return Corpus.from_csr(np.stack([rng.multinomial(40, row) for row in mix]), name="bars")


def ways(name: str) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """(title, preset, values, order) of all that is tried of a method."""
    method = METHODS[name]
    for preset in method.presets:
        yield preset, preset, {}, "shuffled"
    switches = {f.name: True for f in fields(method) if f.name.startswith("learn_")}
    if switches:
        yield "learning", "default", switches, "shuffled"
    if method.batching == "shuffled":
        yield "stream", "default", {}, "stream"


def fingerprints_of(name: str, corpora: Mapping[str, Corpus]) -> dict[str, str]:
    """Of one method, by what was tried: `halfway end`."""
    found = {}
    for title, preset, values, order in ways(name):
        for of, corpus in corpora.items():
            method = make_method(name, preset, values)
            protocol = from_one_start(default_protocol(method.model.name, corpus))
            train, heldout = split_heldout(corpus, 1, protocol=protocol)
            # `ways` gives the order as any word; that it is one of the two is checked by `Run`.
            run = Run(method, train, 3, 32, 3, order, heldout)  # type: ignore[arg-type]
            marks = []
            while not run.done:
                run.step()
                if run.done or run.n_steps == run.n_batches:
                    snapshot = run.snapshot(with_kept=True)
                    marks.append(fingerprint(run.state, snapshot))
            found[f"{name} {title} {of}"] = " ".join(marks)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fingerprints", description=__doc__)
    parser.add_argument("file", type=Path, help="written if it is not there, else compared with")
    parser.add_argument("--only", nargs="+", metavar="METHOD", default=list(METHODS))
    options = parser.parse_args()
    corpora = {"texts": load(ROOT / "sample_data" / "small.csv"), "bars": bars()}
    found: dict[str, str] = {}
    for name in options.only:
        found |= fingerprints_of(name, corpora)
        print(f"{name:<14} {len(found):>4} fingerprints", flush=True)
    if not options.file.exists():
        options.file.write_text(json.dumps(found, indent=1), encoding="utf-8")
        print(f"written to {options.file}")
        return 0
    before = json.loads(options.file.read_text(encoding="utf-8"))
    different = [key for key, value in found.items() if before.get(key) != value]
    for key in different:
        print(f"DIFFERS: {key}: {before.get(key, 'not there')} -> {found[key]}")
    print(f"{len(found) - len(different)} of {len(found)} are equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
