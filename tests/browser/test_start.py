"""One click from nothing to a live run."""

import re

import pytest
from playwright.sync_api import expect

from .driver import COMPILING

pytestmark = pytest.mark.browser


def test_one_click_leads_to_a_live_figure_and_a_list_of_topics(tab):
    tab.open("/")
    tab.choose("Small CSV")
    tab.button("Watch it learn").click()
    expect(tab.page).to_have_url(re.compile(r"/live\?run="))
    for name in ("hdp-tsvi", "hdp-svi"):
        expect(tab.status(name)).to_be_visible()
    for key in ("heldout", "topics"):
        tab.until_points(key)
    for name in ("hdp-tsvi", "hdp-svi"):
        expect(tab.status(name)).to_contain_text("finished", timeout=COMPILING)
        bar = tab.status(name).get_by_role("progressbar")
        expect(bar).to_have_attribute("aria-valuenow", "100")
    expect(tab.page.get_by_text("Log likelihood per word of the hidden half")).to_be_visible()
    names = tab.figure().evaluate("node => node._fullData.map((trace) => trace.name)")
    assert {"hdp-tsvi", "hdp-svi"} <= set(names)

    rows = tab.page.locator("table.bnp-topics tbody tr:has(td)")
    for name in ("hdp-svi", "hdp-tsvi"):
        tab.page.get_by_role("radio", name=name).check(force=True)
        expect(tab.page.get_by_text(re.compile(rf"^{name}: \d+ topics in use"))).to_be_visible()
        expect(rows).to_have_count(10)
        expect(rows.first).to_contain_text(re.compile(r"\d+\.\d\s%.*\w+·"))
    tab.page.get_by_role("radio", name="all", exact=True).check(force=True)
    expect(rows).not_to_have_count(10)
    numbers = tab.page.locator("table.bnp-topics td.id").all_inner_texts()
    assert len(numbers) > 10
    assert len(set(numbers)) == len(numbers), "every topic once"
