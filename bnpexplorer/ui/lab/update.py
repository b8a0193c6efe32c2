"""The toy example of Wang & Blei 2012 (figure 2), to turn by hand."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F64
from ...explore.why import WeighedChoices
from ...lab.controls import PARAMETERS
from ...lab.toy import (
    CASES,
    Case,
    collapsed_log_odds,
    favoured,
    log_likelihoods,
    mean_field_log_odds,
    probability,
    word_probabilities,
)
from ...methods import METHODS
from ...plots.style import colour
from ...plots.toy import odds_figure, shared_range, words_figure
from ..frame import look
from ..parts import html
from ..parts.figure import live_figure, read_as_table
from ..seam.widgets import Place, set_widget
from . import demonstration, formula, pictures
from .formula import COLLAPSED, KEYS, MEAN_FIELD
from .parts import moved, note_moved
from .update_words import copies, decision, look_for, signed

START = CASES["B"]
MOST_COPIES = 20


def load_case() -> None:
    """Move the sliders to the case that was picked; the word count stays."""
    picked = st.session_state["lab_case"]
    if picked is not None:
        for name in ("n_words", "word", "rest", "common"):
            set_widget(KEYS[name], getattr(CASES[picked], name))
        note_moved("")


def draw_odds(case: Case, chosen: int, as_probability: bool, dark: bool) -> pd.DataFrame:
    """The two panels with their numbers; returns the table behind them."""
    counts = np.arange(1, MOST_COPIES + 1)
    documents = counts[:, None]
    odds = {
        MEAN_FIELD: mean_field_log_odds(documents, case.lam1, case.lam2),
        COLLAPSED: collapsed_log_odds(documents, case.lam1, case.lam2),
    }
    shown = 10 if chosen <= 10 else MOST_COPIES
    drawn = {name: (probability(x) if as_probability else x)[:shown] for name, x in odds.items()}
    panels = zip(st.columns(2, gap="medium"), odds, ("hdp-svi", "hdp-tsvi"), strict=True)
    for column, name, like in panels:
        with column:
            now = odds[name][chosen - 1]
            # An axis of its own: on mean field's, ten times as long, the collapsed line looks flat.
            y_range = (-0.19, 1.19) if as_probability else shared_range(drawn[name])
            st.metric(
                f"{name}, log odds at {copies(chosen)}",
                signed(now),
                decision(now),
                delta_color="off",
                delta_arrow="off",
            )
            figure = odds_figure(
                counts[:shown],
                drawn[name],
                favoured(odds[name][:shown]),
                chosen,
                y_range,
                name.lower(),
                METHODS[like].colour,
                dark,
                as_probability,
                look.text_size(),
            )
            strip = formula.RULES[name](case, chosen, float(now), moved())
            live_figure(
                figure,
                key=f"lab_{like}",
                height=27 * look.text_size(),
                alt=f"{name}: log odds of component 1 against component 2 for 1 to 20 copies of "
                "word 1. The numbers are in the table below.",
            )
            st.html(pictures.CSS + strip)
    scales = "" if as_probability else " The two vertical axes differ."
    st.caption(f"{formula.SYMBOLS} Framed: what the slider moved last has changed.{scales}")
    st.html(html.WEIGHED_CSS + weighed_table(case, chosen, dark))
    st.markdown(f"**What to look for.** {look_for(case, counts, *odds.values())}")
    table = pd.DataFrame({"copies of word 1": counts})
    for name, values in odds.items():
        table[f"{name.lower()} log odds"] = np.round(values, 12) + 0.0
        table[f"{name.lower()} probability"] = probability(values)
    return table


def weighed_table(case: Case, chosen: int, dark: bool) -> str:
    """What both updates weigh a document of `chosen` copies by; the table of every birth."""
    lams = (case.lam1, case.lam2)
    collapsed, mean = np.array([log_likelihoods(chosen, lam) for lam in lams]).T
    choices = [
        html.RowChoice(f"component {k}", "", colour(k - 1, dark)) for k in range(1, len(lams) + 1)
    ]
    return html.table(choices, WeighedChoices((1, 2), np.log([0.5, 0.5]), collapsed, mean))


def dirichlet_text(first: float, rest: float, n_words: int) -> str:
    parts = [f"{first:g}"] + [f"{rest:g}"] * min(n_words - 1, 2)
    if n_words > 3:
        parts = [f"{first:g}", f"{rest:g}", "…", f"{rest:g}"]
    return f"Dirichlet({', '.join(parts)})"


def choose_components() -> tuple[Case, list[Place]]:
    """The sliders of the two components, and above them the places of their pictures."""
    st.header("What is known of the two components")
    st.markdown(
        "Bars: how often each word is expected. Whiskers: where 90 % of the belief lies. "
        "Small parameters mean long whiskers, that is, a component about which little is known. "
        "The coloured bar is word 1."
    )
    columns = st.columns(2, gap="medium")
    pictures = [column.container() for column in columns]
    with columns[0]:
        word = parameter("Component 1: parameter of word 1", "word")
        rest = parameter("Component 1: parameter of every other word", "rest")
    with columns[1]:
        common = parameter("Component 2: parameter of every word", "common")
        n_words = st.slider(
            "Words in the vocabulary",
            2,
            50,
            START.n_words,
            key=KEYS["n_words"],
            on_change=note_moved,
            args=(KEYS["n_words"],),
            bind="query-params",
            persist_state="session",
            help="V in the paper, which has 10.",
        )
    return Case(n_words, word, rest, common), pictures


def parameter(label: str, name: str) -> float:
    value: float = st.select_slider(
        label,
        PARAMETERS,
        getattr(START, name),
        format_func=lambda x: f"{x:g}",
        key=KEYS[name],
        on_change=note_moved,
        args=(KEYS[name],),
        bind="query-params",
        persist_state="session",
        help="A Dirichlet parameter acts like a number of words already seen.",
    )
    return value


def draw_components(case: Case, pictures: list[Place], dark: bool) -> None:
    """The two Dirichlets as bars with whiskers, on one scale."""
    beliefs = [word_probabilities(case.lam1), word_probabilities(case.lam2)]
    upper = 1.05 * max(float(high.max()) for _, _, high in beliefs)
    texts = [
        dirichlet_text(case.word, case.rest, case.n_words),
        dirichlet_text(case.common, case.common, case.n_words),
    ]
    for k, (picture, belief, text) in enumerate(zip(pictures, beliefs, texts, strict=True), 1):
        with picture:
            st.markdown(f"**Component {k}** · {text}")
            live_figure(
                words_figure(*belief, upper, dark, look.text_size()),
                key=f"lab_component{k}",
                height=15 * look.text_size(),
                alt=f"Expected word probabilities of component {k} and their spread; numbers in "
                "the table.",
            )
            read_as_table(
                f"toy-component-{k}",
                partial(belief_table, *belief),
                note="Expected probability, and where 90 % of the belief lies.",
            )


def draw_reasons() -> None:
    st.header("Why it matters for growing a model")
    st.markdown(
        "A new topic has seen nothing yet, so its word probabilities are as uncertain as those of "
        "component 2. Mean field averages *logarithms*, and the logarithm of a probability that "
        "may be near zero is hugely negative: an uncertain topic is ruled out, and a model that "
        "could grow does not. The locally collapsed update averages the *probabilities* "
        "themselves, so that a new topic gets its fair chance, and truncation-free inference can "
        "open topics as the documents call for them."
    )
    with st.expander("The two formulas"):
        st.markdown("Mean field (Wang & Blei 2012, equation 5), linear in the word count $w$:")
        st.latex(
            r"w\,\bigl[\psi(\lambda_{11}) - \psi(\textstyle\sum_v \lambda_{1v})\bigr]"
            r" - w\,\bigl[\psi(\lambda_{21}) - \psi(\textstyle\sum_v \lambda_{2v})\bigr]"
        )
        st.markdown("Locally collapsed (equation 6), the ratio of the predictive probabilities:")
        st.latex(
            r"\sum_{j=0}^{w-1} \ln \frac{\lambda_{11}+j}{\sum_v \lambda_{1v}+j}"
            r" - \sum_{j=0}^{w-1} \ln \frac{\lambda_{21}+j}{\sum_v \lambda_{2v}+j}"
        )
        st.markdown(
            r"Both are log odds $\ln q(z=1) - \ln q(z=2)$ with equal prior weights; "
            r"$\lambda_{kv}$ is the parameter of word $v$ in component $k$ and $\psi$ the digamma "
            "function."
        )


def draw_table(case: Case, table: pd.DataFrame) -> None:
    columns = {"vocabulary": case.n_words, "component 1 word 1": case.word}
    columns |= {"component 1 other words": case.rest, "component 2 every word": case.common}
    read_as_table(
        "toy-log-odds",
        lambda: table.assign(**columns),
        note="Log odds of component 1 against component 2; probability of component 1.",
    )


def belief_table(mean: F64, low: F64, high: F64) -> pd.DataFrame:
    """The bars and whiskers of one component."""
    words = np.arange(1, len(mean) + 1)
    return pd.DataFrame({"word": words, "expected": mean, "from": low, "to": high})


def choose_document(case: Case) -> tuple[int, str]:
    """The paper's cases, the word count, and what the vertical axis shows."""
    st.session_state["lab_case"] = next((k for k, c in CASES.items() if c == case), None)
    left, right = st.columns(2, gap="medium")
    with left.container(horizontal=True, gap="medium"):
        st.segmented_control(
            "The paper's cases",
            list(CASES),
            format_func=lambda name: f"Case {name}",
            key="lab_case",
            on_change=load_case,
            help="Wang & Blei 2012, figure 2. A: component 1 hardly ever uses word 1. "
            "B: it uses word 1 like any other word.",
        )
        view = st.segmented_control(
            "Vertical axis",
            ["Log odds", "Probability"],
            default="Log odds",
            required=True,
            key="lab_view",
            bind="query-params",
            persist_state="session",
        )
    chosen = right.slider(
        "Copies of word 1 in the document",
        1,
        MOST_COPIES,
        5,
        key=KEYS["copies"],
        on_change=note_moved,
        args=(KEYS["copies"],),
        bind="query-params",
        persist_state="session",
    )
    return chosen, view


def show() -> Callable[[], str]:
    st.markdown(
        "A document holds one word, a few times over, and two components claim it. In the paper's "
        "cases component 1 is well known and component 2 hardly at all. **Which of them gets the "
        "document, and does the way of computing decide?**"
    )
    dark = look.is_dark()
    top, odds = st.container(), st.container()
    case, pictures = choose_components()  # first, since a link may set them; shown further down
    with top:
        chosen, view = choose_document(case)
    with odds:
        table = draw_odds(case, chosen, view == "Probability", dark)
    draw_components(case, pictures, dark)
    draw_reasons()
    draw_table(case, table)
    return lambda: demonstration.toy(case)
