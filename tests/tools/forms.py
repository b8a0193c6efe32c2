"""A small file of every form that is read, made anew as the programs make it that people have, and
the page of the docs that says what becomes of each: `python -m tests.tools.forms` writes it."""

import io
import json
import textwrap
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from bnpexplorer.corpus.readers.formats import READERS, read, read_files
from bnpexplorer.corpus.readers.source import ReadOptions, Source

from .documents import docx, epub, odt, pdf, rtf, xhtml
from .readers import packed_tar, packed_zip
from .references import FORMS as REFERENCES
from .spreadsheets import excel
from .written import FORMS as WRITTEN
from .written import written

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "forms.md"
SUBJECTS = {
    "sea": "The sailor saw a storm over the harbour, and the captain turned the vessel round.",
    "farm": "A farmer drove his tractor to the barn; wheat and barley stood in the field.",
    "law": "The judge heard the jury, and a lawyer spoke of the evidence before the court.",
}
ROWS = [
    {
        "id": f"d{i}",
        "date": f"19{90 + i}-03-0{i + 1}",
        "title": f"On the {subject} ({i})",
        "label": subject,
        "text": f"{text} It was the {i}th of its kind.",
    }
    for i, (subject, text) in enumerate([*SUBJECTS.items()] * 2)
]
TEXTS = tuple(row["text"] for row in ROWS)
COUNTS = pd.DataFrame(
    [[2, 0, 1, 0], [0, 3, 0, 1], [1, 1, 0, 4]],
    index=["text1", "text2", "text3"],
    columns=["sea", "hill", "rock", "sand"],
)
WORDS = [*COUNTS.columns]
FRAME = pd.DataFrame(ROWS)


def delimited(sign: str, encoding: str = "utf-8") -> bytes:
    """The rows as pandas writes them."""
    text: str = FRAME.to_csv(sep=sign, index=False)
    return text.encode(encoding)


def as_json(**options: object) -> bytes:
    text: str = FRAME.to_json(**options)  # type: ignore[call-overload]
    return text.encode()


def long_counts() -> pd.DataFrame:
    """Document, word and number of all counts above 0, as tidytext has them."""
    melted = COUNTS.rename_axis("document").reset_index().melt("document", None, "word", "n")
    return melted[melted.n > 0].sort_values(["document", "word"])


def pairs() -> dict[str, bytes]:
    """A file of `word<TAB>count` for every document."""
    return {
        f"ngrams/{name}-ngram1.txt": "".join(f"{w}\t{n}\n" for w, n in row.items() if n).encode()
        for name, row in COUNTS.iterrows()
    }


def unigrams() -> bytes:
    """Objects of Constellate."""
    rows = (
        {
            "id": f"ark:/{name}",
            "title": f"On {name}",
            "datePublished": "1990-01-01",
            "unigramCount": {word: int(n) for word, n in row.items() if n},
        }
        for name, row in COUNTS.iterrows()
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def wrapped(width: int = 60) -> str:
    """The texts as wrapped paragraphs."""
    return "\n\n".join(textwrap.fill(f"{text} {text}", width) for text in TEXTS) + "\n"


def book() -> str:
    """A book of Project Gutenberg."""
    head = "The Project Gutenberg eBook of Seas\n\nThis eBook is for anyone.\n\n"
    begin = "*** START OF THE PROJECT GUTENBERG EBOOK SEAS ***\n\n"
    end = "\n*** END OF THE PROJECT GUTENBERG EBOOK SEAS ***\n\nLicence: do as you like.\n"
    return head + begin + wrapped() + end


def page_of(row: dict[str, str]) -> bytes:
    """A text as a page of HTML."""
    head = f"<head><title>{row['title']}</title><style>p {{}}</style></head>"
    return f"<!DOCTYPE html>\n<html>{head}<body><p>{row['text']}</p></body></html>".encode()


def parquet(frame: pd.DataFrame = FRAME) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), file)
    return file.getvalue()


def feather(frame: pd.DataFrame = FRAME, version: int = 2) -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(frame, file, version=version)
    return file.getvalue()


def sheet(frame: pd.DataFrame) -> bytes:
    """A sheet as pandas writes it; a column called "" has no name."""
    head = [str(column) or None for column in frame.columns]
    return excel({"Sheet1": [head, *frame.to_numpy(object).tolist()]})


def with_index(frame: pd.DataFrame) -> bytes:
    """A Parquet file whose last column are the row names, as pandas writes it."""
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


COUNTED_ROWS = {
    "dfm.xlsx": sheet(COUNTS.rename_axis("").reset_index()),
    "dfm.parquet": with_index(COUNTS),
    "dfm.feather": feather(COUNTS.rename_axis("doc_id").reset_index()),
    "tidy.xlsx": sheet(long_counts()),
    "tidy.parquet": parquet(long_counts()),
}
"""Tables of counts that are Excel, Parquet or feather."""
CHAPTERS = [(row["title"], [row["text"]]) for row in ROWS[:3]]
TOKENS = FRAME.assign(tokens=[text.lower().split() for text in TEXTS]).drop(columns="text")
FILES = {f"all/{row['label']}/{row['date']}-{row['id']}.txt": row["text"].encode() for row in ROWS}
EXAMPLES: dict[str, bytes] = {
    "rows.csv": delimited(","),
    "unicode.txt": delimited("\t", "utf-16"),
    "rows.tsv": delimited("\t"),
    "semicolons.txt": delimited(";"),
    "rows.xlsx": excel({"Rows": [[*ROWS[0]], *([*row.values()] for row in ROWS)]}),
    "rows.parquet": parquet(),
    "tokens.parquet": parquet(TOKENS),
    "rows.feather": feather(),
    "rows.jsonl": as_json(orient="records", lines=True),
    "records.json": as_json(orient="records", indent=1),
    "answer.json": json.dumps({"data": ROWS, "meta": {"n": len(ROWS)}}).encode(),
    "pandas.json": as_json(),
    "by_id.json": as_json(orient="index"),
    "texts.json": json.dumps(TEXTS).encode(),
    "tweets.js": f"window.YTD.part0 = {json.dumps([{'tweet': r} for r in ROWS])}".encode(),
    "lines.txt": "".join(f"{text}\n" for text in TEXTS).encode(),
    "wrapped.txt": wrapped().encode(),
    "book.txt": book().encode(),
    "page.html": page_of(ROWS[0]),
    "report.docx": docx(CHAPTERS, "On all"),
    "report.odt": odt(CHAPTERS, "On all"),
    "book.epub": epub([xhtml(*chapter) for chapter in CHAPTERS], "On all"),
    "report.rtf": rtf(TEXTS, "On all"),
    "report.pdf": pdf(TEXTS[:3], "On all"),
    "texts.zip": packed_zip(FILES),
    "reports.zip": packed_zip({"sea/a.docx": docx(CHAPTERS), "farm/b.txt": TEXTS[1].encode()}),
    "texts.tar.gz": packed_tar(FILES, "w:gz"),
    "pages.zip": packed_zip({f"{row['id']}.html": page_of(row) for row in ROWS}),
    "table.zip": packed_zip({"data/train.csv": delimited(","), "README.txt": b"About this."}),
    "dfm.csv": COUNTS.rename_axis("doc_id").reset_index().to_csv(index=False).encode(),
    "matrix.csv": COUNTS.to_csv().encode(),
    "tidy.csv": long_counts().to_csv(index=False).encode(),
    **COUNTED_ROWS,
    "ngrams.txt": next(iter(pairs().values())),
    "ngrams.zip": packed_zip(pairs()),
    "constellate.jsonl": unigrams(),
    **{name: text.encode() for name, text in REFERENCES.items()},
    **written(ROWS),
}
"""Name -> content."""
WITH_WORDS = (
    *("dfm.csv", "matrix.csv", "tidy.csv", "ngrams.txt", "ngrams.zip", "constellate.jsonl"),
    *COUNTED_ROWS,
)
"""Examples that are counts."""
VOCAB = ("vocabulary.txt", "".join(f"{word}\n" for word in WORDS).encode())


def _matrix_market() -> bytes:
    cells = [
        (i + 1, j + 1, n) for i, row in enumerate(COUNTS.to_numpy()) for j, n in enumerate(row) if n
    ]
    lines = "".join(f"{i} {j} {n}\n" for i, j, n in cells)
    size = f"{len(COUNTS)} {len(WORDS)} {len(cells)}\n"
    return f"%%MatrixMarket matrix coordinate real general\n{size}{lines}".encode()


def _ldac() -> bytes:
    rows = ([(j, n) for j, n in enumerate(row) if n] for row in COUNTS.to_numpy())
    text = "".join(f"{len(row)} {' '.join(f'{j}:{n}' for j, n in row)}\n" for row in rows)
    return text.encode()


def _uci() -> bytes:
    body = _matrix_market().decode().split("\n", 2)
    return ("\n".join(body[1].split()) + "\n" + body[2]).encode()


COUNTED = {"docword.txt": _uci(), "blei.ldac": _ldac(), "corpus.mm": _matrix_market()}
"""Counts that need their vocabulary."""


def options_for(name: str) -> ReadOptions:
    """How an example is read: forms that came later are found as of a day alone."""
    later = name in WRITTEN or name in COUNTED_ROWS
    return ReadOptions(as_of="2026-03-05") if later else ReadOptions()


@cache
def found() -> dict[str, Source]:
    """What is read of every example."""
    texts = {
        name: read(name, content, options=options_for(name)) for name, content in EXAMPLES.items()
    }
    pasted = read_files([("pasted", "\n\n".join(TEXTS).encode())], ReadOptions(format="pasted"))
    counts = {name: read(name, content, vocab=VOCAB) for name, content in COUNTED.items()}
    return texts | {"(pasted)": pasted} | counts


# ---- the page ----------------------------------------------------------------------------------

FORMS = {
    "rows.csv": "CSV; also with semicolons, tabs or bars",
    "unicode.txt": "Table with tabs named .txt, such as Excel's *Unicode text*",
    "semicolons.txt": "Table with semicolons named .txt",
    "rows.tsv": "TSV",
    "rows.xlsx": "Excel",
    "rows.parquet": "Parquet",
    "tokens.parquet": "Parquet with lists of words",
    "rows.feather": "Feather, Arrow",
    "rows.jsonl": "JSON lines",
    "records.json": "JSON, a list of objects",
    "answer.json": "JSON, an object with one list of objects",
    "pandas.json": "JSON, a column in every object, as pandas writes it",
    "by_id.json": "JSON, a document by its id",
    "texts.json": "JSON, a list of texts",
    "tweets.js": "JavaScript of an archive, `window.YTD... = [...]`",
    "lines.txt": "Plain text, a document a line",
    "wrapped.txt": "Plain text with wrapped lines",
    "book.txt": "Book of Project Gutenberg",
    "(pasted)": "Pasted text",
    "page.html": "HTML",
    "report.docx": "Word (.docx)",
    "report.odt": "OpenDocument text (.odt)",
    "book.epub": "EPUB",
    "report.rtf": "RTF",
    "report.pdf": "PDF with a text layer",
    "texts.zip": "ZIP of .txt, .md, .html or names without ending",
    "reports.zip": "ZIP of Word and other documents, also with texts",
    "texts.tar.gz": "tar, also packed",
    "pages.zip": "ZIP of pages of HTML",
    "table.zip": "ZIP or tar with one table",
    "dfm.csv": 'Table of counts, as R\'s `convert(dfm, "data.frame")`',
    "matrix.csv": "Table of counts, as R's `as.matrix`",
    "tidy.csv": "Rows of document, word and number, as tidytext",
    "dfm.xlsx": "Table of counts in Excel",
    "dfm.parquet": "Table of counts in Parquet",
    "dfm.feather": "Table of counts in feather",
    "tidy.xlsx": "Rows of document, word and number in Excel",
    "tidy.parquet": "Rows of document, word and number in Parquet",
    "ngrams.txt": "Lines `word<TAB>count`",
    "ngrams.zip": "ZIP of such files, as JSTOR's n-grams",
    "constellate.jsonl": "JSON lines with `unigramCount`, as Constellate",
    "zotero.ris": "RIS, as Zotero, EndNote and Scopus write it",
    "savedrecs.txt": "Web of Science, plain text (`savedrecs.txt`, `.ciw`)",
    "pubmed.nbib": "PubMed, MEDLINE",
    "endnote.enw": "EndNote, tagged",
    "library.bib": "BibTeX",
    "docword.txt": "UCI bag of words, with a vocabulary",
    "blei.ldac": "LDA-C, with a vocabulary",
    "corpus.mm": "Matrix Market, also gensim's MmCorpus, with a vocabulary",
    **WRITTEN,
}
"""Example -> what people call it."""
HEAD = """\
# Which files are read

bnpexplorer looks into a file, whatever its ending. This table is made from the tests: each row is
a small file that was read.

| form | read as | text | title | date | label |
|---|---|---|---|---|---|
"""
FOOT = """
Any of them may be packed with gzip, xz, bzip2 or zstd. Columns are recognised by their names; every
choice can be changed. Of an archive with several tables you choose one (*Table* on the Texts page,
`--entry NAME`) or all as one (`--entry '*'`). Names of files give dates and labels where you ask
for it: `--file-names date`.

Word, OpenDocument, EPUB and HTML files are one document each, or one for each heading
(`--split headings`; of PDF files for each bookmark). Tables and notes count as text; comments and
deleted text do not. PDF files need `pip install 'bnpexplorer[pdf]'`; a scan has no text to read.

A known form that is not read, such as an old Word file (.doc) or a pickle, is refused by its name,
with the way out.
"""


def _said(name: str, field: str) -> str:
    """Where a field of an example is from."""
    source = found()[name]
    if field in source.chosen:
        return f"column `{source.chosen[field]}`"
    column = getattr(source.docs, field)
    if column is None:
        return ""
    if field == "label":
        return "folder"
    return "its own" if column[0] == "On all" else _by_name(str(column[0]), str(source.docs.id[0]))


def _by_name(title: str, path: str) -> str:
    return "name of the file" if title != path and title in path else "name of the document"


def _text(name: str) -> str:
    """What becomes the text of a document."""
    source = found()[name]
    if source.counts is not None:
        return "counts of words"
    if "text" in source.chosen:
        return f"column `{source.chosen['text']}`"
    first, n = " ".join(source.texts[0].split()), source.n_docs
    if n == 1 or source.docs.id is not None:
        return "all of a file"
    return "a line" if f"{first}\n" in EXAMPLES.get(name, b"").decode() else "a paragraph"


def page() -> str:
    """The page of the docs."""
    assert set(FORMS) == set(found())
    rows = []
    for name, form in FORMS.items():
        title = READERS[found()[name].format].title
        fields = " | ".join(_said(name, field) for field in ("title", "date", "label"))
        rows.append(f"| {form} | {title} | {_text(name)} | {fields} |\n")
    return HEAD + "".join(rows) + FOOT


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
