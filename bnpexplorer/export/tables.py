"""Tables as CSV: topics, their words, documents, the run's history. D documents, K topics.

Documents that were chosen, as CSV: what they are, what they say, and their shares of topics.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np
import pandas as pd

from ..core.arrays import F32, I64
from ..core.installation import versions
from ..core.spreadsheet import Cell, cell, csv_lines, encoded
from ..corpus.corpus import Corpus
from ..corpus.stored import StoredCorpus
from ..evaluate import npmi
from ..explore.documents import lengths_of
from ..state.words import without_words
from .pieces import told_of_fewer
from .result import Member, Result, zip_to, zipped

N_TOP = 15
"""Words in a topic's row."""
N_WORDS = 50
"""Rows of a topic in the table of words."""
LEAST_SHARE = 0.01
"""Smaller shares are left out of the long table of documents."""
DIGITS = 6
ALL = slice(None)
BLOCK = 4096
"""Documents whose rows are made at once: with 200 topics 7 MB of shares, and 50 MB of cells; of
16,384 they took 190 MB and as long."""


def ten_digits(x: float) -> str:
    """Return a number as tables of results have it."""
    return f"{x:.10g}"


def csv(frame: pd.DataFrame, bom: bool = False, number: Callable[[Any], str] = ten_digits) -> bytes:
    """Return a table as a file of CSV. `number` writes what is no whole number."""
    return b"".join(csv_pieces([frame], bom, number))


def csv_pieces(
    frames: Iterable[pd.DataFrame], bom: bool = False, number: Callable[[Any], str] = ten_digits
) -> Iterator[bytes]:
    """Return the CSV of a table whose rows come some after the others, as `csv` makes it of all."""
    for place, frame in enumerate(frames):
        columns = [_cells(frame.iloc[:, column], number) for column in range(frame.shape[1])]
        heads = [] if place else [[cell(str(name)) for name in frame.columns]]
        yield encoded(csv_lines([*heads, *zip(*columns, strict=True)]), bom and not place)


def _cells(column: pd.Series, number: Callable[[Any], str]) -> list[Cell]:
    """Return a column as cells.

    Every distinct cell is made once: of 4.4 million rounded shares 2 in 100 are distinct.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.astype(str)  # days without hours, where all are days
    if column.dtype == object:  # 1, 1.0 and True would count as one
        known = column.notna()
        return [cell(x if there else None) for x, there in zip(column, known, strict=True)]
    fractions = pd.api.types.is_float_dtype(column)
    values = column.to_numpy()
    bits = values.view(f"i{values.itemsize}") if fractions else column  # -0 is not 0
    place, distinct = pd.factorize(bits)
    if fractions:
        found = distinct.view(values.dtype)
        exact = found.dtype == np.float64  # as Python's own, which are written faster
        texts = [cell(x, number) for x in (found.tolist() if exact else found)]
    else:
        texts = [cell(x) for x in distinct]
    cells: list[Cell] = np.array([*texts, ""], object)[place].tolist()  # place -1: missing
    return cells


def topics_table(result: Result, n_top: int = N_TOP) -> pd.DataFrame:
    """One row a topic, largest first."""
    moment, corpus, ids = result.moment, result.run.corpus, result.by_size
    topics, order, used = moment.topics, moment.topics.by_size, set(moment.in_use)
    coherent = len(topics) and corpus.n_words >= 2
    coherence = npmi(topics.topic_word, corpus) if coherent else np.full(len(topics), np.nan)
    coherence[without_words(topics)] = np.nan
    columns: dict[str, Any] = {
        "topic": topics.topic_ids[order],
        "name": [moment.name(topic) for topic in ids],
        "hidden": [_yes(topic in moment.labels.unseen) for topic in ids],
        "counts_as_one_with": [
            " ".join(map(str, moment.labels.groups.get(topic, ()))) for topic in ids
        ],
        "in_use": [_yes(topic in used) for topic in ids],
        f"size_in_{moment.unit}": topics.size[order],
        "share": moment.shares[order],
        "weight": topics.weight[order],
        "coherence_npmi": coherence[order],
        "top_words": [", ".join(moment.top_words(topic, n_top)) for topic in ids],
    }
    return pd.DataFrame(columns)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def words_table(result: Result, n_words: int = N_WORDS) -> pd.DataFrame:
    """The most probable words of every topic in long form: topic, name, rank, word, probability."""
    moment = result.moment
    columns: dict[str, list[Any]] = {"topic": [], "name": [], "rank": [], "word": []}
    probability: list[float] = []
    for topic in result.by_size:
        words = moment.heaviest(topic, n_words)
        columns["topic"] += [topic] * len(words)
        columns["name"] += [moment.name(topic)] * len(words)
        columns["rank"] += range(1, len(words) + 1)
        columns["word"] += [moment.vocab[w] for w in words]
        probability += moment.topics.topic_word[moment.row[topic], words].tolist()
    return pd.DataFrame({**columns, "probability": probability})


def documents_table(result: Result, rows: slice = ALL) -> pd.DataFrame:
    """Return the facts of every document in the order of its file: number from 1, id, title, ...

    `rows`: which of `result.entries`; the rows of the file without a document are there, empty.
    """
    corpus, columns = result.corpus, result.corpus.docs.columns()
    place, doc = (part[rows] for part in result.entries)
    there, known = doc >= 0, doc[doc >= 0]

    def spread(values: Iterable[Any]) -> Any:
        """The values of documents, with nothing where there is none."""
        if there.all():
            return values
        cells = np.full(len(doc), None, object)
        cells[there] = [*values]
        return cells

    table: dict[str, Any] = _numbers(result, place, spread(known + 1))
    for name in ("id", "title", "label"):
        if name in columns:
            table[name] = spread([cell_text(cell) for cell in columns[name][known]])
    if "date" in columns:
        days = columns["date"][known].astype("datetime64[D]")
        table["date"] = spread([cell_text(day) for day in days])
    table["part"] = spread(result.part[known])
    table["modelled_words"] = spread(lengths_of(corpus)[known])
    if corpus.file_rows is not None:
        table["part"] = np.where(there, table["part"], "left out")
        table["left_out"] = _left_out(result, place, doc)
    return pd.DataFrame(table)


def _numbers(result: Result, place: I64, numbers: Any) -> dict[str, Any]:
    """The numbers of documents, after those of their rows where the file is known."""
    rows = result.corpus.file_rows
    table = {"document": numbers}
    return table if rows is None else {f"file_{rows.unit}": rows.number[place], **table}


def _left_out(result: Result, place: I64, doc: I64) -> list[str]:
    """Why each entry has no document of its own; empty for one that has."""
    rows = result.corpus.file_rows
    assert rows is not None
    return ["" if d >= 0 else rows.told(int(p)) for p, d in zip(place, doc, strict=True)]


def cell_text(cell: Any) -> str:
    """What is known of a document, as a cell; empty if it is unknown."""
    missing = cell is None or (isinstance(cell, np.datetime64) and np.isnat(cell))
    return "" if missing else str(cell)


def wide_table(result: Result, rows: slice = ALL) -> pd.DataFrame:
    """One row an entry of `result`, one column a topic: shares of the document's modelled words."""
    doc = result.entries[1][rows]
    proportions = result.shares[doc].astype(np.float64)
    proportions[doc < 0] = np.nan
    theta = np.round(proportions[:, result.moment.topics.by_size], DIGITS)
    name = result.moment.name
    heads = [f"topic {topic}: {name(topic)}" for topic in result.by_size]
    unseen = np.maximum(1.0 - proportions.sum(axis=1), 0.0)
    shares = pd.DataFrame(theta, columns=heads)
    shares["topics not yet seen"] = np.round(unseen, DIGITS)
    return pd.concat([documents_table(result, rows), shares], axis=1)


def long_table(result: Result, least: float = LEAST_SHARE, rows: slice = ALL) -> pd.DataFrame:
    """document, id, topic, name, share, for shares of at least `least`, largest first.

    `rows`: which of `result.entries`; a row of the file without a document has one line.
    """
    entries, docs = (part[rows] for part in result.entries)
    proportions = result.shares[docs].astype(np.float64)
    proportions[docs < 0] = -1.0
    entry, topic = np.nonzero(proportions >= least)
    share = proportions[entry, topic]
    gone = np.flatnonzero(docs < 0)
    entry, topic = np.append(entry, gone), np.append(topic, np.full(len(gone), -1))
    share = np.append(share, np.full(len(gone), np.nan))
    order = np.lexsort((-share, entry))
    entry, topic, share = entry[order], topic[order], share[order]
    place, doc = entries[entry], docs[entry]

    def known(values: Any, of: I64) -> Any:
        """The values of those that are there, int64 (N,); nothing for -1."""
        return values[of] if not len(gone) else np.append(values.astype(object), [None])[of]

    table = _numbers(result, place, known(np.arange(1, result.corpus.n_docs + 1), doc))
    ids = result.corpus.docs.id
    if ids is not None:
        own = np.array([cell_text(ids[d]) if d >= 0 else "" for d in docs], object)
        table["id"] = own[entry]
    topics = result.moment.topics.topic_ids
    table["topic"] = known(topics, topic)
    names = np.array([result.moment.name(i) for i in topics.tolist()], object)
    table["name"] = known(names, topic)
    table["share"] = np.round(share, DIGITS)
    if result.corpus.file_rows is not None:
        table["left_out"] = _left_out(result, place, doc)
    return pd.DataFrame(table)


def metrics_table(result: Result) -> pd.DataFrame:
    """The run's history: step, documents, seconds, topics in use, bound, score, named series."""
    rows = [
        {
            "step": p.step,
            "documents": p.docs_seen,
            "seconds": round(p.seconds, 4),
            "topics_in_use": p.n_topics,
            "bound": p.bound,
            "heldout_log_likelihood_per_word": p.heldout,
            **p.scalars,
        }
        for p in result.snapshot.trace
    ]
    return pd.DataFrame(rows)


def events_table(result: Result) -> pd.DataFrame:
    """Births, deaths, splits and merges of topics; several identities have blanks between."""
    rows = [
        (e.step, e.docs_seen, e.kind, " ".join(map(str, e.parents)), " ".join(map(str, e.children)))
        for e in result.snapshot.events
    ]
    return pd.DataFrame(rows, columns=["step", "documents", "kind", "parents", "children"])


def order_said(result: Result) -> str:
    """Say what a row of the tables of documents is, and their order."""
    if result.corpus.file_rows is not None:
        return "one row a document, in the order of its file"
    on_disk = isinstance(result.corpus, StoredCorpus)
    if result.by_rule or on_disk or result.run.heldout is None:
        return "one row a document, in the corpus's order"
    return "one row a document, first those learned and then those held out"


def left_out_said(result: Result) -> str:
    """Say how tables of documents show rows of the file without a document."""
    rows = result.corpus.file_rows
    if rows is None:
        return ""
    return f""";
                            left out, for a {rows.unit} of the file that became no document,
                            whose reason stands in left_out. file_{rows.unit} counts as the file
                            does; a {rows.unit} with several passages stands once for each"""


def readme(result: Result) -> str:
    """What the tables are, and the facts of the run."""
    run, snapshot = result.run, result.snapshot
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    protocol = result.protocol_sentence or "Nothing was held out, so there is no score."
    if result.between_starts:
        protocol += f"\n       {result.between_starts}."
    settings = {**result.model_settings, **result.method_settings}
    judged = f"judgement     {run.judgement}\n" if run.judgement else ""
    if fewer := told_of_fewer(result.moment):
        judged += f"topics        {fewer}\n"
    judged += "".join(f"by hand       {edit.sentence}\n" for edit in snapshot.edits)
    return f"""Tables of a run of bnpexplorer

method        {run.method.name} ({run.method.title}; {run.method.source})
settings      {", ".join(f"{name}={value}" for name, value in settings.items())}
run           seed {run.seed}, {run.passes} passes, {run.batch_size} documents a step, {run.order}
              {run.passes_said(snapshot.docs_seen)}, {snapshot.step:,} steps
{judged}corpus        {" ".join(run.corpus.name.split())}, fingerprint {result.corpus.fingerprint}
              without those held out: {run.corpus.fingerprint}
made with     {made}

topics.csv                  one row a topic, largest first. A topic's number is its identity and
                            never changes in a run; hidden topics are there, marked, and
                            topics that a person grouped are one. A name that nobody gave is the
                            topic's own words. Share: of all
                            {result.moment.unit} that were modelled. Weight: expected corpus weight.
                            Coherence: NPMI of the 10 most probable words over all documents
                            but those held out.
topic_words.csv             the {N_WORDS} most probable words of every topic, as far as it holds
                            half a count of them
document_topics_wide.csv    {order_said(result)}, one column a topic. Shares
                            are of the document's modelled words, by the model's own fold-in.
                            Part: learned; not yet learned, if the run had not come to it when
                            this was made; held out, if it never learns it{left_out_said(result)}
document_topics_long.csv    the same in long form, shares of {LEAST_SHARE} and more
metrics.csv                 the run's history
events.csv                  births, deaths, splits and merges of topics
CITATION.bib                what to cite

Score: {protocol}

A cell of text that a spreadsheet would take for a formula begins with an apostrophe.
"""


def tables(result: Result, bom: bool = False) -> bytes:
    """All tables in one zip. `bom`: with the mark by which Excel knows UTF-8."""
    return zipped(_members(result, bom))


def write_tables(file: IO[bytes], result: Result, bom: bool = False) -> None:
    """The same into an open file: tables of documents are made and written some rows at a time."""
    zip_to(file, _members(result, bom))


def _members(result: Result, bom: bool) -> dict[str, Member]:
    n_rows = len(result.entries[0])
    blocks = [slice(begin, begin + BLOCK) for begin in range(0, max(n_rows, 1), BLOCK)]
    made: dict[str, Iterable[pd.DataFrame]] = {
        "topics": [topics_table(result)],
        "topic_words": [words_table(result)],
        "document_topics_wide": (wide_table(result, rows) for rows in blocks),
        "document_topics_long": (long_table(result, rows=rows) for rows in blocks),
        "metrics": [metrics_table(result)],
        "events": [events_table(result)],
    }
    members: dict[str, Member] = {f"{name}.csv": csv_pieces(t, bom) for name, t in made.items()}
    return {"README.txt": readme(result), **members, "CITATION.bib": result.citation}


def chosen_table(
    corpus: Corpus, rows: I64, share: F32 | None, heads: Mapping[int, str]
) -> pd.DataFrame:
    """One row a document, in the order of `rows`: number from 1, id, title, date, label, text, ...

    ... its words that count, and its share of every topic: `share` (D, K), None as long as nobody
    has read the documents; `heads`: column of `share` -> its heading, in order.
    """
    columns = corpus.docs.take(rows).columns()
    table: dict[str, Any] = {"document": rows + 1}
    for name in ("id", "title", "date", "label", "text"):
        if name in columns:
            cells = columns[name].astype("datetime64[D]") if name == "date" else columns[name]
            table[name] = [cell_text(cell) for cell in cells]
    table["modelled_words"] = lengths_of(corpus)[rows]
    found = pd.DataFrame(table)
    if share is None:
        return found
    shares = np.round(share[rows][:, np.array([*heads], np.int64)].astype(np.float64), DIGITS)
    return pd.concat([found, pd.DataFrame(shares, columns=list(heads.values()))], axis=1)
