"""Truncation-free stochastic steps from many: what the start holds, and that it can be paused."""

import numpy as np
import pytest

from bnpexplorer import Plan, Run
from bnpexplorer.inference import clusters
from bnpexplorer.inference.many_topics import ManyTopics
from bnpexplorer.models.hdp import HDP
from bnpexplorer.state import invariants

NAMES = ("hdp-tsvi", "dpm-tsvi")


@pytest.fixture(scope="module")
def texts():
    """100 documents, 2,000 tokens."""
    return HDP(3.0, 2.0, 0.1).sample(np.random.default_rng(0), 100, 30, 20.0).corpus


def begun(name, texts, n_steps, **values):
    """Twelve documents a step; the start is over after four."""
    values = {"start": "many", "n_start": 6, "start_docs": 40, "start_passes": 2} | values
    run = Plan.of(name, values=values, batch_size=12, passes=2).start(texts)
    for _ in range(n_steps):
        run.step()
    return run


@pytest.mark.second
@pytest.mark.parametrize("name", NAMES)
def test_every_step_of_the_start_is_sound_and_holds_all_documents(name, texts):
    """Counts of the documents so far, scaled up to all of them; tokens and their words alike."""
    run = begun(name, texts, 0)
    order = run.reading_order()
    for step in range(1, 6):
        run.step()
        invariants.check(run.state, run.ground(), "state")
        topics = run.method.topics(run.state)
        invariants.check(topics, run.ground(), "topics")
        assert (run.state.many is None) == (step >= 4)
        if step > 4:
            continue
        seen = texts.take(order[: 12 * step])
        held = (topics.topic_word * topics.total[:, None] - topics.eta).sum(axis=0)
        times = texts.n_docs / seen.n_docs
        np.testing.assert_allclose(held, times * seen.word_totals, rtol=1e-4, atol=1e-3)
        whole = texts.n_docs if name == "dpm-tsvi" else times * seen.n_tokens
        assert topics.size.sum() == pytest.approx(whole)
        assert run.state.n_seen == 12 * step


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("start_docs", [13, 96, 97, 2000])
def test_a_start_is_over_once_its_documents_or_all_there_are_were_read(name, start_docs, texts):
    run, last = begun(name, texts, 0, start_docs=start_docs), -(-min(start_docs, 100) // 12)
    for step in range(1, last + 2):
        run.step()
        assert (run.state.many is None) == (step >= last)


def turns(size: int, n_batches: int, n_times: int) -> list[tuple[int, int]]:
    """From where to where documents are drawn again, when as many more have come each time."""
    place, found = 0, []
    for n_docs in range(size, n_batches * size + 1, size):
        for _ in range(n_times):
            stop = min(place + size, n_docs)
            found.append((place, stop))
            place = stop % n_docs
    return found


@pytest.mark.parametrize("n_times", [1, 2, 5])
def test_documents_of_the_start_are_drawn_again_in_turn(n_times, texts, monkeypatch):
    """As many as a mini-batch has, from where it stopped to the last one, then from the first."""
    drawn: list[tuple[int, int]] = []

    def of_clusters(many, docs, rows, *others):
        drawn.append((int(rows[0]), int(rows[-1]) + 1))
        return redraw(many, docs, rows, *others)

    def of_topics(many, first, stop, *others):
        drawn.append((first, stop))
        draw(many, first, stop, *others)

    redraw, draw = clusters.redraw, ManyTopics._draw
    monkeypatch.setattr(clusters, "redraw", of_clusters)
    monkeypatch.setattr(ManyTopics, "_draw", of_topics)
    rng, expected = np.random.default_rng(0), turns(7, 4, n_times)
    of_docs = clusters.ManyClusters.empty(texts.n_words, 0.1)
    of_tokens = ManyTopics.of(texts, 28, 3, 0.1)
    batches = [texts.take(np.arange(first, first + 7)) for first in range(0, 28, 7)]
    for docs in batches:
        of_docs.seat(docs, 2, 1.0, n_times, rng)
    assert drawn == expected
    drawn.clear()
    for docs in batches:
        of_tokens.seat(docs, 1.0, n_times, rng)
    new = [n * (1 + n_times) for n in range(4)]
    assert [drawn[i] for i in new] == [(n, n + 7) for n in range(0, 28, 7)]
    assert [rows for i, rows in enumerate(drawn) if i not in new] == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_steps", [1, 3, 4])
def test_a_start_that_was_paused_goes_on_bit_for_bit(name, n_steps, texts, tmp_path):
    run = begun(name, texts, n_steps)
    run.save(tmp_path / "run.zip")
    other = Run.load(tmp_path / "run.zip")
    for _ in range(5):
        run.step()
        other.step()
    for what in ("topic_word", "total", "topic_ids", "weight"):
        ours, theirs = (getattr(r.method.topics(r.state), what) for r in (run, other))
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_other_counts_than_its_start_is_refused(name, texts):
    run = begun(name, texts, 2)
    many = run.state.many
    if name == "hdp-tsvi":
        many.topic[0] = (many.topic[0] + 1) % many.n_topics
    else:
        many.z[0] = many.topic_ids[many.topic_ids != many.z[0]][0]
    with pytest.raises(ValueError, match="other counts"):
        invariants.check(run.state, run.ground(), "state")


def test_a_step_draws_as_often_again_as_the_setting_says(texts):
    """Twice as many a step as a mini-batch has: all 24 in the second, 0 to 24 in the third."""
    many = begun("hdp-tsvi", texts, 3).state.many
    assert (many.n_docs, many.next_doc) == (36, 24)
    assert begun("hdp-tsvi", texts, 3, start_passes=0).state.many.next_doc == 0


def test_few_tokens_fill_few_topics(texts):
    """2,000 tokens, two fifths of them in the start, are too few for more than two topics."""
    assert begun("hdp-tsvi", texts, 0, n_start=200).method.n_start == 200
    run = begun("hdp-tsvi", texts, 1, n_start=200)
    assert run.state.many.n_topics == int(0.4 * texts.n_tokens) // 300 == len(run.state.n)


@pytest.mark.parametrize("name", NAMES)
def test_births_and_ends_of_a_start_are_told(name, texts):
    run, known = begun(name, texts, 0), set()
    for _ in range(6):
        run.step()
        for event in run.latest_info.events:
            known |= set(event.children) if event.kind == "birth" else set()
            known -= set(event.parents) if event.kind == "prune" else set()
        assert known == set(run.method.topics(run.state).topic_ids.tolist())


@pytest.mark.parametrize(
    ("start_docs", "n_start", "expected"),
    [
        (40, 6, [(3, 0), (3, 0), (0, 2), (0, 2)]),
        (40, 100, [(12, 0), (12, 0), (0, 2), (0, 2)]),  # one a document at most
        (40, 1, [(1, 0), (1, 0), (0, 2), (0, 2)]),
        (60, 10, [(4, 0), (4, 0), (4, 0), (0, 2), (0, 2)]),
        (12, 5, [(10, 2)]),  # the first mini-batch is the last of the start
        (2000, 10, [(2, 0)] * 5 + [(0, 2)] * 3 + [(0, 2)]),  # all there are
    ],
)
def test_the_first_half_of_a_start_brings_the_clusters(
    start_docs, n_start, expected, texts, monkeypatch
):
    """Each mini-batch its share of them; then documents are drawn again, and in the last step."""
    seated, seat = [], clusters.ManyClusters.seat

    def noted(many, docs, n_new, gamma, n_times, rng):
        seated.append((n_new, n_times))
        seat(many, docs, n_new, gamma, n_times, rng)

    monkeypatch.setattr(clusters.ManyClusters, "seat", noted)
    begun("dpm-tsvi", texts, 10, start_docs=start_docs, n_start=n_start)
    assert seated == expected
