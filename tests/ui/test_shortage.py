"""Too little memory is said where one begins, before anything is learned."""

import pytest

from bnpexplorer.runs import lecturer, limits
from bnpexplorer.ui.parts import shortage
from tests.tools.pages import go, open_app, texts

KEY = "nobody-guesses-it"
SAID = "There are 690 MB of memory here"


@pytest.fixture
def small_machine(monkeypatch, registry):
    monkeypatch.setattr(shortage, "usable_memory", lambda: 690 * 2**20)


@pytest.mark.parametrize("page", ["start", "corpus"])
def test_it_is_said_where_learning_begins(small_machine, monkeypatch, page):
    app = go(open_app(), page)
    assert texts(app.warning).count(SAID) == 1
    assert "1,024 MB or more" in texts(app.warning)
    monkeypatch.setattr(shortage, "usable_memory", lambda: 2**30)
    assert SAID not in texts(go(app, page).warning)


def test_in_a_class_it_is_said_to_who_can_do_something(small_machine, monkeypatch):
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(lecturer.LECTURER, KEY)
    assert SAID not in texts(open_app().warning)
    assert SAID in texts(open_app(link=KEY).warning)
