"""Corpora that are being built: how far each is, and what can be done about it."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from ...corpus import CorpusError
from ...corpus.building.plan import work_folder
from ...corpus.building.shares import SHARES
from ...corpus.paths import shown
from ..frame import machine
from ..frame.machine import Begun
from ..frame.words import plain
from ..seam.ticking import ticking

WAY, PATHS = "corpus-way", "By path"
"""Where the page asks where texts come from, and what it calls this way."""
ASKED = "corpus-paths"
"""Where it asks for paths."""
MINE = "builds-begun-here"
"""In the session: the builds that this tab began, which it opens when they are complete."""
REFUSED = "build-refused"
"""In the session: why a click did nothing."""
OFTEN = 0.5
"""Seconds between two looks at a build."""
STEPS = {
    "reading": "Reading the files",
    "grouping": "Grouping the rows",
    "bringing together": "Bringing together the rows of a group",
    "joining": "Joining the texts of a group",
    "dividing": "Dividing into passages",
    "cutting": "Cutting texts into words",
    "finding pairs": "Counting pairs of words",
    "finding threes": "Counting threes of words",
    "finding phrases": "Finding phrases",
    "counting": "Counting words",
    "numbering": "Numbering the words that stay",
    "writing": "Writing the corpus",
}
assert STEPS.keys() == SHARES.keys()


def take_built() -> None:
    """Ask for the corpus of a build that this tab began and that is complete now."""
    for begun in machine.builds():
        if begun.built and begun.build_id in st.session_state.get(MINE, ()):
            _ask_for(begun)


def say_builds() -> bool:
    """Every build that somebody may want to look at; whether one is under way."""
    found = machine.builds()
    for begun in found:
        with st.container(border=True, key=f"build-{begun.build_id}"):
            _say(begun)
    if refused := st.session_state.pop(REFUSED, ""):
        st.error(plain(refused), icon=":material/error:")
    return any(begun.under_way for begun in found)


def _ask_for(begun: Begun) -> None:
    """As if a person gave the folder of a corpus; what it holds is said there."""
    st.session_state.setdefault(MINE, set()).discard(begun.build_id)
    st.session_state[ASKED] = begun.order.out
    machine.dismiss(begun.build_id)


def _say(begun: Begun) -> None:
    if begun.under_way:
        _say_under_way(begun)
    elif begun.built:
        st.markdown(f"**{plain(begun.name)}** is built.")
        with st.container(horizontal=True):
            _button("Open it", "folder_open", begun, _open, primary=True)
            _button("Dismiss", "close", begun, machine.dismiss)
    else:
        _say_ended(begun)


def _say_under_way(begun: Begun) -> None:
    @ticking(OFTEN)
    def tick() -> None:
        build = begun.build
        assert build is not None
        if build.ended:
            st.rerun()
        ending = build.standing == "ending"
        what = "Ending" if ending else STEPS.get(build.step, "Beginning")
        st.progress(build.done, f"**{plain(begun.name)}** · {what}{_how_far(begun)}")

    tick()
    with st.container(horizontal=True, vertical_alignment="center"):
        _button("Cancel", "stop", begun, machine.cancel)
        st.caption("It goes on while the app does, on whatever page you are.", width="stretch")


def _how_far(begun: Begun) -> str:
    """Documents, and megabytes of those that are to be read."""
    build = begun.build
    if build is None or not build.said:
        return ""
    said = f" · {build.said}"
    share = build.done * sum(SHARES.values()) / SHARES["reading"]
    if build.step == "reading" and share < 1 and begun.order.n_bytes:
        said += f", {100 * share:.0f} % of {begun.order.n_bytes / 1e6:,.0f} MB"
    return said


def _say_ended(begun: Begun) -> None:
    """One that was cancelled, refused, or begun by the app before it was started again."""
    build, out = begun.build, Path(begun.order.out)
    sentence = "" if build is None else build.sentence
    if sentence:
        st.error(plain(sentence), icon=":material/error:")
    else:
        far = "" if build is None else f" at {100 * build.done:.0f} %"
        st.markdown(f"**{plain(begun.name)}** is not complete: it was ended{far}.")
        if work_folder(out).exists():
            kept = plain(shown(work_folder(out)))
            st.caption(f"What is done lies in {kept} until it is complete.")
    with st.container(horizontal=True):
        _button("Go on", "play_arrow", begun, _go_on, primary=not sentence)
        if build is not None and build.anew and work_folder(out).exists():
            _button("Start anew", "restart_alt", begun, _start_anew)
        if sentence:
            _button("Dismiss", "close", begun, machine.dismiss)
        else:
            _button("Discard what is done", "delete", begun, _discard)


def _button(
    words: str, icon: str, begun: Begun, do: Callable[[str], None], primary: bool = False
) -> None:
    st.button(
        words,
        icon=f":material/{icon}:",
        type="primary" if primary else "secondary",
        key=f"{words}-{begun.build_id}",
        on_click=_done,
        args=(do, begun.build_id),
    )


def _done(do: Callable[[str], None], build_id: str) -> None:
    """What a click does, before the page is drawn."""
    try:
        do(build_id)
    except (CorpusError, OSError) as problem:  # OSError: what is done cannot be removed
        st.session_state[REFUSED] = str(problem)


def _begun(build_id: str) -> Begun:
    found = next((one for one in machine.builds() if one.build_id == build_id), None)
    if found is None:
        raise CorpusError("This build was dismissed meanwhile.")
    return found


def _mine(build_id: str) -> None:
    st.session_state.setdefault(MINE, set()).add(build_id)


def _open(build_id: str) -> None:
    st.session_state[WAY] = PATHS
    _ask_for(_begun(build_id))


def _go_on(build_id: str) -> None:
    _mine(machine.begin(_begun(build_id).order))


def _start_anew(build_id: str) -> None:
    _mine(machine.begin(_begun(build_id).order, force=True))


def _discard(build_id: str) -> None:
    machine.discard(_begun(build_id))
