"""`compare`: the table of the Compare page for saved run files."""

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from ..compare.rows import coherence_of, compared, in_words, protocol_title
from ..compare.settings import differing
from ..compare.side_by_side import Comparison
from ..core.store import StoreError
from ..export.tables import defused
from ..runs.run import Run
from ..saved.library import Library
from .reading import saved_run


def add_compare(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_compare)
    about = "files that `fit --out` wrote; ids or names of saved runs"
    parser.add_argument("paths", nargs="+", metavar="RUN", help=about)
    parser.add_argument("--csv", action="store_true", help="as CSV, with every setting")


def _compare(options: argparse.Namespace) -> int:
    rows = []
    for path in dict.fromkeys(options.paths):
        run, name = _read(path)
        if [Path(p).name for p in options.paths].count(name) > 1:
            name = path
        status, moment = "finished" if run.done else "unfinished", run.moment(run_id=path)
        rows.append(compared(run, moment, name, status, coherence_of(run, moment)))
    found = Comparison.of(rows)
    for row, why in found.outside:
        print(f"bnpexplorer: {row.name} is left out: {why}.", file=sys.stderr)
    table = found.table(all_settings=options.csv)
    if options.csv:
        writer = csv.DictWriter(sys.stdout, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {k: defused(v) if isinstance(v, str) else v for k, v in row.items()} for row in table
        )
        return 0
    ground, inside = found.ground, found.inside
    print(
        f"{ground.corpus}: {ground.n_docs:,} documents, {ground.n_heldout:,} held out, "
        f"{protocol_title(ground.protocol)}"
    )
    _print_table(table)
    equal = differing([row.settings for row in inside])[1]
    settings = inside[0].settings
    print("equal in all: " + ", ".join(f"{name} {in_words(settings[name])}" for name in equal))
    return 0


def _read(path: str) -> tuple[Run, str]:
    """A run from a file, or else from the library by its id or name; and what to call it."""
    if Path(path).exists():
        try:
            return Run.load(path), Path(path).name
        except OSError as problem:
            raise StoreError(f"{path} cannot be read: {problem.strerror}.") from problem
    library = Library()
    saved = saved_run(library, path)
    return library.load(saved.run_id, to_go_on=False), saved.name


def _print_table(table: list[dict[str, Any]]) -> None:
    """Columns as wide as their longest entry; numbers at the right."""
    heads = list(table[0])
    cells = [[in_words(row[head]) for head in heads] for row in table]
    widths = [max(len(head), *(len(row[i]) for row in cells)) for i, head in enumerate(heads)]
    right = [isinstance(table[0][head], (int, float)) for head in heads]
    for line in (heads, *cells):
        parts = [
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(line, widths, right, strict=True)
        ]
        print("  ".join(parts).rstrip())
