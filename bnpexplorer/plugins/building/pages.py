"""The pages' part of builds: files of any size are built into a corpus on the disk.

How far each build is, and what can be done about it.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import streamlit as st

from ...core.display import plural
from ...corpus import CorpusError
from ...corpus.intake.work import Looked
from ...corpus.readers.source import ReadOptions, Source, refusing, shown
from ...corpus.text import AS_COUNTED, usual_settings
from ...corpus.words.settings import TextSettings
from ...ui.frame import machine
from ...ui.frame.words import plain
from ...ui.seam.widgets import ticking
from ...ui.texts.form import Chosen, choose, say_refused
from ...ui.texts.paths import ASKED, PATHS, WAY, paths_of
from . import builds
from .builds import Begun, Order
from .plan import work_folder
from .steps import SHARES

SUFFIX = ".corpus"
"""Of the folder that is proposed."""
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@st.cache_resource(show_spinner="Looking at the first rows ...", max_entries=4, scope="session")
def _look(paths: tuple[Path, ...], stamps: str, options: ReadOptions) -> tuple[Source, Looked]:
    return machine.look(paths, options)


def build_form(paths: Sequence[Path]) -> None:
    """Ask how these files are read, by their first documents, and where the corpus is to lie; begin
    to build it, and say what is being built. Raises CorpusError and UnderWay before anything of
    that is said."""
    stamps = " ".join(map(_stamp, paths))
    read = partial(_look, tuple(paths), stamps)
    _, looked = read(ReadOptions())
    with st.container(border=True, key="build-form"):
        st.markdown(_sizes(paths, looked))
        named = "\0".join(map(str, (*paths, stamps)))
        fingerprint = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()
        chosen = choose(lambda options: read(options)[0], fingerprint, partial(_usual, looked))
        out = st.text_input(
            "Folder of the corpus, which is made",
            str(_proposed(paths[0])),
            key=f"build-out-{fingerprint[:12]}",
            help="It takes about as much room as the texts, and twice as much while it is built; "
            "four times where texts are joined or phrases found.",
        )
        # Where the eyes are: a form is long, and what stands below it is not seen.
        if not say_builds() and st.button(
            "Build it", type="primary", icon=":material/construction:", key="build"
        ):
            try:
                _begin(paths, out, chosen, looked)
            except CorpusError as problem:
                say_refused(problem)
            else:
                st.rerun()


def _stamp(path: Path) -> str:
    """What changes with a file or folder. Raises CorpusError if it is not there."""
    with refusing(path):
        found = path.stat()
    return f"{found.st_size}-{found.st_mtime_ns}"


def _sizes(paths: Sequence[Path], looked: Looked) -> str:
    """How much there is, and of what the form below speaks."""
    what = plain(shown(paths[0].name)) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    files = f"{plural(looked.n_files, 'file')}, " if looked.n_files > 1 else ""
    first = "" if looked.whole else f" Below is what its first {looked.n_docs:,} documents say."
    return f"**{what}**: {files}{bytes_in_words(looked.n_bytes)}.{first}"


def bytes_in_words(n: float) -> str:
    """`1.2 GB`."""
    size, unit = next(((size, unit) for size, unit in UNITS if n >= size), (1.0, "bytes"))
    return f"{n / size:,.{0 if size == 1.0 else 1}f} {unit}"


def _usual(looked: Looked, options: ReadOptions, source: Source) -> TextSettings:
    """The settings that suit as many documents as there are, by those looked at.

    Of joined ones no more are thought to come: 3,000 rows of twelve accounts may be all twelve, of
    which settings for many documents would leave hardly a word."""
    if source.texts is None:
        return AS_COUNTED
    if options.join:
        return replace(usual_settings(source.n_docs), whole_words=True)
    letters = sum(map(len, source.texts))
    share = 1.0 if looked.whole else min(letters / max(looked.n_bytes, 1), 1.0)
    n_docs = round(source.n_docs / max(share, 1e-9))
    return replace(usual_settings(n_docs), whole_words=True)


def _proposed(path: Path) -> Path:
    """Beside the file, by its name without endings: news.csv.gz -> news.corpus."""
    name = path.name.split(".")[0] if path.is_file() else path.name
    return path.with_name((name or "texts") + SUFFIX)


def _begin(paths: Sequence[Path], out: str, chosen: Chosen, looked: Looked) -> None:
    """Begin to build. Raises CorpusError."""
    folders = paths_of(out)
    if len(folders) != 1:
        raise CorpusError("The corpus needs a folder; give the path of one that is to be made.")
    words = {name: value for name, value in asdict(chosen.settings).items() if name != "joined"}
    order = Order(tuple(map(str, paths)), str(folders[0]), chosen.options, words, looked.n_bytes)
    build_id = builds.begin(order)
    st.session_state.setdefault(MINE, set()).add(build_id)


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
    for begun in builds.builds():
        if begun.built and begun.build_id in st.session_state.get(MINE, ()):
            _ask_for(begun)


def say_builds() -> bool:
    """Every build that somebody may want to look at; whether one is under way."""
    found = builds.builds()
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
    builds.dismiss(begun.build_id)


def _say(begun: Begun) -> None:
    if begun.under_way:
        _say_under_way(begun)
    elif begun.built:
        st.markdown(f"**{plain(begun.name)}** is built.")
        with st.container(horizontal=True):
            _button("Open it", "folder_open", begun, _open_build, primary=True)
            _button("Dismiss", "close", begun, builds.dismiss)
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
        _button("Cancel", "stop", begun, builds.cancel)
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
            _button("Dismiss", "close", begun, builds.dismiss)
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
    found = next((one for one in builds.builds() if one.build_id == build_id), None)
    if found is None:
        raise CorpusError("This build was dismissed meanwhile.")
    return found


def _mine(build_id: str) -> None:
    st.session_state.setdefault(MINE, set()).add(build_id)


def _open_build(build_id: str) -> None:
    st.session_state[WAY] = PATHS
    _ask_for(_begun(build_id))


def _go_on(build_id: str) -> None:
    _mine(builds.begin(_begun(build_id).order))


def _start_anew(build_id: str) -> None:
    _mine(builds.begin(_begun(build_id).order, force=True))


def _discard(build_id: str) -> None:
    builds.discard(_begun(build_id))
