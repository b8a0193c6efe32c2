"""Files for builds of corpora, and what `load` makes of them without a process of its own."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.corpus.readers.formats import read_path
from bnpexplorer.corpus.readers.source import FIND_OUT, ReadOptions
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.text import Report, make_corpus
from bnpexplorer.corpus.words.suggesting import settled
from bnpexplorer.plugins.building import chunks, crew, steps, worker

_WORDS = """
    house houses housing nation nations state states court courts law laws people peoples war
    peace trade trading traded ship ships river rivers don't it's the and of to in a York New
    Straße café cafés naïve see http://example.org/a?b=1 <br> &amp; 1990 x
"""
WORDS = _WORDS.split()


def rows_of(n: int, seed: int = 0) -> list[dict[str, str]]:
    """Texts with what readers and settings stumble over: blanks, repetitions, markup, capitals."""
    rng = np.random.default_rng(seed)
    law = 1.0 / np.arange(1, len(WORDS) + 1)
    rows = []
    for d in range(n):
        drawn = rng.choice(WORDS, rng.integers(1, 40), p=law / law.sum())
        text = " ".join([*drawn, _rare(d // 2), "Own" if d % 7 else "own"])
        if d % 11 == 3:
            text = str(rows[d // 2]["text"]) + " "
        if d % 17 == 5:
            text = "  "
        if d % 5 == 0:
            text += '.\n\nAnother paragraph, which has\tsome "quoted" words of state; and law.'
        day, month = 1 + d % 12, 1 + d % 9
        date = "" if d % 13 == 2 else f"{day:02d}/{month:02d}/20{d % 20:02d}"
        if d == n - 1:
            date = "31/12/1999"  # the last alone tells that days come first
        row = {"id": f"d{d}", "title": f"About ship {d}", "date": date, "label": f"g{d % 3}"}
        rows.append({**row, "text": text})
    return rows


def _rare(number: int) -> str:
    """A word of two documents, whose order is not that of the documents."""
    return "rare" + "".join("jbicahdgef"[int(digit)] for digit in str(number))


def write_csv(path: Path, rows: list[dict[str, str]]) -> Path:
    """A CSV of rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_json(path: Path, rows: list[dict[str, str]], lines: bool = True) -> Path:
    """JSON lines, or one list."""
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows, indent=1)
    path.write_text(text, encoding="utf-8")
    return path


def in_memory(
    path: Path, options: ReadOptions = FIND_OUT, words: dict[str, Any] | None = None
) -> tuple[Corpus, Report, tuple[str, ...], tuple[str, ...]]:
    """What `load` makes of a file: corpus, report, notes and warnings."""
    source = read_path(path, None, options)
    made = settled(source, words or {})
    corpus, report = make_corpus(source, made.settings)
    return corpus, report, source.notes + made.said, made.warnings


def assert_same(built: StoredCorpus, wanted: tuple[Any, ...]) -> None:
    """The corpus on the disk is that of memory: words, counts, documents, report, notes."""
    corpus, report, notes, warnings = wanted
    assert built.vocab == corpus.vocab
    assert built.fingerprint == corpus.fingerprint
    assert built.name == corpus.name
    docs = corpus.docs.without("row")  # rows of files are not kept on the disk
    assert set(built.docs.names()) == set(docs.names())
    for name, column in docs.columns().items():
        found = np.asarray(getattr(built.docs, name))
        if name == "date":
            assert np.array_equal(found, column, equal_nan=True)
        else:
            assert found.tolist() == column.tolist()
    noted = built.manifest.report
    for name in ("n_read", "dropped", "removed", "settings", "n_repeated"):
        value = noted[name]
        assert value == store.pack(getattr(report, name), {}), name
        if isinstance(value, dict):
            assert list(value) == list(getattr(report, name) if name != "settings" else value)
    assert noted["zipf"] == [array.tolist() for array in report.zipf]
    assert noted["notes"] == list(notes)
    assert noted["warnings"] == list(warnings)


def work_here(self: crew.Crew, step: str, chunks: Any, done: Any) -> None:
    """Instead of processes, which take seconds to start."""
    work = worker.work_of(self._home, step)
    for chunk in reversed(list(chunks)):  # the order must not matter
        work(chunk)
        done()


def small(monkeypatch: Any, documents: int = 23, letters: int = 10**9, shard: int = 31) -> None:
    """Chunks and shards of so many documents, counted in this process."""
    monkeypatch.setattr(chunks, "DOCUMENTS", documents)
    monkeypatch.setattr(chunks, "LETTERS", letters)
    monkeypatch.setattr(steps, "SHARD_DOCS", shard)
    monkeypatch.setattr(crew.Crew, "work_on", work_here)
