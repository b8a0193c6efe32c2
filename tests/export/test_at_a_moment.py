"""What is exported of topics in groups, between two rows of a history, or beside other texts."""

import ast
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus.readers.source import Reading
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.export import report, result_of, script, story
from bnpexplorer.export.drawing import LETTER, MAP_WIDTH, WIDEST, topic_map
from bnpexplorer.export.notebooks.live import Live
from bnpexplorer.export.notebooks.watch import RunWatch
from bnpexplorer.export.pieces import lead
from bnpexplorer.export.report import LONGEST, _settings
from bnpexplorer.export.result import held_out_rows
from bnpexplorer.export.story import Story
from bnpexplorer.export.texts import settings_to_count
from bnpexplorer.runs.plan import Plan
from bnpexplorer.state.labels import Labels
from tests.tools.export import at, learned, own_corpus, small_result
from tests.tools.waiting import NEVER, until


@pytest.fixture(scope="module")
def result():
    return small_result("hdp-tsvi", steps=5)


@pytest.fixture(scope="module")
def grouped(result):
    """The three largest topics count as one."""
    first, *others = result.moment.in_use[:3]
    labels = Labels(groups={first: tuple(others)})
    return replace(result, moment=replace(result.moment, labels=labels))


# ---- topics in groups ----------------------------------------------------------------------------


def test_the_first_sentence_counts_a_group_as_one_topic(result, grouped):
    first, *others = result.moment.in_use[:3]
    topics = result.snapshot.topics
    size = dict(zip(topics.topic_ids.tolist(), topics.size.tolist(), strict=True))
    size[first] += sum(size.pop(topic) for topic in others)
    share = np.array([one for one in size.values() if one > 0])
    share /= share.sum()
    diverse = np.exp(-(share * np.log(share)).sum())
    n_used = sum(one >= 1 for one in size.values())
    words = lead(grouped.run, grouped.moment)
    large = sum(one >= 0.001 * sum(size.values()) for one in size.values())
    assert words.startswith(f"{large} topics and {n_used - large} small ones (under 0.5\u00a0% of ")
    assert f" of the words), as diverse as {diverse:.0f} of equal size, " in words
    assert not lead(result.run, result.moment).startswith(words[:40])


def test_a_script_expects_the_topics_that_its_run_has_not_the_groups(result, grouped):
    used = int((result.snapshot.topics.size >= 1).sum())
    assert len(grouped.moment.in_use) == used - 2
    for one in (result, grouped):
        (expected,) = re.findall(r"^EXPECTED = (.*)$", script(one), flags=re.M)
        assert ast.literal_eval(expected) == {"heldout": result.score, "topics": used}


@pytest.mark.second
def test_a_story_counts_the_topics_that_it_does_not_tell(monkeypatch):
    """Not those that are hidden."""
    monkeypatch.setattr(story, "TOLD", 4)
    found = small_result("hdp-svi")
    told = Story(found).told
    assert len(told) == len(found.moment.in_use) - 1
    words = " ".join(re.sub("<[^>]*>", " ", str(Story(found)._topics())).split())
    assert f"The table at the end has the other {len(told) - 4}." in words


def test_what_changed_in_time_is_said_of_the_topic_whose_column_it_is(monkeypatch):
    corpus = own_corpus()
    run = learned(corpus, "hdp-svi", steps=2)
    module = "bnpexplorer.export.story"
    monkeypatch.setattr(
        f"{module}.turns",
        lambda shares, dates, period, columns, *_, **__: [
            SimpleNamespace(column=k) for k in columns
        ],
    )
    monkeypatch.setattr(f"{module}.turn_sentence", lambda name, turn, *_: (name, turn.column))
    told = Story(result_of(run, run.moment(), corpus))
    topics = run.snapshot().topics
    assert told.told != sorted(told.told)
    assert told._turns() == [
        (told.moment.name(topic), topics.topic_ids.tolist().index(topic))
        for topic in told.told[: story.SENTENCES]
    ]


# ---- between two rows of the history -------------------------------------------------------------


def test_the_numbers_behind_the_curves_are_rows_of_the_history_alone(result):
    """A run that is watched stands between two: the curve ends there, and the table before."""
    between = at(result, step=result.snapshot.step + 1, docs_seen=result.snapshot.docs_seen + 7)
    assert len(between.moment.trace) == len(result.snapshot.trace) + 1
    tables_ = re.findall(r"<summary>Read as table</summary><table>(.*?)</table>", report(between))
    assert [html.count("<tr><td") for html in tables_] == [
        sum(np.isfinite(point.heldout) for point in result.snapshot.trace),
        len(result.snapshot.trace),
    ]


def test_a_run_with_an_open_end_has_read_so_much_of_all_that_it_may_read():
    """Its axes reach less far."""
    plan = Plan.of("lda-svi", batch_size=10, passes=500, minutes=1e6)
    run = plan.split_and_start(own_corpus())
    run.step()
    assert run.moment().planned_docs < 500 * 54
    assert " after 10 of 54 texts in pass 1 of 500" in lead(run, run.moment())


@pytest.mark.second
def test_a_page_made_of_a_notebook_shows_what_was_drawn_last():
    run = Plan.of("hdp-tsvi", passes=3, batch_size=10).split_and_start(own_corpus())
    live = Live(watch := RunWatch(run))
    live.step()
    until(lambda: not watch.going)
    live.wait(0.0)
    shown = live._repr_html_()
    assert live.drawing in shown
    watch.step()
    until(lambda: not watch.going)
    assert live._repr_html_() == shown
    live.wait(0.0)
    assert live._repr_html_() != shown
    watch.thread.stop()
    assert watch.wait(NEVER)


def test_a_setting_of_just_a_thousand_letters_is_told_in_full(result):
    for n in (LONGEST - 1, LONGEST, LONGEST + 1):
        words = "y" + "x" * (n - 1)
        said = _settings(replace(result, text_settings=TextSettings(extra_stop_words=words)))
        full = n <= LONGEST
        assert (f">{words}<" in said) == full
        assert (f">{words[:LONGEST]} …<" in said) == (not full)


# ---- which documents -----------------------------------------------------------------------------


def changed(corpus, row):
    """The corpus with one token more in this document."""
    counts = corpus.counts.copy()
    counts[corpus.indptr[row]] += 1
    return replace(corpus, counts=counts)


def test_rows_are_held_out_only_of_the_corpus_that_the_run_learned():
    corpus = own_corpus()
    run = learned(corpus, "lda-svi", steps=1)
    rows = held_out_rows(run, corpus)
    assert rows.sum() == run.heldout.whole.n_docs
    for row in (np.flatnonzero(~rows)[3], np.flatnonzero(rows)[2]):
        assert held_out_rows(run, changed(corpus, row)) is None
    alone = learned(corpus, "lda-svi", steps=1, held_out=False)
    assert held_out_rows(alone, corpus).tolist() == [False] * corpus.n_docs
    assert held_out_rows(alone, changed(corpus, 0)) is None


@pytest.mark.parametrize("part", ["observed", "hidden"])
def test_both_parts_of_the_documents_held_out_have_to_be_those_of_the_run(part):
    corpus = own_corpus()
    run = learned(corpus, "lda-svi", steps=1)
    other = changed(getattr(run.heldout, part), 0)
    stands = SimpleNamespace(
        corpus=run.corpus, seed=run.seed, heldout=replace(run.heldout, **{part: other})
    )
    assert held_out_rows(stands, corpus) is None


def test_words_are_counted_anew_only_where_the_corpus_is_divided_as_it_was(result):
    settings = TextSettings(min_df=7)
    reading = Reading(files=("mine.csv",), settings=TextSettings(min_df=9))
    known = replace(result, by_rule=True, text_settings=settings, reading=None)
    assert settings_to_count(known) == settings
    assert settings_to_count(replace(known, by_rule=False)) is None
    assert settings_to_count(replace(known, reading=reading)) == reading.settings
    assert settings_to_count(replace(known, reading=replace(reading, vocabulary=True))) is None
    assert settings_to_count(replace(known, reading=reading, by_rule=False)) is None


# ---- the map -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("apart", "written"), [(0.9, 1), (1.1, 2)])
def test_a_name_is_left_out_where_it_would_cross_a_larger_topics(apart, written):
    """A short name beside a long one: each takes half of its own length."""
    names = ["a long name indeed", "short"]
    halves = LETTER * (len(names[0]) + len(names[1])) / 2
    room = MAP_WIDTH - 2 * (WIDEST + 12)
    beside = 0.3 + apart * halves / room
    points = np.array([[0.3, 0.5], [beside, 0.5], [0.0, 0.0], [1.0, 1.0]])
    page = topic_map(
        points, np.array([0.5, 0.3, 0.1, 0.1]), [*names, "x", "y"], [("#000", "#fff")] * 4, "a map"
    )
    found = re.findall(r'<text class="name"[^>]*>([^<]*)</text>', page)
    assert found == [*names[:written], "x", "y"]
