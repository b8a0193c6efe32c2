"""What each link may use where many people open one server, as in a class.

There are no accounts. Whatever a tab starts has a secret of its own, which begins with the name of
the tab's link; so does whatever is started by whoever was given one of these secrets. A link may
have a key, which stands in its address alone: its name is made of it and does not tell it. The key
of the link that started the server is printed there, and some of everything is kept for it.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from .limits import disk_limit, is_shared

LECTURER = "BNPEXPLORER_LECTURER"
"""The environment variable with the key of the link that started such a server."""
NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
SHORTEST_KEY = 12
"""Characters of the lecturer's: as many as of a new one; a family name is guessed."""
MOST_GOING, MOST_GOING_OF_ALL = 6, 60
"""Runs, races and studies that compute or wait in line: of one link, and of all but the lecturer's.
Each has a thread and its topics in memory."""
MOST_KEPT = 24
"""Saved runs of one link, and its races and studies that have not ended."""
KEPT_FOR_LECTURER = 4
"""One part in so many of the disk that saved runs may take is for the lecturer's alone."""
LEAST_DISK = 64 * 2**20
"""Bytes that a link may take however many there are; a saved run takes 1 to 20 MB."""
MOST_MINUTES = 30
"""Minutes of one claim or sweep."""
ALONE = 1440
"""Minutes of one claim or sweep where nobody else waits."""


def lecturer() -> str:
    """The name of the link that started a class; empty where there is none."""
    key = os.environ.get(LECTURER, "").strip()
    return name_of(key) if is_shared() and is_lecturers(key) else ""


def is_lecturers(key: str) -> bool:
    """Whether the lecturer's link may have this key."""
    return is_name(key) and len(key) >= SHORTEST_KEY


def name_of(key: str) -> str:
    """The name of the link with this key: whoever is given a secret learns the name alone."""
    return hashlib.sha256(f"link {key}".encode()).hexdigest()[:16]


def most_minutes() -> int:
    """Of one claim or sweep."""
    return MOST_MINUTES if is_shared() else ALONE


def check_minutes(minutes: float) -> None:
    """Refuse a claim or sweep that is longer than others should wait. Raises ValueError."""
    if minutes > most_minutes():
        raise ValueError(
            f"Here a claim or a sweep may take {most_minutes():,} minutes; this one would take "
            f"{minutes:,.0f}. Choose a shorter time."
        )


def is_name(text: str) -> bool:
    """Whether a link may have this name or key; what a secret adds to it begins with a dot."""
    return NAME.fullmatch(text) is not None


def new_name() -> str:
    """A name or key for a link that nobody guesses."""
    return secrets.token_urlsafe(9)


def new_secret(link: str) -> str:
    """A secret for what a link starts."""
    return f"{link}.{secrets.token_urlsafe(12)}"


def link_of(secret: str) -> str:
    """The name of the link that a secret is of; empty for one from before there were names."""
    name, dot, _ = secret.partition(".")
    return name if dot else ""


def check_going(going: Sequence[str], link: str, wanted: int) -> None:
    """Refuse what would be too much at once. Raises ValueError with what to do.

    `going`: the link of everything that computes or waits in line.
    """
    if not is_shared() or link == lecturer():
        return
    if going.count(link) + wanted > MOST_GOING:
        raise ValueError(
            f"In a class each of you may have {MOST_GOING} runs, races and studies going at once, "
            f"and you have {going.count(link)}: pause or stop one first."
        )
    if sum(one != lecturer() for one in going) + wanted > MOST_GOING_OF_ALL:
        raise ValueError(
            f"{MOST_GOING_OF_ALL} runs, races and studies of this class are going: wait until some "
            "have ended."
        )


@dataclass(frozen=True)
class LinkUsage:
    """What a link has on the disk, where many share one."""

    link: str
    n_kept: int
    """Saved runs, and races and studies that have not ended."""
    n_bytes: int
    others: int
    """Bytes of all other links."""
    n_links: int
    """Links with something saved, this one among them."""

    @property
    def share(self) -> int:
        """Bytes that the link may take: the lecturer's are never fewer for others' sake."""
        limit = disk_limit()
        if self.link == lecturer():
            return max(limit // KEPT_FOR_LECTURER, limit - self.others)
        for_all = limit - limit // KEPT_FOR_LECTURER
        return min(max(for_all // max(self.n_links, 1), LEAST_DISK), max(for_all - self.others, 0))

    def check(self) -> None:
        """Refuse one more where the share is used up. Raises ValueError with what to do."""
        if self.n_kept >= MOST_KEPT and self.link != lecturer():
            raise ValueError(
                f"You have {self.n_kept} saved runs, races and studies, and in a class each of you "
                f"may keep {MOST_KEPT}: delete a run on the Runs page, or let a study end."
            )
        if self.n_bytes >= self.share:
            raise ValueError(
                f"What you saved takes {self.n_bytes / 2**20:,.0f} MB, and in this class your "
                f"share is {self.share / 2**20:,.0f} MB: delete runs on the Runs page, or ask "
                "whoever started the server for a larger BNPEXPLORER_DISK_MB."
            )
