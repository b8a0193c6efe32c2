"""Words of which a topic holds less than half a count are shown nowhere; weights stay."""

from dataclasses import replace

import numpy as np

from bnpexplorer import Plan
from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.weighted import Weighted
from bnpexplorer.export.notebooks.values import html
from bnpexplorer.export.pieces import topics_table
from bnpexplorer.export.tables import topics_table as topics_file
from bnpexplorer.export.tables import words_table
from bnpexplorer.methods import make_method
from bnpexplorer.models import MODELS
from bnpexplorer.runs.history import make_frame
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import NO_WORDS, Moment
from bnpexplorer.state.snapshot import Snapshot, Topics
from bnpexplorer.state.words import heaviest_words
from bnpexplorer.ui.parts.html import topic_table

VOCAB = ("aaa", "aaas", "aaron", "abbey", "fare", "harbour", "king", "oats")
COUNTS = np.array([[9, 9, 9, 9, 0, 30, 20, 0], [0, 0, 0, 0, 2, 0, 0, 0], [0] * 8], float)
ETA = 0.1


def counted(counts: np.ndarray) -> Topics:
    total = counts.sum(axis=1) + ETA * counts.shape[1]
    size = np.maximum(counts.sum(axis=1), 1.0)
    return Topics(
        ((counts + ETA) / total[:, None]).astype(np.float32),
        total,
        size,
        size / (size.sum() + 1.0),
        1.0 / (size.sum() + 1.0),
        np.array([4, 7, 9]),
        1.0,
        1.0,
        ETA,
    ).over(VOCAB)


def moment_of(topics: Topics) -> Moment:
    frames = (make_frame(1, 10, topics),)
    snapshot = Snapshot(2, 20, 1.0, topics, (), (), frames)
    corpus = Corpus.from_csr(np.eye(len(VOCAB), dtype=int), VOCAB)
    return Moment(snapshot, corpus, MODELS["hdp"](), Labels(), "made", 8, 60)


def test_a_small_topic_shows_the_words_that_it_holds_and_no_others():
    moment = moment_of(counted(COUNTS))
    assert moment.top_words(7, 12) == ["fare"]
    assert moment.top_words(4, 12) == ["harbour", "king", "aaa", "aaas", "aaron", "abbey"]
    assert moment.top_words(4, 2) == ["harbour", "king"]
    assert moment.name(7) == "fare"
    assert [VOCAB[w] for w in np.flatnonzero(moment.shown_words(7))] == ["fare"]
    (frame,) = moment.frames
    assert [VOCAB[w] for w in frame.words(1, 12)] == ["fare"]


def test_a_topic_without_words_says_so_and_goes_by_its_number():
    moment = moment_of(counted(COUNTS))
    assert moment.top_words(9, 12) == []
    assert moment.words_line(9, 12) == NO_WORDS
    assert moment.name(9) == "topic 9"
    assert moment.frames[0].words(2, 12) == []
    assert NO_WORDS in html(moment.topics)


def test_half_a_count_is_enough():
    counts = np.array([[0.51, 0.49, 0, 0, 0, 0, 0, 9.0], [0.1] * 8, [0] * 8])
    moment = moment_of(counted(counts))
    assert moment.top_words(4, 12) == ["oats", "aaa"]
    assert moment.top_words(7, 12) == []


def test_every_page_and_file_follows():
    """None of the words before "fare" in the alphabet stands in the row of the topic that holds it
    alone."""
    moment = moment_of(counted(COUNTS))
    pages = (
        topic_table(moment, moment.ordered(), False),
        html(moment.topics),
        html(moment),
        topics_table(moment),
    )
    for page in pages:
        (row,) = (row for row in page.split("<tr>") if "fare" in row)
        assert not any(word in row for word in VOCAB[:4])


def test_files_have_the_words_that_topics_hold():
    run = _learned("hdp-gibbs")

    class Result:
        moment = run.moment()
        by_size = tuple(moment.topics.topic_ids[moment.topics.by_size].tolist())

    Result.run = run
    words = words_table(Result)
    for topic, of_topic in words.groupby("topic"):
        own = Result.moment.top_words(int(topic), 20)
        assert of_topic["word"].tolist()[:20] == own[:20]
        assert of_topic["rank"].tolist() == list(range(1, len(of_topic) + 1))
    rows = topics_file(Result, 12).set_index("topic")
    for topic in Result.by_size:
        assert rows.loc[topic, "top_words"] == ", ".join(Result.moment.top_words(topic, 12))


def _learned(name: str, corpus: Corpus | None = None, **knobs) -> Run:
    corpus = load_sample("small-csv").corpus if corpus is None else corpus
    run = Run(make_method(name, "default", knobs), corpus, seed=1, batch_size=80, passes=4)
    while not run.done:
        run.step()
    return run


def test_topics_of_a_sampler_show_counted_words():
    run = _learned("hdp-gibbs")
    moment, words = run.moment(), np.repeat(run.corpus.word_ids, run.corpus.counts)
    topic_of = run.state.tokens.topic
    held = {len(np.unique(words[topic_of == k])) for k in np.unique(topic_of)}
    assert min(held) < 12, "there is no small topic"
    shown = sorted(len(moment.heaviest(topic, 10**6)) for topic in moment.in_use)
    assert shown == sorted(len(np.unique(words[topic_of == k])) for k in np.unique(topic_of))


def test_topics_of_mean_field_show_what_they_hold_half_a_count_of():
    run = _learned("hdp-batch")
    moment, topics = run.moment(), run.moment().topics
    held = topics.total[:, None] * topics.topic_word.astype(float) - topics.eta
    few = 0
    for topic, k in moment.row.items():
        shown = moment.heaviest(topic, 12)
        assert (held[k, shown] > 0.499).all()
        assert len(shown) == min(12, int((held[k] > 0.501).sum()))
        few += len(shown) < 12
    assert few, "there is no small topic"


def test_words_with_weights_are_shown_as_they_are():
    """A hundredth of every count: no topic holds half a count of any word."""
    docs = load_sample("small-csv").corpus
    weighted = Weighted.of(docs, docs.counts * 1e-4)
    run = _learned("hdp-svi", weighted)
    moment = run.moment()
    for topic in moment.row:
        assert len(moment.top_words(topic, 12)) == 12
    assert all(len(run.snapshot().frames[-1].words(k, 12)) == 12 for k in range(len(moment.row)))
    grouped = replace(moment, labels=moment.labels.group(list(moment.row)[:2]))
    assert all(len(grouped.top_words(topic, 12)) == 12 for topic in grouped.row)


def test_topics_from_elsewhere_are_shown_as_they_are():
    """They are distributions, whose totals hold no prior of ours."""
    known = np.array([[0.4, 0.3, 0.2, 0.1, 0, 0, 0, 0]] * 3, np.float32)
    topics = replace(counted(COUNTS), topic_word=known, total=np.ones(3) * 0.5)
    assert heaviest_words(topics, 0, 4).tolist() == [0, 1, 2, 3]
    moment = moment_of(topics)
    assert moment.top_words(4, 3) == ["aaa", "aaas", "aaron"]


def test_two_topics_of_the_same_single_word_have_names_of_their_own():
    counts = np.array([[0, 0, 0, 0, 3, 0, 0, 0], [0, 0, 0, 0, 2, 0, 0, 0], [0] * 8], float)
    moment = moment_of(counted(counts))
    assert [moment.name(topic) for topic in (4, 7)] == ["fare", "fare (topic 7)"]
    moment = replace(moment, labels=Labels({4: "trips"}))
    assert [moment.name(topic) for topic in (4, 7)] == ["trips", "fare"], "the words are free"
    moment = replace(moment, labels=Labels({7: "fare"}))
    assert [moment.name(topic) for topic in (4, 7)] == ["fare", "fare"], "as a person wants it"


def test_more_words_are_found_for_who_asks_for_more_later():
    moment = moment_of(counted(np.tile(np.arange(6.0, 46.0), (3, 1))))
    assert [moment.heaviest(4, n).tolist() for n in (3, 12, 20, 5)] == [
        list(range(39, 39 - n, -1)) for n in (3, 12, 20, 5)
    ]


def test_the_command_line_prints_no_word_that_a_topic_does_not_hold(capsys):
    from bnpexplorer.__main__ import main

    arguments = ["fit", "sample:small-csv", "--method", "hdp-gibbs", "--passes", "2"]
    assert main(arguments) in (0, None)
    printed = capsys.readouterr().out
    plan = Plan.of("hdp-gibbs", passes=2)
    run = plan.split_and_start(load_sample("small-csv").corpus)
    while not run.done:
        run.step()
    moment = run.moment()
    for topic in moment.in_use[:8]:
        assert f"{topic:<14d} {' '.join(moment.top_words(topic, 8))}" in printed
