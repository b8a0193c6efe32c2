"""A run at a point in time: who is in use, in which order, by which names and words."""

import copy
import gc
import math
import pickle
from dataclasses import replace
from types import SimpleNamespace
from weakref import ref

import numpy as np
import pytest

from bnpexplorer import Run, make_method
from bnpexplorer.evaluate import heaviest_words, topics_in_use
from bnpexplorer.methods.base import deaths
from bnpexplorer.models import MODELS
from bnpexplorer.samples import load_sample
from bnpexplorer.state import moment as moment_module
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Event, Frame, TracePoint
from tests.tools import alone
from tests.tools.moments import made

SIZES = {4: 2.0, 7: 1.0 - 1e-10, 9: 1.0 - 1e-8, 2: 5.0, 11: 2.0, 3: 0.0}
"""Topic -> size; the margin of rounding lies between those of topics 7 and 9."""


def test_one_rule_says_who_is_in_use():
    moment = made(SIZES)
    assert moment.in_use == (2, 4, 11, 7), "the largest first, of equal ones the first"
    assert moment.topics.in_use.tolist() == [i in moment.in_use for i in SIZES]
    assert topics_in_use(moment.topics) == 4
    size, ids = moment.topics.size, moment.topics.topic_ids
    assert {e.parents for e in deaths(np.full(6, 5.0), size, ids)} == {(9,), (3,)}


def test_pinned_topics_come_first_and_hidden_ones_are_left_out():
    moment = made(SIZES, pinned={7, 3, 11}, hidden={2, 9})
    assert moment.ordered() == [11, 7, 4]
    assert moment.ordered(hidden=True) == [11, 7, 2, 4]


def test_of_a_group_those_count_that_are_in_use():
    moment = made(SIZES)
    groups = {9: (7, 11), 3: (4,), 99: (2,)}
    moment = replace(moment, labels=replace(moment.labels, groups=groups))
    assert [moment.members(topic) for topic in groups] == [(7, 11), (4,), (2,)]
    assert set(groups) <= set(moment.row), "groups go by their first, also where it is gone"
    assert moment.members(2) == (2,)
    assert moment.members(8) == (), "there never was such a topic"


@pytest.mark.parametrize("model", MODELS)
def test_what_sizes_count_and_what_a_component_is_called_are_two_things(model):
    moment = made(SIZES, model=model)
    mixture = model == "dpm"
    assert (moment.unit, moment.noun) == (
        ("documents", "cluster") if mixture else ("words", "topic")
    )
    assert moment.mixture == mixture


def test_a_moment_is_made_by_a_run_and_goes_by_identity():
    corpus = load_sample("small-csv").corpus
    run = Run(make_method("hdp-svi"), corpus, batch_size=80)
    run.step()
    part = Run(make_method("hdp-svi"), corpus.take(np.arange(50)))
    assert part.moment(corpus=corpus).docs_in_pass == 50, "those that it learns, not all there are"
    moment = run.moment()
    topics = moment.topics
    assert (moment.docs_in_pass, moment.planned_docs) == (corpus.n_docs, run.planned_docs)
    assert moment.shares.sum() == pytest.approx(1.0)
    for topic, k in moment.row.items():
        assert topics.topic_ids[k] == topic
        assert moment.share(topic) == topics.size[k] / topics.size.sum()
        for n in (3, 20, 5, 10**6):  # what was found for fewer does not do for more
            words = [corpus.vocab[w] for w in heaviest_words(topics, k, n)]
            assert moment.top_words(topic, n) == words
    largest = moment.in_use[0]
    named = replace(moment, labels=moment.labels.rename(largest, "War"))
    assert named.name(largest) == "War"


def test_curves_of_topics_begin_at_none_where_all_of_the_first_row_were_born_by_then():
    """By the documents of that row, the last of them included; else they were there before."""
    nan, none = float("nan"), np.zeros((3, 1), np.int64)
    ids, weight = np.array([4, 7, 2]), np.array([0.6, 0.4, 0.0])  # topic 2 holds nothing
    frame, row = (
        Frame(1, 10, ids, weight, none, none.astype("f4")),
        TracePoint(2, 20, 1.0, 4, nan, nan),
    )
    moment = made(SIZES, trace=[row])

    def counted(*births, docs_seen=20):
        events = tuple(Event("birth", children=(i,), docs_seen=n) for i, n in births)
        snapshot = replace(moment.snapshot, events=events, frames=(frame,), docs_seen=docs_seen)
        return replace(moment, snapshot=snapshot).counted

    for births in ([(4, 10), (7, 10)], [(4, 3), (7, 10)], [(7, 1), (4, 9), (2, 30)]):
        zero, *others = counted(*births)
        assert (zero.docs_seen, zero.n_topics, zero.seconds) == (0, 0, 0.0)
        assert others == [row]
    for births in ([], [(4, 10)], [(4, 10), (7, 11)]):
        assert counted(*births) == (row,)
    assert counted((4, 10), (7, 10), docs_seen=0) == ()


def test_the_history_ends_at_the_moment_itself():
    nan = float("nan")
    before, last = (TracePoint(step, 10 * step, 0.5 * step, 3, nan, -7.0) for step in (1, 2))
    assert made(SIZES, trace=[before, last]).trace == (before, last)
    (row, now) = made(SIZES, trace=[before]).trace
    assert row == before
    assert (now.step, now.docs_seen, now.seconds, now.n_topics) == (2, 20, 1.0, 4)
    assert np.isnan(now.heldout), "no score is made up"


# ---- what is worked out of a moment --------------------------------------------------------------


def named(moment):
    return replace(moment, labels=moment.labels.rename(2, "two").hide(4))


def test_moments_that_differ_in_names_only_share_what_is_worked_out():
    moment, asked = made(SIZES), []
    for one in (moment, named(moment), moment.settled(), replace(moment, run_id="other name")):
        one.derived("key", lambda: asked.append(1))
    assert asked == [1]


def test_groups_another_corpus_and_another_snapshot_have_values_of_their_own():
    moment = made(SIZES)
    grouped = replace(moment, labels=moment.labels.group([2, 4]))
    elsewhere = replace(moment, corpus=replace(moment.corpus))
    later = replace(moment, snapshot=replace(moment.snapshot))
    every = (moment, grouped, elsewhere, later)
    assert [one.derived("key", lambda i=i: i) for i, one in enumerate(every)] == [0, 1, 2, 3]
    assert [one.derived("key", list) for one in every] == [0, 1, 2, 3]
    assert grouped.ungrouped.derived("key", list) == 0
    assert moment.ungrouped is moment


def test_what_is_worked_out_ends_with_the_moment_and_with_a_corpus():
    moment = made(SIZES)
    corpus = moment.corpus
    value = ref(moment.derived("key", lambda: np.zeros(3)))
    del moment
    gc.collect()
    assert value() is None
    value = ref(corpus.derived("key", lambda: np.zeros(3)))
    del corpus
    gc.collect()
    assert value() is None


def test_another_corpus_is_not_held_by_what_was_worked_out_with_it():
    moment = made(SIZES)
    other = replace(moment, corpus=replace(moment.corpus))
    other.derived("key", lambda: 1)
    corpus = ref(other.corpus)
    del other
    gc.collect()
    assert corpus() is None


@pytest.mark.parametrize("packed", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_and_a_pickle_of_a_moment_take_nothing_along(packed):
    moment = made(SIZES)
    size = len(pickle.dumps(moment))
    moment.derived("key", lambda: np.zeros(10_000))
    moment.corpus.derived("key", lambda: np.zeros(10_000))
    words = {topic: moment.name(topic) for topic in moment.in_use}
    assert len(pickle.dumps(moment)) == size
    other = packed(moment)
    for one in (other, other.corpus):
        assert one.derived_values.at_hand("key") is None
    assert {topic: other.name(topic) for topic in other.in_use} == words


def test_with_fewer_topics_it_is_another_moment_with_the_same_past():
    whole = alone.moment(Labels({9: "mine"}))
    topics = replace(
        whole.topics,
        **{
            part: getattr(whole.topics, part)[[1, 0]]
            for part in ("topic_word", "total", "size", "weight", "topic_ids")
        },
    )
    fewer = SimpleNamespace(topics=topics, n_topics=2, model="lda", score=-2.5)
    moment = whole.about(fewer)
    assert moment.topics is topics
    assert (moment.model, moment.score, moment.name(9)) == ("lda", -2.5, "mine")
    assert (moment.whole, moment.fewer) == (whole, fewer)
    assert moment.in_use == (9, 4)
    assert (whole.at, moment.at) == (("run-a", 5), ("run-a about 2", 5))
    assert moment.ungrouped.at == moment.at
    assert moment.snapshot is whole.about(fewer).snapshot, "what is worked out of it is kept"
    assert moment.snapshot.trace is whole.snapshot.trace
    assert whole.score == whole.snapshot.heldout
    assert whole.about(SimpleNamespace(**{**vars(fewer), "score": math.nan})).score is None


def test_small_topics_are_counted_apart(monkeypatch):
    monkeypatch.setattr(moment_module, "FEW", 3)
    small = {i: 10.0 - i / 10 for i in range(20, 60)}
    moment = made({4: 6000.0, 7: 3700.0, 3: 0.0} | small)
    assert moment.small == set(small)
    together = 100 * sum(small.values()) / (9700.0 + sum(small.values()))
    assert f"{together:.0f}" == "2"
    said = "2 topics and 40 small ones (2 % of the words)"
    assert moment.how_many.replace("\u00a0", " ") == said
    few = made({4: 9000.0, 7: 5.0, 9: 2.0})
    assert (few.small, few.how_many) == (frozenset(), "3 topics")
    edge = made({4: 997.0, 7: 1.0, 9: 1.0, 2: 1.0})
    assert (edge.small, edge.how_many) == (frozenset(), "4 topics"), "one in 1,000 is not small"
    assert made({4: 1.0}).how_many == "1 topic"
    even = made(dict.fromkeys(range(1200), 1.0))
    assert (even.small, even.how_many) == (frozenset(), "1,200 topics")
