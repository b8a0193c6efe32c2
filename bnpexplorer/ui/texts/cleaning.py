"""Non-words found in texts, their clean-up, and its undo."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...core.display import style_beside
from ...core.html import Markup, joined
from ...corpus.intake.api import suggest
from ...corpus.readers.source import Source
from ...corpus.words.cleaning import CERTAIN, PARTS, PRESETS, canonical
from ...corpus.words.settings import TextSettings
from ...corpus.words.suggesting import OFFERED, Stretch, Suggestion, excerpts
from ..frame.words import plain
from ..parts.under_way import awaited


@st.cache_resource(show_spinner="Looking at the texts ...", max_entries=2, scope="session")
def _suggested(key: str, start: TextSettings, _source: Source) -> Suggestion:
    what = f"Looking at the texts of {_source.name}"
    return awaited(what, f"suggest {key} {start}", lambda: suggest(_source, start))


@st.cache_resource(show_spinner=False, max_entries=8, scope="session")
def _excerpts(_texts: Sequence[str], key: str, switches: str) -> list[list[Stretch]]:
    return excerpts(_texts, switches)


def clean_up(source: Source, start: TextSettings, of: str, key: str) -> TextSettings:
    """Return `start` with the clean-up that the person chose; at first with the certain part that
    suits the texts. `of` names the source for caches.

    Raises CorpusError where the texts cannot be looked at, UnderWay as long as they are.
    """
    if source.texts is None:
        return start
    suggestion = _suggested(of, start, source)
    wanted = suggestion.settings.clean.split()
    if _steps(key) not in st.session_state:
        certain = [part for part in wanted if part in CERTAIN]
        at_first = st.session_state.get(key, certain)
        st.session_state[_steps(key)] = [[], at_first] if at_first else [[]]
    if key not in st.session_state:  # new, or the person was on another page
        st.session_state[key] = st.session_state[_steps(key)][-1]
    chosen: list[str] = st.session_state.get(key) or []
    if not (wanted or chosen):
        with st.expander("Clean-up", icon=":material/cleaning_services:"):
            offered = f"more than {100 * OFFERED:.0f} % of the texts"
            st.caption(f"Nothing to clean up is in {offered}.")
            _switches(suggestion, key)
    else:
        with st.container(border=True, key="cleaning"):
            _say_and_offer(suggestion, wanted, chosen, key)
            switches = canonical(" ".join(chosen or wanted))
            _show(_excerpts(source.texts, of, switches))
            with st.expander("What is cleaned up", icon=":material/tune:"):
                _switches(suggestion, key)
    return replace(start, clean=" ".join(st.session_state.get(key) or []))


def _say_and_offer(suggestion: Suggestion, wanted: list[str], chosen: list[str], key: str) -> None:
    """Say which non-words are cleaned up and which not, with buttons for the rest and an undo."""
    rest = [part for part in wanted if part not in chosen]
    left, right = st.columns([4, 2], vertical_alignment="center")
    with left:
        if chosen:
            titles = _joined([PARTS[part].title for part in chosen])
            st.markdown(f"**Cleaned up:** {plain(titles)}.")
        if rest:
            st.markdown(_sentence(suggestion, rest))
    with right.container(horizontal=True, horizontal_alignment="right"):
        if rest:
            label = "Clean up the rest" if chosen else "Clean up"
            everything = canonical(" ".join([*chosen, *rest])).split()
            args = (key, everything)
            st.button(label, icon=":material/mop:", key="clean-up", on_click=_choose, args=args)
        if len(st.session_state[_steps(key)]) > 1:
            st.button(
                "Undo clean-up",
                icon=":material/undo:",
                key="undo-clean-up",
                on_click=_undo,
                args=(key,),
            )


def _steps(key: str) -> str:
    """Where the session keeps every choice of parts, the last one last."""
    return f"{key}-steps"


def _choose(key: str, parts: list[str]) -> None:
    st.session_state[key] = parts
    _note(key)


def _note(key: str) -> None:
    """Note the choice of now as a step."""
    st.session_state[_steps(key)] = [
        *st.session_state[_steps(key)],
        list(st.session_state[key] or []),
    ]


def _undo(key: str) -> None:
    """Go back to the choice before."""
    *before, _ = st.session_state[_steps(key)]
    st.session_state[_steps(key)] = before
    st.session_state[key] = before[-1]


def _sentence(suggestion: Suggestion, parts: list[str]) -> str:
    """Return a sentence about non-words that are not cleaned up; for tags, that there are some."""
    kinds = {"tags" if part == "tag-words" else part for part in parts}
    first, *others = [one for one in suggestion.found if one.part in kinds]
    found = [first.sentence, *(one.short_sentence for one in others)]
    return f"**{plain(_joined(found))}.** As it stands, this counts as words."


def _joined(items: Sequence[str]) -> str:
    """One, two and three; all but the first begin small where that is no name."""
    first, *others = items
    small = [item if item[:2].isupper() else item[:1].lower() + item[1:] for item in others]
    return ", ".join([first, *small[:-1]]) + (f" and {small[-1]}" if small else "")


def _switches(suggestion: Suggestion, key: str) -> None:
    """A pill a switch, with the share of the texts that have it; presets set them together."""
    shares = {one.part: one.share for one in suggestion.found}
    shares["tag-words"] = shares.get("tags", 0.0)
    examples = {one.part: one.examples for one in suggestion.found}

    def label(part: str) -> str:
        share = shares.get(part, 0.0)
        return plain(PARTS[part].short) + (f" · {100 * share:.0f} %" if share >= 0.005 else "")

    st.pills(
        "What is cleaned up",
        list(PARTS),
        selection_mode="multi",
        format_func=label,
        key=key,
        on_change=_note,
        args=(key,),
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("As for", width="content")
        for name, parts in PRESETS.items():
            st.button(
                name.replace("-", " "),
                type="tertiary",
                key=f"clean-{name}",
                on_click=_choose,
                args=(key, list(parts)),
            )
    if examples:
        said = (
            f"{PARTS[part].short}: {', '.join(examples[part])}"
            for part in PARTS
            if part in examples
        )
        st.caption("Found, among others: " + plain("; ".join(said)))


def _show(found: list[list[Stretch]]) -> None:
    """A few documents, what goes struck through and what is mended underlined."""
    row = Markup('<p class="bnp-cleaned" dir="auto">{}</p>')
    rows = joined(row.format(joined(map(_piece, pieces))) for pieces in found)
    st.html(style_beside(__file__, "cleaning.css") + rows)


def _piece(piece: Stretch) -> Markup:
    if piece.fate == "kept":
        return Markup("{}").format(piece.text)
    mended = Markup("<ins>{}</ins>").format(piece.now) if piece.now.strip() else ""
    return Markup("<del>{}</del>{}").format(piece.text, mended)
