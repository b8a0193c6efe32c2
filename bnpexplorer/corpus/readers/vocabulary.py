"""The vocabulary file beside counts: one word a line, or a table as R, pandas and gensim write it.

A header shifts every word by one, and nothing in the words tells it from a word. The counts decide:
a line is left out as a header only where the counts have no place for it.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..corpus import CorpusError
from .decoding import decode
from .source import Upload, check_number
from .unpacking import unpacked

HEADERS = frozenset(
    {"x", "v1", "0", "word", "words", "term", "terms", "token", "tokens", "type", "types"}
    | {"vocab", "vocabulary", "feature", "features", "lemma", "name", "names", "value", "values"}
)
"""What programs and people write above a column of words, in small letters."""
QUOTED = re.compile(r'"(?:[^"]|"")*"')
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
SIGNS = ",;\t"
"""Between the columns of a table; a blank too, where words stand in quotes."""
HINT = (
    "; if its line 1, {first!r}, is a header, say that the first row names the columns "
    "(--header yes)"
)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a vocabulary file, whose first line may still turn out to be a header."""

    name: str
    """Of the file."""
    words: tuple[str, ...]
    encoding: str
    quoted: bool = False
    """Whether all lines stood in quotes, as of R, which writes a header unless told not to."""
    header: str | None = None
    """The line that was left out."""
    settled: bool = False
    """Whether the file, or a person, says which line is the first word."""

    def of_sizes(self, *sizes: int) -> "Vocabulary":
        """The vocabulary for counts of so many words, best first: without its first line where it
        has one line too many, and that line may be a header."""
        for size in sizes:
            if len(self.words) == size:
                return self
            if len(self.words) == size + 1 and self._may_be_headed(self.quoted):
                return self._without_first()
        return self

    def of_ids(self, n_used: int) -> "Vocabulary":
        """The vocabulary for counts that do not say how many words there are, of which the largest
        id is `n_used` - 1: without its first line where there are more, and that line has the name
        of a header."""
        if len(self.words) > n_used and self._may_be_headed():
            return self._without_first()
        return self

    def wrong_size(self) -> str:
        """What is said of a header where the number of words does not fit."""
        return "" if self.settled or self.header else HINT.format(first=self.words[0][:40])

    def notes(self) -> tuple[str, ...]:
        """Sentences about the words and the line left out."""
        told = [f"Vocabulary {self.name}: {len(self.words):,} words, {self.encoding}."]
        if self.header is not None:
            told.append(f"Line 1 of {self.name}, {self.header[:40]!r}, is a header and no word.")
        repeated = len(self.words) - len(set(self.words))
        if repeated:
            stand = (
                "word of the vocabulary stands"
                if repeated == 1
                else "words of the vocabulary stand"
            )
            told.append(f"{repeated:,} {stand} there more than once.")
        return tuple(told)

    def warnings(self, n_used: int) -> tuple[str, ...]:
        """A sentence if no document has the last words; `n_used`: the largest id + 1."""
        n_over = len(self.words) - n_used
        if n_over <= 0:
            return ()
        word = self.words[n_used][:40]
        which = (
            f"the last word of {self.name}, {word!r}"
            if n_over == 1
            else f"the last {n_over:,} of the {len(self.words):,} words of {self.name}, from "
            f"{word!r} on"
        )
        advice = "; see whether it belongs to these counts."
        if not self.settled and self.header is None:
            advice = (
                f". If its line 1, {self.words[0][:40]!r}, is a header, every word has the counts "
                "of its neighbour: say that the first row names the columns (--header yes)."
            )
        return (f"No document has {which}{advice}",)

    def _may_be_headed(self, any_name: bool = False) -> bool:
        """Whether the first line may be a header: by its name, and since words that follow the
        alphabet to the first one, as of "0", "00", "000", have none."""
        if self.settled or self.header is not None or len(self.words) < 2:
            return False
        named = any_name or self.words[0].casefold() in HEADERS
        return named and not _by_alphabet(self.words)

    def _without_first(self) -> "Vocabulary":
        return replace(self, header=self.words[0], words=self.words[1:])


def read_vocab(upload: Upload) -> Vocabulary:
    """The vocabulary that came with counts.

    Raises CorpusError if there is none, if a line has no word, or if its numbers have gaps.
    """
    if upload.vocab is None:
        raise CorpusError(
            f"{upload.name} holds counts without words; give its vocabulary file with it (one "
            "word a line, in the order of the counts)."
        )
    name, packed = upload.vocab
    text, encoding = decode(name, unpacked(name, packed)[1], upload.options.encoding)
    check_number(name, text.count("\n"), "words")
    lines = [line.strip() for line in text.rstrip().split("\n")]
    found = _dictionary(name, lines, encoding) or _table(name, lines, encoding)
    found = _as_asked(found or _list(name, lines, encoding), upload.options.header)
    if "" in found.words:
        line = found.words.index("") + 1 + (found.header is not None)
        raise CorpusError(
            f"{name}, line {line:,}, is empty; the vocabulary needs one word a line, since the "
            "place of a word is its number."
        )
    return found


def _as_asked(found: Vocabulary, header: str) -> Vocabulary:
    """With the header that a person says there is, or without."""
    if header == "no" and found.header is not None:
        return replace(found, words=(found.header, *found.words), header=None, settled=True)
    if header == "yes" and found.header is None and len(found.words) > 1:
        return replace(found._without_first(), settled=True)
    return replace(found, settled=found.settled or bool(header))


def _list(name: str, lines: Sequence[str], encoding: str) -> Vocabulary:
    """One word a line; quotes go where all lines but the first stand in them."""
    body = lines[1:] or lines
    quoted = all(map(QUOTED.fullmatch, body))
    words = [_bare(line) for line in lines] if quoted else lines
    return Vocabulary(name, tuple(words), encoding, quoted)


def _bare(line: str) -> str:
    quoted = QUOTED.fullmatch(line)
    return line[1:-1].replace('""', '"').strip() if quoted else line


def _table(name: str, lines: Sequence[str], encoding: str) -> Vocabulary | None:
    """A table whose other columns are numbers, such as R's row names and frequencies; None if the
    lines are none."""
    signs = [sign for sign in SIGNS if sign in lines[-1]]
    if " " in lines[-1] and all('"' in line for line in lines):
        signs.append(" ")
    for sign in signs if len(lines) > 1 else ():
        rows = _rows(lines, sign)
        place = _place_of_words(rows[1:]) if rows else None
        if rows is None or place is None:
            continue
        words = tuple(row[place].strip() for row in rows[1:])
        head, width = rows[0], len(rows[1])
        if len(head) == width and all(
            j == place or NUMBER.fullmatch(cell.strip()) for j, cell in enumerate(head)
        ):
            first = (head[place].strip(), *words)
            # Beside numbers a header would have a name: the first line is a row as all others.
            return Vocabulary(name, first, encoding, settled=True)
        if len(head) in (width - 1, width):
            return Vocabulary(name, words, encoding, header=head[place - width].strip())
    return None


def _rows(lines: Sequence[str], sign: str) -> list[list[str]] | None:
    """The cells of each line; None where lines are no rows of equal width below the first."""
    try:
        rows = list(csv.reader(lines, delimiter=sign, strict=True))
    except csv.Error:  # a quote stands within a word, or a field is endless
        return None
    equal = len(rows) == len(lines) and len(rows[1]) > 1 and len({*map(len, rows[1:])}) == 1
    return rows if equal else None


def _place_of_words(rows: Sequence[Sequence[str]]) -> int | None:
    """The one column that is not all numbers; the second of two below which all are numbers, as
    where the words are codes."""
    width = len(rows[0])
    words = [j for j in range(width) if not all(NUMBER.fullmatch(row[j].strip()) for row in rows)]
    if not words and width == 2:
        return 1
    return words[0] if len(words) == 1 else None


def _dictionary(name: str, lines: Sequence[str], encoding: str) -> Vocabulary | None:
    """Read lines of gensim's `Dictionary.save_as_text`: the number of documents, which old versions
    leave out, then `id word documents` in alphabetical order. Return None for other lines.

    Raises CorpusError if its ids have gaps, since the counts' ids may be of another order then.
    """
    n_docs = lines[0].isdecimal()
    rows = [line.split("\t") for line in lines[n_docs:]]
    if not all(len(row) == 3 and row[0].isdecimal() and row[2].isdecimal() for row in rows):
        return None
    words = {int(row[0]): row[1].strip() for row in rows}
    if len(words) < len(rows) or max(words, default=0) >= len(rows):
        if not n_docs:
            return None  # rows of another table
        raise CorpusError(
            f"{name}: the numbers of its words are not 0 to {len(rows) - 1:,}, each once; write "
            "dictionary and counts again after gensim's Dictionary.compactify()."
        )
    return Vocabulary(name, tuple(words[i] for i in range(len(rows))), encoding, settled=True)


def _by_alphabet(words: Sequence[str]) -> bool:
    return all(one <= other for one, other in pairwise(words))
