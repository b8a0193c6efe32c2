"""`runs`: the saved runs of this machine."""

import argparse
import time
from typing import Any

from ..core.store import replacing
from ..runs.limits import disk_limit
from ..runs.saved import bundle
from ..runs.saved.library import Library
from ..runs.saved.rows import Saved
from .printing import Out, kind_said, may_write
from .reading import saved_run

MB = 2**20


def _found(named: str, deleted: bool = False) -> Saved:
    kind = "deleted" if deleted else "saved"
    none = f"There is no {kind} run {{}}; `runs` lists them."
    return saved_run(Library(), named, deleted, none)


def _facts(run: Saved) -> dict[str, Any]:
    """A run, for programs."""
    return {
        "id": run.run_id,
        "name": run.name,
        "method": run.facts["method"],
        "corpus": run.facts["corpus"],
        "heldout": run.facts["heldout"],
        "topics": run.facts["n_topics"],
        "progress": run.progress,
        "saved": run.updated,
        "bytes": run.n_bytes,
        "tags": list(run.tags),
        "failure": run.failure or None,
    }


def list_runs(options: argparse.Namespace) -> int:
    library, out = Library(), Out(options)
    saved, deleted, damaged = library.saved(), library.saved(deleted=True), library.damaged()
    if not saved:
        saves = "The app saves its runs as they go; `fit --keep NAME` saves one too."
        out.say(f"No run is saved yet. {saves}")
    else:
        out.say(
            f"{'id':<11} {'name':<20} {'method':<14} {'texts':<24} {'held-out':>8} {'topics':>6} "
            f"{'done':>5} {'saved':<16} {'MB':>6}  tags"
        )
    for run in saved:
        out.say(_line(run))
        if run.failure:
            out.say(f"{'':<11} {run.failure.split(' Resume')[0]}")
    for run in deleted:
        out.say(f"{run.run_id:<11} deleted: {run.name}; `runs restore {run.run_id}` brings it back")
    for one in damaged:
        out.say(
            f"{one.run_id:<11} damaged: {one.why}; `runs delete {one.run_id}` removes it for good"
        )
    out.say(f"\n{library.n_bytes / MB:,.1f} MB of {disk_limit() / MB:,.0f} MB in {library.folder}")
    out.give(
        {
            "runs": [_facts(run) for run in saved],
            "deleted": [_facts(run) for run in deleted],
            "damaged": [{"id": one.run_id, "why": one.why} for one in damaged],
            "bytes": library.n_bytes,
            "limit_bytes": disk_limit(),
            "folder": library.folder,
        }
    )
    return 0


def _line(run: Saved) -> str:
    facts = run.facts
    score = "" if facts["heldout"] is None else f"{facts['heldout']:.3f}"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.updated))
    return (
        f"{run.run_id:<11} {run.name[:20]:<20} {facts['method']:<14} {facts['corpus'][:24]:<24} "
        f"{score:>8} {facts['n_topics']:>6} {100 * run.progress:>3.0f} % {when:<16} "
        f"{run.n_bytes / MB:>6.1f}  {' '.join(run.tags)}"
    ).rstrip()


def _told(options: argparse.Namespace, run_id: str, said: str) -> int:
    """Print what was done to a run, and the run as it is now."""
    out = Out(options)
    out.say(said)
    if out.as_json:
        out.give(_facts(_found(run_id)))
    return 0


def rename_run(options: argparse.Namespace) -> int:
    run_id = _found(options.named).run_id
    Library().rename(run_id, options.name)
    return _told(options, run_id, f"{run_id} is now called {_found(run_id).name}")


def tag_run(options: argparse.Namespace) -> int:
    run_id = _found(options.named).run_id
    Library().tag(run_id, tuple(options.tags))
    tags = ", ".join(_found(run_id).tags) or "none"
    return _told(options, run_id, f"{run_id} has the tags: {tags}")


def delete_run(options: argparse.Namespace) -> int:
    out = Out(options)
    if options.named in {one.run_id for one in Library().damaged()}:
        Library().discard(options.named)
        out.say(f"deleted {options.named}, which was damaged, for good")
        out.give({"id": options.named, "restorable": False})
        return 0
    run = _found(options.named)
    Library().delete(run.run_id)
    out.say(f"deleted {run.name}; for a week `runs restore {run.run_id}` brings it back")
    out.give({"id": run.run_id, "name": run.name, "restorable": True})
    return 0


def restore_run(options: argparse.Namespace) -> int:
    run_id = _found(options.named, deleted=True).run_id
    Library().restore(run_id)
    return _told(options, run_id, f"{_found(run_id).name} is back")


def export_run(options: argparse.Namespace) -> int:
    run_id, library, out = _found(options.named).run_id, Library(), Out(options)
    path = may_write(options.file, options.force, library.folder)
    try:
        with replacing(path) as file:
            bundle.export(library, run_id, file, options.with_text)
    except OSError as problem:
        raise ValueError(f"{path} cannot be written ({problem.strerror}).") from problem
    texts = "with the texts" if options.with_text else "without the texts"
    out.say(
        f"{path}: {path.stat().st_size / MB:,.1f} MB, {texts}"
        f"{kind_said(path, '.zip', 'a .zip that `runs import` reads')}"
    )
    out.give(
        {"id": run_id, "path": path, "bytes": path.stat().st_size, "with_text": options.with_text}
    )
    return 0


def import_run(options: argparse.Namespace) -> int:
    library, found = Library(), bundle.read(options.file)
    here = library.saved()
    twin = bundle.twin(library, found, here)
    if twin is not None and not options.copy:
        raise ValueError(
            f"This run is here already, as {twin.name} ({twin.run_id}); --copy imports it again."
        )
    name = bundle.free_name(found.name, here) if twin is not None else found.name
    run_id = bundle.add(library, found, name=name)
    said = f"{run_id}: {name}, {found.run.passes_said(found.run.docs_seen)}"
    return _told(options, run_id, f"{said}\n{found.note}" if found.note else said)
