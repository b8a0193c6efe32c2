"""What only a browser shows of Share: the copied link opens the same view; files arrive."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from .driver import Tab

pytestmark = [pytest.mark.browser, pytest.mark.second]


def test_a_link_a_file_and_an_embedded_page(open_tab, finished, browser, tmp_path):
    tab = open_tab()
    tab.open(f"/live{finished}")
    tab.page.get_by_role("radio", name="seconds").click()
    expect(tab.page).to_have_url(re.compile("view-axis=seconds"))
    tab.settled()
    tab.button("Share").click()
    code = tab.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").first
    expect(code).to_contain_text("view-axis=seconds")
    link = code.inner_text().strip()
    assert "own=" not in link

    with tab.page.expect_download() as report:
        tab.page.get_by_role("button", name="Report", exact=True).click()
    report.value.save_as(tmp_path / "report.html")
    tab.page.get_by_text("For programmers", exact=True).click()
    with tab.page.expect_download() as tables:
        tab.page.get_by_role("button", name="Tables", exact=True).click()
    tables.value.save_as(tmp_path / "tables.zip")
    assert "topics.csv" in zipfile.ZipFile(tmp_path / "tables.zip").namelist()

    offline = tab.page.context.new_page()
    asked: list[str] = []
    offline.on("request", lambda request: asked.append(request.url))
    offline.on("console", lambda message: asked.append(message.text))
    offline.goto((tmp_path / "report.html").as_uri())
    expect(offline.get_by_role("heading", name="Topics of small.csv")).to_be_visible()
    drawn = offline.locator("svg[role=img]")  # two curves, the map, a time line for each topic
    expect(drawn).to_have_count(3 + offline.locator("section.told").count())
    assert len(asked) == 1, asked
    offline.close()

    guest = open_tab()
    guest.open(link)
    guest.until_points()
    expect(guest.page.get_by_role("radio", name="seconds")).to_be_checked()
    guest.page.wait_for_function(
        """() => document.querySelector(".st-key-heldout .bnp-figure")
          ?.layout.xaxis.title.text === "seconds of learning" """
    )
    tab.page.keyboard.press("Escape")
    tab.go("Topics")
    field = tab.page.get_by_role("combobox", name="Topic", exact=True)
    field.click()
    tab.page.get_by_role("option").nth(2).click()
    expect(tab.page).to_have_url(re.compile(r"[?&]topic=\d+"))
    tab.settled()
    tab.page.get_by_role("slider", name="Relevance").press("ArrowLeft")
    expect(tab.page).to_have_url(re.compile(r"topics-relevance=0\.5"))
    tab.settled()
    chosen = field.input_value()
    tab.button("Share").click()
    link_to_topic = tab.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").first
    expect(link_to_topic).to_contain_text("topics-relevance=0.5")
    context = browser.new_context()
    other = Tab(context.new_page(), tab.url)
    other.open(link_to_topic.inner_text().strip())
    expect(other.page.get_by_role("combobox", name="Topic", exact=True)).to_have_value(chosen)
    expect(other.page.get_by_role("slider", name="Relevance")).to_have_value("0.5")
    expect(other.page.get_by_label("Name", exact=True)).to_have_count(0)  # a guest
    assert other.problems == []
    context.close()

    guest.open(f"{link}&embed=true")
    guest.until_points()
    expect(guest.page.get_by_test_id("stTopNavSection").locator("visible=true")).to_have_count(0)
    expect(guest.page.get_by_text("Large type")).to_have_count(0)
    expect(guest.button("Share")).to_have_count(0)
    expect(guest.button("Pause")).to_have_count(0)
