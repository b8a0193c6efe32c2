"""A watched run learns what it learns alone; buttons, bar and sentences say how it stands."""

import re
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.core import store
from bnpexplorer.core.arrays import F64
from bnpexplorer.export.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from bnpexplorer.export.notebooks import watching
from bnpexplorer.export.notebooks.live import Live
from bnpexplorer.export.notebooks.watch import RunWatch, _threads
from bnpexplorer.export.notebooks.watching import words
from bnpexplorer.export.pieces import lead
from bnpexplorer.plots.live import Series, topics_figure
from tests.tools.export import EVIL, own_corpus, small_result
from tests.tools.markup import inert
from tests.tools.waiting import NEVER, until


@pytest.fixture(autouse=True)
def no_thread_is_left():
    """Runs that rest keep their thread; tests of others count them."""
    yield
    for thread in list(_threads.values()):
        thread.stop()
        assert thread.wait(NEVER)
    until(lambda: not any(thread.name == "run" for thread in threading.enumerate()))


def fresh(passes=3, **more):
    plan = Plan.of("hdp-tsvi", passes=passes, batch_size=10, seed=4, **more)
    return plan.split_and_start(own_corpus())


def alone():
    run = fresh()
    while not run.done:
        run.step()
    return run


def same(one, other):
    """Whether two runs learned the same: states bit for bit, histories but for seconds."""
    arrays: list[dict[str, F64]] = [{}, {}]
    for run, found in zip((one, other), arrays, strict=True):
        store.pack(run.state, found)
    assert arrays[0].keys() == arrays[1].keys() != set()
    for name, array in arrays[0].items():
        np.testing.assert_array_equal(array, arrays[1][name])
    rows = [[(p.step, p.docs_seen, p.n_topics) for p in run.history] for run in (one, other)]
    scores = [[p.heldout for p in run.history] for run in (one, other)]
    np.testing.assert_array_equal(*scores)
    return rows[0] == rows[1] and len(rows[0]) > 3


def ask(live, what):
    """As the browser does when a button is pressed."""
    live._handle_custom_msg({"do": what}, [])


def test_a_watched_run_learns_the_same_with_pauses_and_single_steps():
    live = Live(RunWatch(run := fresh()))
    assert live.state == "paused"
    assert live.said == "It has not begun."
    for n in (1, 2):
        ask(live, "step")
        until(lambda: not live._watch.going)
        ask(live, "look")
        assert live.state == "paused"
        assert run.n_steps == n
        assert live.said.startswith("Paused: ")
        assert f"after {run.passes_said(10 * n)}" in live.said
    ask(live, "go_on")
    assert live.wait(NEVER)
    assert live.state == "done"
    assert live.said.startswith("Done: ")
    assert same(run, alone())


def test_a_pause_holds_and_what_is_shown_then_is_the_runs_own():
    live = Live(RunWatch(run := fresh(passes=400), step_seconds=0.02))
    ask(live, "go_on")
    until(lambda: run.n_steps > 2)
    html = run._repr_html_()
    assert "topics in use" in html, "also while it learns"
    ask(live, "pause")
    until(lambda: not live._watch.going)
    ask(live, "look")
    n = run.n_steps
    time.sleep(0.1)
    assert run.n_steps == n
    assert live.state == "paused"
    assert f"after {run.passes_said(run.docs_seen)}" in live.said
    again = RunWatch(run)  # what somebody did in the meantime counts
    run.step()
    assert f"after {run.passes_said(run.docs_seen)}" in run._repr_html_(), (
        "not as the thread left it"
    )
    again = RunWatch(run)
    assert again.moment().snapshot.step == n + 1


def test_live_figures_are_inert_and_escaped():
    live = Live(RunWatch(run := fresh()))
    ask(live, "step")
    until(lambda: not live._watch.going)
    ask(live, "look")
    inert(live.drawing)
    assert EVIL not in live.drawing
    assert "<b>bold" not in live.drawing
    assert "&lt;b&gt;bold&lt;/b&gt;" in live.drawing
    assert live.title.endswith(run.corpus.name), "plain text, which the browser writes as such"
    inert(live._repr_html_())
    n = live.answers
    for nothing in ("look", "rm -rf", None):
        ask(live, nothing)
    live._handle_custom_msg("nonsense", [])
    assert live.answers == n + 4, "every question is answered, and nothing else happens"
    assert run.n_steps == 1


def places(path):
    """The middles (x, y) of triangles, in pixels."""
    tips = re.findall(r"M([\d.]+) ([\d.]+)l4 (-?7)h-8z", path)
    return [(float(x), float(y) + (4 if down == "7" else -4)) for x, y, down in tips]


def test_births_ends_and_the_planned_end_are_those_of_the_live_page():
    run = fresh()
    for _ in range(7):
        run.step()
    live = Live(RunWatch(run))
    shown = live._watch.moment()
    lines = topics_figure([Series("it", 0, 0, shown)], "documents", False).data
    marked = {line.name: line for line in lines if line.mode == "markers"}
    _, figure = re.findall(r"<svg.*?</svg>", live.drawing)
    drawn = re.findall(r'd="([^"]*)"><title>(\d+) (born|gone)</title>', figure)
    assert sorted(marked) == ["it, born", "it, gone"] == [f"it, {word}" for _, _, word in drawn]

    def across(docs):
        return LEFT + (WIDTH - LEFT - RIGHT) * docs / run.planned_docs

    heights = [y for line in lines for y in line.y]
    top = 1.08 * max(heights)
    for path, n, word in drawn:
        line = marked[f"it, {word}"]
        assert int(n) == sum(told[0] for told in line.customdata)
        assert ("l4 7h" in path) == (word == "born"), "up, and down"
        wanted = [
            (across(x), TOP + (HEIGHT - TOP - BOTTOM) * (1 - y / top))
            for x, y in zip(line.x, line.y, strict=True)
        ]
        np.testing.assert_allclose(places(path), wanted, atol=0.11)
    ends = re.findall(r'<circle class="ink" [^>]*cx="([\d.]+)"', live.drawing)
    assert [float(x) for x in ends] == pytest.approx([across(run.docs_seen)] * 2, abs=0.06)
    # A run that shows itself at rest fills its figure.
    ends = re.findall(r'<circle class="ink" [^>]*cx="([\d.]+)"', run._repr_html_())
    assert {float(x) for x in ends} == {WIDTH - RIGHT}


def failing():
    run = fresh()

    def step(*_):
        raise FloatingPointError("no number")

    object.__setattr__(run.method, "step", step)
    return run


def test_a_failure_is_one_sentence():
    live = Live(RunWatch(failing()))
    ask(live, "go_on")
    assert live.wait(NEVER)
    assert live.said == "It failed after 0 documents: FloatingPointError: no number"
    assert live.state == "done"
    with pytest.raises(RuntimeError, match="It failed after 0 documents"):
        failing().watch()
    with pytest.raises(ValueError, match="step_seconds must be 0 or more; got -1"):
        fresh().watch(-1)


class Terminal:
    """Standard error where somebody looks."""

    def __init__(self):
        self.written = []

    def write(self, text):
        self.written.append(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_in_a_terminal_a_bar_has_score_and_topics(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run = fresh()
    assert run.watch() is None
    assert run.done
    last = "".join(terminal.written).rstrip().split("\r")[-1]
    assert last.startswith("[" + 30 * "#" + "] 100 %")
    moment = run.moment()
    assert f"score {moment.snapshot.heldout:.2f}".replace("-", "−") in last
    assert f"{len(moment.in_use)} topics" in last
    assert len(words(moment)) <= 40
    assert same(run, alone())


def test_a_bar_tells_one_topic_and_documents_a_second():
    moment = small_result("dpm-tsvi").moment
    size = np.zeros(len(moment.topics))
    size[0] = 30.0
    topics = replace(moment.topics, size=size)
    changed = {"topics": topics, "docs_seen": 12_345, "seconds": 5.0}
    one = replace(moment, snapshot=replace(moment.snapshot, **changed))
    score = f"{moment.snapshot.heldout:.2f}".replace("-", "−")
    assert words(one) == f"score {score}, 1 cluster, 2,469 docs/s"
    begun = replace(one, snapshot=replace(one.snapshot, trace=(), seconds=0.0, docs_seen=0))
    assert words(begun) == "1 cluster, 0 docs/s"


def test_a_sentence_says_how_a_watched_run_stands():
    run = fresh()
    watch = RunWatch(run)
    assert watch.said() == "It has not begun."
    assert (watch.title, watch.moment(), watch.drawing()) == (
        run.corpus.name,
        None,
        '<p class="quiet">Nothing to draw yet.</p>',
    )
    watch.step()
    until(lambda: watch.thread.status == "paused")
    assert watch.said() == f"Paused: {lead(run, watch.moment())}"
    assert run.n_steps == 1
    assert watch.title == f"Topics of {run.corpus.name}"
    assert RunWatch(run).moment().snapshot.step == 1, "who looks later sees as much"
    watch.go_on()
    assert watch.wait(NEVER)
    assert watch.said() == f"Done: {lead(run, watch.moment())}"
    watch.thread.error = "The cluster is gone."
    assert watch.said() == "The cluster is gone."
    watch.thread.status = "failed"
    assert watch.said() == f"It failed after {run.docs_seen:,} documents: The cluster is gone."
    with pytest.raises(ValueError, match=r"step_seconds must be 0 or more; got -0\.5"):
        RunWatch(run, -0.5)


def test_ctrl_c_pauses_and_watch_goes_on(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run = fresh()
    wait_long = RunWatch.wait

    def interrupted(self, timeout=None):
        monkeypatch.setattr(RunWatch, "wait", wait_long)
        until(lambda: run.n_steps > 0)
        raise KeyboardInterrupt

    monkeypatch.setattr(RunWatch, "wait", interrupted)
    monkeypatch.setattr(RunWatch, "__init__", slow(RunWatch.__init__))
    run.watch()
    assert not run.done
    said = "".join(terminal.written)
    assert f"Paused: {len(run.moment().in_use)} topic" in said
    monkeypatch.undo()
    assert run.watch() is None
    assert same(run, alone())


def slow(init):
    return lambda self, run, step_seconds=0.0: init(self, run, 3600.0)


def test_where_somebody_looks(monkeypatch):
    assert not watching.in_notebook()
    for kernel, found in ((object(), True), (None, False)):
        shell = SimpleNamespace(kernel=kernel)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda s=shell: s))
        assert watching.in_notebook() is found
    monkeypatch.setitem(sys.modules, "marimo", SimpleNamespace(running_in_notebook=lambda: True))
    assert watching.in_notebook()
    run = fresh()
    live = run.watch()
    assert isinstance(live, Live)
    assert live.wait(NEVER)
    assert run.done


def test_without_the_extra_a_notebook_gets_the_bar_and_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(watching, "in_notebook", lambda: True)
    monkeypatch.setitem(sys.modules, "bnpexplorer.export.notebooks.live", None)
    run = fresh()
    with pytest.warns(UserWarning, match=r"pip install 'bnpexplorer\[notebook\]'"):
        assert run.watch() is None
    assert run.done
    assert "100 %" in capsys.readouterr().err
