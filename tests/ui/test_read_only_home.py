"""A home that cannot be written: saved runs open and compare, and what is not saved is said."""

import errno

import numpy as np
import pytest

from bnpexplorer.claims import Study
from bnpexplorer.compare import Axis, Sweep
from bnpexplorer.compare.sweep import sweeps_folder
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.ui.frame import jobs, server
from tests.tools.disk import Refuses, watched
from tests.tools.pages import button, check, go, launch, open_app, small, texts

READ_ONLY = OSError(errno.EROFS, "Read-only file system")


@pytest.fixture
def read_only(registry):
    """Two finished runs, saved before nothing could be written any more."""
    for method in ("hdp-tsvi", "hdp-svi"):
        launch(registry, method, keep=server.keep)
    for one in (server.registry, server.library, server._sources):
        one.clear()
    home = server.library().folder
    with watched(Refuses(READ_ONLY, 1.0, np.random.default_rng(0), str(home))):
        yield home
    server.registry().stop_all(60)


@pytest.mark.second
def test_saved_runs_open_and_compare_and_what_is_not_saved_is_said(read_only):
    app = go(open_app(), "runs")
    assert len(app.dataframe[0].value) == 2
    (said,) = [w.value for w in app.warning]
    assert "Nothing can be written in" in said
    both = ",".join(saved.run_id for saved in server.library().saved())
    app = open_app(run=both)
    for page in ("live", "compare", "topics", "documents", "claims", "runs"):
        go(app, page)
        assert not app.error, page
    app.session_state["runs-ticked"] = both.split(",")[:1]
    check(app.run())
    check(button(app, "Delete").click().run())
    assert "cannot be used" in texts(app.error)
    assert len(app.dataframe[0].value) == 2


@pytest.mark.second
def test_what_is_learned_there_goes_on_and_says_that_it_is_not_saved(read_only):
    entry = launch(server.registry(), keep=server.keep)
    assert entry.background.status == "finished"
    assert entry.background.not_kept
    sweep = Sweep("lda-svi", Axis("kappa", (0.6, 0.9)))
    study = Study(sweep, small().corpus, 15.0, 1, sweeps_folder())
    study.share = 0.02
    entry = server.registry().add(study, small(), jobs.keep_study)
    entry.background.start()
    assert entry.background.wait(300)
    assert entry.background.status == "finished", entry.background.error
    assert "cannot be written (Read-only file system)" in study.not_written
    app = open_app(sweep=entry.run_id, sweep_key=entry.secret, compare="Sweep")
    go(app, "compare")
    assert texts(app.warning).count("Not saved") == 1


def test_a_home_that_cannot_be_made_is_an_empty_one(registry, tmp_path, monkeypatch):
    home = tmp_path / "none" / "home"
    monkeypatch.setenv("BNPEXPLORER_HOME", str(home))
    with watched(Refuses(READ_ONLY, 1.0, np.random.default_rng(0), str(home.parent))):
        assert Library().saved() == []
        app = go(open_app(), "runs")
        assert "No run is saved yet" in texts(app.markdown)
        assert "Nothing can be written in" in texts(app.warning)
        assert not app.error
        entry = launch(server.registry(), keep=server.keep)
        assert entry.background.status == "finished"
        assert entry.background.not_kept
