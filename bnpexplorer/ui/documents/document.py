"""One document under a fit: its words by topic and its proportions; or a pasted text."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F64
from ...corpus.occurrences import Found, find_words
from ...corpus.source import plural
from ...corpus.text import TextSettings
from ...explore.documents import counts_of, one_document
from ...plots.documents import HEIGHT, ROWS, proportions_figure
from ..frame.look import is_dark, text_size
from ..frame.server import Loaded
from ..frame.words import plain
from ..parts.figure import live_figure
from ..parts.tables import read_as_table
from . import marked
from .view import View

COUNTS_SHOWN = 300
"""Different words of a document without a text that are shown at first."""

NOT_LEARNED = {
    "held out": "**Held out**: this run never learned from it.",
    "not yet learned": "**Not yet learned**: the run had not come to it at this moment.",
}


@st.cache_resource(show_spinner=False, max_entries=16)
def found_in(run_id: str, text: str, settings: TextSettings, _index: Mapping[str, int]) -> Found:
    """The words of a text, found once as long as it is looked at."""
    return find_words(text, settings, _index)


def title_of(loaded: Loaded, row: int, length: int = 90) -> str:
    """The document's title, else its first words, its id or its number."""
    docs = loaded.corpus.docs
    for column in (docs.title, docs.text, docs.id):
        if column is not None and str(column[row] or "").strip():
            line = " ".join(str(column[row])[: 4 * length].split())
            return line if len(line) <= length else line[: length - 1].rstrip() + "…"
    return f"document {row + 1:,}"


def snippet_of(loaded: Loaded, row: int, length: int = 110) -> str:
    """How the text goes on after its title, or the commonest words where there is no text."""
    docs = loaded.corpus.docs
    title = title_of(loaded, row)
    if docs.text is not None and str(docs.text[row] or "").strip():
        line = " ".join(str(docs.text[row])[: 4 * length].split())
        if line[:60] == title[:60]:
            line = line[len(title) - 1 :].strip()
        return line if len(line) <= length else line[: length - 1].rstrip() + "…"
    counts = counts_of(loaded.corpus, row)
    return ", ".join(loaded.corpus.vocab[w] for w in sorted(counts, key=lambda w: -counts[w])[:8])


def facts_of(loaded: Loaded, row: int) -> list[str]:
    """Date, label and id, where there are any, in words."""
    docs = loaded.corpus.docs
    facts = []
    if docs.date is not None and not np.isnat(docs.date[row]):
        facts.append(str(docs.date[row].astype("datetime64[D]")))
    for column in (docs.label, docs.id):
        if column is not None and str(column[row] or "").strip():
            facts.append(str(column[row]))
    return facts


def document(view: View, row: int, theta: F64) -> None:
    """A document of the corpus."""
    corpus = view.loaded.corpus
    text = str(corpus.docs.text[row] or "") if corpus.docs.text is not None else ""
    counts = counts_of(corpus, row)
    facts = [f"document {row + 1:,} of {corpus.n_docs:,}", *facts_of(view.loaded, row)]
    facts.append(f"{sum(counts.values()):,} words that count")
    st.caption(plain(" · ".join(facts)))
    part = view.part(row)
    if part in NOT_LEARNED:
        st.markdown(f":material/visibility_off: {NOT_LEARNED[part]}")
    proportions(view, theta, "document-shares")
    only = _only(view, theta, f"document-only-{row}")
    if not text.strip() or view.settings is None:
        st.caption("These texts came as word counts, so their words stand here without order.")
        counted_words(view, counts, theta, only, f"document-all-{row}")
        return
    found = found_in(view.shown.entry.run_id, text, view.settings, view.index())
    coloured_text(view, text, found, theta, only, f"document-all-{row}")
    missed = sum(n for word, n in counts.items() if found.counts.get(word, 0) < n)
    if missed:
        st.caption(
            f"{missed:,} words that count were not found in the text: it was cut with settings "
            "that this run no longer knows."
        )


def proportions(view: View, theta: F64, key: str) -> None:
    """The shares as bars, with all of them as a table."""
    order = np.argsort(-theta, kind="stable")
    top = [int(k) for k in order[:ROWS] if theta[k] >= 0.005]
    unseen = max(1.0 - float(theta.sum()), 0.0)
    figure = proportions_figure(
        [view.identity(k) for k in top],
        [f"{view.identity(k)}  {view.name(k, 2)}" for k in top],
        [float(theta[k]) for k in top],
        max(float(theta.sum()) - float(theta[top].sum()), 0.0),
        unseen,
        is_dark(),
        text_size(),
    )
    what = "Probability of each cluster" if view.mixture else "Share of each topic"
    live_figure(figure, key, HEIGHT, f"{what} in this document; numbers in the table.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if view.mixture:
            st.caption("Which cluster it belongs to, and how surely: one long bar means no doubt.")
        else:
            st.caption("How the document divides among topics: one long bar, or a mixture of some.")
        _share_table(view, theta, unseen, key)


def _share_table(view: View, theta: F64, unseen: float, key: str) -> None:
    order = np.argsort(-theta, kind="stable")

    def frame() -> pd.DataFrame:
        rows = [(view.identity(int(k)), view.name(int(k), 5), float(theta[k])) for k in order]
        column = "probability" if view.mixture else "share"
        return pd.DataFrame([*rows, (-1, "not yet seen", unseen)], columns=["id", "words", column])

    read_as_table(key, frame)


def _only(view: View, theta: F64, key: str) -> int | None:
    """The identity of the one topic to colour; None: all."""
    if view.mixture:
        return None
    top = [view.identity(int(k)) for k in np.argsort(-theta)[:5] if theta[k] >= 0.01]
    key += f"-{view.shown.entry.run_id}-{view.snapshot.step}"  # other topics, other buttons
    head = view.shown.entry.labels.head
    chosen: int | None = st.pills(
        "Colour only",
        top,
        key=key,
        format_func=lambda i: plain(head(i)),
        help="Nothing chosen: all topics.",
    )
    return chosen


def coloured_text(
    view: View, text: str, found: Found, theta: F64, only: int | None, key: str
) -> None:
    """The text with the topic of each of its words."""
    end = marked.cut_place(text, found.occurrences)
    if end < len(text):
        label = f"Show all {len(text):,} letters (the first {end:,} are here)"
        if st.toggle(label, key=key):
            end = len(text)
    inside = [o for o in found.occurrences if o.stop <= end]
    given = view.words(theta, [o.word for o in inside])
    marks = [
        marked.Mark(o.start, o.stop, view.identity(int(k)), float(p))
        for o, k, p in zip(inside, given.topic, given.certainty, strict=True)
    ]
    shown = text[:end] + ("" if end == len(text) else " …")
    st.html(marked.css(is_dark()) + marked.marked_text(shown, marks, view.hint, only))
    _explain(view)


def counted_words(
    view: View, counts: Mapping[int, int], theta: F64, only: int | None, key: str
) -> None:
    """Word counts with the topic of each word, the most frequent first."""
    words = sorted(counts, key=lambda w: (-counts[w], w))
    if len(words) > COUNTS_SHOWN and not st.toggle(
        f"Show all {len(words):,} different words (the commonest {COUNTS_SHOWN} are here)", key=key
    ):
        words = words[:COUNTS_SHOWN]
    given = view.words(theta, words)
    vocab = view.loaded.corpus.vocab
    items = [
        (vocab[w], counts[w], view.identity(int(k)), float(p))
        for w, k, p in zip(words, given.topic, given.certainty, strict=True)
    ]
    st.html(marked.css(is_dark()) + marked.marked_counts(items, view.hint, only))
    _explain(view)


def _explain(view: View) -> None:
    if view.mixture:
        st.caption(
            "Every word belongs to the document's cluster, whose number stands at the first. The "
            "stronger the colour, the more the word speaks for this cluster and against the others."
        )
    else:
        st.caption(
            "Each word has its most probable topic, given this document's shares; a small number "
            "says which, and holds until the next one. The stronger the colour, the surer; plain "
            "words are not in the vocabulary. ? is a topic not yet seen."
        )


def own_text(view: View) -> None:
    """Paste a text and see what the fit makes of it."""
    settings = view.settings
    if settings is None:
        st.info("How these texts were cut into words is not known, so no other can be read.")
        return
    with st.form("documents-own-form", border=False):
        text = st.text_area(
            "A text of your own",
            height=180,
            key="documents-own",
            placeholder="Paste a text; its words are cut like those of the corpus.",
        )
        st.form_submit_button("Read it", type="primary", icon=":material/visibility:")
    if not text.strip():
        st.caption(
            "Nothing is learned from it and nothing is kept: the topics stay as they are, and only "
            "this text's shares are worked out."
        )
        return
    found = found_in(view.shown.entry.run_id, text, settings, view.index())
    n_known, n_unknown = sum(found.counts.values()), sum(found.unknown.values())
    if not found.counts:
        st.warning(
            "None of these words is in the vocabulary of these texts, so there is nothing to go "
            "by. Paste a longer text, or one on the same subjects.",
            icon=":material/info:",
        )
    else:
        theta = fold_in_one(view, found.counts)
        proportions(view, theta, "own-shares")
        only = _only(view, theta, "own-only")
        coloured_text(view, text, found, theta, only, "own-all")
    st.caption(
        f"{n_known:,} words that count · {n_unknown:,} not in the vocabulary · "
        f"{found.n_stop:,} stop words left out"
    )
    if found.unknown:
        read_as_table(
            "unknown-words",
            lambda: pd.DataFrame(list(found.unknown.items()), columns=["word", "times"]),
            label=plural(len(found.unknown), "unknown word"),
        )


def fold_in_one(view: View, counts: Mapping[int, int]) -> F64:
    """Proportions of a text under the explored topics: float64 (K,)."""
    model = view.shown.entry.background.run.method.model
    docs = one_document(counts, view.loaded.corpus)
    theta: F64 = model.fold_in(view.snapshot.topics, docs)[0]
    return theta
