"""The form that makes a plan, by its fields: each stands in the plan, and what it offers depends on
the method, the texts and who asks."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bnpexplorer.core.knob import knob, knobs_of
from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import PROTOCOLS
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.base import can_begin
from bnpexplorer.methods.making import model_class
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.recommend import recommend
from bnpexplorer.ui.frame import explore_or_study, holding, session
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.parts import forms
from tests.tools.pages import button, check, field, small, texts
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.usefixtures("registry")


def form():
    import streamlit as st

    from bnpexplorer.ui.parts.forms import method_form

    plan = method_form(st.session_state["corpus"], "it", st.session_state["chains"])
    if plan is not None:
        st.session_state["plan"] = plan


def opened(chains=1, corpus=None):
    app = AppTest.from_function(form, default_timeout=NEVER)
    app.session_state["corpus"] = corpus or small().corpus
    app.session_state["chains"] = chains
    app.session_state["own"], app.session_state["held"] = {}, set()
    return check(app.run())


def with_method(app, model, name):
    check(field(app.radio, "Model").set_value(model).run())
    return check(field(app.selectbox, "Method").set_value(name).run())


def boxes(app):
    return {box.label: box for box in app.selectbox}


def test_every_field_stands_in_the_plan():
    app = with_method(opened(), "lda", "lda-svi")
    numbers = {
        "Topics (K)": 7,
        "Batch size (S)": 33,
        "Passes": 5,
        "Seed": 11,
        "Held-out documents": 21,
        "Minutes, 0: no limit": 2.5,
    }
    for label, value in numbers.items():
        check(field(app.number_input, label).set_value(value).run())
    protocol = boxes(app)["How they are scored"]
    other = next(name for name in protocol.options if name != PROTOCOLS[protocol.value].title)
    chosen = next(name for name, one in PROTOCOLS.items() if one.title == other)
    check(protocol.set_value(chosen).run())
    check(button(app, "Watch it learn").click().run())
    plan = app.session_state["plan"]
    assert (plan.method.name, plan.method.model.n_topics) == ("lda-svi", 7)
    assert (plan.batch_size, plan.passes, plan.seed, plan.n_heldout) == (33, 5, 11, 21)
    assert (plan.minutes, plan.until, plan.chains, plan.order) == (2.5, "passes", 1, "shuffled")
    assert plan.protocol == chosen
    assert plan.preset == "default"


NUMBERS = (int, float)


@pytest.mark.second
@pytest.mark.parametrize(("model", "name"), [("lda", "lda-svi"), ("dpm", "dpm-gibbs")])
def test_every_setting_of_the_model_and_of_the_method_stands_in_the_plan(model, name):
    """Each has a number of its own; boxes are ticked the other way."""
    app = with_method(opened(), model, name)
    usual, wanted = METHODS[name](), {}
    places = {"model": usual.model, "knob": usual}
    for place, settings in places.items():
        for one, _, about in knobs_of(settings):
            before = getattr(settings, one)
            if about.apart or about.share or type(before) not in (bool, *NUMBERS):
                continue
            key = f"it-{name}-default-{place}-{one}"
            kind = app.checkbox if isinstance(before, bool) else app.number_input
            value = not before if isinstance(before, bool) else type(before)(before * 1.25 + 1)
            if isinstance(before, float) and before < 1:
                value = before * 1.25
            next(widget for widget in kind if widget.key == key).set_value(value)
            wanted[place, one] = value
    check(button(check(app.run()), "Watch it learn").click().run())
    method = app.session_state["plan"].method
    found = {"model": method.model, "knob": method}
    assert {(place, one): getattr(found[place], one) for place, one in wanted} == wanted
    assert {place for place, _ in wanted} == {*places}


def test_all_settings_reach_the_plan_also_those_that_no_model_here_has(monkeypatch):
    """Of the model and of the method, shown at once and among the others."""
    reached, of = [], Plan.of

    def noted(settings, key, more, n_columns, changed):
        changed[settings.name, more] = key

    def plan(name, preset="default", values=None, **chosen):
        reached.append(values)
        return of(name, preset, {}, **chosen)

    monkeypatch.setattr(forms, "settings_inputs", noted)
    monkeypatch.setattr(forms, "Plan", SimpleNamespace(of=plan))
    with_method(opened(), "lda", "lda-svi")
    at = "it-lda-svi-default"
    assert reached[-1] == {
        ("lda", False): f"{at}-model",
        ("lda", True): f"{at}-model",
        ("lda-svi", False): f"{at}-knob",
        ("lda-svi", True): f"{at}-knob",
    }


def test_passes_are_suggested_for_those_that_are_not_held_out(monkeypatch):
    asked, run_inputs = [], forms.run_inputs
    monkeypatch.setattr(
        forms, "run_inputs", lambda usual, n, *rest: asked.append(n) or run_inputs(usual, n, *rest)
    )
    app = opened(corpus=Corpus.from_csr(np.ones((90, 2), int), ("a", "b")))
    heldout = field(app.number_input, "Held-out documents")
    assert asked == [90 - heldout.value]
    check(heldout.set_value(heldout.value + 7).run())
    assert asked[1] == asked[0] - 7


@pytest.mark.parametrize(
    ("model", "name"), [("hdp", "hdp-svi"), ("lda", "lda-batch"), ("dpm", "dpm-particle")]
)
def test_what_is_offered_is_what_the_method_can(model, name):
    method = METHODS[name]
    app = with_method(opened(), model, name)
    known = [one.title for one in PROTOCOLS.values() if model in one.models]
    assert boxes(app)["How they are scored"].options == known
    assert len(known) < len(PROTOCOLS)
    once = method.batching == "once"
    ends = boxes(app)["It ends when"]
    assert (len(ends.options) == 1) == ends.disabled == once
    passes = field(app.number_input, "Passes")
    assert passes.disabled == once
    assert ("This method reads them once" in passes.help) == once
    assert ("Order of reading" in boxes(app)) == (method.batching == "shuffled")


def test_without_an_end_by_passes_these_are_the_most():
    app = with_method(opened(), "dpm", "dpm-gibbs")
    assert field(app.number_input, "Passes")
    check(boxes(app)["It ends when"].set_value("settled").run())
    assert field(app.number_input, "Passes at most")
    check(button(app, "Watch it learn").click().run())
    assert app.session_state["plan"].until == "settled"


@pytest.mark.parametrize(
    ("n_docs", "most"), [(2, 1), (3, 1), (160, 80), (3999, 1999), (4000, 2000), (9000, 2000)]
)
def test_no_more_than_half_of_the_documents_are_held_out(n_docs, most):
    corpus = Corpus.from_csr(np.ones((n_docs, 2), int), ("a", "b"))
    app = opened(corpus=corpus)
    assert field(app.number_input, "Held-out documents").help.endswith(f" From 1 to {most:,}.")


def test_where_several_chains_are_asked_for_one_is_not_offered():
    app = opened(chains=3)
    chains = field(app.number_input, "Chains")
    assert (chains.value, chains.help.endswith("From 2 to 8.")) == (3, True)
    check(button(app, "Start the chains").click().run())
    assert app.session_state["plan"].chains == 3
    one = opened()
    assert field(one.number_input, "Chains").value == 1
    check(field(one.number_input, "Chains").set_value(2).run())
    assert button(one, "Start the chains")
    assert not [b for b in one.button if b.label == "Watch it learn"]


def test_the_reason_stands_beside_what_is_recommended_alone():
    """Another method has its usual settings, and another preset no reason."""
    best = recommend(small().corpus)
    said = f"Recommended for these texts: {best.reason}"
    app = opened()
    name = best.method.name
    assert field(app.selectbox, "Method").value == name
    assert said in texts(app.caption)
    method = METHODS[name]
    assert f"{method.title}. Source: {method.source}. " in texts(app.caption)
    other = next(preset for preset in method.presets if preset != best.preset)
    check(boxes(app)["Settings"].set_value(other).run())
    assert said not in texts(app.caption)
    check(button(app, "Watch it learn").click().run())
    assert app.session_state["plan"].preset == other
    check(field(app.selectbox, "Method").set_value("hdp-svi").run())
    assert boxes(app)["Settings"].value == "default"


@dataclass(frozen=True)
class Settings:
    """Settings of every kind of knob."""

    yes: bool = knob(False, help="Whether.")
    size: int = knob(3, 1, 9, "How many.", symbol="S")
    kind: str = knob("b", help="Which.", choices=("a", "b"))
    rate: float = knob(0.5, 0.0, 1.0, "How fast.", label="Pace")
    rare: int = knob(4, 1, 9, "Seldom asked.", more=True)
    own: int = knob(5, 1, 9, "Of a form of its own.", apart=True)
    least: str = knob("2", help="A share.", share=True)


@pytest.mark.parametrize("more", [False, True])
def test_knobs_have_their_widgets_in_their_order(monkeypatch, more):
    drawn, rows = [], []
    monkeypatch.setattr(st, "columns", lambda n, **_: rows.append(n) or [nullcontext()] * n)
    kinds = ("selectbox", "checkbox", "text_input", "number_input")
    for kind in kinds:

        def widget(label, *given, kind=kind, value=None, **options):
            drawn.append((kind, label, options["help"], options["key"]))
            return given[-1] if given else value

        monkeypatch.setattr(st, kind, widget)
    changed = {}
    forms.settings_inputs(Settings(), "it", more, 2, changed, elsewhere=["least"])
    if more:
        assert drawn == [("number_input", "Rare", "Seldom asked.", "it-rare")]
        assert rows == [2]
        return
    assert drawn == [
        ("number_input", "Size (S)", "How many.", "it-size"),
        ("selectbox", "Kind", "Which.", "it-kind"),
        ("number_input", "Pace", "How fast.", "it-rate"),
        ("checkbox", "Yes", "Whether.", "it-yes"),
    ], "boxes come last"
    assert rows == [2, 2]
    assert changed == {"size": 3, "kind": 1, "rate": 0.5, "yes": False}
    drawn.clear()
    forms.settings_inputs(Settings(), "it", False, 5, {}, names_in_help=True)
    assert [told for _, _, told, _ in drawn][:2] == [
        "How many. In Python: `size`.",
        "Which. In Python: `kind`.",
    ]
    assert drawn[-2][:2] == ("text_input", "Least")


def test_it_begins_at_saved_runs_that_have_learned_something(monkeypatch):
    offered = []
    runs = [
        SimpleNamespace(run_id=f"run {n}", name=f"*{n}*", facts={"docs_seen": n}) for n in (0, 7, 9)
    ]
    monkeypatch.setattr(holding, "saved_runs", lambda: runs)

    def box(_, options, format_func, **__):
        offered.append([format_func(i) for i in options])
        return "run 9"

    monkeypatch.setattr(st, "selectbox", box)
    found = forms._beginning_input(Plan.of("hdp-gibbs"), "it")
    assert found is runs[2]
    assert offered == [["none: as the settings say", "\\*7\\*", "\\*9\\*"]]
    cannot = next(name for name, method in METHODS.items() if not can_begin(method()))
    assert forms._beginning_input(Plan.of(cannot), "it") is None
    assert len(offered) == 1


def library(load):
    """A server whose library reads runs so."""
    return SimpleNamespace(library=lambda: SimpleNamespace(load=load))


def test_a_plan_begins_at_the_topics_of_a_run_by_its_saved_name(registry, monkeypatch):
    plan = Plan.of("hdp-gibbs")
    assert forms._begun(plan, None) is plan
    asked, said = [], []
    run = Plan.of("hdp-tsvi", passes=1).split_and_start(small().corpus)
    run.step()

    def load(run_id, to_go_on):
        asked.append((run_id, to_go_on))
        return run

    monkeypatch.setattr(forms, "server", library(load))
    saved = SimpleNamespace(run_id="it", name="given since")
    found = forms._begun(plan, saved)
    assert asked == [("it", False)], "it does not go on here"
    assert "given since" in found.start_from.said
    monkeypatch.setattr(st, "error", said.append)

    def damaged(run_id, to_go_on):
        raise ValueError("The run *it* is damaged.")

    monkeypatch.setattr(forms, "server", library(damaged))
    assert forms._begun(plan, saved) is None
    assert said == ["The run \\*it\\* is damaged."]


def test_one_button_starts_what_is_recommended_and_ends_the_choice(monkeypatch):
    state, launched, said = {"choosing": True, explore_or_study.KEPT: "Study"}, [], []
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "error", said.append)
    pressed = [False]
    monkeypatch.setattr(st, "button", lambda *_, **__: pressed[0])
    monkeypatch.setattr(session, "launch", lambda plan, loaded: launched.append((plan, loaded)))
    loaded = small()
    assert not forms.find_topics(loaded, "it")
    pressed[0] = True
    assert forms.find_topics(loaded, "it")
    assert launched == [(recommend(loaded.corpus), loaded)]
    assert state == {explore_or_study.KEPT: "Explore"}

    def refuse(plan, loaded):
        raise ValueError("too *few*")

    monkeypatch.setattr(session, "launch", refuse)
    state |= {"choosing": True, explore_or_study.KEPT: "Study"}
    assert not forms.find_topics(loaded, "it")
    assert said == ["too \\*few\\*"]
    assert state == {"choosing": True, explore_or_study.KEPT: "Study"}


def test_the_reason_of_a_plan_begins_with_a_capital_and_without_its_method():
    plan = replace(Plan.of("hdp-svi"), reason="hdp-svi: a *stream* is read once.")
    assert forms.why_of(plan) == "A \\*stream\\* is read once."
    assert forms.title_of("hdp-svi") == f"{METHODS['hdp-svi'].in_words}: hdp-svi"


CAUTIOUS = [name for name, method in METHODS.items() if method.too_short]


def of_length(n_words):
    """Sixty documents of so many words each."""
    counts = np.full((60, 3), n_words // 3)
    counts[:, 0] += n_words % 3
    return Corpus.from_csr(counts, ("a", "b", "c"))


@pytest.mark.parametrize("name", CAUTIOUS)
def test_texts_too_short_for_a_method_are_told_beside_its_form(name):
    method, model = METHODS[name], model_class(METHODS[name]).name
    short, long = (of_length(n) for n in (method.too_short - 1, method.too_short))
    said = Plan.of(name).caution(short)
    assert f"fewer than {method.too_short} words" in said
    warned = [warning.value for warning in with_method(opened(corpus=short), model, name).warning]
    assert warned == [plain(said)]
    assert not with_method(opened(corpus=long), model, name).warning


def test_what_is_recommended_for_short_texts_has_no_caution():
    assert not opened(corpus=of_length(3)).warning
