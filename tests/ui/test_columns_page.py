"""The Corpus page says what was guessed of columns and offers others, for one click each."""

import pytest

from tests.corpus.test_guessing import DAYS, N, table, texts
from tests.tools.pages import button, check, field, go, open_app
from tests.tools.pages import texts as said_in

pytestmark = [pytest.mark.second, pytest.mark.usefixtures("registry")]
LIKED = [f"We liked the food and the people of place {i} most of all" for i in range(N)]
COLUMNS = {
    "Erschienen am": DAYS,
    "text": texts(),
    "archived": [str(day.replace(year=day.year + 5)) for day in DAYS],
    "answer": LIKED,
    "party": ["left", "right"] * (N // 2),
}


def uploaded(content):
    app = go(open_app(), "corpus")
    return check(app.file_uploader[0].upload("t.csv", content, "text/csv").run())


def test_another_column_is_one_click_away():
    app = uploaded(table(COLUMNS))
    assert "date from 'Erschienen am' (guessed)" in said_in(app.caption)
    assert "'archived' holds dates." in said_in(app.caption)
    before = app.session_state["loaded"].corpus.docs
    assert str(before.date[0]) == "2014-03-05"
    check(button(app, "Use it as the date").click().run())
    loaded = app.session_state["loaded"]
    assert str(loaded.corpus.docs.date[0]) == "2019-03-05"
    assert loaded.report.reading.options.date == "archived"
    check(button(app, "Read each as a document").click().run())
    loaded = app.session_state["loaded"]
    assert loaded.corpus.n_docs == 2 * N
    assert set(loaded.corpus.docs.label) == {"text", "answer"}
    assert field(app.multiselect, "More text columns").value == ["answer"]


def test_a_ragged_row_is_left_out_by_choice():
    lines = table(COLUMNS).decode().splitlines()
    lines[4] += ",more"
    app = uploaded("\n".join(lines).encode())
    assert "line 5: 6 fields where the header has 5" in said_in(app.error)
    check(field(app.selectbox, "Rows of another width").set_value("leave out").run())
    assert app.session_state["loaded"].corpus.n_docs == N - 1
    assert "were left out (line 5)" in said_in(app.caption)
