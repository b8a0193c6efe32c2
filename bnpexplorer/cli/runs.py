"""`runs`: the saved runs of this machine."""

import argparse
import time

from ..core.store import StoreError, replacing
from ..runs.limits import disk_limit
from ..saved import bundle
from ..saved.library import Library
from ..saved.rows import Saved
from .writing import add_force, kind_said, may_write

MB = 2**20


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_list)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    listing = actions.add_parser("list", help="all saved runs (as without an action)")
    listing.set_defaults(run=_list)
    rename = _action(actions, "rename", "give a run another name", _rename)
    rename.add_argument("name")
    tag = _action(actions, "tag", "give a run these tags, instead of what it had", _tag)
    tag.add_argument("tags", nargs="*", metavar="TAG")
    _action(actions, "delete", "take a run off the list; it can be restored for a week", _delete)
    _action(actions, "restore", "bring a deleted run back", _restore)
    export = _action(actions, "export", "write a run into one .zip", _export)
    export.add_argument("file", metavar="FILE")
    add_force(export)
    export.add_argument("--with-text", action="store_true", help="with the documents' texts")
    taking = actions.add_parser("import", help="add a run that was exported")
    taking.add_argument("file", metavar="FILE")
    taking.add_argument("--copy", action="store_true", help="also if the run is here already")
    taking.set_defaults(run=_import)


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    help: str,
    run: object,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=help)
    parser.add_argument("run_id", metavar="ID", help="as `runs` lists it")
    parser.set_defaults(run=run)
    return parser


def _found(run_id: str) -> Saved:
    saved = Library().get(run_id)
    if saved is None:
        raise StoreError(f"There is no saved run {run_id}; `runs` lists them.")
    return saved


def _list(_: argparse.Namespace) -> int:
    library = Library()
    saved, deleted = library.saved(), library.saved(deleted=True)
    if not saved:
        saves = "The app saves its runs as they go; `fit --keep NAME` saves one too."
        print(f"No run is saved yet. {saves}")
    else:
        print(
            f"{'id':<11} {'name':<20} {'method':<14} {'texts':<24} {'held-out':>8} {'topics':>6} "
            f"{'done':>5} {'saved':<16} {'MB':>6}  tags"
        )
    for run in saved:
        print(_line(run))
        if run.failure:
            print(f"{'':<11} {run.failure.split(' Resume')[0]}")
    for run in deleted:
        print(f"{run.run_id:<11} deleted: {run.name}; `runs restore {run.run_id}` brings it back")
    for one in library.damaged():
        print(
            f"{one.run_id:<11} damaged: {one.why}; `runs delete {one.run_id}` removes it for good"
        )
    taken, limit = library.n_bytes / MB, disk_limit() / MB
    print(f"\n{taken:,.1f} MB of {limit:,.0f} MB in {library.folder}")
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


def _rename(options: argparse.Namespace) -> int:
    Library().rename(options.run_id, options.name)
    print(f"{options.run_id} is now called {_found(options.run_id).name}")
    return 0


def _tag(options: argparse.Namespace) -> int:
    Library().tag(options.run_id, tuple(options.tags))
    print(f"{options.run_id} has the tags: {', '.join(_found(options.run_id).tags) or 'none'}")
    return 0


def _delete(options: argparse.Namespace) -> int:
    if options.run_id in {one.run_id for one in Library().damaged()}:
        Library().discard(options.run_id)
        print(f"deleted {options.run_id}, which was damaged, for good")
        return 0
    name = _found(options.run_id).name
    Library().delete(options.run_id)
    print(f"deleted {name}; for a week `runs restore {options.run_id}` brings it back")
    return 0


def _restore(options: argparse.Namespace) -> int:
    Library().restore(options.run_id)
    print(f"{_found(options.run_id).name} is back")
    return 0


def _export(options: argparse.Namespace) -> int:
    _found(options.run_id)
    library = Library()
    path = may_write(options.file, options.force, library.folder)
    try:
        with replacing(path) as file:
            bundle.export(library, options.run_id, file, options.with_text)
    except OSError as problem:
        raise ValueError(f"{path} cannot be written ({problem.strerror}).") from problem
    texts = "with the texts" if options.with_text else "without the texts"
    print(
        f"{path}: {path.stat().st_size / MB:,.1f} MB, {texts}"
        f"{kind_said(path, '.zip', 'a .zip that `runs import` reads')}"
    )
    return 0


def _import(options: argparse.Namespace) -> int:
    library, found = Library(), bundle.read(options.file)
    here = library.saved()
    twin = bundle.twin(library, found, here)
    if twin is not None and not options.copy:
        raise ValueError(
            f"This run is here already, as {twin.name} ({twin.run_id}); --copy imports it again."
        )
    name = bundle.free_name(found.name, here) if twin is not None else found.name
    run_id = bundle.add(library, found, name=name)
    print(f"{run_id}: {name}, {found.run.docs_seen:,} of {found.run.planned_docs:,} documents")
    if found.note:
        print(found.note)
    return 0
