"""From the chosen cells of a row to its document, or documents: several columns of texts or labels,
titles before short texts, and placeholders that stand for no text."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ...core.display import plural
from .source import APART, FIRST, SHORT, Offer, ReadOptions

FEW_WORDS = 20
"""Texts with fewer are short."""
ENOUGH_SHORT = 0.02
"""The share of short texts from which on their titles are offered."""
BETWEEN = " · "
PARTED = re.compile(r"\s*[;|]\s*")
NO_TEXT = frozenset("""
    [no abstract available]|no abstract available|[no abstract available.]|no abstract available.
    |no abstract|[no abstract]|abstract not available|[abstract not available]|[deleted]|[removed]
    |[no text]|no text|n/a|na|nan|none|null|nil|-|--|—|not available|[not available]
    |keine zusammenfassung|kein abstract|k.a.|k. a.|sin resumen|pas de résumé|non disponible
""".replace("\n", "").replace("    ", "").split("|"))  # fmt: skip
"""Cells that stand for no text, in small letters."""


class Composing:
    """How the cells of rows become documents. `beside`: field -> column of cells that are needed in
    addition; `notes` are known once all rows were read."""

    def __init__(
        self, options: ReadOptions, chosen: dict[str, str], titles: Mapping[str, str]
    ) -> None:
        texts, labels = (getattr(options, f).split("\n")[1:] for f in ("text", "label"))
        self.beside = {f"text {i}": column for i, column in enumerate(texts)}
        self.beside |= {f"label {i}": column for i, column in enumerate(labels)}
        self._texts = ["text", *(f"text {i}" for i in range(len(texts)))]
        self._labels = ["label", *(f"label {i}" for i in range(len(labels)))]
        self._apart = options.questions == APART and bool(texts)
        self._first, self._fill = options.label_parts == FIRST, options.add_title == SHORT
        self._chosen, self._of_content = chosen, bool(options.as_of)
        named = chosen | self.beside
        self._questions = {f: titles.get(named[f], named[f]) for f in self._texts}
        self._blank, self._example, self._filled, self._parted = 0, "", 0, 0

    def documents(self, cells: dict[str, str]) -> Iterator[dict[str, str]]:
        """The documents of a row of cells, by field."""
        if self._of_content:
            for field in self._texts:
                if cells[field].strip().lower() in NO_TEXT and cells[field].strip():
                    self._blank, self._example = self._blank + 1, self._example or cells[field]
                    cells[field] = ""
        row = {f: cell for f, cell in cells.items() if f not in self.beside}
        if len(self._labels) > 1:
            row["label"] = BETWEEN.join(c for f in self._labels if (c := cells[f].strip()))
        if "label" in row and PARTED.search(row["label"]):
            self._parted += 1
            if self._first:
                row["label"] = PARTED.split(row["label"].strip())[0]
        if not self._apart:
            if len(self._texts) > 1:
                row["text"] = "\n\n".join(c for f in self._texts if (c := cells[f].strip()))
            yield self._with_title(row)
            return
        for field, question in self._questions.items():
            document = row | {"text": cells[field], "label": question}
            if row.get("id"):
                document["id"] = f"{row['id']}/{(self._chosen | self.beside)[field]}"
            yield document

    def _with_title(self, row: dict[str, str]) -> dict[str, str]:
        title = row.get("title", "").strip()
        if self._fill and title and _is_short(row["text"]) and title != row["text"].strip():
            self._filled += 1
            row["text"] = f"{title}\n\n{row['text']}".strip()
        return row

    def notes(self) -> list[str]:
        """Return sentences about the documents."""
        said = []
        if self._blank:
            texts = f"{plural(self._blank, 'text')} such as {self._example!r}"
            said.append(f"{texts} {'counts' if self._blank == 1 else 'count'} as empty.")
        if self._filled:
            begin = "begins with its title" if self._filled == 1 else "begin with their titles"
            said.append(f"{plural(self._filled, 'text')} of fewer than {FEW_WORDS} words {begin}.")
        if self._parted and self._of_content:
            have = f"{plural(self._parted, 'label')} name{'s' * (self._parted == 1)} several values"
            said.append(
                f"{have}; {'the first counts' if self._first else 'each combination is one label'}."
            )
        return said

    def offers(self, values: Mapping[str, Sequence[str]]) -> list[Offer]:
        """Choices that the first cells of the columns suggest."""
        if not self._of_content or not values.keys() >= set(self._chosen.values()):
            return []  # a column asked for that is absent is told at the end of the rows
        offers = []
        texts, label = values[self._chosen["text"]], self._chosen.get("label")
        short = sum(_is_short(text) or text.strip().lower() in NO_TEXT for text in texts)
        if "title" in self._chosen and not self._fill and short >= ENOUGH_SHORT * len(texts):
            said = f"Of the first {len(texts):,} texts {short:,} have fewer than {FEW_WORDS} words."
            offers.append(Offer(said, "Begin short texts with their titles", {"add_title": SHORT}))
        parted = sum(bool(PARTED.search(cell)) for cell in values[label]) if label else 0
        if label and parted >= 0.1 * len(texts) and not self._first:
            said = f"Labels in {label!r} name several values."
            offers.append(Offer(said, "Let the first value count", {"label_parts": FIRST}))
        return offers


def _is_short(text: str) -> bool:
    return len(text.split(maxsplit=FEW_WORDS)) < FEW_WORDS
