"""Check stability: which topics of a run other starts have found, on Live and Topics in Explore."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import jensenshannon

from bnpexplorer.compare.alignment import NEAR
from bnpexplorer.ui.parts import stability
from bnpexplorer.ui.parts.stability import NAMED, Stability
from tests.tools.pages import button, check, go, launch, open_app, texts


def named(*ids):
    return SimpleNamespace(noun="topic", name=lambda topic: f"name {topic}")


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ({1: 4, 2: 4}, "All 4 runs found 2 of 2 topics."),
        ({1: 4, 2: 3}, "All 4 runs found 1 of 2 topics."),
        (
            {1: 4, 2: 1},
            "All 4 runs found 1 of 2 topics. Only this one found “name 2”: do not quote it.",
        ),
        (
            {1: 1, 2: 1, 3: 2},
            "All 4 runs found 0 of 3 topics. Only this one found “name 1” and “name 2”: do not "
            "quote them.",
        ),
    ],
)
def test_the_sentence_counts_and_names(by, said):
    assert Stability(4, by).sentence(named()) == said


def test_the_sentence_names_a_few():
    said = Stability(3, dict.fromkeys(range(NAMED + 2), 1)).sentence(named())
    assert f"“name {NAMED - 1}” and 2 more: do not quote them." in said
    assert f"name {NAMED}" not in said


@pytest.mark.parametrize(
    ("share", "left"),
    [(0.04, ""), (0.05, ", about 19 minutes left"), (0.5, ", about 60 seconds left")],
)
def test_the_time_that_a_check_takes_follows_what_is_done(share, left):
    runs = [SimpleNamespace(seconds=20.0), SimpleNamespace(seconds=40.0)]
    check = SimpleNamespace(background=SimpleNamespace(run=SimpleNamespace(runs=runs)))
    assert stability._left(check, share) == left


def matched(own, others):
    """Of each row of topic-word probabilities `own`, how many of `others` have it too: a twin."""
    found = np.ones(len(own), int)
    for other in others:
        distances = np.array([[jensenshannon(a, b, base=2) for b in other] for a in own])
        pairs = zip(*linear_sum_assignment(distances), strict=True)
        for row, column in pairs:
            found[row] += distances[row, column] < NEAR
    return found


def largest(moment):
    """The topics that together hold 99 %, each with the words that it learned beside the prior."""
    topics, size = moment.topics, moment.topics.size
    order = np.argsort(-size, kind="stable")
    n = int(np.searchsorted(np.cumsum(size[order]), 0.99 * size.sum()) + 1)
    rows = order[:n]
    learned = topics.topic_word[rows] * topics.total[rows, None] - topics.eta
    learned = np.maximum(learned, 0.0)
    return topics.topic_ids[rows], learned / learned.sum(axis=1, keepdims=True)


@pytest.mark.second
def test_a_check_that_was_stopped_may_be_begun_again(registry, monkeypatch):
    entry = launch(registry, "hdp-gibbs", passes=2, split=40)
    assert entry.background.wait(300)
    app = go(open_app(run=entry.run_id, own=entry.secret, view="explore"), "live")
    plan = replace(stability._plan(entry.background.run), passes=100_000)
    monkeypatch.setattr(stability, "_plan", lambda run: plan)
    check(button(app, "Check stability").click().run())
    chains = next(e for e in registry.entries() if e.checks == entry.run_id).background
    check(button(app, "Stop the check").click().run())
    assert chains.wait(300)
    assert chains.status == "stopped"
    labels = [b.label for b in check(app.run()).button]
    assert "Check stability" in labels
    assert "Stop the check" not in labels


@pytest.mark.second
def test_a_run_is_checked_from_other_starts_without_leaving_explore(registry):
    entry = launch(registry, "hdp-gibbs", passes=6, split=40)
    assert entry.background.wait(300)
    app = go(open_app(run=entry.run_id, own=entry.secret, view="explore"), "live")
    check(button(app, "Check stability").click().run())
    chains = next(e for e in registry.entries() if e.checks == entry.run_id).background
    assert chains.wait(300)
    run = entry.background.run
    assert [one.docs_seen for one in chains.run.runs] == [run.docs_seen] * 4
    app = check(app.run())
    moment = run.moment(entry.background.latest)
    found = stability.stability_of(entry, moment)
    assert found.sentence(moment) in texts(app.markdown).replace("\\", "")
    assert not any(b.label == "Check stability" for b in app.button)
    ids, own = largest(moment)
    others = [largest(r.moment(s))[1] for r, s in zip(chains.run.runs, chains.latest, strict=True)]
    twin = dict(zip(ids.tolist(), matched(own, others[1:]).tolist(), strict=True))
    assert found.by == {topic: twin[topic] for topic in moment.telling() if topic in twin}
    app = go(app, "topics")
    assert any(c.value.startswith("Found by ") for c in app.caption)
