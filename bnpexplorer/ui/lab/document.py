"""One document is assigned to topics, word by word, with every number of the formula."""

import numpy as np
import pandas as pd
import streamlit as st

from ...lab import document
from ...lab.document import DOCUMENT, HEARD, TOKENS, VOCAB, DocumentSettings, State, TokenTurn
from ...plots.style import QUIET, topic_colour
from ..frame import look
from ..parts.figure import read_as_table
from . import formula, pictures
from .formula import small
from .parts import CONCENTRATIONS, SMALL_PRIORS, look_for, moved, seed_input, setting
from .stepper import stepper

ROUNDS = 6


def show() -> None:
    st.markdown("**Which topic does each word take, and when does a new one open?**")
    columns = st.columns(4, gap="medium", vertical_alignment="bottom")
    with columns[0]:
        alpha = setting(
            "Document (α)",
            CONCENTRATIONS,
            2.0,
            "lab_doc_alpha",
            "Larger: what the document has taken already counts for less.",
        )
    with columns[1]:
        gamma = setting(
            "Corpus (γ)", CONCENTRATIONS, 2.0, "lab_doc_gamma", "Larger: new topics weigh more."
        )
    with columns[2]:
        eta = setting(
            "Words (η)",
            SMALL_PRIORS,
            0.1,
            "lab_doc_eta",
            "Smaller: a topic that does not know the word is less likely to take it.",
        )
    with columns[3]:
        seed = seed_input("lab_doc_seed", 1)  # the lesson on births tells of its draws
    violin = st.segmented_control(
        "“violin” in the other documents",
        HEARD,
        default=HEARD[0],
        required=True,
        key="lab_doc_violin",
        help="Once a known topic has the word, mean field hardly ever opens a new topic for it. "
        "With seed 11 the fifth word opens one by the collapsed rule.",
        bind="query-params",
        persist_state="session",
    )
    settings = DocumentSettings(alpha, gamma, eta, violin)
    most = ROUNDS * len(TOKENS)
    stepper("lab_doc", most, "Turn", lambda n: _draw(n, settings, seed))


def _name(topic: int) -> str:
    return {0: "topic 1, baking", 1: "topic 2, railway"}.get(topic, f"topic {topic + 1}, new")


def _draw(n: int, settings: DocumentSettings, seed: int) -> None:
    state, turn = document.sweep(n, settings, seed)
    dark = look.is_dark()
    st.html(pictures.CSS + pictures.words(_tokens(state, turn, dark)))
    if turn is None:
        st.info(
            "No word of the document has a topic yet. Press Step: the first word takes one.",
            icon=":material/info:",
        )
    else:
        _conditional(turn, settings, dark)
    st.markdown(
        "Four documents have their topics already, two on baking and two on railways. A fifth "
        "comes, half of it about a concert; its words are above."
    )
    counts = {_name(k): state.z.count(k) for k in state.counts}
    shares = ", ".join(f"{name}: {count}" for name, count in counts.items() if count)
    look_for(
        f"The words by topic now: {shares or 'none yet'}. Two factors decide: **how much the "
        f"document uses the topic**, and **how much the topic uses the word**. {_alone(settings)} "
        "in no other document: a topic without it has only η for it, a new "
        f"one 1/V = 1/{len(VOCAB)} = {1 / len(VOCAB):.3f}. {_of_violins(state, settings)}"
    )
    if turn is not None:
        read_as_table("assign-a-document", lambda: _frame(turn))
    with st.expander("The formula"):
        st.latex(
            r"p(z = k \mid \text{rest}) \;\propto\; (n_{dk} + \alpha \pi_k)\,"
            r"\frac{n_{kw} + \eta}{n_k + V \eta}, \qquad "
            r"p(z = \text{new} \mid \text{rest}) \;\propto\; \alpha\, \pi_{\text{new}}\,\frac{1}{V}"
        )
        st.markdown(
            "Teh, Jordan, Beal & Blei (2006), section 5.3. Counts leave out the word at hand: "
            "$n_{dk}$ words of the document in topic $k$, $n_{kw}$ times the topic has the word, "
            "$n_k$ words of the topic in all documents; $\\pi$ are the topics' weights in the "
            "corpus, of which a new topic breaks off its own."
        )
        st.markdown(
            "Both factors are averages, of what these counts say of the document and of the topic: "
            "$q(\\theta_d) = \\text{Dirichlet}(n_{dk} + \\alpha \\pi_k)$, for new topics "
            "$\\alpha \\pi_{\\text{new}}$, and $q(\\beta_k) = "
            "\\text{Dirichlet}(n_{kv} + \\eta)$. Mean field averages the logarithms under the same "
            "$q$ (Wang & Blei 2012, equation 5 for 6):"
        )
        st.latex(
            r"q(z = k) \;\propto\; \exp \psi(n_{dk} + \alpha \pi_k)\,"
            r"\exp\bigl[\psi(n_{kw} + \eta) - \psi(n_k + V \eta)\bigr]"
        )


def _alone(settings: DocumentSettings) -> str:
    """Which words no other document has, up to their verb."""
    if settings.violin == HEARD[0]:
        return "“violin” and “concert” each stand"
    return "“violin” stands once in topic 2, railway, and “concert” stands"


def _of_violins(state: State, settings: DocumentSettings) -> str:
    """What the topics that have a violin now say to another one."""
    heard = document.heard(state, VOCAB.index("violin"), settings)
    return " ".join(
        f"{_name(k).capitalize()}, has a violin now: to another one it says {term:.3f}."
        for k, term in heard.items()
    )


def _tokens(state: State, turn: TokenTurn | None, dark: bool) -> list[pictures.TokenPicture]:
    return [
        pictures.TokenPicture(
            f"{word} · {topic + 1}" if topic >= 0 else f"{word} · –",
            topic_colour(topic, dark) if topic >= 0 else QUIET[dark],
            turn is not None and turn.token == i,
        )
        for i, (word, topic) in enumerate(zip(DOCUMENT.split(), state.z, strict=True))
    ]


def _conditional(turn: TokenTurn, settings: DocumentSettings, dark: bool) -> None:
    """The word at hand: the rule with its numbers, and every choice by both rules."""
    terms, word = turn.terms, VOCAB[TOKENS[turn.token]]
    came = "had no topic yet" if turn.before < 0 else f"came from {_name(turn.before)}"
    st.markdown(f"## Word {turn.token + 1}, “{word}”: {came}, goes to {_name(turn.after)}")
    st.html(pictures.CSS + formula.both(turn, settings, moved()))
    rows = []
    for i, share in enumerate(terms.probability):
        new = i == len(terms.topics)
        first = (
            f"{terms.n_dk[i]} + {settings.alpha:g} × {terms.pi[i]:.3f} = "
            f"{terms.document_term[i]:.3f}"
        )
        second = (
            f"({terms.n_kw[i]} + {settings.eta:g}) / ({terms.n_k[i]} + {len(VOCAB)} × "
            f"{settings.eta:g}) = {terms.word_term[i]:.4f}"
        )
        third = " × ".join(small(np.exp(x[i])) for x in (terms.log_document, terms.log_word))
        name = "a new topic" if new else _name(terms.topics[i])
        ink = QUIET[dark] if new else topic_colour(terms.topics[i], dark)
        taken = turn.after not in terms.topics if new else turn.after == terms.topics[i]
        cells = (name, first, second, third)
        rows.append(pictures.Row(cells, float(share), ink, taken, float(terms.mean_field[i])))
    heads = (
        "choice",
        "document: n_dk + α π_k",
        "word: (n_kw + η) / (n_k + V η)",
        "mean field: document × word",
    )
    st.html(pictures.choices(heads, rows, ("collapsed", "mean field")))
    st.markdown(formula.difference(turn, settings))


def _frame(turn: TokenTurn) -> pd.DataFrame:
    terms = turn.terms
    return pd.DataFrame(
        {
            "choice": [*map(_name, terms.topics), "a new topic"],
            "n_dk": terms.n_dk,
            "pi_k": terms.pi,
            "n_kw": terms.n_kw,
            "n_k": terms.n_k,
            "document term": terms.document_term,
            "word term": terms.word_term,
            "probability": terms.probability,
            "mean field: log document term": terms.log_document,
            "mean field: log word term": terms.log_word,
            "mean field: probability": terms.mean_field,
        }
    )
