"""Whether workers compute what this machine would: the same programs, and a like processor."""

import hashlib
import importlib.metadata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...core.installation import versions
from ...kernels.processor import processor

PROCESSOR = "processor"
CODE = "code of bnpexplorer"


@cache
def about() -> Mapping[str, str]:
    """Return what must agree on all machines for equal bits; also called on workers."""
    more = {p: importlib.metadata.version(p) for p in ("dask", "distributed", "llvmlite")}
    return {**versions(), **more, CODE: _code(), PROCESSOR: processor()}


def _code() -> str:
    """Return a digest of the package's sources, since equal versions may differ in code."""
    digest, top = hashlib.sha256(), Path(__file__).parents[2]
    for path in sorted(top.rglob("*.py")):
        digest.update(str(path.relative_to(top)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def refusal(found: Any) -> str:
    """Why a worker that told `found` about itself cannot compute for this machine, and what to do;
    empty if it can. `found` is the error if it could not tell."""
    if isinstance(found, Mapping):
        ours = about()
        other = [
            f"{what} {found.get(what, 'missing')} (here {said})"
            for what, said in ours.items()
            if what != PROCESSOR and found.get(what) != said
        ]
        if not other:
            return ""
        return (
            f"A worker of the cluster has {', '.join(other)}, so that its numbers could differ; "
            "install there what is installed here, start it again, and go on."
        )
    return (
        f"A worker of the cluster cannot compute for bnpexplorer ({type(found).__name__}: "
        f"{found}); install there what is installed here (`pip install bnpexplorer[cluster]`), "
        "start it, and go on."
    )


def warning(found: Mapping[str, str]) -> str:
    """Return a note on a worker with the same programs; empty if all is the same."""
    ours = about()[PROCESSOR]
    if found[PROCESSOR] == ours:
        return ""
    return (
        f"A worker of the cluster has another processor, {found[PROCESSOR]}, than this machine, "
        f"{ours}: the last bits of numbers may differ from those of this machine alone."
    )
