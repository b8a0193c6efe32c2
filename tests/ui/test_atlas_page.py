"""The Topics page's map of texts through `app.py`, without a browser."""

import base64

import numpy as np
import pytest

from bnpexplorer.explore import atlas
from bnpexplorer.ui.frame import access
from bnpexplorer.ui.topics import atlas as page
from tests.tools.pages import choose, figures, go, launch, open_app, texts

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """One round and a wait to its end: the thread is `tests/explore/test_atlas.py`'s."""
    monkeypatch.setattr(atlas, "ROUNDS", (12.0,))
    monkeypatch.setattr(page, "SHORT", 60.0)


def opened(entry):
    app = go(open_app(run=entry.run_id, own=entry.secret), "topics")
    return choose(app, "topics-view", "Map of texts")


def rows_of(figure):
    return [row for trace in figure["data"] for row in numbers(trace["customdata"])]


def numbers(values):
    if isinstance(values, list):
        return values
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()


def test_every_text_is_on_the_map_by_topic_label_and_date(registry):
    entry = launch(registry)
    app = opened(entry)
    n_docs = entry.source.corpus.n_docs
    for by in ("topic", "label", "date"):
        choose(app, "atlas-colours", by)
        (figure,) = figures(app)
        assert sorted(rows_of(figure)) == list(range(n_docs))
        assert figure["layout"]["annotations"]


def test_an_outline_is_told_of_and_let_go(registry):
    entry = launch(registry)
    app = opened(entry)
    (figure,) = figures(app)
    low, high = figure["layout"]["xaxis"]["range"], figure["layout"]["yaxis"]["range"]
    outline = {"x": [low[0], low[1], low[1], low[0]], "y": [high[0], high[0], high[1], high[1]]}
    app.session_state["atlas-outline"] = ((entry.run_id, entry.background.latest.step), outline)
    app.run()
    n_docs = entry.source.corpus.n_docs
    assert f"{n_docs:,} texts in the outline" in texts(app.markdown)
    table = next(d.value for d in app.dataframe if "share here" in d.value)
    assert (table["share here"] == table["in all texts"]).all(), "all texts are in this outline"
    next(b for b in app.button if b.key == "atlas-forget").click().run()
    assert "in the outline" not in texts(app.markdown)


def test_who_may_not_read_gets_points_without_titles(registry, monkeypatch):
    entry = launch(registry)
    title = str(entry.source.corpus.docs.title[0])
    assert title in str(figures(opened(entry)))
    monkeypatch.setattr(access, "texts_of", lambda entry: None)
    app = opened(entry)
    (figure,) = figures(app)
    assert title not in str(figure)
    assert not [
        w for w in app.get("button_group") if w.key == "atlas-colours" and "label" in w.options
    ]
