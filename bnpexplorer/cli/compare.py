"""`compare`: the table of the Compare page for saved run files."""

import argparse
import sys
from pathlib import Path
from typing import Any

from ..compare.rows import Comparison, coherence_of, compared, differing, in_words, protocol_title
from ..core.spreadsheet import csv_text
from ..core.store import StoreError
from ..runs.run import Run
from ..runs.saved.library import Library
from .printing import Out, in_columns
from .reading import saved_run


def compare(options: argparse.Namespace) -> int:
    rows = []
    for path in dict.fromkeys(options.paths):
        run, name = _read(path)
        if [Path(p).name for p in options.paths].count(name) > 1:
            name = path
        status, moment = "finished" if run.done else "unfinished", run.moment(run_id=path)
        rows.append(compared(run, moment, name, status, coherence_of(run, moment)))
    found, out = Comparison.of(rows), Out(options)
    check(found, len(options.paths))
    for row, why in found.outside:
        print(f"bnpexplorer: {row.name} is left out: {why}.", file=sys.stderr)
    table = found.table(all_settings=options.csv or out.as_json)
    if options.csv:
        sys.stdout.write(csv_text([table[0], *(row.values() for row in table)]))
        return 0
    ground, inside = found.ground, found.inside
    equal = differing([row.settings for row in inside])[1]
    settings = inside[0].settings
    out.say(
        f"{ground.corpus}: {ground.n_docs:,} documents, {ground.n_heldout:,} held out, "
        f"{protocol_title(ground.protocol)}",
        *_lines(table),
        "equal in all: " + ", ".join(f"{name} {in_words(settings[name])}" for name in equal),
    )
    out.give(
        {
            "corpus": ground.corpus,
            "documents": ground.n_docs,
            "heldout_documents": ground.n_heldout,
            "protocol": ground.protocol,
            "runs": table,
            "equal_settings": {name: settings[name] for name in equal},
            "left_out": [{"name": row.name, "why": why} for row, why in found.outside],
        }
    )
    return 0


def check(found: Comparison, n_given: int) -> None:
    """Raise ValueError where several runs were given and fewer than two can be compared."""
    if n_given == 1 or len(found.inside) > 1:
        return
    if not found.outside:
        raise ValueError("Nothing is compared: all of these are one run; give another one.")
    row, why = found.outside[0]
    raise ValueError(
        f"Nothing is compared. {found.inside[0].name} and {row.name} do not fit: {why}. Compare "
        "runs of the same texts with the same held-out documents: learn them with one --seed, or "
        "learn several seeds at once with `fit --chains N --keep NAME`."
    )


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


def _lines(table: list[dict[str, Any]]) -> list[str]:
    """The table in columns; numbers at the right."""
    heads = list(table[0])
    rows = [heads, *([in_words(row[head]) for head in heads] for row in table)]
    return in_columns(rows, [isinstance(table[0][head], (int, float)) for head in heads])
