"""The map of texts as it is drawn: what is marked on it, what is kept apart, and until when."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.explore.atlas import Region
from bnpexplorer.ui.topics import atlas, atlas_outline
from tests.tools.alone import SHARES, TITLES, drawn, explored, handed, moment
from tests.tools.pages import html
from tests.ui.test_topics_atlas import FIRST, HOME, PLACES, outlined


@pytest.fixture
def told(monkeypatch):
    return handed(monkeypatch, atlas, atlas_outline)


def test_what_is_outlined_is_marked_and_what_is_drawn_around_is_kept(told, monkeypatch):
    given = []
    real = atlas.plots.atlas_figure
    monkeypatch.setattr(
        atlas.plots, "atlas_figure", lambda *what: given.append(what) or real(*what)
    )
    kept = []
    monkeypatch.setattr(atlas_outline, "keep", lambda *what: kept.append(what))
    found = explored(moment())
    asked = found, PLACES, SHARES, HOME, "topic"
    drawn(atlas._draw, *asked, **outlined())
    *_, chosen, outline, rows = given.pop()
    assert chosen.tolist() == [True, True, False, False, False, False]
    assert [corner.tolist() for corner in outline] == [FIRST["x"], FIRST["y"]]
    assert rows.tolist() == [0, 1, 2, 3, 4, 5]
    told.more["topics-atlas"]["on_outline"]("an outline")
    assert kept == [(found.moment, "an outline")]
    drawn(atlas._draw, *asked)
    assert given.pop()[-3:-1] == (None, None)


def test_names_stand_with_the_topic_of_most_documents_first(told):
    """The browser writes as many as there is room for."""
    home = {k: replace(one, n_docs=n) for (k, one), n in zip(HOME.items(), (4, 9, 2), strict=True)}
    at = moment()
    drawn(atlas._draw, explored(at), PLACES, SHARES, home, "topic")
    notes = told.figures["topics-atlas"].layout.annotations
    assert [note.text for note in notes] == [f"<b>{at.name(i)}</b>" for i in (9, 4, 2)]


def test_colours_are_explained_where_they_are_of_labels_alone(told):
    at = moment()
    for by in ("topic", "label", "date"):
        app = drawn(atlas._draw, explored(at), PLACES, SHARES, HOME, by)
        assert ("●" in html(app)) == (by == "label")


def test_titles_that_a_reader_was_shown_are_not_shown_to_who_watches():
    at, rows = moment(), np.arange(6)
    assert atlas._hover(explored(at), rows).lines == list(TITLES)
    watched = atlas._hover(explored(at, readable=False), rows)
    assert watched.lines == [f"document {n}" for n in range(1, 7)]


def test_every_round_has_its_own_regions(monkeypatch):
    worked, shown = [], []
    monkeypatch.setattr(atlas, "proportions", lambda _: SHARES)
    monkeypatch.setattr(atlas, "regions", lambda places, _: worked.append(places) or len(worked))
    monkeypatch.setattr(atlas, "_draw", lambda *what: shown.append(what[1:4:2]))
    monkeypatch.setattr(atlas, "_under_way", lambda *_: None)
    monkeypatch.setattr(atlas.outline, "beside", lambda *_: None)
    at = moment()
    laid = SimpleNamespace(found="first", n_done=1, ended=False, wait=lambda _: None)
    monkeypatch.setattr(atlas, "LayingOut", lambda _: laid)
    for laid.found, laid.n_done in (("first", 1), ("first", 1), ("second", 2)):
        drawn(atlas.atlas_view, explored(at))
    assert worked == ["first", "second"]
    assert shown == [("first", 1), ("first", 1), ("second", 2)]


def test_with_the_next_round_the_outline_goes_and_the_page_is_drawn_anew(monkeypatch):
    """Other texts lie there now."""
    done = []
    monkeypatch.setattr(atlas.st, "rerun", lambda: done.append("drawn anew"))
    monkeypatch.setattr(atlas.outline, "forget", lambda: done.append("forgotten"))
    layout = SimpleNamespace(error="", n_done=1, n_rounds=4, ended=False)
    drawn(atlas._under_way, layout, 1)
    assert done == []
    for layout.n_done, layout.ended in ((2, False), (1, True)):
        drawn(atlas._under_way, layout, 1)
        assert done == ["forgotten", "drawn anew"]
        done.clear()


def test_topics_without_a_region_cannot_be_picked_out():
    at = moment()
    app = drawn(atlas_outline._region_field, at, {1: Region(0, 0, 3, (0, 0), (1, 1))})
    assert [option.split(" ")[0] for option in app.selectbox[0].options] == ["9"]
