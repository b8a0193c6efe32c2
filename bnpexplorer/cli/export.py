"""`export`: a saved run as a report, tables, a script, a notebook or arrays."""

import argparse
import contextlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import IO

from ..core.plugins import plugin
from ..core.store import StoreError, replacing
from ..export import (
    Result,
    needs_texts,
    notebook,
    recreation,
    report,
    result_of,
    sample_of_run,
    script,
    texts_file,
    write_tables,
)
from ..runs.about import Granularity
from ..runs.run import Run
from ..runs.saved.library import Library
from ..state.moment import Moment
from .arguments import FORMATS
from .printing import Out, kind_said, may_write
from .reading import saved_run

RECREATIONS = {"script": script, "notebook": notebook}
"""What stands by itself with the texts beside it, or with everything in a .zip if named so."""
FOREIGN = ("pyldavis", "mallet")
"""Forms of other programs, which a plugin writes."""


Data = bytes | Callable[[IO[bytes]], None]
"""What is in a file, or what writes it."""


def export(options: argparse.Namespace) -> int:
    inputs = (options.saved, Library().folder)
    out = may_write(options.out, options.force, *inputs)
    files = _files(_result(options.saved, options.about), out, options.to, options.bom)
    for path in files:
        may_write(path, options.force, *inputs)
    for path, data in files.items():
        with replacing(path) as file:  # the whole file, or what stood there before
            if callable(data):
                data(file)
            else:
                file.write(data)
    recreates = options.to in RECREATIONS and out.suffix == ".zip"
    said = "" if recreates else kind_said(out, *FORMATS[options.to])
    result = Out(options)
    result.say(f"wrote {' and '.join(map(str, files))}{said}")
    result.give({"files": [{"path": path, "bytes": path.stat().st_size} for path in files]})
    return 0


def _result(saved: str, about: int | None = None) -> Result:
    """Make it of a file, or else of a run in the library of saved runs.

    `about`: how many topics it has in place of all; 0: all; None: as many as the app shows.
    """
    if Path(saved).is_file():
        run = Run.load(saved)
        return result_of(run, _with_fewer(run, run.moment(), about or 0, ()), sample_of_run(run))
    library = Library()
    known = saved_run(library, saved)
    run_id, labels = known.run_id, known.labels
    run, corpus = library.load(run_id, to_go_on=False), library.corpus(run_id)
    moment = run.moment(labels=labels, run_id=run_id)
    n_topics = (labels.about or 0) if about is None else about
    kept: tuple[Granularity, ...] = ()
    with contextlib.suppress(StoreError):  # a damaged file is worked out anew
        kept = (n_topics and library.fewer(run_id, run, moment.snapshot)) or ()
    moment = _with_fewer(run, moment, n_topics, kept)
    return result_of(run, moment, corpus, library.origin(run_id)[0])


def _with_fewer(run: Run, moment: Moment, about: int, kept: tuple[Granularity, ...]) -> Moment:
    """Return the moment with `about` topics; 0 for all. `kept`: those that the disk has."""
    if not about:
        return moment
    found = next((one for one in kept if one.n_topics == about), None)
    if found is None:
        found = next(iter(run.granularities(about)), None)
    if found is None:
        raise ValueError(f"--about {about}: {run.name} has only {moment.how_many}; choose fewer.")
    return moment.about(found)


def _files(result: Result, out: Path, to: str, bom: bool) -> dict[Path, Data]:
    """The files of an export and what is in them."""
    if to == "csv":
        return {out: lambda file: write_tables(file, result, bom)}
    if to in FOREIGN:
        write: Callable[[IO[bytes], Result], None] = plugin("export formats")[to]
        return {out: lambda file: write(file, result)}
    if to in RECREATIONS and out.suffix != ".zip":
        return _recreation(result, out, to)
    data = {
        "report": lambda: report(result, date.today()).encode(),
        "script": lambda: recreation(result),
        "notebook": lambda: recreation(result),
    }[to]()
    return {out: data}


def _recreation(result: Result, out: Path, to: str) -> dict[Path, Data]:
    """The script or notebook by itself, with the texts in a file beside it unless a sample's."""
    texts = out.with_name(f"{out.stem}-texts.zip")
    files: dict[Path, Data] = {out: RECREATIONS[to](result, texts.name).encode()}
    return files if not needs_texts(result) else {**files, texts: texts_file(result)}
