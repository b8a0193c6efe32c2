"""What is found in texts that is no word of them, a button that cleans it up, its switches."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...core.display import style_beside
from ...core.html import Markup, joined
from ...corpus.intake.api import suggest
from ...corpus.readers.source import Source
from ...corpus.words.cleaning import PARTS, PRESETS, canonical
from ...corpus.words.settings import TextSettings
from ...corpus.words.suggesting import OFFERED, Stretch, Suggestion, excerpts
from ..frame.words import plain
from .under_way import awaited


@st.cache_resource(show_spinner="Looking at the texts ...", max_entries=2, scope="session")
def _suggested(key: str, start: TextSettings, _source: Source) -> Suggestion:
    what = f"Looking at the texts of {_source.name}"
    return awaited(what, f"suggest {key} {start}", lambda: suggest(_source, start))


@st.cache_resource(show_spinner=False, max_entries=8, scope="session")
def _excerpts(_texts: Sequence[str], key: str, switches: str) -> list[list[Stretch]]:
    return excerpts(_texts, switches)


def clean_up(source: Source, start: TextSettings, of: str, key: str) -> TextSettings:
    """`start` with the clean-up that the person chose. `of` names what was read, for caches.

    Raises CorpusError where the texts cannot be looked at, UnderWay as long as they are.
    """
    if source.texts is None:
        return start
    suggestion = _suggested(of, start, source)
    wanted = suggestion.settings.clean.split()
    chosen: list[str] = st.session_state.get(key) or []
    if not (wanted or chosen):
        with st.expander("Clean-up", icon=":material/cleaning_services:"):
            st.caption(f"Nothing to clean up is in more than {100 * OFFERED:.0f} % of the texts.")
            _switches(suggestion, key)
    else:
        with st.container(border=True, key="cleaning"):
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.markdown(_sentence(suggestion, chosen))
            with right.container(horizontal=True, horizontal_alignment="right"):
                words, icon = ("Leave as it was", "undo") if chosen else ("Clean up", "mop")
                st.button(
                    words,
                    icon=f":material/{icon}:",
                    key="clean-up",
                    on_click=_choose,
                    args=(key, [] if chosen else wanted),
                )
            switches = canonical(" ".join(chosen or wanted))
            _show(_excerpts(source.texts, of, switches))
            with st.expander("What is cleaned up", icon=":material/tune:"):
                _switches(suggestion, key)
    return replace(start, clean=" ".join(st.session_state.get(key) or []))


def _choose(key: str, parts: list[str]) -> None:
    st.session_state[key] = parts


def _sentence(suggestion: Suggestion, chosen: list[str]) -> str:
    if chosen:
        return f"**Cleaned up:** {_joined([PARTS[part].title for part in chosen])}."
    first, *others = [one for one in suggestion.found if one.share > OFFERED]
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
