"""The ways from one page to another: to Topics, to Documents and to Claims.

The ways from other pages to the Topics page: to what a run found, and to one topic of it.

A corpus without some words, as the Topics page and the Texts page make it.

The way from other pages, and from an address, to one claim of the Claims page.

The way to the Documents page with some documents chosen, and which those are.

What is chosen goes by the run: topics are its own, and so are labels and words of its texts.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2s

import streamlit as st

from ...claims import CLAIMS
from ...core.display import plural, text_beside
from ...corpus.intake.api import leave_out
from ...explore.choosing import LEAST, Filter, as_letters, day_of, of_letters
from ...state.moment import Moment
from ..frame import look, pages
from ..frame.server import LoadedCorpus
from ..frame.session import RunOnPage
from ..seam.widgets import set_widget
from .run_buttons import EXPLORED, turn_to
from .topics_choice import choose_topic

VIEW, FIRST_VIEW, TREE = "topics-view", "Topics", "topics-show-tree"
"""The field of the Topics page that asks for a view, the first of these, and the switch of its
tree."""

_rows = st.components.v2.component(
    "bnpexplorer_topic_rows",
    html="<span></span>",
    js=text_beside(__file__, "to_topics.js"),
    isolate_styles=False,
)


def lead_to_topics(runs: Sequence[RunOnPage], place: int, topic: int | None = None) -> None:
    """Switch to the topics of one of the tab's `runs`, and to `topic` if one is given."""
    turn_to(runs, place, EXPLORED)
    set_widget(VIEW, FIRST_VIEW)
    if topic is not None:
        choose_topic(runs[place].entry.run_id, topic)
    pages.go_to("topics")


def topics_button(runs: Sequence[RunOnPage], place: int, worth: bool = True) -> None:
    """A button that leads to the topics of a run; none in a page that is shown inside another. It
    is the main one where they are `worth` a look and the only run's."""
    if look.is_embedded() or not pages.is_there("topics"):
        return
    pressed = st.button(
        "Look at the topics",
        icon=":material/bubble_chart:",
        type="primary" if worth and len(runs) == 1 else "tertiary",
        key=f"look-at-topics-{runs[place].entry.run_id}",
    )
    if pressed:
        lead_to_topics(runs, place)


def duplicates_button(n: int) -> None:
    """Draw a button for `n` topics that could be fewer."""
    words = f"{n} topics look like fewer that were divided at random: group them in the tree"
    icon = ":material/account_tree:"
    if n:
        key = "topics-duplicates"
        st.button(words, icon=icon, type="tertiary", key=key, on_click=show_tree)


def show_tree() -> None:
    """As a callback, on the Topics page."""
    set_widget(VIEW, FIRST_VIEW)
    set_widget(TREE, True)


def rows_lead(runs: Sequence[RunOnPage]) -> None:
    """Let the names in tables of `html.topic_table`, where they are buttons, lead to the topics.

    The tables are plain HTML, which tells nothing of a click; this component hears it. Its script
    comes up to seconds after the tables on a slow machine, so until then the names are no buttons
    (`html.css`). It stands outside what ticks, where a click that meets a tick is lost.
    """
    key = "live-rows"
    with st.container(key="frame-rows"):
        told = _rows(key=key, on_opened_change=lambda: None).get("opened")
    # As with a figure's click: one that is brought back when the page is shown again is old.
    if not told or told["time"] <= st.session_state.get(f"{key}-last", 0):
        return
    st.session_state[f"{key}-last"] = told["time"]
    for place, shown in enumerate(runs):
        latest = shown.entry.background.latest
        there = latest is not None and told["topic"] in latest.topics.topic_ids.tolist()
        if shown.entry.run_id == told["run"] and there:
            lead_to_topics(runs, place, told["topic"])


NAMED = 3
"""Words left out that the new texts are named by; more are counted."""


def without(loaded: LoadedCorpus, words: list[str]) -> LoadedCorpus:
    """The texts counted again without `words`, under a name that says so. Raises CorpusError."""
    before = loaded.report
    corpus, report = leave_out(loaded.corpus, words, before.settings if before else None)
    if before and before.reading:
        report = replace(report, reading=before.reading.without(words))
    left_out = ", ".join(words) if len(words) <= NAMED else plural(len(words), "word")
    corpus = replace(corpus, name=f"{loaded.corpus.name} without {left_out}")
    return replace(loaded, corpus=corpus, report=report, true_topics=None)


IN_ADDRESS = "claim"
ASKED = "claim-asked"


def turn_to_claim(name: str) -> None:
    """Before the Claims page is drawn: it shows this claim."""
    st.session_state[ASKED] = name


def asked_claim() -> str:
    """The claim to turn to now: a step's, else that of the address; empty: as was chosen."""
    of_address = pages.asked(IN_ADDRESS)
    name: str = st.session_state.pop(ASKED, "") or of_address or ""
    return name if name in CLAIMS else ""


def keep_in_address(name: str) -> None:
    """Keep the claim that is shown in the address."""
    pages.write(IN_ADDRESS, name)


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
    said = {name: pages.asked(f"only-{name}") for name in _said(Filter())}
    if any(value is not None for value in said.values()):
        asked = _read({name: value or "" for name, value in said.items()}, moment)
        if asked != filter_of(moment.run_id):
            choose_documents(moment.run_id, asked)
        if said["picked"] and not asked.picked:
            st.session_state[GONE] = moment.run_id
    kept = _said(filter_of(moment.run_id))
    pages.keep({f"only-{name}": value for name, value in kept.items()})


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
    topic = pages.number_of(said["topic"])
    whole, point, part = said["least"].partition(".")
    hundredths = pages.number_of(part.ljust(2, "0")) if whole + point == "0." and part else None
    least = LEAST if hundredths is None or len(part) > 2 else hundredths / 100.0
    return Filter(
        _parts(said["label"]),
        _parts(said["but"]),
        day_of(said["since"]),
        day_of(said["until"]),
        _parts(said["word"]),
        topic if topic in moment.row else None,
        least,
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
