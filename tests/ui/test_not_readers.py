"""Who may look at a run but not read its texts is told so, and is shown nothing of them."""

import pytest

from bnpexplorer.ui.frame import access
from bnpexplorer.ui.topics import in_context, labels, two_sides
from tests.tools.alone import LABELS, TITLES, asked, explored, handed, moment
from tests.tools.pages import texts


@pytest.mark.parametrize(
    ("part", "given", "told"),
    [
        (labels.labels_view, (), access.FOR_ITS_OWNER),
        (two_sides.two_labels, (), access.FOR_ITS_OWNER),
        (in_context.word_in_texts, ("ship", 1), access.WORDS_FOR_ITS_OWNER),
        (in_context.word_in_texts, ("port of call", None), access.WORDS_FOR_ITS_OWNER),
    ],
)
def test_it_is_said_in_place_of_what_readers_get(monkeypatch, part, given, told):
    said = handed(monkeypatch, labels, two_sides, in_context)
    app, found = asked(part, explored(moment(), readable=False), *given)
    assert texts(app.info) == told
    assert found[-1] is None
    assert not said.figures
    assert not said.tables
    assert len(app.main.children) == 1
    assert not [word for word in (*LABELS, *TITLES) if word in str(app.main)]
