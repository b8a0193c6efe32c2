"""Every page lists the topics in use, though a truncated method has many that hold nothing."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.state.moment import NO_WORDS
from bnpexplorer.ui.topics.page import VIEWS
from tests.tools.pages import choose, go, html, launch, open_app, texts
from tests.tools.topics_page import page, turn_to

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture
def entry(registry):
    entry = launch(registry, "dpm-svi")
    topics = entry.background.latest.topics
    assert 0 < topics.in_use.sum() < len(topics), "or nothing could be listed wrongly"
    return entry


def listed(app, name):
    """The identities that a page lists."""
    if name == "live":
        choose(app, "view-topics", "all")
        return [int(i) for i in re.findall(r'<td class="id">(\d+)</td>', html(app))]
    if name == "documents":
        (box,) = (box for box in app.selectbox if box.label == "Cluster")
        return [int(option.split(" · ")[0]) for option in box.options]
    table = next(d.value for d in app.dataframe if "remarks" in d.value)
    return [int(name.removeprefix("■ ").split(" · ")[0]) for name in table["topic"]]


@pytest.mark.parametrize("name", ["live", "topics", "documents"])
def test_pages_list_the_same_topics(entry, name):
    topics = entry.background.latest.topics
    in_order = topics.topic_ids[topics.by_size]
    expected = in_order[topics.in_use[topics.by_size]].tolist()
    assert listed(go(open_app(run=entry.run_id, own=entry.secret), name), name) == expected


@pytest.mark.second
@pytest.mark.parametrize("method", ["hdp-tsvi", "dpm-tsvi"])
def test_of_a_topic_without_words_every_page_is_drawn_and_says_what_to_do(registry, method):
    entry = launch(registry, method)
    topics = entry.background.latest.topics
    k, n_words = topics.by_size[1], topics.topic_word.shape[1]
    words, total = topics.topic_word.copy(), topics.total.copy()
    words[k], total[k] = 1.0 / n_words, n_words * topics.eta
    bare = replace(topics, topic_word=words, total=total)
    entry.background.latest = replace(entry.background.latest, topics=bare)
    empty = int(topics.topic_ids[k])
    app = page(run=entry.run_id, own=entry.secret, topic=str(empty))
    assert "now, so there is nothing to read. Hide it, or let the run go on." in texts(app.caption)
    assert "coherence" not in texts(app.markdown)
    table = next(d.value for d in app.dataframe if "remarks" in d.value)
    (row,) = np.flatnonzero(table["topic"].str.startswith(f"■ {empty} ·"))
    assert table["words"][row] == NO_WORDS
    assert np.isnan(table["coherence"][row])
    for view in VIEWS:
        turn_to(app, view)
    for name in ("documents", "compare", "live"):
        app = go(app, name)
    assert NO_WORDS in html(app)
