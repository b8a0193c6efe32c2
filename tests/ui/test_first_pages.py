"""The Start page, figures as they are sent, and what a server prepares; by direct call."""

import json
import zlib
from base64 import b64decode
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects
import pytest
import streamlit as st

from bnpexplorer.chains import chains_of
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.runs.demonstration import SEEN, TENFOLD_SECONDS
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.recording import LEVELS, recording
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import access, link, look, opening, pages, server, session
from bnpexplorer.ui.parts import figure, to_topics
from bnpexplorer.ui.start import page as start
from tests.tools.pages import button, check, field, open_app, small, small_run, texts
from tests.tools.runs_page import kept, the_page

pytestmark = pytest.mark.usefixtures("registry")


# ---- the Start page ------------------------------------------------------------------------------


def test_what_is_seen_is_told_of_the_sample_that_is_chosen_and_that_is_learned(
    registry, monkeypatch
):
    for name in ("start", "settle"):
        monkeypatch.setattr(f"bnpexplorer.runs.background.BackgroundRun.{name}", lambda self: None)
    app = open_app()
    for sample in ("bars", "small-csv"):
        check(next(r for r in app.radio if r.key == "start-sample").set_value(sample).run())
        assert SEEN[sample].caption in texts(app.caption)
    check(button(app, "Watch it learn").click().run())
    second, first = registry.entries()
    assert [entry.background.run.method.name for entry in (first, second)] == [
        "hdp-tsvi",
        "hdp-svi",
    ]
    for entry in (first, second):
        assert entry.source.corpus.fingerprint == small().corpus.fingerprint
        assert entry.background._tenfold_seconds == TENFOLD_SECONDS
        assert entry.background.run.method.model.gamma == SEEN["small-csv"].gamma


def test_the_recording_plays_its_moments_in_its_seconds(monkeypatch):
    found, sent, said = recording(), [], []
    monkeypatch.setattr(
        start, "live_figure", lambda make, key, height, alt, **more: sent.append((make(), more))
    )
    monkeypatch.setattr(st, "caption", said.append)
    start.recorded()
    (pictures, first), (curve, second) = sent
    n = len(found.moments)
    for more in (first, second):
        assert more["play"]["until"] == found.moments
        assert more["play"]["milliseconds"] * n == pytest.approx(1000 * start.SECONDS)
    shown = first["play"]["pictures"]
    assert len(shown) == n
    for moment in (0, n // 2, n - 1):
        shades = found.shades(moment)
        drawn = [v for row in shown[moment] for v in row if v is not None]
        wanted = np.nan_to_num(shades)
        brightest = wanted.max(axis=1, keepdims=True)
        whole = np.round(LEVELS * wanted / np.where(brightest == 0, 1, brightest))
        born = ~np.isnan(shades[:, 0])
        assert sum(drawn) == whole[born].sum()
        assert set(drawn) <= set(range(LEVELS + 1))
    assert "pictures" not in second["play"]
    assert pictures.data[0].zmax == LEVELS
    assert [[v for v in row if v == v] for row in np.array(pictures.data[0].z, float).tolist()] == [
        [v for v in row if v is not None] for row in shown[-1]
    ], "the figure stands at the end"
    assert curve.data[0].name == found.method
    times = found.planned_docs / found.docs_in_pass
    assert (
        f"reads {found.docs_in_pass:,} pictures made of ten bars, {times:.0f} times over."
        in (said[0])
    )


def test_the_icon_rises_in_three_steps():
    picture = np.asarray(look.icon())
    assert picture.shape == (32, 32, 4)
    heights = (picture[..., 3] > 0).sum(axis=0)
    assert [int(heights[x]) for x in (3, 10, 12, 19, 21, 28)] == [10, 10, 18, 18, 27, 27]
    assert not heights[[0, 2, 11, 20, 29, 31]].any()
    assert not (picture[[0, 30, 31], :, 3] > 0).any()


# ---- figures -------------------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch):
    """What the component of a figure is sent, and what stands in its place."""
    found = SimpleNamespace(sent=[], ahead=[], instead=[], state={})
    monkeypatch.setattr(figure, "_component", lambda **more: found.sent.append(more))
    monkeypatch.setattr(figure, "_texts_ahead", lambda **more: found.ahead.append(more))
    monkeypatch.setattr(figure, "_loader", lambda **more: found.ahead.append(more))
    monkeypatch.setattr(st, "plotly_chart", lambda made, **more: found.instead.append((made, more)))
    monkeypatch.setattr(st, "session_state", found.state)
    monkeypatch.setattr(figure, "_plotly_url", lambda: "/app/static/plotly.js")
    return found


def line():
    scatter = plotly.graph_objects.Scatter(x=[0, 1], y=[0, 1], customdata=[1, 0])
    return plotly.graph_objects.Figure(scatter)


def test_a_figure_is_sent_with_what_it_may_be_asked(sent):
    clicked, outlined = [], []
    figure.live_figure(line(), "it", 333, "A line.", clicked.append, on_outline=outlined.append)
    figure.live_figure(line(), "it", 333, "A line.")
    one, other = (more["data"] for more in sent.sent)
    drawn = json.loads(one["figure"])
    assert drawn["layout"]["height"] == one["height"] == 333
    assert (one["alt"], one["file"]) == ("A line.", "bnpexplorer-it")
    assert (one["clicks"], one["selects"]) == (True, True)
    assert (other["clicks"], other["selects"]) == (False, False)
    state = sent.state["it"] = {"clicked": {"time": 5, "point": [7]}}
    click, outline = sent.sent[0]["on_clicked_change"], sent.sent[0]["on_outlined_change"]
    for time in (5, 5, 4, 6):
        state["clicked"]["time"] = time
        click()
    assert clicked == [[7], [7]], "an old click that is brought back is none"
    outline()
    state["outlined"] = {"time": 1, "outline": {"x": [1]}}
    outline()
    assert outlined == [{"x": [1]}]
    sent.sent[1]["on_clicked_change"]()


def test_texts_of_points_are_sent_apart_and_once(sent):
    texts = figure.HoverTexts.of(["<b>one</b>", "two"])
    figure.live_figure(line(), "it", 300, "A line.", texts=texts)
    assert sent.sent[0]["data"]["texts"] == texts.name
    (ahead,) = sent.ahead
    assert zlib.decompress(b64decode(ahead["data"]["packed"])).decode() == "<b>one</b>\ntwo"
    assert figure.HoverTexts.of(["<b>one</b>", "2"]).name != texts.name


def test_without_plotly_a_figure_has_its_texts_itself(sent, monkeypatch):
    monkeypatch.setattr(figure, "_plotly_url", str)
    texts = figure.HoverTexts.of(["one", "two"])
    figure.live_figure(line, "it", 300, "A line.", texts=texts)
    figure.live_figure(line(), "it", 300, "A line.")
    (first, more), (second, _) = sent.instead
    assert list(first.data[0].text) == ["two", "one"], "by their rows"
    assert second.data[0].text is None
    assert (first.layout.height, more["alt"]) == (300, "A line.")
    assert sent.sent == []
    figure.load_ahead()
    assert sent.ahead == []


def test_a_figure_is_made_once_for_what_it_depends_on(sent):
    made = []

    def make():
        made.append(1)
        return line()

    for same, height in ((("a", 1), 300), (("a", 1), 300), (("a", 2), 300), (("a", 1), 310)):
        figure.live_figure(make, f"made once {id(made)}", height, "A line.", same=same)
    assert len(made) == 3


@pytest.mark.parametrize(
    ("served", "base", "url"),
    [
        (True, "", f"/app/static/{figure.PLOTLY_FILE}"),
        (True, "/texts/", f"/texts/app/static/{figure.PLOTLY_FILE}"),
        (False, "texts", ""),
    ],
)
def test_plotly_is_fetched_below_the_address_of_the_app(monkeypatch, served, base, url):
    monkeypatch.setattr(figure, "serve_plotly", lambda: served)
    monkeypatch.setattr(figure.st, "get_option", {"server.baseUrlPath": base}.get)
    figure._plotly_url.clear()
    assert figure._plotly_url() == url
    figure._plotly_url.clear()


# ---- buttons that lead elsewhere -----------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 3])
def test_duplicates_are_offered_where_there_are_any(monkeypatch, n):
    drawn = []
    monkeypatch.setattr(st, "button", lambda words, **more: drawn.append((words, more["on_click"])))
    to_topics.duplicates_button(n)
    words = "3 topics look like fewer that were divided at random: group them in the tree"
    assert drawn == ([(words, to_topics.show_tree)] if n else [])


@pytest.mark.parametrize(
    ("embedded", "there", "drawn"),
    [(False, True, True), (True, True, False), (False, False, False)],
)
def test_topics_are_led_to_but_from_a_page_inside_another(monkeypatch, embedded, there, drawn):
    kinds, led = [], []
    monkeypatch.setattr(look, "is_embedded", lambda: embedded)
    monkeypatch.setattr(pages, "is_there", lambda name: there)
    monkeypatch.setattr(st, "button", lambda _, type, **__: kinds.append(type) or True)
    monkeypatch.setattr(to_topics, "lead_to_topics", lambda runs, place: led.append(place))
    runs = [SimpleNamespace(entry=SimpleNamespace(run_id=name)) for name in "ab"]
    to_topics.topics_button(runs, 1)
    to_topics.topics_button(runs[:1], 0)
    to_topics.topics_button(runs[:1], 0, worth=False)
    assert kinds == (["tertiary", "primary", "tertiary"] if drawn else [])
    assert led == ([1, 0, 0] if drawn else [])


# ---- what a server has and prepares --------------------------------------------------------------


@pytest.mark.parametrize(
    ("most", "compiled", "begun"), [(2, {"hdp-svi"}, ["hdp-tsvi"]), (0, set(), [])]
)
def test_kernels_of_the_first_page_are_compiled_ahead_unless_they_are(
    monkeypatch, most, compiled, begun
):
    asked, used = [], []

    def thread(target, args, daemon):
        assert daemon
        return SimpleNamespace(start=lambda: asked.append(args[0].name))

    monkeypatch.setattr(server, "threading", SimpleNamespace(Thread=thread))
    monkeypatch.setattr(server.compilers, "suitable", lambda: most)
    monkeypatch.setattr(server.compilers, "COMPILERS", SimpleNamespace(use=used.append))
    monkeypatch.setattr(server, "all_compiled", lambda method: method.name in compiled)
    server.compile_ahead.clear()
    server.compile_ahead()
    server.compile_ahead.clear()
    assert (used, asked) == ([most], begun)


def test_tabs_share_the_moment_of_a_snapshot_and_its_names(registry):
    run, loaded = small_run(batch_size=16)
    entry = registry.add(run, loaded)
    run.step()
    first = run.snapshot()
    moment = server.moment_of(entry, first)
    assert server.moment_of(entry, first) is moment
    assert moment.corpus.docs.title is None, "who watches has it, too"
    assert moment.corpus.n_docs == loaded.corpus.n_docs > run.corpus.n_docs
    assert moment.run_id == entry.run_id
    topic = moment.in_use[0]
    entry.labels = Labels({topic: "tides"})
    assert server.moment_of(entry, first).name(topic) == "tides"
    run.step()
    second = server.moment_of(entry, run.snapshot())
    assert second.before is not None, "a run that goes on keeps its names steady"
    entry.background.status = "finished"
    assert server.moment_of(entry, second.snapshot).before is None
    run.step()
    assert server.moment_of(entry, run.snapshot()).before is None


def test_word_frequencies_are_scored_where_something_is_held_out(registry):
    run, _ = small_run()
    assert session.unigram_of("it", run) == unigram_score(run.corpus, run.heldout)
    run.heldout = None
    assert np.isnan(session.unigram_of("it", run))


@pytest.mark.parametrize(
    ("run", "own", "held"),
    [
        ("a,b", "x,y", {"a": "x", "b": "y"}),
        ("a,b", "x", {"a": "x", "b": ""}),
        ("a,,b", ",y", {"a": "", "b": "y"}),
        ("a", "x,y", {"a": "x"}),
        ("", "x", {}),
    ],
)
def test_an_address_names_runs_and_their_secrets_in_order(monkeypatch, run, own, held):
    state = {}
    address = {"run": run, "own": own, "study": "s", "key": "k", "race": "r"}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "query_params", address)
    session.restore()
    assert state["own"] == held
    assert (state["study"], state["race"], state["sweep"]) == (("s", "k"), ("r", ""), ("", ""))
    assert state["studies"] == {"s": "k", "r": ""}
    assert state["held"] == {secret for secret in (*held.values(), "k") if secret}
    st.query_params.clear()
    session.restore()
    assert state["own"] == held, "the address is read at the first look"
    assert session.in_address() == dict.fromkeys(
        ("run", "own", link.LINK, access.TEXTS, *session.JOBS, *session.JOBS.values()), ""
    ), "what is not there leaves the address"
    assert opening.under_way() == []


def test_jobs_that_are_there_stay_in_the_address_with_their_keys(registry, monkeypatch):
    loaded = small()
    chains = registry.add(
        chains_of(Plan.of("hdp-tsvi", passes=1, chains=2), loaded.corpus), loaded, secret="of them"
    )
    entry = registry.add(*small_run(), secret="of it")
    other = registry.add(*small_run())
    state = {}
    monkeypatch.setattr(st, "session_state", state)
    ids = f"{entry.run_id},{other.run_id}"
    address = {"run": ids, "own": "of it", "chains": chains.run_id, "chains-key": "of them"}
    monkeypatch.setattr(st, "query_params", address)
    session.restore()
    kept = session.in_address()
    assert {name: value for name, value in kept.items() if value} == address | {"own": "of it,"}
    assert [(shown.entry, shown.owned) for shown in session.shown_runs()] == [
        (entry, True),
        (other, False),
    ], "chains are no run"
    assert state["loaded"] is entry.source
    assert chains.tabs == entry.tabs == other.tabs == {state["tab"]}
    for one in (chains, entry, other):
        one.tabs.clear()


def test_the_menu_has_its_sections_in_order_and_starts_with_the_first_page(monkeypatch):
    made, declared = [], []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "Page", lambda draw, **more: made.append(more) or more["url_path"])
    monkeypatch.setattr(pages, "declare_pages", lambda menu: declared.append(menu) or "asked")
    menu = [pages.Page(n, f"i{n}", s, print) for n, s in (("a", ""), ("b", "T"), ("c", "U"))]
    menu.append(pages.Page("d", "id", "T", print))
    assert pages.declare(menu, explores=False) == "asked"
    assert declared == [{"": ["a"], "T": ["b", "d"], "U": ["c"]}]
    assert [more["default"] for more in made] == [True, False, False, False]
    assert [(more["title"], more["icon"]) for more in made[:2]] == [
        ("A", ":material/ia:"),
        ("B", ":material/ib:"),
    ]
    assert pages.is_there("d")
    assert not pages.is_there("e")


# ---- names of saved runs -------------------------------------------------------------------------


@pytest.mark.second
def test_a_name_that_is_given_stands_in_the_list_and_on_the_run_that_is_open(registry):
    library = server.library()
    for run_id in ("one", "two"):
        kept(library, run_id)
    server.open_saved("one")
    app = the_page()
    app.session_state["runs-ticked"] = ["one"]
    for given, name in (("  my *run* ", "my *run*"), ("   ", "my *run*")):
        field(check(app.run()).text_input, "Name").set_value(given)
        check(button(app, "Save").click().run())
        assert library.get("one").name == registry.get("one").background.run.name == name
    assert library.get("two").name == "hdp-tsvi"
    app.session_state["runs-ticked"] = ["one", "two"]
    assert "Name" not in [box.label for box in check(app.run()).text_input]
