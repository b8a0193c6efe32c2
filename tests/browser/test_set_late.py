"""What a step of a lesson sets stands there also where the browser hears of it late and meanwhile
asks for the page with what it knew before."""

import re

import pytest
from playwright.sync_api import expect

from .test_late import Late

pytestmark = [pytest.mark.browser, pytest.mark.second]


def test_the_race_of_the_class_opens_where_the_browser_hears_late(tab):
    late, page = Late(tab), tab.page
    tab.open("/compare?lesson=class&step=4")
    expect(tab.button("Set it up")).to_be_visible()
    tab.settled()
    late.hold()
    tab.button("Set it up").click()
    late.until(lambda: late.ended)
    ended = late.ended
    page.get_by_text("Large type").first.click()  # draws the page anew
    late.until(lambda: late.ended > ended)
    late.release()
    tab.settled()
    expect(page).to_have_url(re.compile("compare=Race"))
    expect(page.get_by_role("radio", name="Race", checked=True)).to_be_visible()
