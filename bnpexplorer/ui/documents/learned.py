"""Which documents of the corpus a run has learned, which it holds out, which are still to come."""

import streamlit as st

from ...core.arrays import I64, Bools
from ...corpus import Corpus
from ...export.result import held_out_rows, learned_rows, parts
from ...runs.run import Run
from ..parts.explore import Explored
from ..parts.in_background import worked_out


def learned(explored: Explored) -> Bools | None:
    """Which documents of the corpus the run had learned by this moment: bool (D,).

    None if the run does not tell: its texts were divided by a rule that is not ours.
    """
    return _rows(explored)[1]


def told_apart(explored: Explored) -> bool:
    """Whether it is known which documents the run learned; where they are many, it may still be
    under way, and the page says so."""
    moment = explored.moment
    key = ("parts", moment.run_id, moment.snapshot.docs_seen)
    what = "which were learned"
    return worked_out(moment.corpus.n_docs, key, lambda: _rows(explored), what) is not None


def part(explored: Explored, row: int) -> str:
    """`learned`, `held out` or `not yet learned`; empty if the run does not tell."""
    held_out, learned = _rows(explored)
    if held_out is None or learned is None:
        return ""
    return str(parts(held_out[row], learned[row]))


def parts_of(explored: Explored, rows: I64) -> list[str]:
    """The `part` of several documents, by one look."""
    held_out, learned = _rows(explored)
    if held_out is None or learned is None:
        return [""] * len(rows)
    found: list[str] = parts(held_out[rows], learned[rows]).tolist()
    return found


def _rows(explored: Explored) -> tuple[Bools | None, Bools | None]:
    moment, run = explored.moment, explored.shown.entry.background.run
    return _rows_at(moment.run_id, moment.snapshot.docs_seen, run, moment.corpus)


@st.cache_resource(show_spinner=False, max_entries=16)
def _rows_at(
    run_id: str, docs_seen: int, _run: Run, _corpus: Corpus
) -> tuple[Bools | None, Bools | None]:
    """Which documents are held out, and which were learned, each bool (D,)."""
    held_out = held_out_rows(_run, _corpus)
    return held_out, None if held_out is None else learned_rows(_run, held_out, docs_seen)
