"""Saves a run of every method by the present version, as yesterday's runs for all versions to come.

    python -m tests.kept FOLDER

FOLDER becomes a home with saved runs, a file of `Run.save` and one to take to another machine.
"""

import sys
from dataclasses import fields
from pathlib import Path

import numpy as np

from bnpexplorer import METHODS, Run, load, make_method, split_heldout
from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels

SECRET = "a-secret-of-nobody"
SMALLER = {"truncation": 12, "doc_truncation": 5, "n_topics": 12, "particles": 5, "start_topics": 5}


def main() -> None:
    folder = Path(sys.argv[1])
    library = Library(folder / "home")
    whole = load("sample_data/small.csv").take(np.arange(48))
    train, heldout = split_heldout(whole, 0)
    for place, name in enumerate(METHODS):
        known = {f.name for f in fields(METHODS[name])} | {
            f.name for f in fields(METHODS[name]().model)
        }
        values = {key: value for key, value in SMALLER.items() if key in known}
        run = Run(
            make_method(name, "default", values),
            train,
            0,
            16,
            3,
            heldout=heldout,
            name=f"kept {name}",
        )
        for _ in range(4):
            if not run.done:
                run.step()
        run_id = f"{place:010x}"
        library.keep(
            run_id, run, whole, "finished" if run.done else "paused", SECRET, describe(whole)
        )
        if name == "hdp-tsvi":
            first = int(run.snapshot().topics.topic_ids[0])
            library.label(run_id, Labels().rename(first, "The first of all").pin(first))
            library.tag(run_id, ("kept", "first"))
            run.save(folder / "hdp-tsvi.run.zip")
            with (folder / "hdp-tsvi.bundle.zip").open("wb") as file:
                bundle.export(library, run_id, file, with_text=True)


main()
