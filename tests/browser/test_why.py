"""Why was it born? Marks clicked in a figure, and the table that is read there."""

import secrets

import pytest
from playwright.sync_api import expect

from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.saved.library import Library
from tests.tools.births import KINDS, replayed_births, run_of

pytestmark = [pytest.mark.browser, pytest.mark.second]

MARKS = """node => {
  const trace = node._fullData.find((t) => t.name.endsWith("born") && t.x.length);
  const box = node.getBoundingClientRect(), plot = node._fullLayout;
  return trace.customdata.map((told, k) => [
    told[told.length - 1],
    box.x + plot.xaxis._offset + plot.xaxis.c2p(trace.x[k]),
    box.y + plot.yaxis._offset + plot.yaxis.c2p(trace.y[k]),
  ]);
}"""
ROWS = """table => [...table.querySelectorAll("tbody tr")].map(
  (row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText))"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_birth_that_is_clicked_has_the_numbers_of_a_replay(kind, tab):
    """Every mark of a run on Live: the numbers of the browser are those of a run with the same
    seed, counted anew."""
    run = run_of(kind)
    while not run.done:
        run.step()
    run_id, secret = secrets.token_hex(5), secrets.token_urlsafe(12)
    Library().keep(run_id, run, run.corpus, "finished", secret, describe(run.corpus))
    expected = replayed_births(kind, run.snapshot().events)

    tab.open(f"/live?run={run_id}&own={secret}")
    tab.until_points("topics")
    figure, panel = tab.figure("topics"), tab.page.locator('[class*="st-key-why-panel"]')
    marks = figure.evaluate(MARKS)
    assert marks
    for k, (place, _, _) in enumerate(marks):
        figure.scroll_into_view_if_needed()
        tab.page.mouse.click(*figure.evaluate(MARKS)[k][1:])
        event, birth = run.snapshot().events[place], expected[place]
        when = f"was born at step {event.step}, after {event.docs_seen} documents"
        expect(panel.get_by_role("heading", level=3)).to_contain_text(when)
        expect(panel.get_by_role("heading", level=3)).to_be_in_viewport()
        expect(panel).to_contain_text(f"document {birth.document + 1}")
        tab.settled()
        assert panel.locator(".bnp-weighed table").evaluate(ROWS) == birth.rows
