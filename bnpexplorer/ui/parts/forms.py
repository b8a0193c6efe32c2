"""The form that makes a plan: model, method, preset, the knobs that matter, and the rest.

The one button that starts what is recommended for the texts at hand.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from ...core.knob import Knob, knobs_of, label_of
from ...core.store import StoreError
from ...corpus import Corpus, CorpusError
from ...methods import METHODS
from ...methods.base import can_begin, said_of_threads
from ...methods.making import model_class
from ...models import MODELS
from ...runs.beginning import Beginning
from ...runs.plan import Plan, words_each
from ...runs.recommend import UNITS, recommend
from ...runs.saved.rows import Saved
from ..frame import explore_or_study, holding, server, session
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from .run_inputs import heldout_inputs, heldout_key, run_inputs, threads_input

MODEL_WORDS = {
    "hdp": "HDP: topics open and close as it learns",
    "gdp": "Gamma-DP: an HDP that finds by itself how documents mix topics",
    "lda": "LDA: a fixed number of topics",
    "dpm": "DP mixture: each document belongs to one cluster",
}


def methods_of(model: str) -> list[str]:
    """Registry names of the methods for a model, in the order of the form."""
    return [name for name, method in METHODS.items() if model_class(method) is MODELS[model]]


def sound(problems: Sequence[str]) -> bool:
    """Whether a form may start; else it says what is wrong."""
    if problems:
        st.error(" ".join(problems))
    return not problems


def knob_input(name: str, value: Any, about: Knob, key: str) -> Any:
    """The widget of one knob, started at `value`."""
    label = label_of(name, about)
    if about.symbol:
        label += f" ({about.symbol})"
    if about.choices:
        choices = list(about.choices)
        return st.selectbox(label, choices, choices.index(value), help=about.help, key=key)
    if isinstance(value, bool):
        return st.checkbox(label, value, help=about.help, key=key)
    if isinstance(value, str) or about.share:
        return st.text_input(label, str(value), help=about.help, key=key)
    whole = isinstance(value, int)  # without bounds, as in `number_field`: the method checks them
    return st.number_input(
        label,
        value=value,
        step=1 if whole else None,
        format=None if whole else "%g",
        help=about.help,
        key=key,
    )


def settings_inputs(
    settings: Any,
    key: str,
    more: bool,
    n_columns: int,
    changed: dict[str, Any],
    names_in_help: bool = False,
    elsewhere: Collection[str] = (),
) -> None:
    """The widgets of the knobs that are shown at once, or of the others (`more`), row by row.

    `names_in_help`: say beside each field what it is called in code, because some people know it by
    that name; `elsewhere`: knobs that have another widget, or none.
    """
    shown = [
        (name, about)
        for name, _, about in knobs_of(settings)
        if about.more == more and not about.apart and name not in elsewhere
    ]
    shown.sort(key=lambda pair: isinstance(getattr(settings, pair[0]), bool))  # boxes come last
    for start in range(0, len(shown), n_columns):
        row = st.columns(n_columns, vertical_alignment="bottom")
        for column, (name, about) in zip(row, shown[start : start + n_columns], strict=False):
            words = about
            if names_in_help:
                words = replace(about, help=f"{about.help} In Python: `{name}`.")
            with column:
                changed[name] = knob_input(name, getattr(settings, name), words, f"{key}-{name}")


def method_form(corpus: Corpus, key: str = "form", chains: int = 1) -> Plan | None:
    """Ask for a method and how to run it; a `Plan` when the person presses the button, else None.

    `chains`: how many it starts with; where these are several it asks for no single run.

    It starts with the plan that is recommended for the texts. Every field of another method or
    preset starts at the preset's value.
    """
    name, preset = _method_inputs(corpus, key)
    usual = Plan.of(name, preset)
    for best in _offers(corpus).values():
        if (best.method.name, best.preset) == (name, preset):
            usual = replace(best, reason="")
    at = f"{key}-{name}-{preset}"
    st.caption(
        f"{usual.method.title}. Source: {usual.method.source}. {said_of_threads(usual.method)}"
    )
    try:
        n_heldout = corpus.n_docs - usual.n_to_learn(corpus)
    except CorpusError as problem:  # nothing can be held out
        st.error(plain(problem))
        return None
    values: dict[str, Any] = {}
    problems: list[str] = []
    settings_inputs(usual.method.model, f"{at}-model", False, 3, values)
    chosen_heldout = st.session_state.get(heldout_key(corpus, key), n_heldout)
    n_to_learn = max(corpus.n_docs - chosen_heldout, 1)
    chosen = run_inputs(
        usual, n_to_learn, words_each(corpus), key, f"{at}-{corpus.n_docs}", chains, problems
    )
    with st.expander("More settings"):
        settings_inputs(usual.method, f"{at}-knob", False, 3, values)
        settings_inputs(usual.method, f"{at}-knob", True, 3, values)
        settings_inputs(usual.method.model, f"{at}-model", True, 3, values)
        chosen |= heldout_inputs(usual, corpus, n_heldout, key, at, problems)
        begin_at = _beginning_input(usual, at)
        threads_input(key, problems)
    if not sound(problems):
        return None
    try:
        plan = Plan.of(name, preset, values, **chosen)
    except ValueError as problem:
        st.error(plain(problem))
        return None
    if said := plan.caution(corpus):
        st.warning(plain(said), icon=":material/warning:")
    words, icon = ("Watch it learn", "play_arrow")
    if plan.chains > 1:
        words, icon = ("Start the chains", "flag")
    pressed = st.button(words, type="primary", icon=f":material/{icon}:", key=f"{at}-go")
    return _begun(plan, begin_at) if pressed else None


def _beginning_input(usual: Plan, at: str) -> Saved | None:
    """The saved run at whose topics it begins; None: where its settings say."""
    try:
        saved = {s.run_id: s for s in holding.saved_runs() if s.facts["docs_seen"]}
    except StoreError:  # the Runs page says what is wrong with them
        saved = {}
    if not (saved and can_begin(usual.method)):
        return None
    chosen = st.selectbox(
        "Begin at the topics of a saved run",
        ["", *saved],
        format_func=lambda i: plain(saved[i].name) if i else "none: as the settings say",
        key=f"{at}-begin",
        help="Topics are matched by their words, so that the run may have learned other texts, by "
        "any method. This replaces the start among the settings.",
    )
    return saved.get(chosen)


def _begun(plan: Plan, saved: Saved | None) -> Plan | None:
    """The plan, beginning at the topics of `saved`; None, and why, if they cannot be read."""
    if saved is None:
        return plan
    try:
        run = server.library().load(saved.run_id, to_go_on=False)
        return replace(plan, start_from=Beginning.of(run, saved.name))
    except ValueError as problem:
        st.error(plain(problem))
        return None


def _offers(corpus: Corpus) -> dict[str, Plan]:
    """Model -> the plan with which its part of the form starts; what is recommended comes first."""
    best = {plan.method.model.name: plan for plan in (recommend(corpus, unit) for unit in UNITS)}
    for model in MODEL_WORDS:
        if model not in best and (names := methods_of(model)):
            best[model] = Plan.of(next((n for n in names if METHODS[n].offered_first), names[0]))
    return best


def title_of(name: str) -> str:
    """A method where one is chosen: what it does in plain words, then its name."""
    method = METHODS[name]
    return f"{method.in_words or method.title}: {name}"


def _method_inputs(corpus: Corpus, key: str) -> tuple[str, str]:
    """Model, method and settings: the names of the method and of its preset.

    They start anew for texts for which something else is recommended.
    """
    offers = _offers(corpus)
    models, first = [name for name in MODEL_WORDS if name in offers], next(iter(offers))
    model_name = st.radio(
        "Model",
        models,
        models.index(first),
        format_func=lambda m: MODEL_WORDS[m],
        key=f"{key}-model-{first}",
        horizontal=False,
    )
    names, offer = methods_of(model_name), offers[model_name]
    left, right = st.columns(2)
    with left:
        name = st.selectbox(
            "Method",
            names,
            names.index(offer.method.name),
            format_func=title_of,
            key=f"{key}-method-{model_name}-{offer.method.name}",
        )
    presets = METHODS[name].presets
    usual = offer.preset if name == offer.method.name else "default"
    with right:
        preset = st.selectbox(
            "Settings",
            list(presets),
            list(presets).index(usual),
            format_func=lambda p: presets[p].title,
            key=f"{key}-preset-{name}-{usual}",
            help="Ours suit a few thousand documents; the papers' are offered by name.",
        )
    if offer.reason and (name, preset) == (offer.method.name, offer.preset):
        st.caption(f"Recommended for these texts: {offer.reason}")
    return name, preset


FIND = "Find the topics"


def find_topics(loaded: LoadedCorpus, key: str) -> bool:
    """The button; whether it has just started a run, which the Live page shows, topics first."""
    if not st.button(FIND, type="primary", icon=":material/play_arrow:", key=key):
        return False
    try:
        session.launch(recommend(loaded.corpus), loaded)
    except ValueError as problem:  # too few texts, too large for this machine, no place in a class
        st.error(plain(problem))
        return False
    explore_or_study.explore()
    st.session_state.pop("choosing", None)
    return True


def say_why(loaded: LoadedCorpus) -> None:
    """Why the button starts what it starts, in a line beside it; the method's name in its hint."""
    plan = recommend(loaded.corpus)
    name = plan.method.name
    if plan.reason:
        st.markdown(why_of(plan), width="stretch", help=plain(f"{METHODS[name].in_words}: {name}"))


def why_of(plan: Plan) -> str:
    """The reason of a recommended plan, without the method's name."""
    reason = plan.reason.removeprefix(f"{plan.method.name}: ")
    return plain(f"{reason[:1].upper()}{reason[1:]}")
