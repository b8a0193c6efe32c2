"""What a step of a lesson sets up: texts, runs or a race, and a page as the step needs it.

The samples to choose from on the Start and Texts pages, and in the Lab.
"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...claims import Claim
from ...compare import Race, settings_of, told_apart
from ...compare.sequential import race_of
from ...corpus import Corpus
from ...lessons import SetUp
from ...runs.limits import check_memory
from ...runs.plan import Plan
from ...runs.registry import Entry
from ...samples import SAMPLES, load_sample
from ..frame import access, pages, server, session
from ..frame.words import plain
from ..seam.widgets import set_widget
from . import studies, to_topics
from .to_topics import turn_to_claim

PLACE = "_n"
"""How the names end of the places at which demonstrations stand."""


def offer(set_up: SetUp, key: str) -> None:
    """A button that does it and opens the page; what it does stands beside it."""
    try:
        words, facts = what_it_does(set_up)
    except ValueError as problem:  # a corpus that is not installed
        st.error(plain(problem))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            words, type="primary", icon=":material/play_circle:", key=f"set-up-{key}"
        )
        st.caption(facts, width="stretch")
    if pressed:
        do(set_up)


def offer_beside(set_up: SetUp) -> None:
    """On the step's own page: the same button before and after, so that it keeps the focus; none
    where there is nothing to do."""
    if only_opens(set_up) and not set_up.settings and not set_up.claim:
        return
    there = is_there(set_up)
    with st.container(key="lesson-done" if there else "lesson-to-do", gap="xsmall"):
        pressed = st.button(  # of one type, since another one loses the focus
            "Set it up again" if there else "**Set it up**",
            icon=f":material/{'restart_alt' if there else 'play_circle'}:",
            key="set-up-panel",
        )
        if not there:
            _say_what_it_does(set_up)
    if pressed:
        do(set_up)


def _say_what_it_does(set_up: SetUp) -> None:
    try:
        st.caption(what_it_does(set_up)[1])
    except ValueError as problem:  # a corpus that is not installed
        st.error(plain(problem))


def do(set_up: SetUp) -> None:
    """Set it up and open its page; says what stands in the way."""
    try:
        with st.spinner("Setting it up ..."):
            _do(set_up)
    except ValueError as problem:  # a corpus that is not installed, or too large a run
        st.error(plain(problem))
        return
    pages.go_to(set_up.page)


def at_first_look(set_up: SetUp) -> None:
    """In a new tab: a link that says the step alone shows its page as the step has it. Where the
    address says more, as after a reload, that stands; only where a demonstration stands it never
    says."""
    if not only_opens(set_up):
        return
    said = {*st.query_params}
    if set_up.claim and to_topics.IN_ADDRESS not in said:
        turn_to_claim(set_up.claim)
    alone = not said & {"lab_show", *dict(set_up.settings)}
    if set_up.show and alone:
        set_widget("lab_show", set_up.show)
    same = bool(set_up.show) and st.query_params.get("lab_show") == set_up.show
    for name, value in set_up.settings:
        if alone or (same and name.endswith(PLACE)):
            set_widget(name, value)


def misses_runs(set_up: SetUp) -> bool:
    """Whether it looks at the runs of an earlier step, and none is there."""
    return bool(set_up.of_step) and not session.shown_runs()


def only_opens(set_up: SetUp) -> bool:
    """Whether there is nothing to load or start: an earlier step's runs may be there already."""
    return not set_up.sample or bool(set_up.of_step and session.shown_runs())


def is_there(set_up: SetUp) -> bool:
    """Whether what it loads and starts is on this tab's pages already."""
    if only_opens(set_up):
        return True
    try:
        corpus = load_sample(set_up.sample).corpus
    except ValueError:  # it is not installed, which `offer` says
        return False
    loaded = session.loaded_corpus()
    if loaded is None or loaded.corpus.fingerprint != corpus.fingerprint:
        return False
    if set_up.race:
        return _race_of_tab(plans_of_race(set_up, corpus), loaded) is not None
    entries = [shown.entry for shown in session.shown_runs()]
    plans = _settled(set_up.runs, corpus)
    return all(any(_is_of(entry, plan, loaded) for entry in entries) for plan in plans)


def what_it_does(set_up: SetUp) -> tuple[str, str]:
    """Words for the button, and a sentence beside it. Raises ValueError as `do` says."""
    page = f"the {set_up.page_title} page"
    if only_opens(set_up):
        return f"Open {page}", "What the step needs is set there."
    corpus = load_sample(set_up.sample).corpus
    *others, last = ["", *_names(_settled(set_up.runs, corpus) or plans_of_race(set_up, corpus))]
    names = f"{', '.join(others[1:])} and {last}" if others[1:] else last
    starts = f", starts {'a race of ' if set_up.race else ''}{names}" if names else ""
    return "Set it up", f"Loads “{SAMPLES[set_up.sample].title}”{starts}, and opens {page}."


def _settled(plans: Sequence[Plan], corpus: Corpus) -> list[Plan]:
    """Plans with the numbers that their runs will have."""
    return [plan.settled(corpus) for plan in plans]


def plans_of_race(set_up: SetUp, corpus: Corpus) -> list[Plan]:
    """As `_settled`: the runs of a race read as often as its first."""
    plans = _settled(set_up.race, corpus)
    return [replace(plan, passes=plans[0].passes) for plan in plans]


def _names(plans: Sequence[Plan]) -> list[str]:
    """What the runs of settled plans are called."""
    return told_apart([plan.method.name for plan in plans], [settings_of(plan) for plan in plans])


def _do(set_up: SetUp) -> None:
    """Load and start; nothing starts if one of the runs would not fit. Raises ValueError.

    The page then shows the runs of the step and no others; one that is there already stays.
    """
    if set_up.show:
        set_widget("lab_show", set_up.show)
    for name, value in set_up.settings:
        set_widget(name, value)
    if set_up.claim:
        studies.leave("study", Claim)  # a study that goes on would stand in its place
        turn_to_claim(set_up.claim)
    if only_opens(set_up):
        return
    loaded = session.use_sample(set_up.sample)
    if set_up.race:
        _start_race(set_up, loaded)
        return
    plans = _settled(set_up.runs, loaded.corpus)
    for plan in plans:
        check_memory(plan.method, loaded.corpus)
    shown = session.shown_runs() if plans else []
    there = {id(s): next((p for p in plans if _is_of(s.entry, p, loaded)), None) for s in shown}
    for one in shown:
        if there[id(one)] is None:
            session.leave(one.entry.run_id)
            if one.owned and not one.entry.tabs:
                one.entry.background.pause()  # the step's runs need its place
    for plan, name in zip(plans, _names(plans), strict=True):
        if plan not in there.values():
            session.launch(plan, loaded, name)


def _is_of(entry: Entry, plan: Plan, loaded: server.LoadedCorpus) -> bool:
    """Whether a run on the page is what the settled plan of a step would start."""
    return (
        access.learns(entry, loaded)
        and Plan.of_run(entry.background.run) == plan
        and entry.background.status not in ("stopped", "failed")
    )


def _start_race(set_up: SetUp, loaded: server.LoadedCorpus) -> None:
    """Start it unless this tab has it; another one that the tab has pauses and is left."""
    plans = plans_of_race(set_up, loaded.corpus)
    for plan in plans:
        check_memory(plan.method, loaded.corpus)
    if _race_of_tab(plans, loaded) is not None:
        return
    run_id, secret = st.session_state["race"]
    entry = server.registry().get(run_id)
    if entry is not None:
        if server.registry().owned(run_id, secret):
            entry.background.pause()
        server.registry().detach(session.tab_id(), run_id)
    session.launch_together("race", race_of(plans, loaded.corpus), loaded)


def _race_of_tab(plans: Sequence[Plan], loaded: server.LoadedCorpus) -> Entry | None:
    """This tab's race, if it is that of these settled plans and has not broken off."""
    entry = server.registry().get(st.session_state["race"][0])
    if entry is None or not isinstance(entry.background.run, Race):
        return None
    same = [Plan.of_run(run) for run in entry.background.run.runs] == list(plans)
    sound = entry.background.status not in ("stopped", "failed")
    return entry if same and sound and access.learns(entry, loaded) else None


def choose_sample(label: str, key: str, drawn: bool = False) -> str:
    """The name of one of the samples: of those `drawn` from a prior, or of the others."""
    offered = {name: sample for name, sample in SAMPLES.items() if sample.drawn == drawn}
    name: str = st.radio(
        label,
        list(offered),
        format_func=lambda name: offered[name].title,
        captions=[sample.sentence for sample in offered.values()],
        key=key,
    )
    return name
