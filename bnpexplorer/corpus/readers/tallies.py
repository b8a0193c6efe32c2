"""Readers of words with their numbers, without a table: files of `word<TAB>count`, and JSON lines
with counts of words; and the tally that readers of counts keep."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from ..corpus import CorpusError
from ..matrix import MAX_COUNT
from .counts import sum_counts
from .decoding import decode
from .json import json_table
from .reader import CLEAR, SAMPLE, Look, Reader
from .source import TEXTS, ReadOptions, Source, Upload, check_number
from .tables import read_rows

Counted = tuple[sparse.csr_matrix, tuple[str, ...], str]
"""Counts int32 (D, V), their words, and a sentence."""
NUMBER = re.compile(r"\d+(\.\d+)?([eE][+-]?\d+)?")
WHOLE = re.compile(r"\d+(\.0+)?")
ENDINGS = (*TEXTS, ".csv", ".tsv", ".tab")
"""Of names of tables of counts; what has another one is something else."""
LONGEST_NGRAM = 3
"""Words of an entry in a file of `word<TAB>count`."""
COUNTS_KEYS = ("unigramCount", "wordCounts", "word_counts", "bag_of_words", "bow")
"""Keys of an object whose keys are words and whose values are counts."""


class WordTally:
    """Counts that come one after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._words: dict[str, int] = {}
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._counts: list[int] = []

    def add(self, row: int, word: str, count: int) -> None:
        """`count` more of a word in the document of this number; none of 0."""
        if count:
            self._rows.append(row)
            self._columns.append(self._words.setdefault(word, len(self._words)))
            self._counts.append(count)

    def matrix(self, n_docs: int) -> tuple[sparse.csr_matrix, tuple[str, ...]]:
        """Counts (D, V) and words by the alphabet. Raises CorpusError for no count."""
        check_number(self._name, len(self._words), "words")
        words = sorted(self._words)
        place = np.empty(len(words), np.int64)
        place[[self._words[word] for word in words]] = np.arange(len(words))
        columns = place[np.array(self._columns, np.int64)]
        shape = (n_docs, len(words))
        return sum_counts(self._name, self._counts, self._rows, columns, shape), tuple(words)


def number_of(name: str, where: str, cell: str) -> int:
    """Return a count from its letters. Raises CorpusError for anything else."""
    text = cell.strip()
    if text in ("0", "", "NA"):
        return 0
    if not WHOLE.fullmatch(text) or not float(text) <= MAX_COUNT:
        what = "a weight such as tf-idf" if NUMBER.fullmatch(text) else "no whole number"
        raise CorpusError(
            f"{name}, {where}: {text[:30]!r} is {what}; give counts of words, whole numbers from 0."
        )
    return int(float(text))


# ---- word<TAB>count ----------------------------------------------------------------------------


def _pairs(lines: Sequence[str]) -> bool:
    """Whether all lines but a header are a word and a number, and no word stands twice."""
    cells = [line.split("\t") for line in lines]
    if any(len(row) != 2 for row in cells):
        return False
    rest = cells if cells and WHOLE.fullmatch(cells[0][1].strip()) else cells[1:]
    words = {row[0].strip() for row in rest}
    return (
        len(words) == len(rest) > 1
        and all(WHOLE.fullmatch(row[1].strip()) for row in rest)
        and all(0 < len(word.split()) <= LONGEST_NGRAM for word in words)
        and any(any(map(str.isalpha, word)) for word in words)
    )


def _sniff_pairs(look: Look) -> float:
    if look.suffix not in ENDINGS or "\t" not in look.text[:SAMPLE]:
        return 0.0
    lines = look.text[:SAMPLE].split("\n")
    lines = [line for line in lines[: -1 if len(look.text) >= SAMPLE else None] if line.strip()]
    return CLEAR if _pairs(lines) else 0.0


def _add_pairs(tally: WordTally, name: str, row: int, text: str) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        word, tab, count = line.strip().partition("\t")
        if not tab or (number == 1 and not WHOLE.fullmatch(count.strip())):
            continue
        tally.add(row, word.strip(), number_of(name, f"line {number:,}", count))


def read_pairs(upload: Upload) -> Source:
    """Lines `word<TAB>count`: one document."""
    text, encoding = decode(upload.name, upload.data, upload.options.encoding)
    tally = WordTally(upload.name)
    _add_pairs(tally, upload.name, 0, text)
    counts, words = tally.matrix(1)
    notes = (f"Read as counts of words, a word a line, one document, {encoding}.",)
    return Source(upload.name, "pairs", None, counts, words, notes=notes)


def counted_files(
    name: str, files: Sequence[tuple[str, bytes]], options: ReadOptions
) -> Counted | None:
    """Counts of files (path, content) in this order, one document each; None unless all are lines
    `word<TAB>count`."""
    filled = [(path, data) for path, data in files if data.strip()]
    first = [path for path, data in filled[:3] if b"\t" not in data[:1000]]
    if not filled or first:
        return None
    tally = WordTally(name)
    for row, (path, data) in enumerate(files):
        if not data.strip():
            continue
        where = f"{name}, entry {path}"
        text, _ = decode(where, data, options.encoding)
        if not _pairs([line for line in text.split("\n") if line.strip()]):
            return None
        _add_pairs(tally, where, row, text)
    counts, words = tally.matrix(len(files))
    said = f"Read as counts of words, one document a file: {len(files):,} files."
    return counts, words, said


# ---- JSON lines --------------------------------------------------------------------------------


def _counts_key(look: Look) -> str:
    """The key of the counts in the first object of JSON lines; empty for none."""
    if not look.text.lstrip().startswith("{"):
        return ""
    keys = "|".join(map(re.escape, COUNTS_KEYS))
    found = re.search(rf'"({keys})"\s*:\s*\{{\s*"[^"\\]*"\s*:\s*\d', look.text)
    return found[1] if found else ""


def _sniff_objects(look: Look) -> float:
    return (CLEAR + 0.05) * bool(_counts_key(look))


def read_objects(upload: Upload) -> Source:
    """JSON lines with counts of words, as Constellate's `unigramCount`; other keys are columns."""
    name, options = upload.name, upload.options
    key = _counts_key(Look(name, upload.data, options.encoding))
    if not key:
        raise CorpusError(
            f"{name} has no counts of words in its objects; they stand under a key such as "
            f"{COUNTS_KEYS[0]}."
        )
    label = options.label or ""
    source = read_rows(json_table(upload), replace(options, text=key, label=label, join=""))
    tally = WordTally(name)
    for row, text in enumerate(source.texts or ()):
        for word, count in json.loads(text or "{}").items():
            tally.add(row, word, number_of(name, f"object {row + 1:,}, word {word!r}", str(count)))
    counts, words = tally.matrix(source.n_docs)
    notes = (f"The counts under {key!r} are read: {len(words):,} words.", *source.notes)
    docs = replace(source.docs, text=None)
    chosen = {field: column for field, column in source.chosen.items() if field != "text"}
    return replace(
        source, format="objects", texts=None, counts=counts, vocab=words, docs=docs,
        chosen=chosen, notes=notes,
    )  # fmt: skip


READERS = (
    Reader(
        "pairs",
        "Words with counts",
        "Lines 'word<TAB>count': one document a file.",
        (),
        _sniff_pairs,
        read_pairs,
    ),
    Reader(
        "objects",
        "JSON lines with counts",
        "Objects with 'unigramCount', as of Constellate.",
        (),
        _sniff_objects,
        read_objects,
    ),
)
