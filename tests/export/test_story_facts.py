"""Test the facts of a story: its texts, periods, passages, differences and topics."""

import inspect
import itertools
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.explore.documents import facts_of, title_of
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.export import result_of
from bnpexplorer.export import story as telling
from bnpexplorer.export.story import Story, _rows
from bnpexplorer.state.labels import Labels
from tests.export.test_report_facts import learned, plain
from tests.tools.export import at, small_result

CSV = "sample_data/small.csv"


@pytest.fixture(scope="module", autouse=True)
def in_repository(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(request.config.rootpath)
        yield


def story_of(dates=None, labels=None, n=6):
    """Of some texts with these dates and labels."""
    counts = np.tile(np.eye(3, dtype=int) * 4 + 1, (n // 3, 1))
    docs = DocTable(
        date=None if dates is None else np.array(dates, "datetime64[D]"),
        label=None if labels is None else strings(labels),
    )
    corpus = Corpus.from_csr(counts, ("sea", "hill", "wave"), docs)
    run = Plan.of("lda-svi", values={"n_topics": 2}, passes=1).start(corpus)
    run.step()
    return Story(result_of(run, run.moment(), corpus))


def test_the_texts_of_a_story_are_told_by_their_days_and_labels():
    days = ["2014-03-02", "NaT", "2012-01-30", "2013-05-05", "NaT", "2013-01-01"]
    words = plain(story_of(days, list("bbabcb"))._texts())
    assert words == (
        "The texts 6 texts with 42 words that count, 3 different ones; from 30 January 2012 to "
        "2 March 2014 (2 without a date); labelled b (4), a (1), c (1)."
    )
    words = plain(story_of(["2014-03-02"] * 6, list("abcdef"))._texts())
    assert "; of 2 March 2014; " in words
    assert words.endswith(" and 3 more.")
    assert plain(story_of(["NaT"] * 6)._texts()).endswith("3 different ones.")


@pytest.mark.parametrize(
    ("period", "told"),
    [
        ("day", "2014-10-06"),
        ("week", "2014-10-06"),
        ("month", "2014-10"),
        ("quarter", "2014-10"),
        ("year", "2014"),
        ("10 years", "2014"),
    ],
)
def test_a_period_is_told_by_its_first_day_as_far_as_that_tells(period, told):
    story = story_of()
    story.period = period
    assert story._day(np.datetime64("2014-10-06")) == told


@pytest.mark.parametrize(
    ("period", "by"), [("year", "by year"), ("10 years", "in periods of 10 years")]
)
def test_a_line_through_time_says_by_which_periods(period, by):
    story = story_of([f"{1950 + 10 * i}-01-01" for i in range(6)])
    story.period = period
    topic = story.told[0]
    html = story._topics()
    assert html.count(f"Share of the words {by};") == len(story.told)
    assert f"Share of {story._name(topic)} by {period}." in html


@pytest.mark.second
def test_topics_without_a_section_are_counted_without_those_that_are_hidden(monkeypatch):
    monkeypatch.setattr(telling, "TOLD", 2)
    result = small_result("lda-gibbs")
    n_topics = len(result.moment.in_use)
    for n_hidden in (1, 2, n_topics - 2):
        hidden = frozenset(result.moment.in_use[:n_hidden])
        story = Story(replace(result, moment=replace(result.moment, labels=Labels({}, hidden))))
        words, rest = plain(story._topics()), n_topics - n_hidden - 2
        assert ("The table at the end has" in words) == (rest > 0)
        assert rest == 0 or f"The table at the end has the other {rest}." in words


def test_every_number_of_a_story_is_of_its_words_and_of_texts_not_of_their_passages(monkeypatch):
    asked = {}
    for name in ("turns", "changes", "prevalence", "group_means"):
        work = getattr(telling, name)

        def spy(*given, name=name, work=work, **named):
            told = inspect.signature(work).bind(*given, **named).arguments
            asked.setdefault(name, []).append((told.get("weights"), told.get("units")))
            return work(*given, **named)

        monkeypatch.setattr(telling, name, spy)
    made = story_of([f"{2001 + i}-01-01" for i in range(6)], list("aabbab"))
    made.units = np.array([0, 0, 1, 1, 2, 2])
    made.sections()
    n_topics = len(made.told)
    assert {name: len(found) for name, found in asked.items()} == {
        "turns": 1,
        "changes": 1,
        "prevalence": 1,
        "group_means": n_topics,
    }
    for weights, units in itertools.chain.from_iterable(asked.values()):
        np.testing.assert_array_equal(weights, [7.0] * 6)
        assert units is made.units


def test_one_period_is_no_line_and_a_label_without_documents_no_row():
    story = story_of(["2014-03-02"] * 6, list("bbabcb"))
    assert "<figcaption>Share of the words by day" not in story._topics()
    rows = _rows(["a", "b"], *(np.array([[0.5], [np.nan]]) for _ in range(3)))
    assert rows == [("a", 0.5, 0.5, 0.5)]


def test_a_passage_names_its_text_and_two_facts_of_it():
    loaded = load_with_report(CSV)
    corpus = loaded.corpus
    run = learned(Plan.of("lda-svi", values={"n_topics": 3}), corpus, 2)
    story = Story(result_of(run, run.moment(corpus=corpus), corpus, loaded.report))
    sources = [source for _, source in story._passages(story.told[0], set())]
    assert len(sources) == 3
    told = [
        " · ".join([title_of(corpus, row), *facts_of(corpus, row)[:2]])
        for row in range(corpus.n_docs)
    ]
    assert set(sources) <= set(told)
    assert all(source.count(" · ") >= 1 for source in sources)


def test_documents_count_alike_in_clusters_and_words_in_topics():
    clusters, topics = Story(small_result("dpm-tsvi")), Story(small_result("lda-svi"))
    assert (clusters.weights, clusters.of) == (None, "of the documents")
    assert topics.of == "of the words"
    np.testing.assert_array_equal(topics.weights, topics.result.corpus.doc_lengths)


def test_every_topic_has_its_own_passages(monkeypatch):
    monkeypatch.setattr(
        Story, "_passages", lambda story, topic, _: [(f"passage {topic}", "a source")]
    )
    story = Story(small_result("hdp-tsvi"))
    assert len(story.told) > 2
    quoted = re.findall(r"<blockquote>passage (\d+)<", story._topics())
    assert [int(topic) for topic in quoted] == story.told[:12]


def test_of_what_differs_between_labels_the_three_clearest_are_told_where_they_are_sure(
    monkeypatch,
):
    seen = []

    def changes(shares, one, other, *_, columns, **__):
        seen.append((one.tolist(), other.tolist(), len(columns)))
        return SimpleNamespace(order=np.array([2, 0, 1, 3]), sure=np.array([0.0, 1.0, -1.0, 1.0]))

    module = "bnpexplorer.export.story"
    monkeypatch.setattr(f"{module}.changes", changes)
    monkeypatch.setattr(
        f"{module}.change_sentence", lambda name, found, k, sides, _: (name, k, sides)
    )
    story = story_of(None, list("bbabcb"))
    story.told = [7, 8, 9, 10]
    monkeypatch.setattr(story, "_name", lambda topic: f"topic {topic}")
    story.moment = SimpleNamespace(row={7: 0, 8: 1, 9: 0, 10: 1})
    said = story._between_labels()
    assert [(name, k) for name, k, _ in said] == [("topic 9", 2), ("topic 8", 1)]
    assert {sides for *_, sides in said} == {Sides("b", "a", labels=True)}
    of_b, of_a = [label == "b" for label in "bbabcb"], [label == "a" for label in "bbabcb"]
    assert seen == [(of_b, of_a, 4)]


def test_a_change_of_the_sources_is_told_as_one_and_labels_that_differ_at_any_time_as_such():
    """The Herald writes of the sea and the Times of hills, in 2001 and 2002; only how many texts
    each of them has changes."""
    rng = np.random.default_rng(0)
    herald = np.arange(120) % 10 < np.where(np.arange(120) < 60, 9, 2)
    words = np.where(herald[:, None], [5.0, 5.0, 0.2, 0.2], [0.2, 0.2, 5.0, 5.0])
    docs = DocTable(
        date=np.repeat(np.array(["2001-03-02", "2002-03-02"], "datetime64[D]"), 60),
        label=strings(np.where(herald, "Herald", "Times").tolist()),
    )
    corpus = Corpus.from_csr(rng.poisson(words), ("sea", "wave", "hill", "rock"), docs)
    run = Plan.of("lda-gibbs", values={"n_topics": 2}, passes=5).start(corpus)
    while run.docs_seen < 5 * 120:
        run.step()
    story = Story(result_of(run, run.moment(), corpus))
    causes = {
        "“sea wave hill” fell": "“Herald” went from 91 % to 18 % of the words.",
        "“rock hill wave” rose": "“Times” went from 9 % to 82 % of the words.",
    }
    said = [one.text.replace("\u00a0", " ") for one in story._turns()]
    for name, cause in causes.items():
        (found,) = (text for text in said if name in text)
        assert found.endswith(f", mostly because {cause}")
    differ = story._between_labels()
    assert len(differ) == 2
    for one in differ:
        assert one.text.endswith(
            ", mostly in texts of the same period, though the mix of periods differs, too."
        )


@pytest.mark.second
def test_topics_beyond_the_twelve_largest_are_counted():
    result = small_result("hdp-svi")
    topics = result.snapshot.topics
    for n, said in ((13, "The table at the end has the other 1."), (12, "")):
        size = np.zeros(len(topics))
        size[:n] = 2.0 + np.arange(n)
        labels = replace(result, moment=replace(result.moment, labels=Labels()))
        story = Story(at(labels, topics=replace(topics, size=size)))
        words = plain(story._topics())
        assert (said in words) == bool(said) or "The table at the end" not in words
        assert ("The table at the end" in words) == (n == 13)
        heads = re.findall(r"<h3>.*?</span>(.*?) <span", str(story._topics()), re.DOTALL)
        assert heads == [story._name(topic) for topic in story.told[:12]]
