"""The Topics page as a person comes to it, and what it lists."""

from bnpexplorer.ui.topics.page import VIEWS as OF_TOPICS

from .pages import choose, go, open_app

OF_THEIR_OWN = {"Compare groups", "Map"}
"""Views that need labels, dates or time, and have tests of their own."""
VIEWS = tuple(view for view in OF_TOPICS if view not in OF_THEIR_OWN)
"""All others, new ones too."""


def page(view=None, **address):
    app = go(open_app(**address), "topics")
    return app if view is None else turn_to(app, view)


def turn_to(app, view):
    return choose(app, "topics-view", view)


def listed(app):
    """What the list of all topics says of each: `■ topic 3`, or its name."""
    return set(next(d.value for d in app.dataframe if "remarks" in d.value)["topic"])
