"""Share on the page of a race: links, and how to cite its methods."""

import streamlit as st

from ...compare import Race
from ...runs.registry import Entry
from ..frame import access
from ..frame.session import JOBS
from ..parts.links import Links, show_links
from ..parts.share import how_to_cite, share_button


def links_of(entry: Entry, owned: bool) -> Links:
    """To watch a race, and to control it for its owner."""
    race: Race = entry.background.run
    return Links(
        f"race of {', '.join(run.name for run in race.runs)}",
        {"compare": "Race", "race": entry.run_id},
        {JOBS["race"]: entry.secret} if owned else {},
        [entry.secret] if owned else [],
        access.is_open(entry.run_id),
    )


def share_race(entry: Entry, owned: bool) -> None:
    """The button; files are made of single runs."""

    def draw() -> None:
        show_links(links_of(entry, owned))
        st.markdown("### Download")
        st.caption(
            "Each of its runs is kept as an ordinary run: when the race has ended, *Open its runs "
            "on Live* leads to them, and *Share* there has their files."
        )
        race: Race = entry.background.run
        how_to_cite(list(dict.fromkeys(run.method.name for run in race.runs)))

    share_button("share-race", draw)
