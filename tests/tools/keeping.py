"""What a person does to saved runs, at random, and what must be there afterwards."""

import contextlib
import io
import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from bnpexplorer.checks import expecting
from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library

INDEX = ("library.sqlite3",)


@dataclass
class Known:
    """What was acknowledged of one run."""

    name: str
    docs_seen: int
    deleted: bool = False


@dataclass
class Person:
    """Somebody who works with a library, and remembers what was acknowledged."""

    library: Library
    rng: np.random.Generator
    known: dict[str, Known] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    """Runs of the last action: whether it came to its end nobody has said."""
    says: Callable[["Person"], None] = lambda person: None
    """Hears of every change of what is known and unsure."""

    def act(self) -> None:
        """One action; what it changes counts once it has returned."""
        acts = [self._begin, self._import]
        if self.known:
            acts += [self._keep, self._rename, self._delete_or_restore, self._keep, self._purge]
        acts[int(self.rng.integers(len(acts)))]()
        self._about(set())

    def _about(self, run_ids: set[str]) -> None:
        self.unsure = run_ids
        self.says(self)

    def _one(self) -> str:
        return str(self.rng.choice(sorted(self.known)))

    def _begin(self) -> None:
        run_id = f"r{len(self.known)}{int(self.rng.integers(10**6))}"
        run, corpus = run_of(int(self.rng.integers(3)))
        self._about({run_id})
        self.library.keep(run_id, run, corpus, "paused", "secret")
        self.known[run_id] = Known(run.name, run.docs_seen)

    def _import(self) -> None:
        found = bundle.read(io.BytesIO(exported()), "theirs.zip")
        run_id = bundle.add(self.library, found)
        self.known[run_id] = Known(found.name, found.run.docs_seen)

    def _keep(self) -> None:
        run_id = self._one()
        run, corpus = run_of(int(self.rng.integers(3)))
        self.library.load(run_id)  # whoever opens it may go on
        self._about({run_id})
        self.library.keep(run_id, run, corpus, "running")
        self.known[run_id].docs_seen = run.docs_seen

    def _rename(self) -> None:
        run_id, name = self._one(), f"name {self.rng.integers(10**6)}"
        self._about({run_id})
        self.library.rename(run_id, name)
        self.known[run_id].name = name

    def _delete_or_restore(self) -> None:
        run_id = self._one()
        deleted = self.known[run_id].deleted
        self._about({run_id})
        (self.library.restore if deleted else self.library.delete)(run_id)
        self.known[run_id].deleted = not deleted

    def _purge(self) -> None:
        self._about({run_id for run_id, known in self.known.items() if known.deleted})
        self.library.purge()
        self.known = {r: known for r, known in self.known.items() if not known.deleted}


def check(person: Person, folder: Path) -> None:
    """Another server opens the folder and has all that was acknowledged, and nothing is damaged."""
    library = Library(folder)
    damaged = library.damaged()
    there = {s.run_id: s for s in (*library.saved(), *library.saved(deleted=True))}
    for run_id, known in person.known.items():
        if run_id in person.unsure and known.deleted:
            continue  # being removed for good
        assert run_id in there, f"{run_id} is not listed"
        saved = there[run_id]
        run = library.load(run_id)
        assert library.corpus(run_id).n_docs == 40
        if run_id not in person.unsure:
            assert saved.name == known.name, (saved.name, known.name)
            assert (saved.deleted is not None) == known.deleted
            assert run.docs_seen == saved.facts["docs_seen"] == known.docs_seen
    assert not damaged, damaged
    for run_id in there.keys() - person.known.keys():
        assert library.load(run_id).n_steps >= 0, "what is listed opens, whoever knows of it"
    fresh, corpus = run_of(0)
    library.keep("after", fresh, corpus, "paused")
    assert library.get("after") is not None
    leftovers_go(library)


def leftovers_go(library: Library) -> None:
    """What nobody had written to its end is removed, once it is old."""
    for saved in library.saved():
        library.delete(saved.run_id)
    library._removal.unfinished(float("inf"))
    for one in library._listing.damaged():
        library.discard(one.run_id)
    library.purge()
    left = [path for path in library.folder.rglob("*") if path.is_file()]
    names = {path.name for path in left} - {"library.lock", "deleted.json"}
    assert not names, names


def until_refused(person: Person, n: int, after: Callable[[], None] = lambda: None) -> int:
    """So many actions; how many were refused, each in a sentence."""
    refused = 0
    for _ in range(n):
        try:
            person.act()
        except StoreError:
            refused += 1
            after()
    return refused


def index_of_an_earlier_version(folder: Path, names: Mapping[str, str]) -> None:
    """Write the index in which earlier versions kept all rows, with these runs by these names."""
    columns = "run_id, name, secret, corpus_key, created, updated, deleted, facts, tags, labels"
    with contextlib.closing(sqlite3.connect(folder / INDEX[0])) as index, index:
        index.execute("PRAGMA journal_mode = WAL")
        index.execute(f"CREATE TABLE runs ({columns})")
        for run_id, name in names.items():
            row = json.loads((folder / "runs" / run_id / "row.json").read_text(encoding="utf-8"))
            row |= {"name": name, **{n: json.dumps(row[n]) for n in ("facts", "tags", "labels")}}
            values = [row[column] for column in columns.split(", ")]
            index.execute(f"INSERT INTO runs VALUES ({', '.join('?' * 10)})", values)


@cache
def _corpus() -> Corpus:
    return expecting.draw_bars(40, 11)[0]


@cache
def run_of(n_steps: int) -> tuple[Run, Corpus]:
    """A run after so many mini-batches, and its whole corpus."""
    plan = Plan.of("lda-svi", values={"n_topics": 3}, batch_size=10, n_heldout=5)
    run = plan.split_and_start(_corpus())
    run.prepare()
    for _ in range(n_steps):
        run.step()
    return run, _corpus()


@cache
def exported() -> bytes:
    """A run file."""
    import tempfile

    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        library.keep("a", *run_of(1), "paused")
        bundle.export(library, "a", out)
    return out.getvalue()
