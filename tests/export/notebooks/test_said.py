"""Whole sentences of values in a notebook, and what a watched run passes on."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.compare import side_by_side
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.evaluate import PROTOCOLS
from bnpexplorer.export.notebooks import watching
from bnpexplorer.export.notebooks.values import _topics_of, html
from bnpexplorer.export.notebooks.watch import RunWatch
from bnpexplorer.methods import METHODS
from bnpexplorer.plots.style import colour
from bnpexplorer.state.snapshot import Topics
from tests.tools.export import learned, own_corpus, small_result
from tests.tools.waiting import NEVER, until


def plain(markup):
    words = re.sub(r"<style>.*?</style>", "", markup, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).split())


def test_topics_in_use_are_counted_apart_from_those_represented():
    size = np.array([0.5, 0.0, *range(1, 24)], float)
    words = np.full((25, 14), 1 / 14, np.float32)
    topics = Topics(words, size + 2.0, size, size / 300, 0.0, np.arange(25), 1.0, 1.0, 0.1)
    said = plain(html(topics))
    assert said.startswith("23 topics in use 25 are represented, over 14 words.")
    assert said.endswith(" … and 3 smaller topics.")


def test_clusters_are_called_so():
    moment = small_result("dpm-tsvi").moment
    said = plain(html(moment))
    assert said.startswith(
        f"Clusters of small.csv After pass 2 over {moment.docs_in_pass:,} texts."
    )
    n = len(moment.in_use)
    assert plain(_topics_of(moment, n - 2)).endswith(" … and 2 smaller clusters.")
    assert "smaller" not in plain(_topics_of(moment, n))
    empty = replace(moment.topics, size=0.0 * moment.topics.size)
    moment = replace(moment, snapshot=replace(moment.snapshot, topics=empty))
    assert plain(_topics_of(moment)) == "No cluster is in use yet."


def test_a_corpus_is_told_by_its_numbers_and_first_documents():
    counts = np.array([[2, 1, 0], [0, 1, 0], [0, 4, 1], [5, 0, 0], [0, 0, 1], [0, 0, 1]])
    docs = DocTable(id=strings([f"d{i}" for i in range(6)]), label=strings(list("xyzxyz")))
    corpus = replace(Corpus.from_csr(counts, ("sea", "hill", "wave"), docs), name="waves")
    assert plain(html(corpus)).startswith(
        "waves 6 documents with 16 words, 3 in each on average; 3 of them different."
    )
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html(corpus), re.DOTALL)
    told = [plain(cell) for cell in cells]
    assert told[-10:] == ["d0", "x", "d1", "y", "d2", "z", "d3", "x", "d4", "y"]
    rows = [plain(row) for row in re.findall(r"<tr>(.*?)</tr>", html(corpus), re.DOTALL)]
    assert [row for row in rows if row[-1] in "23"] == ["sea 7 2", "hill 6 3", "wave 3 3"]


def test_a_run_that_has_not_begun_says_how_to_begin():
    run = Plan.of("lda-svi").start(replace(own_corpus(), name="waves"), None)
    assert plain(html(run)) == (
        "lda-svi has not begun to learn waves. 60 documents to learn. `run.step()` learns from a "
        "mini-batch, `run.watch()` from all, while you look."
    )


def test_runs_side_by_side_say_on_which_ground_and_keep_the_colours_of_their_methods():
    runs = [learned(own_corpus(), name, steps=1) for name in ("hdp-svi", "lda-svi")]
    shown = html(side_by_side(runs))
    assert (
        f"60 documents, 6 held out, {PROTOCOLS[runs[0].protocol].title}; the best held-out score "
        "first."
    ) in plain(shown)
    inks = re.findall(r'class="curve" style="--l:(#\w+)', shown)
    wanted = [colour(METHODS[run.method.name].colour, False) for run in runs]
    assert inks == wanted * 2


def test_who_failed_in_a_race_is_said_to_have():
    race = race_of([Plan.of(name, passes=1) for name in ("lda-svi", "hdp-svi")], own_corpus())
    while not race.done:
        race.step()
    race.failed[0] = "FloatingPointError: no number"
    rows = [plain(row) for row in re.findall(r"<tr>(.*?)</tr>", html(race), re.DOTALL)]
    status = {
        row.split()[0]: word for row in rows for word in ("failed", "finished") if word in row
    }
    assert status == {"lda-svi": "failed", "hdp-svi": "finished"}


# ---- watched runs --------------------------------------------------------------------------------


@pytest.fixture
def watched():
    """A run of mini-batches of ten documents, and who watches it."""
    run = Plan.of("hdp-tsvi", passes=3, batch_size=10).split_and_start(own_corpus())
    watch = RunWatch(run)
    yield run, watch
    watch.thread.stop()
    assert watch.wait(NEVER)


def one_step(watch):
    watch.step()
    until(lambda: not watch.going)


def test_names_and_colours_go_on_while_a_watched_run_learns_and_are_settled_at_its_end(watched):
    run, watch = watched
    one_step(watch)
    first = watch.moment()
    assert first.before is None
    names, colours = first.own_words, first.colours
    one_step(watch)
    assert watch.moment() is watch.moment()
    assert watch.moment().before.own_words is names
    assert watch.moment().before.colours is colours
    watch.go_on()
    assert watch.wait(NEVER)
    assert run.done
    assert watch.moment().before is None, "as whoever opens it later sees it"


def test_a_bar_tells_how_much_of_the_whole_run_is_behind(watched):
    run, watch = watched
    drawn = []

    class Bar:
        def draw(self, share, said, now):
            drawn.append((share, said, now))

    watching.draw(Bar(), watch)
    one_step(watch)
    watching.draw(Bar(), watch, now=True)
    assert run.planned_docs == 3 * 54
    assert drawn == [
        (0.0, "It has not begun.", False),
        (10 / (3 * 54), watching.words(watch.moment()), True),
    ]


def test_the_pause_between_steps_is_passed_on(watched, monkeypatch):
    run, _ = watched
    asked = []
    monkeypatch.setattr(watching, "RunWatch", lambda run, seconds: asked.append((run, seconds)))
    monkeypatch.setattr(watching, "on_terminal", lambda watch: None)
    run.watch(0.25)
    assert asked == [(run, 0.25)]
