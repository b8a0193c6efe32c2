"""Every page lists the topics in use, though a truncated method has many that hold nothing."""

import re

import pytest

from tests.tools.pages import choose, go, html, launch, open_app

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture
def entry(registry):
    entry = launch(registry, "dpm-svi")
    topics = entry.background.latest.topics
    assert 0 < topics.in_use.sum() < len(topics), "or nothing could be listed wrongly"
    return entry


def listed(app, page):
    """The identities that a page lists."""
    if page == "live":
        choose(app, "view-topics", "all")
        return [int(i) for i in re.findall(r'<td class="id">(\d+)</td>', html(app))]
    if page == "documents":
        (box,) = (box for box in app.selectbox if box.label == "Cluster")
        return [int(option.split(" · ")[0]) for option in box.options]
    table = next(d.value for d in app.dataframe if "remarks" in d.value)
    return [int(name.removeprefix("■ ").split(" · ")[0]) for name in table["topic"]]


@pytest.mark.parametrize("page", ["live", "topics", "documents"])
def test_pages_list_the_same_topics(entry, page):
    topics = entry.background.latest.topics
    in_order = topics.topic_ids[topics.by_size]
    expected = in_order[topics.in_use[topics.by_size]].tolist()
    assert listed(go(open_app(run=entry.run_id, own=entry.secret), page), page) == expected
