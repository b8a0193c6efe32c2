"""Texts by their path on the Texts page: what a person does there, and builds that go slowly."""

from bnpexplorer.plugins.building import builds
from bnpexplorer.plugins.building.plan import work_folder
from bnpexplorer.ui.texts.paths import ASKED, PATHS, WAY
from tests.tools.pages import button, check, choose, go, open_app, texts

from .waiting import until


def opened():
    return choose(go(open_app(), "corpus"), WAY, PATHS)


def ask(app, *paths):
    return check(app.text_area(key=ASKED).set_value("\n".join(map(str, paths))).run())


def errors(app):
    """As a person reads them, without the marks that keep Markdown from doing anything."""
    return texts(app.error).replace("\\", "").replace("\u2060", "-")


def press(app, words):
    return check(button(app, words).click().run())


def until_ended(app):
    """What a browser does by itself: the page is drawn anew when the build has ended."""
    for one in builds._builds().values():
        assert one.wait(300), one.step
    return check(app.run())


def metric(app, label):
    return next(m.value for m in app.metric if m.label == label)


def records(out):
    return sorted((work_folder(out) / "records").glob("*.arrow"))


def until_begun(out, at_least=2):
    until(lambda: len(records(out)) >= at_least)
