"""What pages make before somebody asks for it, and what a figure does where its script is missing."""

from types import SimpleNamespace

import numpy as np
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
def test_documents_are_read_for_the_files_of_a_run_at_rest(
    monkeypatch, mine, status, ended, ahead
):
    read, offered, cited = [], [], []
    kinds = [SimpleNamespace(texts=False, name="report"), SimpleNamespace(texts=True, name="zip")]
    monkeypatch.setattr(share, "run_field", lambda *_, **__: 1)
    monkeypatch.setattr(share, "labels_of", lambda runs: ["*one*", "*two*"])
    monkeypatch.setattr(share, "downloads", lambda: kinds)
    monkeypatch.setattr(share, "_download", lambda shown, kind, _: offered.append(kind.name))
    monkeypatch.setattr(share, "how_to_cite", cited.append)
    monkeypatch.setattr(share, "folding_of", read.append)
    monkeypatch.setattr(share.server, "moment_of", lambda entry, latest: (entry.run_id, latest))
    monkeypatch.setattr(share.access, "texts_of", lambda entry: "texts" if mine else None)
    latest = moment().snapshot
    runs = [shared_run("stopped", None), shared_run(status, latest, ended)]
    app = drawn(share._downloads, runs)
    assert read == [("0123", latest)] * ahead
    assert offered == ["report", "zip"][: 1 + mine]
    assert cited == [["hdp-svi"]]
    said = texts(app.caption)
    assert (access.FOR_ITS_OWNER in said) != mine
    assert ("The run goes on: a file has what it had learned" in said) != ended
    assert said.endswith("on the command line: `0123`")
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


def points(n=2):
    return go.Figure(go.Scatter(x=[1.0] * n, y=[2.0] * n, customdata=[2, 0][:n]))


@pytest.fixture
def sent(monkeypatch):
    """What the component of a figure is given."""
    found = []
    monkeypatch.setattr(figure, "_plotly_url", lambda: "/plotly.js")
    monkeypatch.setattr(figure, "_component", lambda **more: found.append(more))
    monkeypatch.setattr(figure, "_texts_ahead", lambda **more: found.append(more))
    monkeypatch.setattr(st, "session_state", {})
    return found


def test_a_click_is_answered_once_and_an_earlier_one_that_comes_back_is_not(sent):
    clicked, outlined = [], []
    figure.live_figure(
        points(), "mine", 100, "Points.", on_click=clicked.append, on_outline=outlined.append
    )
    (given,) = sent
    state = st.session_state
    for time, point in ((5, "a"), (5, "a"), (4, "b"), (6, "c")):
        state["mine"] = {"clicked": {"time": time, "point": point}}
        given["on_clicked_change"]()
        given["on_outlined_change"]()
    assert clicked == ["a", "c"]
    state["mine"] = {"outlined": {"time": 1, "outline": "around"}}
    given["on_outlined_change"]()
    given["on_clicked_change"]()
    assert (clicked, outlined) == (["a", "c"], ["around"])
    assert [given["data"][name] for name in ("clicks", "selects", "alt", "height")] == [
        True, True, "Points.", 100,
    ]  # fmt: skip
    figure.live_figure(points(), "mine", 100, "Points.")
    assert [sent[1]["data"][name] for name in ("clicks", "selects", "texts")] == [False, False, ""]


def test_texts_of_points_are_sent_before_a_figure_that_names_them(sent):
    lines = figure.HoverTexts.of(["zero", "one", "two"])
    figure.live_figure(points(), "mine", 100, "Points.", texts=lines)
    ahead, given = sent
    assert ahead["data"] == {"name": lines.name, "packed": lines.packed}
    assert given["data"]["texts"] == lines.name


@pytest.mark.parametrize("served", [True, False])
def test_a_figure_without_data_says_its_own_sentence(monkeypatch, sent, served):
    monkeypatch.setattr(figure, "_plotly_url", lambda: "/plotly.js" if served else "")
    monkeypatch.setattr(st, "plotly_chart", lambda made, **_: sent.append(made.to_json()))
    for given in (go.Figure(), go.Figure):
        figure.live_figure(given, "mine", 100, "Points.", same=served, nothing="Nothing *here*.")
        drawn_as = sent.pop()
        assert "Nothing *here*." in (drawn_as["data"]["figure"] if served else drawn_as)


def test_where_its_script_is_not_served_a_figure_says_what_its_points_are(monkeypatch, sent):
    shown = []
    monkeypatch.setattr(figure, "_plotly_url", lambda: "")
    monkeypatch.setattr(st, "plotly_chart", lambda made, **more: shown.append((made, more)))
    lines = figure.HoverTexts.of(["zero", "one", "two"])
    figure.live_figure(points, "mine", 123, "Points.", texts=lines)
    ((made, more),) = shown
    assert list(made.data[0].text) == ["two", "zero"], "by the numbers of their documents"
    assert (made.layout.height, more["key"], more["alt"]) == (123, "mine", "Points.")
    assert not sent


@pytest.mark.parametrize(
    ("base", "url"),
    [("", "/app/static/"), ("/my/place/", "/my/place/app/static/"), ("my", "/my/app/static/")],
)
def test_the_script_of_figures_lies_below_the_place_of_the_app(monkeypatch, base, url):
    monkeypatch.setattr(figure, "serve_plotly", lambda: True)
    monkeypatch.setattr(st, "get_option", lambda name: {"server.baseUrlPath": base}[name])
    make = figure._plotly_url.__wrapped__
    assert make() == f"{url}{figure.PLOTLY_FILE}"
    monkeypatch.setattr(figure, "serve_plotly", lambda: False)
    assert make() == ""


def test_a_figure_of_the_same_is_made_once_for_every_key_and_height(sent):
    made = []

    def make():
        made.append(1)
        return go.Figure(go.Scatter(x=np.arange(2), y=[1.0, 2.0]))

    for key, height, same in (("a", 10, 1), ("a", 10, 1), ("b", 10, 1), ("a", 20, 1), ("a", 10, 2)):
        figure.live_figure(make, f"once-{key}", height, "Points.", same=same)
    assert len(made) == 4
    assert '"height":20' in sent[3]["data"]["figure"]
