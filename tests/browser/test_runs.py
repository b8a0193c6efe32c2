"""Saved runs: a server that is started again, and what a person does on the Runs page."""

from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest
from playwright.sync_api import expect

from benchmarks.app import server
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library

from .conftest import SETTINGS
from .driver import Tab
from .prepared import finished_run

pytestmark = [pytest.mark.browser, pytest.mark.second]

HEAD, ROW = 35, 35
"""Heights in the table, in pixels."""


def table(tab):
    """It is drawn on a canvas, with a hidden table for those who do not see it."""
    return tab.page.locator('[class*="st-key-runs-table-"]').get_by_test_id("stDataFrame")


def until_rows(tab, n_rows):
    """Until the browser has drawn so many rows, which is some time after the script has run."""
    grid = table(tab).locator("table[role=grid]")
    expect(grid).to_have_attribute("aria-rowcount", str(n_rows + 1))


def click(tab, right, down):
    expect(table(tab)).to_have_count(1)
    box = table(tab).bounding_box()
    tab.page.mouse.click(box["x"] + right, box["y"] + down)
    tab.settled()


def tick(tab, row, *names):
    """Tick a row, or take its tick off; `names` are ticked then. Again if a click was lost."""
    ticked = tab.page.get_by_text("Ticked: ")
    words = f"Ticked: {', '.join(names)}"
    tab.insist(
        lambda: click(tab, 16, HEAD + ROW * row + ROW / 2),
        lambda wait: expect(ticked).to_have_text(words, timeout=wait),
    )


def sort_by_name(tab, first):
    """Sort, and wait until the run of this name stands first."""
    cell = table(tab).locator("table[role=grid] tr").nth(1)
    tab.insist(
        lambda: click(tab, 90, HEAD / 2),
        lambda wait: expect(cell).to_contain_text(first, timeout=wait),
    )


def test_a_run_survives_the_server(tmp_path, browser):
    with server(SETTINGS, tmp_path / "first.txt") as first:
        tab = Tab(browser.new_page(), first.url)
        tab.open()
        tab.page.get_by_text("Large type").click()  # the first click on a fresh server
        expect(tab.page.locator("html")).to_have_css("font-size", "21px")
        tab.start_long_run()
        tab.until_learning()
        seen, address = tab.documents(), urlparse(tab.page.url)
        tab.page.close()
    assert "Traceback" not in first.log()

    with server(SETTINGS, tmp_path / "second.txt") as second:
        tab = Tab(browser.new_page(), second.url)
        tab.open(f"{address.path}?{address.query}")
        expect(tab.status()).to_contain_text("paused")
        kept = tab.documents()
        assert kept >= seen, "nothing that was shown is lost"
        tab.resume()
        tab.until_more_than(kept)
        tab.button("Stop").click()
        expect(tab.status()).to_contain_text("stopped")
        assert tab.problems == []
        tab.page.close()
    assert "Traceback" not in second.log()

    (run_id,) = parse_qs(address.query)["run"]
    end = Library().load(run_id)
    assert end.docs_seen > kept
    whole = Run(
        end.method, end.corpus, end.seed, end.batch_size, end.passes, end.order, end.heldout
    )
    while whole.docs_seen < end.docs_seen:
        whole.step()
    ours, theirs = end.snapshot(), whole.snapshot()
    np.testing.assert_array_equal(ours.topics.topic_word, theirs.topics.topic_word)
    np.testing.assert_array_equal(ours.topics.topic_ids, theirs.topics.topic_ids)
    scores = [[p.heldout for p in each.trace] for each in (ours, theirs)]
    np.testing.assert_array_equal(*scores)


def test_rename_delete_undo_export_import_open(tab, tmp_path):
    for name in ("hdp-tsvi", "hdp-svi"):
        finished_run(name, passes=2)
    tab.open("/runs?view=study")  # where Live has curves
    expect(tab.page.get_by_role("heading", name="Saved runs")).to_be_visible()
    n_runs = len(Library().saved())
    until_rows(tab, n_runs)
    newest = max(Library().saved(), key=lambda run: run.created)
    assert tab.button("Delete").is_disabled()
    tick(tab, 0, newest.name)
    tab.button("Name and tags").click()
    tab.page.get_by_label("Name", exact=True).fill("First *try* <b>")
    tab.page.get_by_label("Tags", exact=True).fill("lecture, 2026")
    tab.button("Save").click()
    tab.settled()
    saved = Library().get(newest.run_id)
    assert (saved.name, saved.tags) == ("First *try* <b>", ("2026", "lecture"))
    expect(tab.page.get_by_label("With the tags")).to_be_visible()  # a row above the table
    expect(tab.page.get_by_text("Ticked: First *try* <b>", exact=True)).to_be_visible()
    other = sorted(Library().saved(), key=lambda run: run.created)[-2]
    Library().rename(other.run_id, "0 another")
    tick(tab, 1, "First *try* <b>", "0 another")  # what was ticked before goes along
    sort_by_name(tab, "0 another")
    tick(tab, 0, "First *try* <b>")  # off again: it stands first now
    tick(tab, 0, "First *try* <b>", "0 another")
    tick(tab, 0, "First *try* <b>")

    tab.button("Delete").click()
    expect(tab.page.get_by_text("Deleted: First *try* <b>")).to_be_visible()
    assert len(Library().saved()) == n_runs - 1
    until_rows(tab, n_runs - 1)
    expect(tab.page.get_by_text("Ticked: ")).to_have_count(0)  # nor the run in its place
    tab.button("Undo").click()
    expect(tab.page.get_by_text("Deleted: ")).to_have_count(0)
    assert len(Library().saved()) == n_runs
    until_rows(tab, n_runs)

    tick(tab, 0, "First *try* <b>")
    tab.button("Export").click()
    tab.button("Make the .zip").click()
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Download 0.").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    tab.page.keyboard.press("Escape")

    tab.page.get_by_text("Import a run from another machine").click()
    field = tab.page.locator("input[type=file]")
    foreign = tmp_path / "foreign.zip"
    foreign.write_bytes(b"PK nothing of ours")
    field.set_input_files(foreign)
    expect(tab.page.get_by_text("foreign.zip is damaged or is not a saved run")).to_be_visible()
    field.set_input_files(path)
    expect(tab.page.get_by_text("is here already, as First *try* <b>")).to_be_visible()
    assert len(Library().saved()) == n_runs
    tab.button("Import a copy").click()
    expect(tab.page.get_by_text("Imported: First *try* <b> (2)")).to_be_visible()
    assert len(Library().saved()) == n_runs + 1
    tab.settled()  # the question, whose "Open it" leads to the twin, is gone
    tab.button("Open it").click()
    expect(tab.status("First *try* <b> (2)")).to_contain_text("finished")
    tab.until_points()

    tab.go("Runs")
    until_rows(tab, n_runs + 1)
    # The imported one; the other is still ticked, now one row further down.
    tick(tab, 0, "First *try* <b> (2)", "First *try* <b>")
    tab.button("Open 2 together").click()
    expect(tab.page.locator(".bnp-status")).to_have_count(2)
