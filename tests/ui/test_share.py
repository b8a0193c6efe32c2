"""Share on the Live page: links, downloads on demand, an embedded page; without a browser."""

import io
import threading
import time
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from bnpexplorer import export
from bnpexplorer.__main__ import main
from bnpexplorer.corpus.intake.api import load_with_report, read_files
from bnpexplorer.corpus.intake.following import follower_here
from bnpexplorer.corpus.intake.refusing import Cancelled
from bnpexplorer.corpus.readers.formats import read_path
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.text import TextSettings, make_corpus
from bnpexplorer.samples import SAMPLE_DATA
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import look, server, session
from bnpexplorer.ui.parts import applying, explore, share, under_way
from tests.tools.export import EVIL
from tests.tools.pages import check, choose, figures, go, launch, open_app, small, small_run, texts
from tests.tools.surveys import N_ROWS, as_csv, as_excel
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.usefixtures("registry")


def live(**address):
    return go(open_app(**address), "live")


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
    entry = launch(registry)
    app = live(run=entry.run_id, own=entry.secret)
    assert "Report" not in downloads(app)
    app = opened(app)
    assert {download.label for download in share.downloads()} <= downloads(app)


@pytest.mark.second
def test_the_owner_gets_both_links_and_a_guest_only_one(registry):
    entry = launch(registry)
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


@pytest.mark.second
def test_the_link_carries_the_view_and_the_view_comes_back(registry):
    entry = launch(registry)
    app = opened(live(run=entry.run_id, own=entry.secret, view_axis="seconds"))
    assert query(codes(app)[0]) == {"run": entry.run_id, "view-axis": "seconds"}
    axis = next(w for w in app.get("button_group") if w.key == "view-axis")
    assert axis.value == "seconds"
    assert any("seconds of learning" in str(f["layout"]) for f in figures(app)), "the figure, too"


@pytest.mark.second
def test_the_run_to_download_is_no_part_of_the_view(registry):
    entries = [launch(registry), launch(registry)]
    ids, own = (",".join(getattr(e, name) for e in entries) for name in ("run_id", "secret"))
    app = opened(live(run=ids, own=own))
    choose(app, "share-run-2", "hdp-tsvi #2")
    assert query(codes(app)[0]) == {"run": ids}


def test_a_link_to_watch_carries_no_secret_of_a_race_or_a_sweep(registry):
    entry = launch(registry)
    app = opened(
        live(
            run=entry.run_id,
            own=entry.secret,
            race=entry.run_id,
            race_key=entry.secret,
            sweep=entry.run_id,
            sweep_key=entry.secret,
        )
    )
    assert entry.secret not in codes(app)[0]


def test_a_view_that_does_not_exist_is_ignored(registry):
    entry = launch(registry)
    app = live(run=entry.run_id, view_axis="parsecs", view_series="nothing")
    axis = next(w for w in app.get("button_group") if w.key == "view-axis")
    assert axis.value == "documents"


def test_a_run_that_has_learned_nothing_offers_no_files(registry):
    entry = registry.add(*small_run())
    app = opened(live(run=entry.run_id, own=entry.secret))
    assert "Report" not in downloads(app)
    assert any("learned nothing yet" in c.value for c in app.caption)


def test_a_file_too_large_for_a_page_is_named_with_the_command_that_writes_it(
    registry, monkeypatch
):
    entry = launch(registry)
    latest = entry.background.latest
    n_docs = entry.source.corpus.n_docs
    # Tables just fit, at a byte for a document and topic, and what takes more does not.
    monkeypatch.setattr(share, "MOST_BYTES", n_docs * len(latest.topics))
    app = opened(live(run=entry.run_id, own=entry.secret))
    assert "Tables" in downloads(app)
    assert "Arrays for pyLDAvis" not in downloads(app)
    command = f"`python -m bnpexplorer export {entry.run_id} FILE.npz --to pyldavis`"
    assert any(command in c.value and f"of {n_docs:,} documents" in c.value for c in app.caption)


@pytest.mark.parametrize("download", share.downloads(), ids=lambda d: d.label)
def test_every_download_can_be_made_from_a_run_on_a_page(registry, download):
    entry = launch(registry)
    topic = int(entry.background.latest.topics.topic_ids[0])
    entry.labels = Labels({topic: EVIL})
    result = share.result_of(session.RunOnPage(entry, False), entry.source)
    assert result.by_rule
    assert result.moment.name(topic) == EVIL
    assert result.text_settings == entry.source.report.settings
    assert len(download.make(result)) > 1000


def test_the_owner_takes_the_file_home_with_topics(registry, tmp_path):
    """Beside the report, in the form that it had, with every row."""
    path = tmp_path / "survey.xlsx"
    path.write_bytes(as_excel())
    found = load_with_report(path, None, ReadOptions(text="Answer"))
    loaded = server.LoadedCorpus(found.corpus, found.report)
    entry = launch(registry, "lda-svi", loaded, passes=1)
    app = opened(live(run=entry.run_id, own=entry.secret, view="explore"))
    labels = [d.proto.label for d in app.get("download_button")]
    assert {"Report", "Tables for Excel", "Your file, with topics"} <= set(labels)
    table, shares = share.your_file(loaded)
    result = share.result_of(session.RunOnPage(entry, True), loaded)
    assert table.suffix == "-topics.xlsx"
    for download in (table, shares):
        frame = pd.read_excel(io.BytesIO(download.make(result)), engine="calamine")
        assert len(frame) == N_ROWS
        assert frame["left_out"].notna().sum() == N_ROWS - found.corpus.n_docs
        assert frame["topic_share"].notna().sum() == found.corpus.n_docs
        assert frame["Note"][0] == "=1+2"
    assert "topics not yet seen" in frame


def test_files_take_the_proportions_that_the_pages_have_read(registry, monkeypatch):
    entry = launch(registry)
    run, loaded = entry.background.run, entry.source
    shown = session.RunOnPage(entry, False)
    alone = export.result_of(run, run.moment(entry.background.latest), loaded.corpus).proportions
    kept = explore.folding_of(server.moment_of(entry, entry.background.latest)).wait()
    assert kept.shape == (loaded.corpus.n_docs, len(entry.background.latest.topics))
    monkeypatch.setattr(type(run.method.model), "fold_in", None)
    first, second = (share.result_of(shown, loaded).proportions for _ in range(2))
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(second, kept)
    np.testing.assert_allclose(first, alone, atol=1e-6)


def test_files_of_documents_in_another_order_do_not_take_those_proportions(registry):
    entry = launch(registry)
    run, loaded = entry.background.run, entry.source
    entry.source = replace(loaded, corpus=loaded.corpus.take(range(loaded.corpus.n_docs)[::-1]))
    found = share.result_of(session.RunOnPage(entry, False), entry.source)
    assert not found.by_rule
    model, topics = run.method.model, entry.background.latest.topics
    expected = model.fold_in(topics, found.corpus.take(range(5)))
    np.testing.assert_allclose(found.proportions[:5], expected, atol=1e-6)


@pytest.mark.second
@pytest.mark.parametrize("sample", ["small-csv", None])
def test_the_command_line_makes_the_same_files(registry, tmp_path, sample, monkeypatch):
    """Byte for byte, of a sample and of somebody's own texts; texts in a zip are dated."""
    noon = time.strptime("2026-01-01 12", "%Y-%m-%d %H")
    monkeypatch.setattr(time, "localtime", lambda *_: noon)
    if sample is None:
        corpus, report = make_corpus(read_path(SAMPLE_DATA / "small.csv"), TextSettings(min_df=3))
        loaded = server.LoadedCorpus(replace(corpus, name="mine"), report)
    else:
        loaded = small(sample)
    entry = launch(registry, "hdp-tsvi", loaded, keep=server.keep)
    entry.labels = Labels({int(entry.background.latest.topics.topic_ids[0]): EVIL})
    server.library().label(entry.run_id, entry.labels)
    made = {
        d.suffix: d.make(share.result_of(session.RunOnPage(entry, False), entry.source))
        for d in share.downloads()
    }
    out = tmp_path / "out.zip"
    for to, suffix in (
        ("report", ".html"),
        ("csv", "-tables.zip"),
        ("script", "-script.zip"),
        ("notebook", "-script.zip"),
        ("pyldavis", "-pyldavis.npz"),
        ("mallet", "-mallet.zip"),
    ):
        assert main(["export", entry.run_id, str(out), "--to", to, "--force"]) == 0
        page = made[suffix]
        assert out.read_bytes() == (page.encode() if isinstance(page, str) else page), to
    if sample is None:
        assert main(["export", entry.run_id, str(tmp_path / "run.py"), "--to", "script"]) == 0
        assert 'FILE = ""' in (tmp_path / "run.py").read_text()
        assert "Words: min_df" in made[".html"]


def test_a_report_of_counts_does_not_know_how_texts_became_words(registry):
    entry = launch(registry)
    corpus = entry.source.corpus
    entry.source = server.LoadedCorpus(corpus, session.describe(corpus))
    assert share.result_of(session.RunOnPage(entry, False), entry.source).text_settings is None


def test_an_embedded_page_has_no_controls_for_guests(registry, monkeypatch):
    monkeypatch.setattr(look, "is_embedded", lambda: True)
    monkeypatch.setattr("bnpexplorer.ui.live.rows.is_embedded", lambda: True)
    entry = launch(registry)
    app = live(run=entry.run_id)
    assert not app.button
    assert [toggle.key for toggle in app.toggle] == ["view-log"], "a view, as the axis"
    assert "watching only" not in texts(app.caption)
    assert len(figures(app)) >= 4
    gone = live(run="unknown")
    assert "no longer on its server" in gone.info[0].value
    assert not gone.button
    owner = live(run=entry.run_id, own=entry.secret)
    assert "Remove" in {b.label for b in owner.button}


def test_words_in_an_address_cannot_leave_the_snippet():
    found = share.snippet('http://x/?a="><script>', 'title"><b>')
    assert found.count("<") == 2
    assert found.startswith("<iframe ")


def with_new_texts(registry, tmp_path):
    """The page of a run of answers with Share opened and a file of new texts given, and its id."""
    path = tmp_path / "survey.csv"
    path.write_bytes(as_csv())
    found = load_with_report(path, None, ReadOptions(text="Answer"))
    entry = launch(registry, "lda-svi", server.LoadedCorpus(found.corpus, found.report), passes=1)
    app = opened(live(run=entry.run_id, own=entry.secret, view="explore"))
    upload = next(u for u in app.file_uploader if u.label == "File with new texts")
    upload.upload("new.csv", b"Answer,n\nharbour vessel anchor zeppelin,1\n,2\n", "text/csv")
    return check(app.run()), entry.run_id


def press(app, label):
    return check(next(b for b in app.button if b.label == label).click().run())


def test_applying_to_new_texts_is_followed_and_cancelled(registry, tmp_path, monkeypatch):
    go_on, began, ended = (threading.Event() for _ in range(3))

    def slowly(files, options):
        follower_here().tell("1,200 rows")
        began.set()
        while not go_on.wait(0.01):
            if follower_here().cancelled:
                ended.set()
                raise Cancelled("Reading new.csv was cancelled.")
        return read_files(files, options)

    app, _ = with_new_texts(registry, tmp_path)
    monkeypatch.setattr(applying, "read_files", slowly)
    monkeypatch.setattr(under_way, "PATIENCE", 0.0)
    press(app, "Apply to new texts")
    assert began.wait(NEVER)
    check(app.run())
    assert "Applying to new.csv: 1,200 rows" in texts(app.markdown)
    press(app, "Cancel")
    assert ended.wait(NEVER)
    assert "Applying to new.csv was cancelled." in texts(app.markdown)
    assert "New texts, with topics" not in downloads(app)
    go_on.set()
    monkeypatch.setattr(under_way, "PATIENCE", NEVER)
    press(app, "Apply to new texts")
    assert "New texts, with topics" in downloads(app)


def test_new_texts_get_the_topics_of_a_run(registry, tmp_path):
    app, run_id = with_new_texts(registry, tmp_path)
    press(app, "Apply to new texts")
    assert any(
        "The run does not know 1 of 4 words, such as zeppelin" in m.value for m in app.markdown
    )
    assert "New texts, with topics" in downloads(app)
    assert "The topics have changed since" not in texts(app.caption)
    app.session_state[f"applied-{run_id}"].at = None
    assert "The topics have changed since" in texts(check(app.run()).caption)
    upload = next(u for u in app.file_uploader if u.label == "File with new texts")
    upload.upload("new.csv", b"n\n1\n", "text/csv")
    check(app.run())
    press(app, "Apply to new texts")
    assert any("new.csv has no column 'Answer'" in e.value for e in app.error)
