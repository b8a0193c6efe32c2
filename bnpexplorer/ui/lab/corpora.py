"""Whole small corpora, drawn from a prior before anything is learned."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ...core.display import plural
from ...lab import draws
from ...models import MODELS
from ...plots.lab import HEIGHT, mixtures_figure, pictures_figure
from ..frame import look, pages, session
from ..parts.figure import live_figure, read_as_table
from ..parts.setting_up import choose_sample
from .parts import CONCENTRATIONS, SMALL_PRIORS, look_for, seed_input, setting, whole

N_DOCS, LENGTH, MOST_TOPICS = 12, 80, 18
NAMES = {"lda": "LDA", "hdp": "HDP", "dpm": "DP mixture", "gdp": "Gamma-DP"}
WORDS = {
    "lda": "a fixed number of topics, and every document mixes them afresh by a Dirichlet",
    "hdp": "endlessly many topics; the corpus uses some, and every document a few of those",
    "dpm": "endlessly many components, and every document belongs to one of them",
    "gdp": "an HDP whose α is drawn, too: it is the total mass of a gamma process, Gamma(γ, 1)",
}


def show() -> None:
    st.markdown(
        "A prior is a way to make corpora. Here are twelve documents made by it; words are the 25 "
        "pixels of a picture, so that topics can be looked at. **What do α, γ and η believe?**"
    )
    name = st.segmented_control(
        "Model",
        [m for m in NAMES if m in MODELS],
        format_func=lambda m: NAMES[m],
        default="hdp",
        required=True,
        key="lab_prior",
        bind="query-params",
        persist_state="session",
    )
    name = name or "hdp"
    st.caption(f"{NAMES[name]}: {WORDS[name]}.")
    columns = st.columns(4, gap="medium", vertical_alignment="bottom")
    settings: dict[str, float | int] = {}
    with columns[0]:
        settings["eta"] = setting(
            "Words (η)", SMALL_PRIORS, 0.1, "lab_prior_eta", "Smaller: a topic uses fewer words."
        )
    if name == "lda":
        with columns[1]:
            settings["n_topics"] = whole("Topics (K)", 2, MOST_TOPICS, 8, "lab_prior_topics")
    else:
        with columns[1]:
            settings["gamma"] = setting(
                "Corpus (γ)", CONCENTRATIONS, 3.0, "lab_prior_gamma", "Larger: more topics in all."
            )
    if name in ("lda", "hdp"):
        with columns[2]:
            settings["alpha"] = setting(
                "Documents (α)",
                CONCENTRATIONS,
                2.0 if name == "hdp" else 0.5,
                f"lab_prior_{name}_alpha",
                "Larger: a document mixes more topics.",
            )
    with columns[3]:
        seed = seed_input("lab_prior_seed")
    small = draws.draw(name, settings, N_DOCS, LENGTH, seed)
    _figures(small)
    _words(name, small)
    _to_learn()


def _to_learn() -> None:
    """Larger draws, whose topics are known, as texts to be learned like any others."""
    st.markdown("## Can a method find them again?")
    name = choose_sample("Larger draws, to learn from", "lab-drawn", drawn=True)
    if st.button("Learn from these", icon=":material/play_arrow:", key="lab-learn"):
        session.use_sample(name)
        pages.go_to("corpus")


def _pictures(pictures: np.ndarray, names: Sequence[str], per_row: int, key: str, alt: str) -> None:
    size = look.text_size()
    rows = -(-len(pictures) // per_row)
    live_figure(
        pictures_figure(pictures, names, per_row, look.is_dark(), size),
        key,
        round(7.4 * size) * rows,
        alt,
    )


def _figures(small: draws.Small) -> None:
    n_topics = len(small.topic_word)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## The topics, most used first")
        shown = small.topic_word[:MOST_TOPICS]
        _pictures(
            shown,
            [str(k + 1) for k in range(len(shown))],
            6,
            "lab_prior_pictures",
            "Each topic as a picture of 25 pixels; pixels of stronger colour are likelier words.",
        )
        if n_topics > MOST_TOPICS:
            st.caption(f"The {MOST_TOPICS} largest of {n_topics} topics.")
    with right:
        st.markdown("## What each document is made of")
        live_figure(
            mixtures_figure(small.doc_topic, look.is_dark(), look.text_size()),
            "lab_prior_mix",
            HEIGHT,
            "Twelve documents as stacked bars: the share of every topic in each.",
        )
    st.markdown("## The documents themselves")
    counts = small.corpus.to_csr().toarray().astype(np.float64)
    _pictures(
        counts,
        [str(d + 1) for d in range(len(counts))],
        12 if len(counts) > 6 else 6,
        "lab_prior_docs",
        "Each document as a picture: how often it has each of the 25 words.",
    )


def _words(name: str, small: draws.Small) -> None:
    each, words = draws.topics_for(small.doc_topic), draws.words_for(small.topic_word)
    facts = [
        f"{plural(len(small.topic_word), 'topic')} in all",
        f"{each.mean():.1f} make up 90 % of a document",
        f"{words.mean():.1f} of 25 words make up 90 % of a topic",
    ]
    moves = {
        "lda": "α spreads a document over topics; η spreads a topic over words.",
        "hdp": "γ brings more topics into the corpus, α more of them into each document, η more "
        "words into each topic.",
        "dpm": "γ brings more components; a document never mixes them, so each bar is whole.",
        "gdp": "γ does both: it brings more topics, and more mass, which mixes them.",
    }
    look_for(f"**{'; '.join(facts)}**. Move one slider at a time: {moves[name]}")
    frame = pd.DataFrame(
        small.doc_topic, columns=[f"topic {k + 1}" for k in range(small.doc_topic.shape[1])]
    )
    frame.insert(0, "document", np.arange(1, len(frame) + 1))
    read_as_table(f"drawn-from-{name}", lambda: frame)
