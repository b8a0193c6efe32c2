"""Run files with one value replaced by an evil one: what becomes of each.

Arrays are altered by `forge.py`.
"""

import copy
import io
import json
import tempfile
from functools import cache
from pathlib import Path

import pyarrow

from bnpexplorer.chains import chains_of
from bnpexplorer.checks import expecting
from bnpexplorer.core import store
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.runs import table

EVIL = (
    *(2**70, 2**63, -1, -(2**70), 10**400, float("nan"), float("inf"), 1e308, -0.5, True, None),
    *("", "\ud800", "a\x00b", "x" * 5000, "\u202e", "\n", [], {}, "../../x", "nan"),
)


def leaves(tree, path=()):
    """Where single values stand; of a list the first two."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree[:2])
    for key, value in parts:
        if isinstance(value, (dict, list)):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def with_value(tree, path, value):
    changed = copy.deepcopy(tree)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@cache
def theirs():
    """A chain with labels and tags, as its file holds it: (manifest, arrays)."""
    corpus = expecting.draw_bars(60, 11)[0]
    chains = chains_of(Plan.of("dpm-gibbs", batch_size=20, chains=2), corpus)
    chains.prepare()
    for _ in range(2):
        chains.step()
    chains.note()
    file = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        library.keep("a", chains.runs[0], corpus, "paused")
        library.label("a", Labels().rename(0, "war").pin(0))
        library.tag("a", ("lecture",))
        bundle.export(library, "a", file)
    return store.read(file)


def attempt(place, evil, folder):
    """Import a file with an `evil` value at a `place`, and do what pages do; empty, or the sentence
    by which it is refused."""
    manifest, arrays = theirs()
    file = io.BytesIO()
    manifest = with_value(manifest, place, evil) if place else manifest
    store.write_to(file, manifest, arrays, compressed=False)
    try:
        found = bundle.read(file, "theirs.zip")
    except store.StoreError as problem:
        return str(problem)
    library = Library(folder)
    run_id = bundle.add(library, found)
    (saved,) = library.saved()
    pyarrow.Table.from_pandas(table.table([saved]))
    json.dumps([saved.facts, saved.name, saved.tags], ensure_ascii=False).encode()
    assert saved.failure is not None
    assert 0 <= saved.progress <= 1
    assert saved.chain is None or saved.chain.title
    run = library.load(run_id)
    if not run.done:
        run.step()
    moment = run.moment(corpus=library.corpus(run_id))
    words = [moment.top_words(int(k), 3) for k in moment.topics.topic_ids[:2]]
    json.dumps([words, run.name, run.judgement, run.corpus.name], ensure_ascii=False).encode()
    bundle.export(library, run_id, io.BytesIO())
    library.delete(run_id)
    library.purge()
    assert library.saved() == library.damaged() == []
    return ""
