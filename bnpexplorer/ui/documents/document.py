"""One document under a fit: its words by topic and its proportions; or a pasted text.

The shares of one document: in one line above its text, or as bars.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F64
from ...core.display import plural
from ...corpus import CorpusError
from ...corpus.words.occurrences import Occurrence, TextMatches
from ...explore.documents import counts_of, facts_of, one_document, word_support, word_topics
from ...explore.in_context import pattern_of, places
from ...plots.corpus import HEIGHT, LINE_HEIGHT, ROWS, proportions_figure, shares_in_a_line
from ...state.moment import Moment
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts import marked
from ..parts.explore import Explored
from ..parts.figure import live_figure, read_as_table
from ..parts.marked import found_in, settings_of
from .learned import part

COUNTS_SHOWN = 300
"""Different words of a document without a text that are shown at first."""

NOTHING = TextMatches((), {}, {}, 0)
"""Of a text that its pattern does not cut in time."""
NOT_LEARNED = {
    "held out": "**Held out**: this run never learned from it.",
    "not yet learned": "**Not yet learned**: the run had not come to it at this moment.",
}


def document(explored: Explored, row: int, theta: F64, sought: Sequence[str] = ()) -> None:
    """A document of the corpus, with the words `sought` marked where they stand."""
    moment, settings = explored.moment, settings_of(explored.loaded)
    corpus = explored.loaded.corpus
    text = str(corpus.docs.text[row] or "") if corpus.docs.text is not None else ""
    title = str(corpus.docs.title[row] or "") if corpus.docs.title is not None else ""
    counts = counts_of(corpus, row)
    facts = [f"document {row + 1:,} of {corpus.n_docs:,}", *facts_of(corpus, row)]
    facts.append(plural(sum(counts.values()), "word that counts", "words that count"))
    st.caption(plain(" · ".join(facts)))
    if (not_learned := NOT_LEARNED.get(part(explored, row))) is not None:
        st.markdown(f":material/visibility_off: {not_learned}")
    in_a_line(moment, theta, "document-shares")
    only = _only(moment, theta, f"document-only-{row}")
    if not text.strip() or settings is None:
        st.caption("These texts came as word counts, so their words stand here without order.")
        common = _commonest(counts, f"document-all-{row}")
        counted_words(moment, counts, common, theta, only)
        return
    try:
        found = found_in(moment, text, settings)
        in_title = found_in(moment, title, settings) if settings.titles else NOTHING
    except CorpusError as problem:
        st.info(plain(problem), icon=":material/info:")
        start, _ = _beginning(text, NOTHING, f"document-all-{row}")
        st.html(marked.css(is_dark()) + marked.marked_text(start, [], str))
        return
    shown, words = _beginning(text, found, f"document-all-{row}")
    coloured_text(moment, shown, words, theta, only, hits_in(moment, shown, words, sought))
    if missed := not_in_text(counts, found.counts, in_title.counts):
        st.caption(missed)


def not_in_text(
    counts: Mapping[int, int], in_text: Mapping[int, int], in_title: Mapping[int, int]
) -> str:
    """Where the words are that count and are not marked in the text, in words; "" of none."""
    missing = {word: n - in_text.get(word, 0) for word, n in counts.items()}
    missing = {word: n for word, n in missing.items() if n > 0}
    titles = sum(min(n, in_title.get(word, 0)) for word, n in missing.items())
    lost = sum(missing.values()) - titles
    said = []
    if titles:
        stand = "word that counts stands" if titles == 1 else "words that count stand"
        said.append(f"{titles:,} {stand} in the title.")
    if lost:
        said.append(
            f"{plural(lost, 'word that counts was', 'words that count were')} not found in the "
            "text: it was cut with settings that this run no longer knows."
        )
    return " ".join(said)


def _only(moment: Moment, theta: F64, key: str) -> int | None:
    """The identity of the one topic to colour; None: all."""
    if moment.mixture:
        return None
    top = [int(moment.topics.topic_ids[k]) for k in np.argsort(-theta)[:5] if theta[k] >= 0.01]
    key += f"-{moment.run_id}-{moment.snapshot.step}"  # other topics, other buttons
    chosen: int | None = st.pills(
        "Colour the words of one topic",
        top,
        key=key,
        format_func=lambda i: plain(moment.head(i)),
        help="One more click lets go of it: then the words of all topics are coloured.",
    )
    return chosen


def _beginning(text: str, found: TextMatches, key: str) -> tuple[str, list[Occurrence]]:
    """Of a long text the beginning, unless somebody wants all, and the words that stand there."""
    end = marked.cut_place(text, found.occurrences)
    if end < len(text):
        label = f"Show all {len(text):,} letters (the first {end:,} are here)"
        if st.toggle(label, key=key):
            end = len(text)
    shown = text[:end] + ("" if end == len(text) else " …")
    return shown, [o for o in found.occurrences if o.stop <= end]


def hits_in(
    moment: Moment, text: str, words: Sequence[Occurrence], sought: Sequence[str]
) -> list[tuple[int, int]]:
    """Where what was looked for stands: as it is written, and as a word of the vocabulary."""
    asked = {phrase for phrase in sought if phrase}
    own = {word for phrase in asked for word in (phrase, *phrase.split())}
    found = [(o.start, o.stop) for o in words if moment.vocab[o.word] in own]
    for phrase in asked:
        pattern = pattern_of(phrase)
        found += [] if pattern is None else places(text, pattern)
    return sorted(set(found))


def coloured_text(
    moment: Moment,
    text: str,
    words: Sequence[Occurrence],
    theta: F64,
    only: int | None,
    hits: Sequence[tuple[int, int]] = (),
) -> None:
    """The text with the topic of each of its words, and frames around the `hits`."""
    given = _topics_of_words(moment, theta, [o.word for o in words])
    marks = marked.with_hits(
        [marked.TextMark(o.start, o.stop, *g) for o, g in zip(words, given, strict=True)], hits
    )
    hint = partial(_hint, moment)
    st.html(marked.css(is_dark()) + marked.marked_text(text, marks, hint, only, moment.look))
    _explain(moment)


def _commonest(counts: Mapping[int, int], key: str) -> list[int]:
    """The words of a document, the most frequent first; of many the beginning, as for a text."""
    words = sorted(counts, key=lambda w: (-counts[w], w))
    if len(words) > COUNTS_SHOWN and not st.toggle(
        f"Show all {len(words):,} different words (the commonest {COUNTS_SHOWN} are here)", key=key
    ):
        words = words[:COUNTS_SHOWN]
    return words


def counted_words(
    moment: Moment, counts: Mapping[int, int], words: list[int], theta: F64, only: int | None
) -> None:
    """Word counts with the topic of each word."""
    given = _topics_of_words(moment, theta, words)
    items = [(moment.vocab[w], counts[w], *g) for w, g in zip(words, given, strict=True)]
    hint = partial(_hint, moment)
    st.html(marked.css(is_dark()) + marked.marked_counts(items, hint, only, moment.look))
    _explain(moment)


def _topics_of_words(moment: Moment, theta: F64, words: list[int]) -> list[tuple[int, float]]:
    """(topic, certainty) of each word of a document with proportions `theta`; -1: not yet seen."""
    assign = word_support if moment.mixture else word_topics
    given = assign(moment.topics, theta, np.array(words, np.int64))
    ids = np.append(moment.topics.topic_ids, -1)[given.topic]
    return list(zip(ids.tolist(), given.certainty.tolist(), strict=True))


def _hint(moment: Moment, topic: int) -> str:
    """A topic in words."""
    if topic < 0:
        return "no topic seen so far"
    return f"{moment.noun} {moment.head(topic)}"


def _explain(moment: Moment) -> None:
    if moment.mixture:
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


def own_text(explored: Explored) -> None:
    """Paste a text and see what the fit makes of it."""
    moment, settings = explored.moment, settings_of(explored.loaded)
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
    try:
        found = found_in(moment, text, settings)
    except CorpusError as problem:
        st.warning(plain(problem), icon=":material/info:")
        return
    n_known, n_unknown = sum(found.counts.values()), sum(found.unknown.values())
    if not found.counts:
        st.warning(
            "None of these words is in the vocabulary of these texts, so there is nothing to go "
            "by. Paste a longer text, or one on the same subjects.",
            icon=":material/info:",
        )
    else:
        theta = fold_in_one(moment, found.counts)
        proportions(moment, theta, "own-shares")
        only = _only(moment, theta, "own-only")
        coloured_text(moment, *_beginning(text, found, "own-all"), theta, only)
    st.caption(
        f"{plural(n_known, 'word that counts', 'words that count')} · {n_unknown:,} not in the "
        f"vocabulary · {plural(found.n_stop, 'stop word')} left out"
    )
    if found.unknown:
        read_as_table(
            "unknown-words",
            lambda: pd.DataFrame(list(found.unknown.items()), columns=["word", "times"]),
            label=plural(len(found.unknown), "unknown word"),
        )


def fold_in_one(moment: Moment, counts: Mapping[int, int]) -> F64:
    """Proportions of a text under the explored topics: float64 (K,)."""
    docs = one_document(counts, moment.corpus)
    theta = moment.model.fold_in(moment.snapshot.topics, docs)
    return np.asarray(moment.gathered(theta)[0], np.float64)


def in_a_line(moment: Moment, theta: F64, key: str) -> None:
    """The shares in one line, so that the text below is seen at once; all of them as a table."""
    what = "Probability of each cluster" if moment.mixture else "Share of each topic"
    largest = moment.topics.topic_ids[np.argsort(-theta, kind="stable")[:ROWS]].tolist()
    looks = [(moment.name(topic), moment.look(topic)) for topic in largest]
    live_figure(
        lambda: shares_in_a_line(moment, theta, is_dark(), text_size()),
        key,
        LINE_HEIGHT,
        f"{what} in this document; numbers in the table.",
        same=(moment.at, looks, theta, is_dark(), text_size()),
    )
    _share_table(moment, theta, key)


def proportions(moment: Moment, theta: F64, key: str) -> None:
    """The shares as bars, with all of them as a table."""
    figure = proportions_figure(moment, theta, is_dark(), text_size())
    what = "Probability of each cluster" if moment.mixture else "Share of each topic"
    live_figure(figure, key, HEIGHT, f"{what} in this document; numbers in the table.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if moment.mixture:
            st.caption("Which cluster it belongs to, and how surely: one long bar means no doubt.")
        else:
            st.caption("How the document divides among topics: one long bar, or a mixture of some.")
        _share_table(moment, theta, key)


def _share_table(moment: Moment, theta: F64, key: str) -> None:
    def frame() -> pd.DataFrame:
        order = np.argsort(-theta, kind="stable")
        ids = moment.topics.topic_ids[order].tolist()
        shares = zip(ids, theta[order].tolist(), strict=True)
        rows = [(topic, moment.name(topic), share) for topic, share in shares]
        unseen = max(1.0 - float(theta.sum()), 0.0)
        column = "probability" if moment.mixture else "share"
        return pd.DataFrame([*rows, (-1, "not yet seen", unseen)], columns=["id", "words", column])

    read_as_table(key, frame)
