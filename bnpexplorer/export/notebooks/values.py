"""What each kind of value shows of itself: HTML without scripts.

`values.html` has the tables.
"""

import math
from functools import partial, singledispatch
from typing import Any

import numpy as np

from ...compare import Comparison
from ...compare.rows import in_words, protocol_title, side_by_side
from ...compare.sequential import SequentialRuns
from ...core.display import passes_in_words, plural
from ...core.faults import NotNow
from ...core.html import Markup, joined, render
from ...corpus.corpus import Corpus
from ...evaluate import Score, between_starts, heaviest_words, perplexity
from ...methods import METHODS
from ...plots.style import shortened
from ...runs.run import Run
from ...state.moment import NO_WORDS, Moment
from ...state.snapshot import Topics
from ..pieces import (
    N_WORDS,
    DrawnRun,
    bar,
    curves,
    curves_of,
    inks,
    lead,
    level_of,
    protocol_sentence,
    table,
    title_of,
    topics_table,
)
from .card import card, quiet
from .watch import standing

draw = partial(render, "export/notebooks/values.html")

MOST = 20
"""Topics and words that are shown at most."""
FIRST = 5
"""Documents of a corpus that are shown."""


def html(value: Any) -> Markup:
    """Return the HTML of a value, or a sentence where its texts cannot be read now."""
    try:
        return _html(value)
    except NotNow as why:
        return card(type(value).__name__, quiet(str(why)))


@singledispatch
def _html(value: Any) -> Markup:
    raise TypeError(f"Nobody has said how a {type(value).__name__} shows itself.")


# ---- runs ----------------------------------------------------------------------------------------


@_html.register
def _run(run: Run) -> Markup:
    snapshot = standing(run)
    if snapshot is None:
        learns = f"{run.method.name} has not begun to learn {run.corpus.name}"
        how = "`run.step()` learns from a mini-batch, `run.watch()` from all, while you look."
        steps = f"{plural(run.corpus.n_docs, 'document')} to learn. {how}"
        return card(f"{learns}.", quiet(steps))
    moment = run.moment(snapshot)
    return card(
        title_of(run, moment),
        quiet(lead(run, moment)),
        curves(run, moment, level_of(run)),
        _topics_of(moment),
    )


@_html.register
def _moment(moment: Moment) -> Markup:
    seen = f"After {passes_in_words(moment.snapshot.docs_seen, moment.docs_in_pass)}."
    title = f"{moment.noun.capitalize()}s of {moment.corpus.name}"
    return card(title, quiet(seen), _topics_of(moment))


def _topics_of(moment: Moment, most: int = MOST) -> Markup:
    n = len(moment.in_use)
    if not n:
        return quiet(f"No {moment.noun} is in use yet.")
    return topics_table(moment, most) + _others(n - most, moment.noun)


def _others(n: int, noun: str) -> Markup:
    return quiet(f"… and {plural(n, f'smaller {noun}')}.") if n > 0 else Markup()


# ---- topics --------------------------------------------------------------------------------------


@_html.register
def _topics(topics: Topics) -> Markup:
    """List topics by their sizes; words without a vocabulary are called by their numbers."""
    n_words = topics.topic_word.shape[1]
    used = topics.by_size[topics.in_use[topics.by_size]]
    shown, shares = used[:MOST], topics.shares
    heavy = [heaviest_words(topics, int(k), N_WORDS) for k in shown]
    largest = float(shares[shown].max(initial=0.0))
    rows = []
    for look, (k, words) in enumerate(zip(shown, heavy, strict=True)):
        said = [topics.vocab[w] if len(topics.vocab) else f"word {w}" for w in words]
        rows.append(
            {
                "topic": topics.topic_ids[k],
                "bar": bar(float(shares[k]), largest, inks(look)),
                "share": f"{100 * shares[k]:.1f}",
                "top_words": " · ".join(said) or NO_WORDS,
            }
        )
    about = f"{len(topics)} are represented, over {plural(n_words, 'word')}."
    if not len(shown):
        return card("No topic is in use yet", quiet(about))
    return card(
        f"{plural(len(used), 'topic')} in use",
        quiet(about),
        draw("topics", rows=rows),
        _others(len(used) - MOST, "topic"),
    )


# ---- texts ---------------------------------------------------------------------------------------


@_html.register
def _corpus(corpus: Corpus) -> Markup:
    about = (
        f"{plural(corpus.n_docs, 'document')} with {plural(corpus.n_tokens, 'word')}, "
        f"{corpus.n_tokens / max(corpus.n_docs, 1):,.0f} in each on average; "
        f"{corpus.n_words:,} of them different."
    )
    return card(corpus.name, quiet(about), _words_of(corpus), _documents_of(corpus))


def _words_of(corpus: Corpus) -> Markup:
    totals, docs = corpus.word_totals, corpus.word_docs
    most = np.argsort(-totals, kind="stable")[:N_WORDS]
    largest = float(totals[most].max(initial=0))
    rows = [
        {
            "word": corpus.vocab[w],
            "bar": bar(float(totals[w]), largest, inks(0)),
            "times": f"{totals[w]:,}",
            "documents": f"{docs[w]:,}",
        }
        for w in most
    ]
    return draw("words", rows=rows)


def _documents_of(corpus: Corpus) -> Markup:
    """List the columns of the first few documents, but not their words."""
    some = corpus.take(np.arange(min(FIRST, corpus.n_docs))).docs.columns()
    heads = [name for name in ("id", "title", "date", "label") if name in some]
    if not heads:
        return Markup()
    rows = [
        [shortened(str(some[name][d]), 80) for name in heads] for d in range(len(some[heads[0]]))
    ]
    return draw("first_documents", table=table(heads, rows, len(heads)))


# ---- comparisons and scores ----------------------------------------------------------------------


@_html.register
def _comparison(comparison: Comparison) -> Markup:
    ground, rows = comparison.ground, comparison.inside
    own = [METHODS[row.method].colour for row in rows]
    slots = own if len({*own}) == len(own) else range(len(rows))  # no two runs of one colour
    drawn = [DrawnRun(row.name, row.moment, slot) for row, slot in zip(rows, slots, strict=True)]
    found = comparison.table()
    cells = [[in_words(value) for value in row.values()] for row in found]
    about = (
        f"{plural(ground.n_docs, 'document')}, {ground.n_heldout:,} held out, "
        f"{protocol_title(ground.protocol)}; the best held-out score first."
    )
    left_out = joined(quiet(f"{row.name} is left out: {why}.") for row, why in comparison.outside)
    level = ground.unigram if math.isfinite(ground.unigram) else None
    return card(
        f"{plural(len(rows), 'run')} on {ground.corpus}",
        quiet(about),
        left_out,
        curves_of(drawn, protocol_sentence(ground.protocol), level),
        draw("even", table=table(list(found[0]), cells, 2)),
    )


@_html.register
def _in_turn(several: SequentialRuns) -> Markup:
    statuses = [
        "failed" if i in several.failed else "finished" if run.done else "unfinished"
        for i, run in enumerate(several.runs)
    ]
    return _comparison(side_by_side(several.runs, statuses))


@_html.register
def _score(score: Score) -> Markup:
    facts = [f"As surprising as {perplexity(score):,.0f} words of equal probability (perplexity)."]
    if score.n_words:
        chance = f"{-math.log(score.n_words):.2f}".replace("-", "−")
        facts.append(f"By chance, all {score.n_words:,} words alike, it would be {chance}.")
        asked = f"{plural(score.n_tokens, 'word')} of {plural(score.n_docs, 'document')}"
        facts.append(f"Asked of {asked} that were held out.")
    if differs := between_starts(score.spread, score.n_docs):
        facts.append(f"{differs}.")
    value = f"{score:.4f}".replace("-", "−")
    said = filter(None, (protocol_sentence(score.protocol), *facts))
    return card(f"{value} log likelihood per held-out word", *map(quiet, said))
