"""The map of texts, each part alone: whose colour, which texts an outline holds, what is said."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.explore.atlas import Region
from bnpexplorer.explore.choosing import Filter, are_picked
from bnpexplorer.explore.periods import labelled
from bnpexplorer.plots.atlas import Groups
from bnpexplorer.plots.style import topic_colours
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.topics import atlas, atlas_outline
from tests.tools.alone import LABELS, SHARES, TITLES, drawn, explored, handed, moment
from tests.tools.pages import button, check, html, texts

NB = "\u00a0"
PLACES = np.array([[0, 0], [1, 0], [2, 5], [3, 5], [9, 1], [9, 2]], np.float32)
HOME = {
    0: Region(0.5, 0.1, 2, (-1.0, -2.0), (1.5, 0.5)),
    1: Region(2.5, 5.1, 3, (1.9, 4.0), (3.2, 6.0)),
    2: Region(9.1, 1.5, 1, (8.0, 0.0), (9.5, 2.5)),
}
"""Of the columns of topics 4, 9 and 2; the second leads most documents."""
FIRST = {"x": [-1.0, 1.5, 1.5, -1.0], "y": [-1.0, -1.0, 1.0, 1.0]}
"""Around the first two documents."""
FOUR = {"x": [-1.0, 3.5, 3.5, -1.0], "y": [-1.0, -1.0, 6.0, 6.0]}
"""Around the first four: topic 9 leads them, though topic 4 leads the first."""


@pytest.fixture
def told(monkeypatch):
    return handed(monkeypatch, atlas, atlas_outline)


def outlined(outline=FIRST):
    return {"atlas_outline": (moment().at, outline)}


# ---- the map -------------------------------------------------------------------------------------


def test_every_topic_has_its_colour_at_its_points_and_around_its_name(told):
    at = moment(Labels({9: "<laws>"}, hidden=frozenset({4})))
    drawn(atlas._draw, explored(at), PLACES, SHARES, HOME, "topic")
    figure = told.figures["topics-atlas"]
    inks = dict(zip((9, 4, 2), topic_colours([at.look(i) for i in (9, 4, 2)], False), strict=True))
    drawn_in = {t.marker.color: sorted(t.customdata.tolist()) for t in figure.data}
    assert drawn_in == {inks[4]: [0, 1], inks[9]: [2, 3], inks[2]: [4, 5]}
    notes = {note.text: note for note in figure.layout.annotations}
    assert list(notes) == ["<b>&lt;laws&gt;</b>", f"<b>{at.name(2)}</b>"], "without hidden ones"
    for name, topic, region in (("<b>&lt;laws&gt;</b>", 9, 1), (f"<b>{at.name(2)}</b>", 2, 2)):
        note = notes[name]
        assert (note.x, note.y) == (HOME[region].x, HOME[region].y)
        assert note.bordercolor == inks[topic]


def test_by_label_the_key_says_whose_colour_and_by_date_an_undated_text_is_grey(told):
    at = moment()
    app = drawn(atlas._draw, explored(at), PLACES, SHARES, HOME, "label")
    figure = told.figures["topics-atlas"]
    groups = {tuple(t.customdata.tolist()): t.marker.color for t in figure.data}
    assert list(groups) == [(2, 3, 4), (0, 1), (5,)]
    for name, ink in zip(("state", "sea", "garden"), groups.values(), strict=True):
        assert f'<span style="color:{ink}">●</span> {name}</span>' in html(app)
    assert "grey" not in html(app)
    assert all(note.bordercolor == "rgba(0,0,0,0)" for note in figure.layout.annotations)
    drawn(atlas._draw, explored(at), PLACES, SHARES, HOME, "date")
    grey, dated = told.figures["topics-atlas"].data
    assert (grey.customdata.tolist(), dated.customdata.tolist()) == ([3], [0, 1, 2, 4, 5])
    years = atlas._years(at)
    assert np.isnan(years).tolist() == [False, False, False, True, False, False]
    assert years[0] == pytest.approx(2001 + 33 / 365.25, abs=0.01)
    assert years[5] == pytest.approx(2003 + 220 / 365.25, abs=0.01)


@pytest.mark.parametrize(("n_names", "of", "grey"), [(8, 0, True), (3, -1, True), (3, 0, False)])
def test_the_key_says_what_is_grey(n_names, of, grey):
    names = [f"l{i}" for i in range(n_names)]
    groups = Groups(np.array([0, of]), names, [f"#11111{i}" for i in range(min(n_names, 7))])
    assert ("grey: others" in html(drawn(atlas._key, groups))) == grey


@pytest.mark.parametrize("readable", [True, False])
def test_what_is_said_below_the_map_and_what_a_click_does(monkeypatch, told, readable):
    found = explored(moment(), readable=readable)
    asked = found, PLACES, SHARES, HOME, "topic"
    said = texts(drawn(atlas._draw, *asked).caption)
    assert said.startswith("Click a point" if readable else "Near points")
    assert "Laid out by t-SNE." in said
    assert "Drawn are" not in said
    if readable:
        told.clicks["topics-atlas"](4)
        assert told.led == [(2, None, "", 4)]
    else:
        assert told.clicks["topics-atlas"] is None
    monkeypatch.setattr(atlas, "LANDMARKS", 5)
    monkeypatch.setattr(atlas, "MOST_POINTS", 4)
    said = texts(drawn(atlas._draw, *asked).caption)
    assert "Drawn are 4 of the 6 texts, taken evenly;" in said
    assert "5 of the texts are laid out by t-SNE, the others lie beside them." in said


@pytest.mark.parametrize("readable", [True, False])
def test_a_point_says_its_title_only_to_readers(readable):
    corpus = moment().corpus
    texts_ = atlas._lines(readable, corpus, np.array([1, 4]))
    lines = ["", "Second port" if readable else "document 2", "", "", "Fifth bed", ""]
    lines[4] = "Fifth bed" if readable else "document 5"
    assert texts_.lines == lines


def test_the_table_of_the_map_has_the_largest_topic_and_place_of_every_text():
    at = moment()
    table = atlas._table(explored(at), PLACES, SHARES, 5)
    assert table["document"].tolist() == [1, 2, 3, 4, 5]
    assert table["title"].tolist() == list(TITLES[:5])
    assert table["largest topic"].tolist() == [at.name(i) for i in (4, 4, 9, 9, 2)]
    assert table["its share"].tolist() == pytest.approx([0.93, 0.71, 0.88, 0.83, 0.84])
    assert table[["x", "y"]].values.tolist() == PLACES[:5].tolist()
    assert len(atlas._table(explored(at), PLACES, SHARES, 99)) == 6


@pytest.mark.parametrize(
    ("readable", "labels", "dates", "ways"),
    [
        (True, True, True, ["topic", "label", "date"]),
        (False, True, True, ["topic", "date"]),
        (True, False, True, ["topic", "date"]),
        (True, True, False, ["topic", "label"]),
        (False, True, False, []),
    ],
)
def test_colours_are_offered_where_there_is_something_to_colour_by(readable, labels, dates, ways):
    at = moment()
    docs = replace(
        at.corpus.docs,
        label=at.corpus.docs.label if labels else np.array(["a"] * 6, object),
        date=at.corpus.docs.date if dates else None,
    )
    found = explored(replace(at, corpus=replace(at.corpus, docs=docs)), readable=readable)
    offered = [w.options for w in drawn(atlas._colours, found).get("button_group")]
    assert offered == ([[atlas.COLOURS[way] for way in ways]] if ways else [])


def test_a_map_under_way_says_which_round_and_one_that_failed_why():
    layout = SimpleNamespace(error="", n_done=1, n_rounds=4, ended=False)
    bar = drawn(atlas._under_way, layout, 1).get("progress")[0].proto
    assert bar.text.startswith("Laying out the texts, round 2 of 4;")
    assert bar.value == 37
    layout.error = "No *room*."
    app = drawn(atlas._under_way, layout, 1)
    assert texts(app.error).replace("\\", "") == "The map could not be drawn: No *room*."
    assert not app.get("progress")


def test_two_texts_are_no_map():
    at = moment()
    few = explored(replace(at, corpus=at.corpus.take([0, 1])))
    assert "It takes three texts" in texts(drawn(atlas.atlas_view, few).info)


# ---- an outline ----------------------------------------------------------------------------------


def test_an_outline_is_of_its_moment_alone():
    at, later = moment(), replace(moment(), snapshot=replace(moment().snapshot, step=6))
    found = []

    def ask(one):
        found.append(atlas_outline.inside_it(one, PLACES))

    drawn(ask, at, **outlined())
    drawn(ask, later, **outlined())
    drawn(ask, at)
    assert found[0].tolist() == [True, True, False, False, False, False]
    assert found[1:] == [None, None]


@pytest.mark.parametrize(
    ("outline", "rows", "order", "here"),
    [(FIRST, 2, (4, 9, 2), ("82.0", "13.5", "4.5")), (FOUR, 4, (9, 4, 2), ("49.5", "44.7", "5.8"))],
)
def test_the_texts_of_an_outline_are_read_by_their_own_topic_and_only_they(
    told, outline, rows, order, here
):
    found = explored(moment())
    app = drawn(atlas_outline.beside, found, PLACES, SHARES, HOME, **outlined(outline))
    assert f"### {rows} texts in the outline" in texts(app.markdown)
    check(button(app, f"Read these {rows} texts").click().run())
    ((topic, asked, search, row),) = told.led
    assert (topic, search, row) == (order[0], "", None)
    assert are_picked(asked.picked, 6).tolist() == [k < rows for k in range(6)]
    table = app.dataframe[0].value
    at = found.moment
    assert table["topic"].tolist() == [at.head(topic) for topic in order]
    assert table["share here"].tolist() == [f"{x}{NB}%" for x in here]
    everywhere = dict(zip((4, 9, 2), 100 * SHARES.mean(axis=0), strict=True))
    assert table["in all texts"].tolist() == [f"{everywhere[i]:.1f}{NB}%" for i in order]


def test_the_most_typical_texts_of_an_outline_come_first(told):
    """Nearest to its mean by Hellinger's distance; each opens among those of the outline."""
    every = {"x": [-5, 20, 20, -5], "y": [-5, -5, 20, 20]}
    found = explored(moment())
    app = drawn(atlas_outline.beside, found, PLACES, SHARES, HOME, **outlined(every))
    mean = SHARES.mean(axis=0)
    like = np.sqrt(SHARES * mean).sum(axis=1)
    opens = [b for b in app.button if b.key.startswith("atlas-open-")]
    order = np.argsort(-like)
    assert [b.label for b in opens] == [TITLES[row] for row in order]
    check(opens[0].click().run())
    ((topic, asked, _, row),) = told.led
    assert row == order[0]
    assert topic == (4, 9, 2)[int(SHARES[row].argmax())]
    assert are_picked(asked.picked, 6).all()


def test_a_text_outside_of_the_outline_opens_alone(told):
    drawn(atlas_outline.read, explored(moment()), PLACES, SHARES, 3, **outlined())
    drawn(atlas_outline.read, explored(moment()), PLACES, SHARES, 1, **outlined())
    assert told.led[0] == (9, None, "", 3)
    assert told.led[1][1] != Filter()
    assert told.led[1][0] == 4


def test_who_may_not_read_sees_shares_and_no_texts(told):
    found = explored(moment(), readable=False)
    app = drawn(atlas_outline.beside, found, PLACES, SHARES, HOME, **outlined())
    assert [b.label for b in app.button] == ["Let go of it"]
    assert len(app.dataframe) == 1
    check(button(app, "Let go of it").click().run())
    assert "### Pick out a part" in texts(app.markdown)


def test_a_region_of_the_list_becomes_the_outline_with_its_own_corners():
    at = moment(Labels(hidden=frozenset({2})))
    app = drawn(atlas_outline._region_field, at, HOME)
    assert [option.split(" ")[0] for option in app.selectbox[0].options] == ["9", "4"]
    check(app.selectbox[0].set_value(4).run())
    assert app.session_state["atlas-outline"] == (
        at.at,
        {"x": [-1.0, 1.5, 1.5, -1.0], "y": [-2.0, -2.0, 0.5, 0.5]},
    )


@pytest.mark.parametrize("block", [2, 3, 65_536])
def test_means_of_many_texts_are_those_of_all_at_once(monkeypatch, block):
    monkeypatch.setattr(atlas_outline, "BLOCK", block)
    rows = np.array([0, 2, 3, 5, 4])
    found = atlas_outline.mean_of(SHARES, rows)
    np.testing.assert_allclose(found, SHARES[rows].mean(axis=0), rtol=1e-6)


def test_labels_of_the_map_are_for_readers():
    assert atlas._labels(explored(moment(), readable=False)) is None
    found = atlas._labels(explored(moment()))
    assert found.names == labelled(np.array(LABELS, object), 6).names


@pytest.mark.parametrize(
    ("places", "ended", "drawn_parts"),
    [
        (None, False, ["under way"]),
        (None, True, ["under way"]),
        (PLACES, False, ["map", "under way", "beside"]),
        (PLACES, True, ["map", "beside"]),
    ],
)
def test_the_map_is_there_from_its_first_round_and_what_is_under_way_until_its_end(
    monkeypatch, places, ended, drawn_parts
):
    went = []
    laid = SimpleNamespace(found=places, n_done=3, ended=ended, wait=lambda _: None)
    monkeypatch.setattr(atlas, "proportions", lambda _: SHARES)
    monkeypatch.setattr(atlas, "LayingOut", lambda _: laid)
    monkeypatch.setattr(atlas, "_draw", lambda *_: went.append("map"))
    monkeypatch.setattr(atlas, "_under_way", lambda *_: went.append("under way"))
    monkeypatch.setattr(atlas.outline, "beside", lambda *_: went.append("beside"))
    drawn(atlas.atlas_view, explored(moment()))
    assert went == drawn_parts
