"""A sweep on the Compare page: choose a grid, run it in the queue, see it with its spread."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from ..background import ENDED
from ..claims import Study
from ..compare.sweep import BATCH_SIZE, Axis, Sweep, sweepable, sweeps_folder, values_of
from ..corpus import Corpus
from ..methods import METHODS
from ..plots.claims import HEIGHT
from ..registry import Entry
from . import session
from .claims import estimate, table
from .figure import live_figure
from .live import STATUS_WORDS
from .look import is_dark, text_size
from .race import texts_at_hand
from .session import Loaded
from .tables import csv_bytes

FIRST_VALUES: Mapping[str, str] = {
    BATCH_SIZE: "8, 64, 512", "kappa": "0.5, 0.7, 0.9", "truncation": "10, 50, 200",
    "gamma": "1, 5, 20", "alpha": "1, 5, 20", "eta": "0.02, 0.1, 0.5", "tau": "1, 64, 1024",
}  # fmt: skip
"""What the form proposes; of other settings their default alone."""


def sweep_view() -> None:
    """The sweep of this tab, or the form that starts one and what was found before."""
    running = _current()
    if running is not None:
        _watch(*running)
        return
    st.markdown(
        "One method over a small grid of one or two settings, each trial repeated with several "
        "seeds and all of them learning for the same seconds, as in the papers."
    )
    loaded = texts_at_hand()
    if loaded is None:
        return
    study = _form(loaded.corpus)
    if study is not None:
        _begin(study, loaded)
        st.rerun()
    _found_before(loaded)


# ---- choosing ------------------------------------------------------------------------------------


def _form(corpus: Corpus) -> Study[Sweep] | None:
    """Ask for method, settings, time and seeds; the study when the button is pressed."""
    names = list(METHODS)
    method = st.selectbox(
        "Method", names, names.index("hdp-svi"), key="sweep-method",
        format_func=lambda name: f"{name}: {METHODS[name].title}",
    )  # fmt: skip
    across = _axis_inputs(method, "Along the axis", "across", BATCH_SIZE, False)
    lines = _axis_inputs(method, "One line each", "lines", "", True)
    columns = st.columns(2)
    minutes = columns[0].number_input(
        "Minutes", 1, 1440, 5, key="sweep-minutes", help="All trials together."
    )
    seeds = columns[1].number_input(
        "Seeds", 1, 20, 3, key="sweep-seeds", help="The spread over seeds is drawn as whiskers."
    )
    size = METHODS[method].presets["default"].batch_size
    try:
        axes = [_axis(method, *given) if given[0] else None for given in (across, lines)]
        sweep = Sweep(method, axes[0] or Axis(BATCH_SIZE, (size,)), axes[1], "default", size)
        study = Study(sweep, corpus, 60.0 * minutes, int(seeds), sweeps_folder())
    except ValueError as problem:
        st.error(str(problem))
        return None
    st.caption(estimate(study))
    asked = len(sweep.trials(int(seeds)))
    if len(study.trials) < asked:
        st.warning(
            f"The time is too short for all {asked} trials: values in between are left out. "
            "Give more minutes, or fewer values.",
            icon=":material/warning:",
        )
    if st.button("Start the sweep", type="primary", icon=":material/grid_on:", key="sweep-start"):
        return study
    return None


def _axis_inputs(method: str, label: str, key: str, first: str, optional: bool) -> tuple[str, str]:
    """A setting and its values as they were typed; an empty name for none."""
    words = sweepable(METHODS[method]())
    names = ["", *words] if optional else list(words)
    left, right = st.columns([1, 2])
    name = left.selectbox(
        label, names, names.index(first), key=f"sweep-{key}-{method}",
        format_func=lambda n: words.get(n, "nothing: a single line"),
    )  # fmt: skip
    if not name:
        return "", ""
    made = METHODS[method]()
    usual = getattr(made, name, getattr(made.model, name, ""))
    text = right.text_input(
        f"Values of {words[name]}", FIRST_VALUES.get(name, str(usual)),
        key=f"sweep-{key}-{method}-{name}", help="Numbers with commas between, 10 at most.",
    )  # fmt: skip
    return name, text


def _axis(method: str, name: str, text: str) -> Axis:
    """The setting with its values. Raises ValueError that says what is wrong with them."""
    return Axis(name, values_of(text, sweepable(METHODS[method]())[name]))


def _begin(study: Study[Sweep], loaded: Loaded) -> None:
    """Start the sweep, or go on with the same one of this tab."""
    study.plan.write()
    for entry in session.registry().entries():
        run = entry.background.run
        same = isinstance(run, Study) and run.path == study.path and not entry.background.ended
        if same and entry.run_id in st.session_state["studies"]:
            _take(entry)
            return
    entry = session.registry().add(study, loaded)
    st.session_state["studies"][entry.run_id] = entry.secret
    _take(entry)


def _take(entry: Entry) -> None:
    secret = st.session_state["studies"].get(entry.run_id, "")
    st.session_state["sweep"] = (entry.run_id, secret)
    session.registry().attach(session.tab_id(), entry.run_id)
    entry.background.start()


# ---- watching ------------------------------------------------------------------------------------


def _current() -> tuple[Entry, bool] | None:
    run_id, secret = st.session_state["sweep"]
    entry = session.registry().get(run_id)
    if entry is None or not isinstance(entry.background.run, Study):
        if run_id:
            st.info(
                f"The sweep {run_id} is no longer on this server. What it found is kept below; the "
                "same sweep goes on from there.",
                icon=":material/info:",
            )
        return None
    return entry, session.registry().owned(run_id, secret)


def _watch(entry: Entry, owned: bool) -> None:
    background, drawn = entry.background, entry.background.status
    study: Study[Sweep] = background.run
    st.markdown(f"## {study.plan.title}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if owned and drawn == "paused":
            st.button("Resume", icon=":material/play_arrow:", on_click=background.resume)
        elif owned and drawn not in ENDED:
            st.button("Pause", icon=":material/pause:", on_click=_pause, args=(entry,))
        if not owned:
            st.caption("watching only: the owner's address controls it", width="content")
        st.button(
            "Another sweep", icon=":material/arrow_back:", on_click=_leave, args=(entry, owned),
            help="Pauses it. What was found is kept, and the same sweep goes on from it.",
        )  # fmt: skip
    tick = 2 * session.registry().tick_seconds() if drawn not in ENDED else None

    @st.fragment(run_every=tick)
    def live() -> None:
        n_found = len(study.trials) - len(study.waiting)
        words = STATUS_WORDS[background.status]
        st.progress(
            n_found / len(study.trials),
            f"{words}: {n_found} of {len(study.trials)} trials on {study.corpus.name}",
        )
        if background.status == "failed":
            problem = background.error.rstrip(".")
            st.error(f"{problem}. What was found before is kept; start the sweep again.")
        _show(study)
        if background.status != drawn:
            st.rerun()

    live()


def _pause(entry: Entry) -> None:
    entry.background.pause()
    entry.background.settle(0.4)


def _leave(entry: Entry, owned: bool) -> None:
    if owned:
        entry.background.pause()
    session.registry().detach(session.tab_id(), entry.run_id)
    st.session_state["sweep"] = ("", "")


def _show(study: Study[Sweep]) -> None:
    """The pictures of the trials that have ended, and their numbers."""
    findings = dict(study.findings)
    if not findings:
        st.caption("The pictures come with the first trial that ends.")
        return
    pictures = study.plan.pictures(findings)
    for start in range(0, len(pictures), 2):
        row = st.columns(2, gap="large")
        for i, picture in enumerate(pictures[start : start + 2], start):
            with row[i - start]:
                st.markdown(f"## {picture.title}")
                live_figure(
                    picture.figure(is_dark(), text_size()), f"sweep-{i}", HEIGHT,
                    f"{picture.title}; the numbers of all trials are in the table below.",
                )  # fmt: skip
    st.caption(
        "Points: the median over seeds; whiskers: the lowest and the highest. Look for settings "
        "whose whiskers do not meet: the others may differ by chance."
    )
    frame = table(findings)
    with st.expander("All trials as a table"):
        st.dataframe(frame, hide_index=True)
        st.download_button(
            "Download as CSV", lambda: csv_bytes(frame),
            "bnpexplorer-sweep.csv", "text/csv", on_click="ignore",
        )  # fmt: skip


def _found_before(loaded: Loaded) -> None:
    """Sweeps on disk for these texts: a way back to each."""
    fingerprint = loaded.corpus.fingerprint
    found = []
    for path in sorted(sweeps_folder().glob(f"*-{fingerprint}-*.json")):
        name, _, size = path.stem.partition(f"-{fingerprint}-")
        sweep = Sweep.read(name)
        seeds, _, budget = size.partition("-")
        if sweep is None:
            continue
        try:
            study = Study(sweep, loaded.corpus, float(budget), int(seeds), sweeps_folder())
        except ValueError:
            continue  # written by another version
        if study.findings:
            found.append(study)
    if not found:
        return
    st.markdown("## Found before on these texts")
    for i, study in enumerate(found):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{study.plan.title}** · {study.budget / 60:g} min, {study.n_seeds} seeds · "
                f"{len(study.findings)} of {len(study.trials)} trials",
                width="stretch",
            )
            st.button(
                "Show" if study.done else "Go on", key=f"sweep-found-{i}",
                icon=f":material/{'visibility' if study.done else 'play_arrow'}:",
                on_click=partial(_begin, study, loaded),
            )  # fmt: skip
