"""A topic that holds no word, and one that has come to its end: every view and file goes on."""

from dataclasses import replace

import pytest

from bnpexplorer.export.report import report
from bnpexplorer.export.result import result_of
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample
from bnpexplorer.state.moment import NO_WORDS
from bnpexplorer.ui.topics import page as topics
from tests.tools.pages import check, go, launch, open_app, texts

pytestmark = pytest.mark.second


def emptied(snapshot):
    """The same with its first topic without words, though in use, and its second come to an end."""
    found = snapshot.topics
    size, total, words = found.size.copy(), found.total.copy(), found.topic_word.copy()
    size[:2], total[:2] = (1.0, 0.0), found.eta * words.shape[1]
    words[:2] = 1.0 / words.shape[1]
    return replace(snapshot, topics=replace(found, size=size, total=total, topic_word=words))


@pytest.mark.parametrize("view", topics.VIEWS)
@pytest.mark.parametrize("place", [0, 1])
def test_every_view_goes_on_with_a_topic_that_is_empty(registry, view, place):
    entry = launch(registry)
    entry.background.latest = emptied(entry.background.latest)
    empty = int(entry.background.latest.topics.topic_ids[place])
    asked = {"topics-view": view, "topic": str(empty)}
    app = check(go(open_app(run=entry.run_id, own=entry.secret, **asked), "topics"))
    said = texts(app.markdown) + texts(app.caption)
    assert "nan" not in said.lower().split()
    assert "inf" not in said.lower().split()


def test_files_have_an_empty_topic_without_words(registry):
    run = Plan.of("lda-svi", values={"n_topics": 5}, passes=1).split_and_start(
        load_sample("small-csv").corpus
    )
    while not run.done:
        run.step()
    corpus = load_sample("small-csv").corpus
    at = run.moment(emptied(run.snapshot()), corpus=corpus)
    result = result_of(run, at, corpus, load_sample("small-csv").report)
    html = report(result)
    assert NO_WORDS in html
    assert "nan" not in html.lower().split()
