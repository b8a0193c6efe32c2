"""Texts that take long to read: the page says how far it is, and Cancel leaves what was there."""

import itertools
import threading

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api, refusing
from bnpexplorer.corpus.intake.following import follower_here
from bnpexplorer.corpus.intake.usage import Usage
from bnpexplorer.ui.parts import under_way
from bnpexplorer.ui.texts import form
from tests.tools.pages import button, check, go, open_app, texts
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.usefixtures("registry")
FIRST, SECOND = ("\n".join(f"{word} and hill {i}" for i in range(30)) for word in ("sea", "rock"))
NUMBER = itertools.count()
"""Of uploads: tests without a browser are one session, which keeps what it has read."""


class Gate:
    """A reader that waits until it is let go, or cancelled."""

    def __init__(self):
        self.open, self.began, self.ended = (threading.Event() for _ in range(3))

    def read(self, files, options):
        follower = follower_here()
        follower.tell("1,200 lines")
        follower.usage = Usage(340 * 2**20, 12.0)
        self.began.set()
        while not self.open.wait(0.01):
            if follower.cancelled:
                self.ended.set()
                raise refusing.Cancelled("Reading b.txt was cancelled.")
        return api.read_files(files, options)


@pytest.fixture
def gate(monkeypatch):
    slow = Gate()
    yield slow
    slow.open.set()


def slowly(gate, monkeypatch):
    monkeypatch.setattr(form, "read_files", gate.read)
    monkeypatch.setattr(under_way, "PATIENCE", 0.2)


def loaded(name=FIRST):
    app = go(open_app(), "corpus")
    check(app.file_uploader[0].upload("a.txt", name.encode(), "text/plain").run())
    assert app.session_state["loaded"].corpus.name == "a.txt"
    return app


def upload(app, name, content):
    content = f"{content}\nupload {next(NUMBER)} of rock"
    return check(app.file_uploader[0].set_value([(name, content.encode(), "text/plain")]).run())


@pytest.mark.second
def test_the_page_says_how_far_it_is_and_cancel_leaves_what_was_loaded(gate, monkeypatch):
    app = loaded()
    slowly(gate, monkeypatch)
    upload(app, "b.txt", SECOND)
    assert gate.began.wait(NEVER)
    check(app.run())
    assert "Reading b.txt: 1,200 lines, 12 s of processor time, 340 MB of memory" in texts(
        app.markdown
    )
    assert app.session_state["loaded"].corpus.name == "a.txt"
    check(button(app, "Cancel").click().run())
    assert gate.ended.wait(NEVER)
    assert "Reading b.txt was cancelled." in texts(app.markdown)
    assert "The texts that were loaded before are still there." in texts(app.caption)
    assert app.session_state["loaded"].corpus.name == "a.txt"
    gate.open.set()
    monkeypatch.setattr(under_way, "PATIENCE", 600.0)
    check(button(app, "Start again").click().run())
    assert app.session_state["loaded"].corpus.name == "b.txt"


@pytest.mark.second
def test_when_it_is_done_it_is_loaded(gate, monkeypatch):
    app = loaded()
    slowly(gate, monkeypatch)
    upload(app, "b.txt", SECOND)
    assert gate.began.wait(NEVER)
    assert not app.error
    gate.open.set()
    monkeypatch.setattr(under_way, "PATIENCE", 600.0)
    check(app.run())
    assert app.session_state["loaded"].corpus.name == "b.txt"
    assert not any(one.label == "Cancel" for one in app.button)


@pytest.mark.second
def test_other_files_end_what_nobody_waits_for_any_more(gate, monkeypatch):
    app = loaded()
    slowly(gate, monkeypatch)
    upload(app, "b.txt", SECOND)
    assert gate.began.wait(NEVER)
    monkeypatch.setattr(form, "read_files", api.read_files)
    monkeypatch.setattr(under_way, "PATIENCE", 600.0)
    upload(app, "c.txt", SECOND)
    assert gate.ended.wait(NEVER)
    assert app.session_state["loaded"].corpus.name == "c.txt"


def test_a_tab_that_is_closed_ends_its_reading_and_one_that_comes_back_starts_again(monkeypatch):
    there = [True]
    monkeypatch.setattr(under_way, "is_open", lambda tab: there[0])
    began, state = [], {}
    monkeypatch.setattr(under_way.st, "session_state", state)

    def work():
        began.append(follower_here())
        while not began[-1].cancelled and len(began) == 1:
            began[-1].look(Usage())
        if began[-1].cancelled:
            raise refusing.Cancelled("Reading a.txt was cancelled.")
        return "texts"

    monkeypatch.setattr(under_way, "PATIENCE", 0.0)
    with pytest.raises(under_way.UnderWay):
        under_way.awaited("Reading a.txt", "a", work)
    there[0] = False
    state[under_way.GOING].wait(NEVER)
    there[0] = True
    monkeypatch.setattr(under_way, "PATIENCE", 600.0)
    assert under_way.awaited("Reading a.txt", "a", work) == "texts"
    assert len(began) == 2


def test_what_is_refused_is_said_as_ever(gate, monkeypatch):
    def refuses(files, options):
        raise CorpusError("b.txt is empty; give a file with at least one document.")

    app = loaded()
    monkeypatch.setattr(form, "read_files", refuses)
    upload(app, "b.txt", SECOND)
    assert "b.txt is empty" in texts(app.error)
    assert app.session_state["loaded"].corpus.name == "a.txt"
