"""Share on the Live page: links, downloads on demand, an embedded page; without a browser."""

import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from export_tools import EVIL
from streamlit.testing.v1 import AppTest

from bnpexplorer.evaluate import split_heldout
from bnpexplorer.labels import Labels
from bnpexplorer.methods import make_method
from bnpexplorer.run import Run
from bnpexplorer.samples import load_sample
from bnpexplorer.ui import look, session, share

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """A registry that is empty at first, and at the end has not left a thread behind."""
    monkeypatch.setattr(session, "prepare_first_page", lambda: None)
    session.registry.clear()
    runs = session.registry()
    yield runs
    runs.stop_all(60)
    assert not [thread for thread in threading.enumerate() if thread.name == "run"]
    session.registry.clear()


def entry_of(registry, method="hdp-tsvi", learn=True):
    sample = load_sample("small-csv")
    train, heldout = split_heldout(sample.corpus, 0)
    run = Run(make_method(method), train, passes=2, heldout=heldout)
    entry = registry.add(run, session.Loaded(sample.corpus, sample.report))
    if learn:
        entry.background.start()
        assert entry.background.wait(120)
    return entry


def live(**address):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in address.items():
        app.query_params[key.replace("_", "-")] = value
    return check(check(app.run()).switch_page("pages/live.py").run())


def check(app):
    assert not app.exception, app.exception
    return app


def opened(app):
    """The page with the Share button pressed."""
    app.session_state["share"] = True
    return check(app.run())


def codes(app):
    return [code.value for code in app.code]


def query(address):
    return {name: value[0] for name, value in parse_qs(urlsplit(address).query).items()}


def downloads(app):
    return {d.proto.label for d in app.get("download_button")}


def test_nothing_is_made_before_it_is_opened(registry, monkeypatch):
    def forbidden(*_):
        raise AssertionError("made before anybody asked")

    monkeypatch.setattr(share, "result_of", forbidden)
    entry = entry_of(registry)
    app = live(run=entry.run_id, own=entry.secret)
    assert "Report" not in downloads(app)
    app = opened(app)
    assert {download.label for download in share.DOWNLOADS} <= downloads(app)


def test_the_owner_gets_both_links_and_a_guest_only_one(registry):
    entry = entry_of(registry)
    app = opened(live(run=entry.run_id, own=entry.secret))
    watch, own, iframe, citation = codes(app)
    assert query(watch) == {"run": entry.run_id}
    assert query(own) == {"run": entry.run_id, "own": entry.secret}
    assert "embed=true" in iframe
    assert "@inproceedings{wang2012" in citation
    assert entry.secret not in watch + iframe
    guest = codes(opened(live(run=entry.run_id)))
    assert len(guest) == 3
    assert not any("own=" in code for code in guest)


def test_the_link_carries_the_view_and_the_view_comes_back(registry):
    entry = entry_of(registry)
    app = opened(live(run=entry.run_id, own=entry.secret, view_axis="seconds"))
    assert query(codes(app)[0]) == {"run": entry.run_id, "view-axis": "seconds"}
    axis = next(w for w in app.get("button_group") if w.key == "view-axis")
    assert axis.value == "seconds"
    figures = [f.proto.json for f in app.get("bidi_component")]
    assert any("seconds of learning" in figure for figure in figures), "the figure, too"


def test_a_link_to_watch_carries_no_secret_of_a_race_or_a_sweep(registry):
    entry = entry_of(registry)
    app = opened(
        live(run=entry.run_id, own=entry.secret, race=entry.run_id, race_key=entry.secret,
             sweep=entry.run_id, sweep_key=entry.secret)
    )  # fmt: skip
    assert entry.secret not in codes(app)[0]


def test_a_view_that_does_not_exist_is_ignored(registry):
    entry = entry_of(registry)
    app = live(run=entry.run_id, view_axis="parsecs", view_series="nothing")
    axis = next(w for w in app.get("button_group") if w.key == "view-axis")
    assert axis.value == "documents"


def test_a_run_that_has_learned_nothing_offers_no_files(registry):
    entry = entry_of(registry, learn=False)
    app = opened(live(run=entry.run_id, own=entry.secret))
    assert "Report" not in downloads(app)
    assert any("learned nothing yet" in c.value for c in app.caption)


@pytest.mark.parametrize("download", share.DOWNLOADS, ids=lambda d: d.label)
def test_every_download_can_be_made_from_a_run_on_a_page(registry, download):
    entry = entry_of(registry)
    topic = int(entry.background.latest.topics.topic_ids[0])
    entry.labels = Labels({topic: EVIL})
    result = share.result_of(session.Shown(entry, False))
    assert result.by_rule
    assert result.names[0] == EVIL
    assert result.text_settings == entry.source.report.settings
    assert len(download.make(result)) > 1000


def test_a_report_of_counts_does_not_know_how_texts_became_words(registry):
    entry = entry_of(registry)
    corpus = entry.source.corpus
    entry.source = session.Loaded(corpus, session.describe(corpus))
    assert share.result_of(session.Shown(entry, False)).text_settings is None


def test_an_embedded_page_has_no_controls_for_guests(registry, monkeypatch):
    monkeypatch.setattr(look, "is_embedded", lambda: True)
    monkeypatch.setattr("bnpexplorer.ui.live.is_embedded", lambda: True)
    entry = entry_of(registry)
    app = live(run=entry.run_id)
    assert not app.button
    assert not app.toggle
    assert "watching only" not in " ".join(c.value for c in app.caption)
    assert len(app.get("bidi_component")) >= 4
    gone = live(run="unknown")
    assert "no longer on its server" in gone.info[0].value
    assert not gone.button
    owner = live(run=entry.run_id, own=entry.secret)
    assert "Remove" in {b.label for b in owner.button}


def test_words_in_an_address_cannot_leave_the_snippet():
    found = share.snippet('http://x/?a="><script>', 'title"><b>')
    assert found.count("<") == 2
    assert found.startswith("<iframe ")
