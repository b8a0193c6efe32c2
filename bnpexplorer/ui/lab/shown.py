"""Which function shows which demonstration."""

from collections.abc import Callable

from . import corpora, document, franchise, ordered, restaurant, shrinking, sticks, update

File = Callable[[], str]

SHOW: dict[str, Callable[[], File | None]] = {
    "update": update.show,
    "shrinking": shrinking.show,
    "sticks": sticks.show,
    "restaurant": restaurant.show,
    "franchise": franchise.show,
    "ordered": ordered.show,
    "corpora": corpora.show,
    "document": document.show,
}
"""By the names of `lab.DEMONSTRATIONS`; each returns what makes it a file, if anything does."""
