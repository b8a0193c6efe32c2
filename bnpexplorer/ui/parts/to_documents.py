"""The way to the Documents page with some documents chosen, and which those are.

What is chosen goes by the run: topics are its own, and so are labels and words of its texts.
"""

from hashlib import blake2s

import streamlit as st

from ...explore.choosing import LEAST, Filter, day_of
from ...explore.picked import as_letters, of_letters
from ...state.moment import Moment
from ..frame import address, pages
from .topics_choice import choose_topic

ROW, SHOWN, WAY, SEARCH = "documents-row", "documents-shown", "documents-way", "documents-search"
"""Which document is open, how many are listed, how they are found, and what is searched for."""
PART = "documents-part"
_LEAD = "lead-to-documents"
PICKED, GONE = "documents-picked", "documents-picked-gone"
"""Documents picked out that are too many for an address, by their name in it, and the runs whose
address names some that this tab does not have."""
LONGEST = 1500
"""Letters that picked documents may have in an address: all of 8,000 texts, some hundred of 50,000.
Proxies and messengers cut addresses of 2,000."""


def filter_of(run_id: str) -> Filter:
    """Which documents of a run this tab has chosen."""
    kept: dict[str, Filter] = st.session_state.setdefault("documents-filter", {})
    return kept.get(run_id, Filter())


def choose_documents(run_id: str, asked: Filter) -> None:
    """From now on the Documents page lists only these, from the first."""
    st.session_state.setdefault("documents-filter", {})[run_id] = asked
    st.session_state.pop(GONE, None)
    st.session_state.pop(ROW, None)
    st.session_state.pop(SHOWN, None)


def lead_to_documents(
    moment: Moment,
    topic: int | None = None,
    asked: Filter | None = None,
    search: str = "",
    row: int | None = None,
) -> None:
    """To the Documents page, as a callback of a button or a figure; `follow` then goes there.

    It lists the documents of `topic`, best first, or those that `search` finds, of those that
    `asked` lets pass (None: all), and opens document `row`, else the first.
    """
    choose_documents(moment.run_id, asked or Filter())
    if topic is not None:
        choose_topic(moment.run_id, topic)
    st.session_state[WAY] = "search" if search else "topic"
    st.session_state[PART] = "All"
    if search:
        st.session_state[SEARCH] = search
    if row is not None:
        st.session_state[ROW] = row
    st.session_state[_LEAD] = True


def follow() -> None:
    """At the top of a page: go where `lead_to_documents` led. A callback may not switch pages."""
    if st.session_state.pop(_LEAD, False):
        pages.go_to("documents")


# ---- in the address ------------------------------------------------------------------------------


def follow_address(moment: Moment) -> None:
    """Choose the documents that the address asks for, and keep in it those that are chosen."""
    said = {name: address.asked(f"only-{name}") for name in _said(Filter())}
    if any(value is not None for value in said.values()):
        asked = _read({name: value or "" for name, value in said.items()}, moment)
        if asked != filter_of(moment.run_id):
            choose_documents(moment.run_id, asked)
        if said["picked"] and not asked.picked:
            st.session_state[GONE] = moment.run_id
    kept = _said(filter_of(moment.run_id))
    address.keep({f"only-{name}": value for name, value in kept.items()})


def _said(asked: Filter) -> dict[str, str]:
    """Return what an address says of a filter, as `_read` reads it; empty for what is not asked."""
    topic = "" if asked.topic is None else str(asked.topic)
    return {
        "label": ",".join(map(_escaped, asked.labels)),
        "but": ",".join(map(_escaped, asked.but)),
        "since": asked.since,
        "until": asked.until,
        "word": ",".join(map(_escaped, asked.words)),
        "topic": topic,
        "least": f"{asked.least:g}" if topic else "",
        "picked": _picked_in_address(asked.picked),
    }


def _read(said: dict[str, str], moment: Moment) -> Filter:
    """What an address says; what it does not say rightly asks for nothing."""
    topic = address.number_of(said["topic"])
    least = address.number_of(said["least"].removeprefix("0.").ljust(2, "0"))
    known = said["least"].startswith("0.") and least is not None and len(said["least"]) <= 4
    return Filter(
        _parts(said["label"]),
        _parts(said["but"]),
        day_of(said["since"]),
        day_of(said["until"]),
        _parts(said["word"]),
        topic if topic in moment.row else None,
        least / 100.0 if known and least is not None else LEAST,
        _picked_of_address(said["picked"], moment.corpus.n_docs),
    )


def is_gone(run_id: str) -> bool:
    """Whether the address names picked documents that only another tab, or nobody, still has."""
    return bool(st.session_state.get(GONE) == run_id)


def _picked_in_address(bits: bytes) -> str:
    """The documents themselves, or the name that this tab keeps them under."""
    letters = as_letters(bits) if bits else ""
    if len(letters) <= LONGEST:
        return letters
    name = f"~{blake2s(bits, digest_size=6).hexdigest()}"
    st.session_state.setdefault(PICKED, {})[name] = bits
    return name


def _picked_of_address(said: str, n_docs: int) -> bytes:
    kept: dict[str, bytes] = st.session_state.get(PICKED, {})
    return kept.get(said, b"") if said.startswith("~") else of_letters(said, n_docs)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace(",", "%2C")


def _parts(text: str) -> tuple[str, ...]:
    found = [part.replace("%2C", ",").replace("%25", "%") for part in text.split(",")]
    return tuple(part for part in found if part)
