"""The Live page before there is anything to draw: how far every run is, and no axes."""

import pytest

from bnpexplorer.ui.live import charts
from tests.tools.pages import figures, go, html, open_app, small_run


@pytest.fixture
def compiling(registry, monkeypatch):
    """A run whose kernels are compiled, and how many of them are ready."""
    ready = [7]
    monkeypatch.setattr(charts, "compiled", lambda method: (ready[0], 26))
    entry = registry.add(*small_run())
    entry.background.status = "compiling"
    yield entry, ready
    entry.background.status = "ready"


def live(entry):
    return go(open_app(run=entry.run_id, own=entry.secret), "live")


def test_while_kernels_are_compiled_the_page_says_how_many_are_ready(compiling):
    entry, ready = compiling
    app = live(entry)
    assert "hdp-tsvi: 7 of 26 kernels compiled, the first time only" in html(app)
    assert '<progress max="26" value="7"' in html(app)
    assert figures(app) == []
    ready[0] = 8
    assert "8 of 26 kernels compiled" in html(app.run())


def test_a_run_that_waits_in_line_says_so_where_its_curve_will_be(compiling):
    entry, _ = compiling
    entry.background.status, entry.background._wanted = "queued", "run"
    said = html(live(entry))
    assert "hdp-tsvi: waiting in line" in said
    assert "<progress" not in said


def test_curves_stand_there_as_soon_as_there_are_points(compiling):
    entry, _ = compiling
    entry.background.run.step()
    entry.background.latest = entry.background.run.snapshot()
    app = live(entry)
    assert len(figures(app)) > 1
    assert "bnp-wait" not in html(app).partition("</style>")[2].rpartition("</style>")[2]
