"""An analyst's way: from a file of German news with links to a sentence that can be quoted."""

import re

import pytest
from playwright.sync_api import expect

from benchmarks.app import server
from tests.tools.articles import SUBJECTS, articles, as_csv

from .conftest import SETTINGS
from .driver import Tab

pytestmark = [pytest.mark.browser, pytest.mark.second]


@pytest.fixture
def tab(browser, tmp_path):
    """On a server of its own, that learns as fast as it can: this way waits for a run's end."""
    with server(SETTINGS | {"BNPEXPLORER_STEP_SECONDS": "0"}, tmp_path / "log.txt") as app:
        tab = Tab(browser.new_page(), app.url)
        yield tab
        tab.page.close()
    assert "Traceback" not in app.log(), app.log()


def test_from_a_pile_of_german_news_to_a_sentence(tab):
    page = tab.page
    tab.open("/corpus")
    news = {"name": "news.csv", "mimeType": "text/csv", "buffer": as_csv(articles("de", 600))}
    page.locator("input[type=file]").first.set_input_files(news)
    expect(page.get_by_text("The texts are German")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Cleaned up: .*[Ll]inks"))).to_be_visible()
    expect(tab.button("Undo clean-up")).to_be_visible()
    tab.settled()
    tab.button("Find the topics").click()
    verdict = page.locator(".st-key-verdict").get_by_text("predicts unseen words")
    expect(verdict).to_be_visible()
    shown = " ".join(page.locator("table.bnp-topics").all_inner_texts()).lower()
    words, of_outbreak = set(re.findall(r"\w+", shown)), SUBJECTS["de"]["Seuche"].lower().split()
    assert len(words & set(of_outbreak)) > len(of_outbreak) / 2, "one topic is the outbreak"
    assert not words & {"und", "nicht", "https"}
    tab.go("Topics")
    tab.turn_to("Compare groups")
    tab.turn_to("Found by itself")
    told = page.get_by_text(re.compile(r"In October 2014 topic “.*” rose from .* of the words\."))
    expect(told.first).to_be_visible()
    assert not tab.problems
