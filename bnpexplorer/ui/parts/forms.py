"""The form that makes a method: model, method, preset, the knobs that matter, and the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from ...core.knob import Knob, knobs_of, label_of
from ...corpus import Corpus
from ...evaluate import PROTOCOLS, default_protocol
from ...methods import METHODS, make_method
from ...methods.making import model_class, suggested_passes
from ...models import MODELS
from ...runs.limits import LARGEST_BATCH
from ...runs.run import Order
from ..frame.words import plain
from ..seam.number_field import number_field

MODEL_WORDS = {
    "hdp": "HDP: as many topics as the texts need",
    "gdp": "Gamma-DP: an HDP that finds by itself how documents mix topics",
    "lda": "LDA: a fixed number of topics",
    "dpm": "DP mixture: each document belongs to one cluster",
}

ORDERS: dict[Order, str] = {
    "shuffled": "shuffled, anew in every pass",
    "stream": "as a stream: once, by date, never looking back",
}


@dataclass(frozen=True)
class Choice:
    """A method ready to run, and how to run it."""

    method: Any
    seed: int
    batch_size: int
    passes: int
    n_heldout: int | None
    protocol: str
    """A key of `evaluate.PROTOCOLS`."""
    order: Order = "shuffled"


def default_choice(name: str, corpus: Corpus) -> Choice:
    """The method `name` as the form offers it for a corpus."""
    method = make_method(name)
    preset = method.presets["default"]
    passes = suggested_passes("default", preset, corpus.n_docs)
    protocol = default_protocol(method.model.name, corpus)
    return Choice(method, 0, preset.batch_size, passes, None, protocol)


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
    exact_names: bool = False,
) -> None:
    """The widgets of the knobs that are shown at once, or of the others (`more`), row by row.

    `exact_names`: label them as they are called in code, because people know them by those names.
    """
    shown = [(name, about) for name, _, about in knobs_of(settings) if about.more == more]
    shown.sort(key=lambda pair: isinstance(getattr(settings, pair[0]), bool))  # boxes come last
    for start in range(0, len(shown), n_columns):
        row = st.columns(n_columns, vertical_alignment="bottom")
        for column, (name, about) in zip(row, shown[start : start + n_columns], strict=False):
            words = replace(about, label=f"`{name}`") if exact_names else about
            with column:
                changed[name] = knob_input(name, getattr(settings, name), words, f"{key}-{name}")


def method_form(corpus: Corpus, key: str = "form") -> Choice | None:
    """Ask for a method; a `Choice` when the person presses the button, else None.

    Every field starts at the preset's value; another method or preset starts anew.
    """
    n_docs = corpus.n_docs
    models = [name for name in MODEL_WORDS if name in MODELS and methods_of(name)]
    model_name = st.radio(
        "Model", models, format_func=lambda m: MODEL_WORDS[m], key=f"{key}-model", horizontal=False
    )
    names = methods_of(model_name)
    default = next((i for i, n in enumerate(names) if n.endswith("tsvi")), len(names) - 1)
    left, right = st.columns(2)
    with left:
        name = st.selectbox(
            "Method",
            names,
            default,
            format_func=lambda n: f"{n}: {METHODS[n].title}",
            key=f"{key}-method-{model_name}",
        )
    method_class: Any = METHODS[name]
    presets = method_class.presets
    with right:
        preset_name = st.selectbox(
            "Settings",
            list(presets),
            format_func=lambda p: presets[p].title,
            key=f"{key}-preset-{name}",
            help="Ours suit a few thousand documents; the papers' are offered by name.",
        )
    preset = presets[preset_name]
    method = make_method(name, preset_name)
    at = f"{key}-{name}-{preset_name}"
    st.caption(f"Source: {method.source}")

    model_values: dict[str, Any] = {}
    knob_values: dict[str, Any] = {}
    settings_inputs(method.model, f"{at}-model", False, 3, model_values)
    problems: list[str] = []
    columns = st.columns(3)
    with columns[0]:
        batch_size = number_field(
            "Batch size (S)",
            1,
            LARGEST_BATCH,
            min(preset.batch_size, LARGEST_BATCH),
            problems,
            key=f"{at}-batch",
            help="The mini-batch: how many documents are read before the topics change.",
        )
    with columns[1]:
        once = method.batching == "once"
        passes = number_field(
            "Passes",
            1,
            1000,
            1 if once else suggested_passes(preset_name, preset, n_docs),
            problems,
            key=f"{at}-passes-{n_docs}",
            disabled=once,
            help="How often the whole corpus is read. This method reads it once, in its own order."
            if once
            else "How often the whole corpus is read.",
        )
    with columns[2]:
        seed = number_field(
            "Seed",
            0,
            2**31 - 1,
            0,
            problems,
            key=f"{key}-seed",
            help="The same seed gives the same numbers, here, on the command line and in Python.",
        )
    with st.expander("More settings"):
        settings_inputs(method, f"{at}-knob", False, 3, knob_values)
        settings_inputs(method, f"{at}-knob", True, 3, knob_values)
        settings_inputs(method.model, f"{at}-model", True, 3, model_values)
        largest = max(min(n_docs // 2, 2000), 1)
        known = [p for p in PROTOCOLS if model_name in PROTOCOLS[p].models]
        usual = default_protocol(model_name, corpus)
        order: Order = "shuffled"
        columns = st.columns(3)
        with columns[0]:
            n_heldout = number_field(
                "Held-out documents",
                1,
                largest,
                min(max(n_docs // 10, 1), 500, largest),
                problems,
                key=f"{key}-heldout-{n_docs}",
                help="Kept apart from learning, chosen at random by the seed; the score is theirs.",
            )
        protocol = columns[1].selectbox(
            "How they are scored",
            known,
            known.index(usual),
            key=f"{key}-protocol-{model_name}",
            format_func=lambda p: PROTOCOLS[p].title,
            help="Scores of different protocols cannot be compared.",
        )
        if method.batching == "shuffled":
            order = columns[2].selectbox(
                "Order of reading", list(ORDERS), format_func=lambda o: ORDERS[o], key=f"{at}-order"
            )
    try:
        made = make_method(name, preset_name, {**model_values, **knob_values})
    except ValueError as problem:
        st.error(plain(problem))
        return None
    if not sound(problems):
        return None
    if made.caution():
        st.warning(plain(made.caution()), icon=":material/warning:")
    if not st.button(
        "Watch it learn", type="primary", icon=":material/play_arrow:", key=f"{at}-go"
    ):
        return None
    return Choice(made, seed, batch_size, passes, n_heldout, protocol, order)
