"""Words on the Topics page: those of one topic, where a word lives, and which to leave out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F64
from ...corpus import Corpus, CorpusError
from ...explore.words import find_words, most_relevant, overall, shares_of_word
from ...plots import topics as plots
from ...plots.style import shortened
from ...runs.plan import Plan
from ...state.moment import Moment
from ..frame import access, explore_or_study, pages, session
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.figure import live_figure, read_as_table
from ..parts.to_topics import FIRST_VIEW, VIEW, without
from ..seam.widgets import set_widget
from .in_context import word_in_texts

N_WORDS = 18
WORD_VIEW = "Words"
MOSTLY_FILLER = (
    " Most of its uses lie in filler, which is spread over all texts: other words tell them apart."
)
USUAL = 0.6
"""The weight of probability against what is a topic's own, by Sievert & Shirley 2014."""


def overall_of(corpus: Corpus) -> F64:
    """The share of every word in all texts: float64 (V,)."""
    return corpus.derived("overall", lambda: overall(corpus))


# ---- the words of one topic ----------------------------------------------------------------------


def _relevance() -> float:
    """The weight that a slider sets."""
    return st.slider(
        "Relevance (λ)",
        0.0,
        1.0,
        USUAL,
        0.1,
        key="topics-relevance",
        bind="query-params",
        persist_state="session",
        help="1: the most probable words. 0: those that are most of all this topic's own. In "
        "between: λ ln p(w | topic) + (1 − λ) ln [p(w | topic) / p(w)], Sievert & Shirley 2014, "
        "who found 0.6 to be read best.",
    )


def words_of_topic(moment: Moment, topic: int) -> None:
    """Bars of the most relevant words; a click picks a word."""
    weight = USUAL if explore_or_study.explores() else _relevance()
    probs = moment.shown_words(topic)
    p_word = overall_of(moment.corpus)
    ids = most_relevant(probs, p_word, weight, N_WORDS)
    if not len(ids):
        st.caption(
            f"This {moment.noun} holds no words now, so there is nothing to read. Hide it, or let "
            "the run go on."
        )
        return
    words = [moment.vocab[w] for w in ids]
    bars = {moment.vocab[w]: (float(probs[w]), float(p_word[w])) for w in ids}
    shown = (bars, moment.look(topic), is_dark(), text_size())
    live_figure(
        lambda: plots.words_figure(*shown),
        "topics-words",
        plots.rows_height(len(ids), text_size()),
        "Bars of the most relevant words of the topic; numbers in the table.",
        on_click=_pick,
        same=shown,
    )
    st.caption("Bar: probability in this topic. Upright line: share of all texts.")
    word_actions(moment, words)
    read_as_table("topics-words", lambda: _word_table(moment, topic, weight))


def _word_table(moment: Moment, topic: int, weight: float) -> pd.DataFrame:
    probs = moment.shown_words(topic)
    p_word = overall_of(moment.corpus)
    ids = most_relevant(probs, p_word, weight, 200)
    return pd.DataFrame(
        {
            "word": [moment.vocab[w] for w in ids],
            "probability in topic": probs[ids],
            "share of all texts": p_word[ids],
            "times likelier": probs[ids] / p_word[ids],
        }
    )


def _pick(word: str) -> None:
    st.session_state["explored-word"] = word


def word_actions(moment: Moment, words: list[str]) -> None:
    """A word, picked in the figure or here, and what can be done with it."""
    chosen = st.session_state.get("explored-word")
    key = "topics-word"
    st.session_state[key] = chosen if chosen in words else None
    word = st.selectbox(
        "Word",
        words,
        index=None,
        key=key,
        placeholder="click a bar, or choose here",
        on_change=lambda: _pick(st.session_state[key]),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Find it elsewhere",
            icon=":material/search:",
            key="topics-elsewhere",
            disabled=word is None,
            on_click=find_elsewhere,
            args=(word,),
            help="Its share over all topics",
        )
        stop_button(moment, word)


def stop_button(moment: Moment, word: str | None) -> None:
    if not access.may_read(moment.run_id):  # the texts are not this tab's to learn from
        return
    st.button(
        "Leave it out",
        icon=":material/playlist_remove:",
        key="topics-leave-out",
        disabled=word is None or word in words_to_leave(moment.run_id),
        on_click=_leave,
        args=(moment.run_id, word),
        help="Puts it on a list of words to learn again without",
    )


def find_elsewhere(word: str) -> None:
    """Turn to the view of one word."""
    st.session_state["explored-word"] = word
    set_widget("topics-search", word)
    set_widget(VIEW, WORD_VIEW)


# ---- one word over all topics --------------------------------------------------------------------


def word_view(explored: Explored) -> None:
    """Search for a word, and see which topics use it."""
    moment = explored.moment
    if "topics-search" not in st.session_state:
        st.session_state["topics-search"] = st.session_state.get("explored-word") or ""
    text = st.text_input(
        "Search the vocabulary",
        key="topics-search",
        placeholder="a word, or a part of one",
        max_chars=60,
        width=340,
        bind="query-params",
        persist_state="session",
    )
    if not text.strip():
        st.caption(f"{len(moment.vocab):,} words count in these texts; type some letters.")
        return
    found = find_words(moment.vocab, text)
    if not found:
        st.info(
            f"No word that counts holds “{plain(text)}”. It may be a stop word, too rare or too "
            "common; the Texts page lists what was left out.",
            icon=":material/search_off:",
        )
        word_in_texts(explored, text.strip(), None)
        return
    words = [moment.vocab[w] for w in found]
    chosen = words[0]
    if len(words) > 1:
        picked = st.pills(
            "Found", words, default=words[0], key=f"topics-found-{text}", format_func=plain
        )
        chosen = picked or words[0]
    _one_word(moment, chosen, found[words.index(chosen)])
    word_in_texts(explored, chosen, found[words.index(chosen)])


def _one_word(moment: Moment, word: str, w: int) -> None:
    share = shares_of_word(moment.topics, w)
    rows = [moment.row[i] for i in moment.ordered(True)]
    rows.sort(key=lambda k: -share[k])
    top = [k for k in rows[:15] if share[k] >= 0.001] or rows[:1]
    filler = {moment.row[i] for i in moment.filler}
    for some in (rows, top):
        some.sort(key=lambda k: k in filler)
    inside = moment.topics.topic_word[:, w].astype(np.float64)
    ids = moment.topics.topic_ids
    bars = {int(ids[k]): (float(share[k]), float(inside[k])) for k in top}
    st.markdown(f"## Which topics use it: {plain(shortened(word, 60))}")
    live_figure(
        plots.word_topics_figure(bars, moment, is_dark(), text_size()),
        "topics-of-word",
        plots.rows_height(len(bars), text_size()),
        "Bars of the share of each topic in the occurrences of one word; numbers in the table.",
        on_click=lambda topic: _open_topic(moment.run_id, topic),
    )
    p_word = float(overall_of(moment.corpus)[w])
    times = round(p_word * moment.corpus.n_tokens)
    documents = int(moment.corpus.word_docs[w])
    st.caption(
        f"The word occurs {times:,} times in {documents:,} documents. A bar is the chance that one "
        "of these belongs to the topic, by Bayes' rule with the topics' shares; click it for the "
        "topic's details." + (MOSTLY_FILLER if moment.filler_words[w] else "")
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        stop_button(moment, word)
        read_as_table(
            "topics-of-word",
            lambda: pd.DataFrame(
                {
                    "topic": ids[rows],
                    "name": [moment.name(int(i)) for i in ids[rows]],
                    "share of the word": share[rows],
                    "probability in topic": inside[rows],
                }
            ),
        )


def _open_topic(run_id: str, topic: int) -> None:
    st.session_state.setdefault("explored-topic", {})[run_id] = int(topic)
    set_widget(VIEW, FIRST_VIEW)


# ---- learning again without some words -----------------------------------------------------------


def words_to_leave(run_id: str) -> list[str]:
    """The words that were put on the list of this run."""
    kept: dict[str, list[str]] = st.session_state.setdefault("leave-out", {})
    return kept.get(run_id, [])


def _leave(run_id: str, word: str) -> None:
    kept = st.session_state.setdefault("leave-out", {})
    kept[run_id] = [*kept.get(run_id, []), word]


def leave_out_form(explored: Explored) -> None:
    """The words to leave out, once there are any, and the button that learns again."""
    run_id = explored.moment.run_id
    words = words_to_leave(run_id)
    if not words:
        return
    key = f"leave-out-{run_id}"
    st.session_state[key] = words

    def changed() -> None:
        st.session_state["leave-out"][run_id] = st.session_state[key]

    n = f"these {len(words)} words" if len(words) > 1 else "this word"
    with st.container(border=True, key="leaving"):
        st.multiselect("Words to leave out", words, key=key, on_change=changed)
        pressed = st.button(
            f"Learn again without {n}", type="primary", icon=":material/replay:", key="learn-again"
        )
        run = explored.shown.entry.background.run
        st.caption(
            f"The same texts without {n}, with {run.method.name} and the same settings, started "
            "anew on the Live page. This run leaves the page and is kept."
        )
    if pressed:
        try:
            with st.spinner("Counting words ..."):
                learn_again(explored, words)
        except (CorpusError, ValueError) as problem:
            st.error(plain(problem), icon=":material/error:")
            return
        st.session_state["leave-out"].pop(run_id)
        pages.go_to("live")


def learn_again(explored: Explored, words: list[str]) -> None:
    """Start the same method with the same seed on the corpus without `words`.

    Raises CorpusError or ValueError with a sentence; then nothing has changed.
    """
    if not explored.readable:
        raise ValueError(access.FOR_ITS_OWNER)
    old, run = explored.loaded, explored.shown.entry.background.run
    fresh = without(old, words)
    plan = Plan.of_run(run)
    if plan.n_heldout is not None:  # some texts may have lost all their words
        plan = replace(plan, n_heldout=min(plan.n_heldout, max(fresh.corpus.n_docs // 2, 1)))
    session.launch(plan, fresh)
    session.use_corpus(fresh)
