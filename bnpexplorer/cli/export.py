"""`export`: a saved run as a report, tables, a script, a notebook or arrays."""

import argparse
from datetime import date
from pathlib import Path

from ..export import (
    Result,
    mallet,
    notebook,
    pyldavis,
    recreation,
    report,
    result_of,
    sample_behind,
    sample_of_run,
    script,
    tables,
    text_settings_of,
    texts_file,
)
from ..library import Library
from ..run import Run
from ..store import replacing

FORMATS = ("report", "csv", "script", "notebook", "pyldavis", "mallet")


def add_export(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_export)
    parser.add_argument("saved", metavar="RUN", help="a file of `fit --out`, or a saved run's id")
    parser.add_argument("out", metavar="OUT", help="the file to write")
    parser.add_argument("--to", required=True, choices=FORMATS, help="what to make of it")
    parser.add_argument(
        "--bom", action="store_true", help="csv: with the mark by which Excel knows UTF-8"
    )


def _export(options: argparse.Namespace) -> int:
    out = Path(options.out)
    if not out.resolve().parent.is_dir():
        raise ValueError(f"there is no folder {out.resolve().parent} to write {out.name} into.")
    written = _write(_result(options.saved), out, options.to, options.bom)
    print(f"wrote {' and '.join(map(str, written))}")
    return 0


def _result(saved: str) -> Result:
    """From a file, or else from the library of saved runs."""
    if Path(saved).is_file():
        run = Run.load(saved)
        return result_of(run, run.snapshot(), sample_of_run(run))
    library = Library()
    known = library.get(saved)
    if known is None:
        raise ValueError(f"{saved} is neither a file nor the id of a saved run.")
    run, corpus = library.load(saved, to_go_on=False), library.corpus(saved)
    settings = text_settings_of(corpus, library.origin(saved)[0])
    return result_of(run, run.snapshot(), corpus, known.labels, saved, settings)


def _write(result: Result, out: Path, to: str, bom: bool) -> list[Path]:
    """Write the export; the paths of what was written."""
    if to in ("script", "notebook") and out.suffix != ".zip":
        return _recreate(result, out, to)
    data = {
        "report": lambda: report(result, date.today()).encode(),
        "csv": lambda: tables(result, bom),
        "script": lambda: recreation(result),
        "notebook": lambda: recreation(result),
        "pyldavis": lambda: pyldavis(result),
        "mallet": lambda: mallet(result),
    }[to]()
    _put(out, data)
    return [out]


def _put(out: Path, data: bytes) -> None:
    """The whole file, or what stood there before."""
    with replacing(out) as file:
        file.write(data)


def _recreate(result: Result, out: Path, to: str) -> list[Path]:
    """The script or notebook by itself, with the texts in a file beside it unless a sample's."""
    texts = out.with_name(f"{out.stem}-texts.zip")
    make = script if to == "script" else notebook
    _put(out, make(result, texts.name).encode())
    if sample_behind(result) is not None:
        return [out]
    _put(texts, texts_file(result))
    return [out, texts]
