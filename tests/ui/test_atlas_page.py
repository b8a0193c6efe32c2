"""The Topics page's map of texts through `app.py`, without a browser."""

import base64
import json
import zlib

import numpy as np
import pytest

from bnpexplorer.explore import atlas
from bnpexplorer.explore.choosing import as_letters
from bnpexplorer.ui.documents import listing
from bnpexplorer.ui.frame import access
from bnpexplorer.ui.parts import to_topics
from bnpexplorer.ui.topics import atlas as page
from tests.tools.pages import button, check, choose, field, figures, go, launch, open_app, texts

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """One round and a wait to its end: the thread is `tests/explore/test_atlas.py`'s."""
    monkeypatch.setattr(atlas, "ROUNDS", (12.0,))
    monkeypatch.setattr(page, "SHORT", 60.0)


@pytest.fixture
def listed(monkeypatch):
    """The documents of the last list, as its file would have them."""
    rows = []

    def noted(explored, found, share):
        rows[:] = found.tolist()
        return export(explored, found, share)

    export = listing.export_button
    monkeypatch.setattr(listing, "export_button", noted)
    return lambda app: set(rows)


def opened(entry):
    app = go(open_app(run=entry.run_id, own=entry.secret), "topics")
    return choose(app, "topics-view", "Map")


def rows_of(figure):
    return [row for trace in figure["data"] for row in numbers(trace["customdata"])]


def outlined(app, entry, x=(-1e3, 1e3), y=(-1e3, 1e3)):
    """With a box drawn on the map."""
    outline = {"x": [x[0], x[1], x[1], x[0]], "y": [y[0], y[0], y[1], y[1]]}
    app.session_state["atlas-outline"] = ((entry.run_id, entry.background.latest.step), outline)
    return check(app.run())


def hover_texts(app):
    (data,) = (
        json.loads(component.proto.json)
        for component in app.get("bidi_component")
        if component.proto.component_name == "bnpexplorer_hover_texts"
    )
    return zlib.decompress(base64.b64decode(data["packed"])).decode().split("\n")


def numbers(values):
    if isinstance(values, list):
        return values
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()


@pytest.mark.second
def test_every_text_is_on_the_map_by_topic_label_and_date(registry):
    entry = launch(registry)
    app = opened(entry)
    n_docs = entry.source.corpus.n_docs
    for by in ("topic", "label", "date"):
        choose(app, "atlas-colours", by)
        (figure,) = figures(app)
        assert sorted(rows_of(figure)) == list(range(n_docs))
        assert figure["layout"]["annotations"]


@pytest.mark.second
def test_an_outline_is_told_of_and_let_go(registry):
    entry = launch(registry)
    app = opened(entry)
    (figure,) = figures(app)
    low, high = figure["layout"]["xaxis"]["range"], figure["layout"]["yaxis"]["range"]
    outlined(app, entry, low, high)
    n_docs = entry.source.corpus.n_docs
    assert f"{n_docs:,} texts in the outline" in texts(app.markdown)
    table = next(d.value for d in app.dataframe if "share here" in d.value)
    assert (table["share here"] == table["in all texts"]).all(), "all texts are in this outline"
    next(b for b in app.button if b.key == "atlas-forget").click().run()
    assert "in the outline" not in texts(app.markdown)


@pytest.mark.second
def test_who_may_not_read_gets_points_without_titles(registry, monkeypatch):
    entry = launch(registry)
    title = str(entry.source.corpus.docs.title[0])
    app = opened(entry)
    assert hover_texts(app)[0] == title
    assert [b.label for b in outlined(app, entry).button if b.key == "atlas-read"]
    monkeypatch.setattr(access, "texts_of", lambda entry: None)
    app = opened(entry)
    assert hover_texts(app)[:2] == ["document 1", "document 2"]
    assert not [b for b in outlined(app, entry).button if b.key.startswith("atlas-read")]
    assert not [b for b in app.button if b.key.startswith("atlas-open")]
    (figure,) = figures(app)
    assert title not in str(figure)
    locked = go(
        open_app(run=entry.run_id, only_picked=as_letters(b"\x80" + bytes(19))), "documents"
    )
    assert access.FOR_ITS_OWNER in texts(locked.info)
    assert not chips(locked)
    assert not [
        w for w in app.get("button_group") if w.key == "atlas-colours" and "label" in w.options
    ]


@pytest.mark.second
def test_an_outline_is_read_on_the_documents_page_and_stays_until_it_is_let_go(registry, listed):
    entry = launch(registry)
    app = opened(entry)
    rows = places_in_left_half(app)
    outlined(app, entry, x=(-1e3, rows["middle"]))
    assert f"{len(rows['docs']):,} texts in the outline" in texts(app.markdown)
    app = read_them(app)
    assert listed(app) == rows["docs"], "short documents are not left out"
    assert f"{len(rows['docs'])} texts of an outline on the map" in chips(app)
    app = go(go(app, "topics"), "documents")
    assert listed(app) == rows["docs"]
    label = str(entry.source.corpus.docs.label[min(rows["docs"])])
    check(field(app.multiselect, "Label").set_value([label]).run())
    mine = {row for row in rows["docs"] if entry.source.corpus.docs.label[row] == label}
    assert listed(app) == mine
    choose(app, "documents-way", "search")
    check(app.text_input(key="documents-search").set_value(label).run())
    assert listed(app) == mine, "those found by their label, of the outline"
    assert f"{len(mine)} of " in texts(app.caption)
    assert "pass the filter" in texts(app.caption)
    address = {name: values[0] for name, values in app.query_params.items()}
    again = go(open_app(**address | {"run": entry.run_id}), "documents")
    assert listed(again) == mine, "from the address alone"
    check(button(app, key="documents-chip-picked").click().run())
    assert "only-picked" not in app.query_params
    assert listed(app) > mine


@pytest.mark.second
def test_an_outline_too_large_for_an_address_is_kept_by_the_tab_and_said_when_it_is_gone(
    registry, monkeypatch, listed
):
    monkeypatch.setattr(to_topics, "LONGEST", 5)
    entry = launch(registry)
    app = read_them(outlined(opened(entry), entry, x=(-1e3, 0.0)))
    found = listed(app)
    assert found < set(range(entry.source.corpus.n_docs))
    name = app.query_params["only-picked"][0]
    assert name.startswith("~")
    assert "only the tab" not in texts(app.info)
    other = go(open_app(run=entry.run_id, only_picked=name), "documents")
    assert "only the tab that drew it had" in texts(other.info)
    assert not chips(other)
    go(app, "documents")
    assert listed(app) == found


@pytest.mark.second
def test_a_region_is_picked_out_without_a_mouse_and_a_text_is_read(registry, listed):
    entry = launch(registry)
    app = opened(entry)
    (box,) = (b for b in app.selectbox if b.key == "atlas-region")
    check(box.select_index(0).run())
    assert "texts in the outline" in texts(app.markdown)
    n_docs = int(button(app, key="atlas-read").label.split()[2])
    first = next(b for b in app.button if b.key.startswith("atlas-open-"))
    row = int(first.key.removeprefix("atlas-open-"))
    app = go(check(first.click().run()), "documents")
    assert app.session_state["documents-row"] == row
    assert row in listed(app)
    assert len(listed(app)) == n_docs


def places_in_left_half(app):
    (figure,) = figures(app)
    xs = {
        int(row): x
        for trace in figure["data"]
        for row, x in zip(numbers(trace["customdata"]), numbers(trace["x"]), strict=True)
    }
    middle = float(np.median(list(xs.values()))) + 1e-3
    return {"middle": middle, "docs": {row for row, x in xs.items() if x < middle}}


def read_them(app):
    return go(check(button(app, key="atlas-read").click().run()), "documents")


def chips(app):
    return " ".join(b.label for b in app.button if (b.key or "").startswith("documents-chip"))
