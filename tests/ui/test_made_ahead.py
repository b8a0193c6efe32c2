"""What pages make before somebody asks for it, and what stands where there is nothing to draw."""

from types import SimpleNamespace

import plotly.graph_objects as go
import pytest
import streamlit as st

from bnpexplorer.ui.frame import access
from bnpexplorer.ui.parts import explore, figure, share
from tests.tools.alone import drawn, moment
from tests.tools.pages import texts

# ---- files and later pages -----------------------------------------------------------------------


def shared_run(status, latest, ended=False):
    run = SimpleNamespace(method=SimpleNamespace(name="hdp-svi"))
    background = SimpleNamespace(run=run, latest=latest, status=status, ended=ended)
    return SimpleNamespace(entry=SimpleNamespace(run_id="0123", background=background))


@pytest.mark.parametrize("mine", [True, False])
@pytest.mark.parametrize(
    ("status", "ended", "ahead"),
    [("running", False, False), ("paused", False, True), ("finished", True, True)],
)
def test_documents_are_read_for_the_files_of_a_run_at_rest(monkeypatch, mine, status, ended, ahead):
    read, offered, cited = [], [], []
    report = SimpleNamespace(texts=False, name="report", first=True)
    kinds = [SimpleNamespace(texts=True, name="zip", first=False), report]
    monkeypatch.setattr(share, "run_field", lambda *_, **__: 1)
    monkeypatch.setattr(share, "labels_of", lambda runs: ["*one*", "*two*"])
    monkeypatch.setattr(share, "downloads", lambda: kinds)
    monkeypatch.setattr(share, "_download", lambda shown, kind, _: offered.append(kind.name))
    monkeypatch.setattr(share, "how_to_cite", cited.append)
    monkeypatch.setattr(share, "folding_of", read.append)
    monkeypatch.setattr(share, "_moment_of", lambda entry, latest: (entry.run_id, latest))
    of_mine = SimpleNamespace(corpus=None) if mine else None
    monkeypatch.setattr(share.access, "texts_of", lambda entry: of_mine)
    monkeypatch.setattr(share, "your_file", lambda _: ())
    monkeypatch.setattr(share, "replace", lambda at, **_: at)
    monkeypatch.setattr(share, "apply_to_new", lambda *_: None)
    latest = moment().snapshot
    runs = [shared_run("stopped", None), shared_run(status, latest, ended)]
    app = drawn(share._downloads, runs)
    assert read == [("0123", latest)] * ahead
    assert offered == ["report", "zip"][: 1 + mine]
    assert cited == [["hdp-svi"]]
    said = texts(app.caption)
    assert (access.FOR_ITS_OWNER in said) != mine
    assert ("The run goes on: a file has what it had learned" in said) != ended
    assert "on the command line: `0123`" in said
    runs[1].entry.background.latest = None
    said = texts(drawn(share._downloads, runs).caption)
    assert said.startswith("\\*two\\* has learned nothing yet;")
    assert len(read) == ahead


@pytest.mark.parametrize(
    ("status", "begins"),
    [("running", False), ("queued", False), ("paused", True), ("finished", True), ("failed", True)],
)
def test_a_later_page_is_prepared_for_a_run_at_rest_alone(monkeypatch, status, begins):
    timers, done = [], []

    class Timer:
        def __init__(self, seconds, begin):
            timers.append((seconds, begin))

        def start(self):
            assert self.daemon, "the server may end before"

    def fail():
        done.append(1)
        raise ValueError("It is for the page that asks again.")

    monkeypatch.setattr(explore.threading, "Timer", Timer)
    explore.ahead(shared_run(status, None), fail)
    assert [seconds for seconds, _ in timers] == [explore.AHEAD] * begins
    for _, begin in timers:
        begin()
    assert len(done) == begins


# ---- figures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("served", [True, False])
def test_a_figure_without_data_says_its_own_sentence(monkeypatch, served):
    sent = []
    monkeypatch.setattr(figure, "_plotly_url", lambda: "/plotly.js" if served else "")
    monkeypatch.setattr(figure, "_component", lambda data, **_: sent.append(data["figure"]))
    monkeypatch.setattr(st, "plotly_chart", lambda made, **_: sent.append(made.to_json()))
    for given in (go.Figure(), go.Figure):
        figure.live_figure(given, "mine", 100, "Points.", same=served, nothing="Nothing *here*.")
        assert "Nothing *here*." in sent.pop()
