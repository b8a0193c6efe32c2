"""A run shown with fewer topics: the field comes by itself, and all pages follow it."""

import re

import pytest
from playwright.sync_api import expect

from .driver import WAIT
from .prepared import finished_run

pytestmark = [pytest.mark.browser, pytest.mark.second]


def test_as_many_topics_as_one_chooses(tab):
    run, secret = finished_run("hdp-gibbs", passes=8)
    address = f"?run={run}&own={secret}"
    tab.open(f"/topics{address}")
    shown = tab.page.get_by_role("combobox", name="Topics shown")
    expect(shown).to_have_value(re.compile(r"^All \d+ topics$"), timeout=WAIT)
    n_all = int(re.findall(r"\d+", shown.input_value())[0])
    assert n_all > 20
    tab.settled()
    tab.pick("Topics shown", "About 10")
    headline = tab.page.get_by_text(f"10 in place of {n_all} in use")
    expect(headline).to_be_visible()
    expect(tab.page.get_by_text(re.compile(r"^10 topics keep "))).to_be_visible()
    tab.page.get_by_role("button", name=re.compile("of the run's topics$")).click()
    expect(tab.page.get_by_text("Of the words of this topic, and of those")).to_be_visible()
    tab.page.keyboard.press("Escape")
    tab.open(f"/live{address}")
    expect(tab.page.get_by_text(f"10 topics in use, in place of {n_all}")).to_be_visible()
    expect(tab.page.get_by_text("10 topics in their place would keep")).to_be_visible()
    tab.open(f"/topics{address}")
    expect(headline).to_be_visible()
    assert not tab.problems
