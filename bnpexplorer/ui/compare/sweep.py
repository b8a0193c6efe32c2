"""A sweep on the Compare page: choose a grid, run it in the queue, see it with its spread."""

from collections.abc import Mapping, Set
from functools import partial
from pathlib import Path

import streamlit as st

from ...claims import Study
from ...claims.claim import Findings
from ...compare.advice import advice
from ...compare.rows import BATCH_SIZE, sweepable, word_of
from ...compare.sweep import (
    Axis,
    Sweep,
    SweepFindings,
    kept_paths,
    kept_sweep,
    sweeps_folder,
    values_of,
)
from ...corpus import Corpus
from ...methods import METHODS
from ...plots.claims import HEIGHT
from ...runs import limits
from ...runs.keeping import ENDED
from ...runs.limits import most_minutes
from ...runs.registry import Entry
from ..frame import server
from ..frame.look import is_dark, text_size
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from ..parts import studies
from ..parts.figure import live_figure, read_as_table
from ..parts.forms import sound, title_of
from ..parts.studies import estimate, table
from ..seam.widgets import number_field, ticking
from .race import texts_at_hand

FIRST_VALUES: Mapping[str, str] = {
    BATCH_SIZE: "8, 64, 512",
    "kappa": "0.5, 0.7, 0.9",
    "truncation": "10, 50, 200",
    "gamma": "1, 5, 20",
    "alpha": "1, 5, 20",
    "eta": "0.02, 0.1, 0.5",
    "tau": "1, 64, 1024",
}
"""What the form proposes; of other settings their default alone."""


def sweep_view() -> None:
    """Show the sweep of this tab, or the form that starts one with earlier results."""
    running = studies.current(
        "sweep",
        Sweep,
        "Trials that had ended are kept: with its texts loaded on the Texts page they are listed "
        "below, and the same sweep goes on from there.",
    )
    if running is not None:
        _watch(*running)
        return
    st.markdown(
        "One method over a small grid of one or two settings, each trial repeated with several "
        "seeds and all of them learning for the same seconds, as in the papers."
    )
    loaded = texts_at_hand()
    if loaded is not None:
        study = _form(loaded.corpus)
        if study is not None and _begins(study, loaded):
            st.rerun()
    going = studies.under_way("sweep", Sweep)
    _found_before(loaded, {entry.background.run.path for entry in going})


# ---- choosing ------------------------------------------------------------------------------------


def _form(corpus: Corpus) -> Study[Sweep] | None:
    """Ask for method, settings, time and seeds; the study when the button is pressed."""
    names = list(METHODS)
    method = st.selectbox(
        "Method", names, names.index("hdp-svi"), key="sweep-method", format_func=title_of
    )
    across = _axis_inputs(method, "Along the axis", "across", BATCH_SIZE, False)
    lines = _axis_inputs(method, "One line each", "lines", "", True)
    problems: list[str] = []
    left, right = st.columns(2)
    with left:
        minutes = number_field(
            "Minutes",
            1,
            most_minutes(),
            5.0,
            problems,
            key="sweep-minutes",
            help="All trials together.",
        )
    with right:
        seeds = number_field(
            "Seeds",
            1,
            20,
            3,
            problems,
            key="sweep-seeds",
            help="The spread over seeds is drawn as whiskers.",
        )
    if not sound(problems):
        return None
    size = METHODS[method].presets["default"].batch_size
    try:
        axes = [
            Axis(name, values_of(text, word_of(name))) if name else None
            for name, text in (across, lines)
        ]
        sweep = Sweep(method, axes[0] or Axis(BATCH_SIZE, (size,)), axes[1], "default", size)
        study = Study(sweep, corpus, 60.0 * minutes, seeds, sweeps_folder())
        sweep.check_memory(corpus)
    except ValueError as problem:
        st.error(plain(problem))
        return None
    st.caption(estimate(study))
    asked = len(sweep.trials(seeds))
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
    names = sweepable(METHODS[method]())
    if optional:
        names.insert(0, "")
    left, right = st.columns([1, 2])
    name = left.selectbox(
        label,
        names,
        names.index(first),
        key=f"sweep-{key}-{method}",
        format_func=lambda n: word_of(n) if n else "nothing: a single line",
    )
    if not name:
        return "", ""
    made = METHODS[method]()
    usual = getattr(made, name, getattr(made.model, name, ""))
    text = right.text_input(
        f"Values of {word_of(name)}",
        FIRST_VALUES.get(name, str(usual)),
        key=f"sweep-{key}-{method}-{name}",
        help="Numbers with commas between, 10 at most.",
    )
    return name, text


def _begins(study: Study[Sweep], loaded: LoadedCorpus) -> bool:
    """Start the sweep, or go on with the same one where it is under way; else say why not."""
    try:
        studies.begin("sweep", study, loaded)
    except ValueError as problem:
        st.error(plain(problem))
        return False
    return True


# ---- watching ------------------------------------------------------------------------------------


def _watch(entry: Entry, owned: bool) -> None:
    background, drawn = entry.background, entry.background.status
    study: Study[Sweep] = background.run
    st.markdown(f"## {plain(study.experiment.title)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        studies.buttons(entry, owned)
        if not owned:
            st.caption("watching only: the owner's address controls it", width="content")
        st.button(
            "Another sweep",
            icon=":material/arrow_back:",
            on_click=studies.leave,
            args=("sweep", Sweep),
            help="What was found is kept, and the list of sweeps leads back.",
        )
    tick = 2 * server.registry().tick_seconds() if drawn not in ENDED else None

    @ticking(tick)
    def live() -> None:
        if background.status != drawn:
            st.rerun()  # the buttons outside depend on the status
        studies.progress(entry, "start the sweep again")
        show(study.experiment, dict(study.findings), study.done)

    live()


def show(sweep: Sweep, findings: Findings, done: bool) -> None:
    """Show figures and numbers of the trials that have ended; for a sweep that is `done`, its
    recommendation first."""
    if not findings:
        st.caption("The pictures come with the first trial that ends.")
        return
    if done and (words := advice(sweep, findings)):
        st.markdown(f"**{plain(words)}**")
    pictures = sweep.pictures(findings)
    for start in range(0, len(pictures), 2):
        row = st.columns(2, gap="large")
        for i, picture in enumerate(pictures[start : start + 2], start):
            with row[i - start]:
                st.markdown(f"## {picture.title}")
                live_figure(
                    picture.figure(is_dark(), text_size()),
                    f"sweep-{i}",
                    HEIGHT,
                    f"{picture.title}; the numbers of all trials are in the table below.",
                )
    st.caption(
        "Points: the median over seeds; whiskers: the lowest and the highest, all on the same "
        "held-out documents. Look for settings whose whiskers do not meet: the others may differ "
        "by chance."
    )
    read_as_table("sweep", lambda: table(findings), label="All trials as a table")


# ---- found before --------------------------------------------------------------------------------


def _found_before(loaded: LoadedCorpus | None, going: Set[Path]) -> None:
    """Sweeps on the disk that are not `going` on: the pictures of each, and a way back to it."""
    found = [
        (path, kept)
        for path in kept_paths()
        if path not in going and (kept := _kept(str(path), path.stat().st_mtime_ns)) is not None
    ]
    here = loaded.corpus.fingerprint if loaded is not None else ""
    which = (("these texts", True), ("other texts", False))
    for title, at_hand in which[:1] if limits.is_shared() else which:  # others may be anybody's
        some = [(path, kept) for path, kept in found if (kept.fingerprint == here) == at_hand]
        if some:
            st.markdown(f"## Found before on {title}")
        for path, kept in some:
            _offer(path, kept, loaded if at_hand else None)


@st.cache_resource(show_spinner=False, max_entries=256)
def _kept(path: str, changed: int) -> SweepFindings | None:
    return kept_sweep(Path(path))


def _offer(path: Path, kept: SweepFindings, loaded: LoadedCorpus | None) -> None:
    """One line; its pictures below it once they were asked for."""
    open_ = st.session_state.get("sweep-shown") == path.stem
    of_texts = ""
    if loaded is None:
        of_texts = f" · {plain(kept.texts) or 'texts of an earlier version'}"
        of_texts += f", {kept.n_docs:,} documents" if kept.n_docs else ""
    with st.container(horizontal=True, vertical_alignment="center", key=f"kept-{path.stem}"):
        seeds = "1 seed" if kept.n_seeds == 1 else f"{kept.n_seeds} seeds"
        st.markdown(
            f"**{plain(kept.sweep.title)}** · {kept.budget / 60:g} min, {seeds} · "
            f"{len(kept.findings)} of {kept.n_trials} trials{of_texts}",
            width="stretch",
        )
        st.button(
            "Hide" if open_ else "Show",
            icon=f":material/{'visibility_off' if open_ else 'visibility'}:",
            key=f"show-{path.stem}",
            on_click=_turn,
            args=("" if open_ else path.stem,),
        )
        same = path.stem.startswith(kept.sweep.name)  # else another version's way of splitting
        if loaded is not None and not kept.done and same:
            st.button(
                "Go on",
                icon=":material/play_arrow:",
                key=f"on-{path.stem}",
                on_click=partial(_go_on, kept, loaded),
            )
    if open_:
        if loaded is None and not kept.done:
            st.caption("To go on with it, load its texts on the Texts page.")
        show(kept.sweep, kept.findings, kept.done)


def _turn(stem: str) -> None:
    st.session_state["sweep-shown"] = stem


def _go_on(kept: SweepFindings, loaded: LoadedCorpus) -> None:
    study = Study(kept.sweep, loaded.corpus, kept.budget, kept.n_seeds, sweeps_folder())
    _begins(study, loaded)
