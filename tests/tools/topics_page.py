"""The Topics page as a person comes to it, and what it lists."""

from .pages import choose, go, open_app

VIEWS = ("Topics", "Find a word", "Through the run", "Over time", "Together", "Tree")


def page(view=None, **address):
    app = go(open_app(**address), "topics")
    return app if view is None else turn_to(app, view)


def turn_to(app, view):
    return choose(app, "topics-view", view)


def listed(app):
    """What the list of all topics says of each: `■ topic 3`, or its name."""
    return set(next(d.value for d in app.dataframe if "remarks" in d.value)["topic"])
