"""Every damaged run file ends in a run, or in one sentence, within what its limit allows."""

import io
import json
import zipfile
from functools import cache
from pathlib import Path

import numpy as np

from bnpexplorer.core import store
from bnpexplorer.runs.saved import bundle
from tests.tools.forge import saved

from .mutations import NASTY, damaged, is_one_sentence

VALUES = (None, -1, 2**70, 1e308, "", "\ud800", [], {}, [[]], {"array": "state.lam"}, True)


@cache
def members() -> dict[str, bytes]:
    """The parts of a sound file, by name."""
    file = io.BytesIO()
    manifest, arrays = saved("hdp-tsvi", 3)
    store.write_to(file, manifest, arrays)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(parts: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def _altered(rng: np.random.Generator, tree: object) -> None:
    """Put something else at one place of a tree."""
    while True:
        keys = [*tree] if isinstance(tree, dict) else [*range(len(tree))]  # type: ignore[arg-type]
        key = keys[int(rng.integers(len(keys)))]
        inner = tree[key]  # type: ignore[index]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.8:
            tree = inner
            continue
        tree[key] = VALUES[int(rng.integers(len(VALUES)))]  # type: ignore[index]
        return


def _opened(data: bytes) -> None:
    try:
        found = bundle.read(io.BytesIO(data), "a.zip")
    except store.StoreError as problem:
        told = str(problem)
    else:
        assert not found.corpus.fault()
        return
    assert is_one_sentence(told), told
    assert "error of bnpexplorer's own" not in told, told
    assert "a.zip" in told


def damage(rng: np.random.Generator, folder: Path) -> None:
    """Bytes of the whole file, or of one part of it, are changed."""
    parts = dict(members())
    name = [*parts][int(rng.integers(len(parts)))]
    method = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)[int(rng.integers(3))]
    if rng.random() < 0.5:
        return _opened(damaged(rng, _zipped(parts, method), NASTY[4]))
    parts[name] = damaged(rng, parts[name], parts["manifest.json"])
    _opened(_zipped(parts, method))


def manifests(rng: np.random.Generator, folder: Path) -> None:
    """Something else stands at a place of the manifest."""
    parts = dict(members())
    tree = json.loads(parts["manifest.json"])
    for _ in range(int(rng.integers(1, 3))):
        _altered(rng, tree)
    parts["manifest.json"] = json.dumps(tree).encode()
    _opened(_zipped(parts))


TRIALS = {"damage": damage, "manifests": manifests}
