"""What a tab explores, by direct call: how topics lie to each other, and the moment it holds."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.explore.likeness import jensen_shannon
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import NO_WORDS
from bnpexplorer.ui.frame import server, session
from bnpexplorer.ui.parts import explore, likeness
from tests.tools.moments import made
from tests.tools.pages import launch, small_run

pytestmark = pytest.mark.usefixtures("registry")


# ---- how topics lie to each other ----------------------------------------------------------------


def of_words(sizes, rows, **labels):
    """A moment of topics with words of their own: {identity: size}, and a row of words for each."""
    moment = made(sizes, **labels)
    topics = moment.snapshot.topics
    words = np.asarray(rows, np.float32)
    topics = replace(topics, topic_word=words / words.sum(axis=1, keepdims=True))
    return replace(moment, snapshot=replace(moment.snapshot, topics=topics))


SIZES = {3: 1.0, 8: 40.0, 5: 300.0, 9: 60.0}
ROWS = [[1, 1, 98], [50, 45, 5], [5, 50, 45], [50, 46, 4]]


def test_topics_are_compared_by_their_size_and_those_that_hold_next_to_nothing_are_not():
    moment = of_words(SIZES, ROWS)
    like = likeness.likeness_at(moment)
    assert like.ids == [5, 9, 8], "the largest first; the rest holds a hundredth at most"
    wanted = jensen_shannon(moment.topics.topic_word[[2, 3, 1]])
    np.testing.assert_allclose(like.distances, wanted)
    assert like.pairs == [], "none of 200 words has its like"
    words = moment.topics.total[:, None] * moment.topics.topic_word - moment.topics.eta
    held = likeness._words_of(moment.topics, np.array([2, 3, 1]))
    np.testing.assert_array_equal(held, np.rint(np.maximum(words[[2, 3, 1]], 0.0)))
    large = of_words({topic: 20 * size for topic, size in SIZES.items()}, ROWS)
    (pair,) = likeness.likeness_at(large).pairs
    assert pair.distance == pytest.approx(wanted[1, 2], abs=1e-3)
    assert {like.ids[pair.first], like.ids[pair.second]} == {8, 9}
    assert likeness.likeness_at(moment) is like, "kept"


def test_no_more_than_so_many_are_compared(monkeypatch):
    monkeypatch.setattr(likeness, "MOST", 2)
    moment = of_words(SIZES, ROWS)
    assert likeness.likeness_at(moment).ids == [5, 9]
    assert set(likeness.coherence_at(moment)) == {5, 9}


def test_each_topic_has_its_own_coherence(monkeypatch):
    monkeypatch.setattr(likeness, "npmi", lambda words, corpus: 10.0 * words[:, 0])
    found = likeness.coherence_at(of_words(SIZES, ROWS))
    assert found == pytest.approx({5: 0.5, 9: 5.0, 8: 5.0, 3: 0.1})


def test_a_topic_without_words_has_no_coherence():
    at = of_words({5: 40.0, 9: 30.0}, [[6, 3, 1], [1, 1, 1]])
    assert np.isfinite([*likeness.coherence_at(at).values()]).all()
    emptied = replace(at.topics, total=np.array([40.0, 3 * at.topics.eta]))
    shown = replace(at, snapshot=replace(at.snapshot, topics=emptied))
    assert shown.words_line(9, 3) == NO_WORDS
    found = likeness.coherence_at(shown)
    assert np.isfinite(found[5])
    assert np.isnan(found[9])


def test_near_duplicates_are_counted_among_the_topics_that_are_seen(monkeypatch):
    pairs = [SimpleNamespace(first=a, second=b) for a, b in ((0, 1), (0, 2), (3, 4))]
    like = SimpleNamespace(ids=[5, 9, 8, 3, 7], pairs=pairs)
    monkeypatch.setattr(likeness, "likeness_at", lambda moment: like)
    for labels, n in (({}, 5), ({"hidden": {8}}, 4), ({"hidden": {5}}, 2), ({"folded": {3}}, 3)):
        assert likeness.duplicates_of(of_words(SIZES, ROWS, **labels)) == n


# ---- the moment that a tab explores --------------------------------------------------------------


def explored_run(registry, tab):
    run, loaded = small_run(batch_size=16)
    entry = registry.add(run, loaded)
    tab["own"][entry.run_id] = entry.secret
    shown = session.RunOnPage(entry, True)

    def step():
        run.step()
        entry.background.latest = run.snapshot()

    return shown, step


def test_a_moment_stays_with_the_names_of_now_until_another_is_taken(registry, tab, monkeypatch):
    shown, step = explored_run(registry, tab)
    said = []
    monkeypatch.setattr(st, "button", lambda words, **more: said.append((words, more["disabled"])))
    assert explore.moment_of(shown) is None
    step()
    first = explore.moment_of(shown)
    explore.refresh_button(shown)
    step()
    shown.entry.labels = Labels({int(first.in_use[0]): "tides"})
    held = explore.moment_of(shown)
    assert held.snapshot is first.snapshot
    assert held.name(first.in_use[0]) == "tides"
    explore.refresh_button(shown)
    explore.hold(shown)
    assert explore.moment_of(shown).snapshot is shown.entry.background.latest
    explore.refresh_button(shown)
    assert said == [("Refresh", True), ("Refresh: now at 32", False), ("Refresh", True)]


def test_a_run_that_has_ended_is_explored_where_it_stays(registry, tab):
    """Under the names that whoever opens it later sees."""
    shown, step = explored_run(registry, tab)
    for _ in range(3):
        step()
        explore.hold(shown)
        held = explore.moment_of(shown)
    assert held.before is not None
    step()
    assert explore.moment_of(shown).snapshot is held.snapshot
    shown.entry.background.status = "finished"
    ended = explore.moment_of(shown)
    assert ended.snapshot is shown.entry.background.latest
    assert ended.before is None
    assert explore.moment_of(shown).snapshot is ended.snapshot


def test_turning_to_another_run_takes_its_latest_moment(registry, tab):
    """Its own moment is kept as long as the page stays at it."""
    one, step = explored_run(registry, tab)
    other, other_step = explored_run(registry, tab)
    for begin in (step, other_step):
        begin()
    tab[explore.REFRESH] = False
    docs = []
    for shown, go_on in ((one, step), (one, step), (other, step), (one, step)):
        docs.append(explore.explored_anew(shown).moment.snapshot.docs_seen)
        go_on()
    assert docs == [16, 16, 16, 64]


@pytest.mark.parametrize(
    ("status", "rests"),
    [("running", False), ("queued", False), ("paused", True), ("stopped", True), ("failed", True)],
)
def test_all_tabs_share_the_moment_of_a_run_that_rests(status, rests):
    background = SimpleNamespace(status=status)
    shown = SimpleNamespace(entry=SimpleNamespace(background=background))
    assert explore.at_rest(shown) == rests


def test_only_the_owner_s_names_are_kept(registry, tab):
    entry = launch(registry, keep=server.keep)
    moment = server.moment_of(entry, entry.background.latest)
    topic = moment.in_use[1]
    for owned, labels in ((False, Labels()), (True, Labels({topic: "tides"}))):
        at = explore.Explored(session.RunOnPage(entry, owned), moment, entry.source, owned)
        explore.relabel(at, lambda now: now.rename(topic, "tides"))
        assert entry.labels == server.library().get(entry.run_id).labels == labels


def test_while_documents_are_read_it_is_said_how_far_and_an_error_once(registry, tab, monkeypatch):
    """What failed is tried again at the next look."""
    shown, step = explored_run(registry, tab)
    step()
    said, again = [], []
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(st, "progress", lambda *what: said.append(what))
    monkeypatch.setattr(st, "error", lambda words, **_: said.append(words))
    monkeypatch.setattr(st, "rerun", lambda: again.append(1))
    monkeypatch.setattr(explore, "ticking", lambda seconds: lambda draw: draw)
    folding = SimpleNamespace(ended=False, found=None, error="", n_read=1200, n_docs=4800, nbytes=0)
    values = explore.moment_of(shown).ungrouped.derived_values
    assert values.get(explore.FOLDING, lambda: folding) is folding
    explore.reading(shown, 100)
    words = "Reading every document with these topics: 1,200 of 4,800"
    assert said == [(0.25, words)]
    assert again == []
    folding.ended, folding.error = True, "no *memory*"
    explore.reading(shown, 100)
    assert said[1:] == ["The documents could not be read with these topics: no \\*memory\\*"]
    assert values.at_hand(explore.FOLDING) is None


def test_proportions_at_hand_begin_nothing(registry, tab):
    entry = launch(registry)
    tab["own"][entry.run_id] = entry.secret
    shown = session.RunOnPage(entry, True)
    assert explore.proportions_at_hand(shown) is None
    found = explore.proportions(shown)
    assert explore.proportions_at_hand(shown) is found
    first, second = explore.moment_of(shown).in_use[:2]
    entry.labels = Labels(groups={first: (second,)})
    for gathered in (explore.proportions(shown), explore.proportions_at_hand(shown)):
        assert gathered.shape[1] == found.shape[1] - 1
        assert gathered.sum() == pytest.approx(found.sum(), rel=1e-5)
