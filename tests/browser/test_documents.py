"""Documents in a browser: colours that are drawn, right-to-left texts, figures as files."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .driver import WAIT

pytestmark = pytest.mark.browser

ARABIC = "\u0627\u0644\u062e\u0628\u0632 \u0648\u0627\u0644\u0645\u0644\u062d"


@pytest.fixture
def documents(tab, finished):
    """The Documents page with two finished runs."""
    tab.open(f"/documents{finished}")
    expect(tab.page.locator(".bnp-text mark").first).to_be_visible()
    return tab


def heading(tab):
    return tab.page.get_by_role("heading", level=2).first


def test_words_are_coloured_and_numbered_and_the_list_leads_on(documents):
    words = documents.page.locator(".bnp-text mark")
    colours = words.evaluate_all("all => all.map((x) => getComputedStyle(x).backgroundColor)")
    assert all(re.fullmatch(r"rgba\(.*0\.\d+\)", colour) for colour in colours), colours
    assert words.first.locator("sup").inner_text().isdecimal()
    assert re.search(r"topic \d+ · .+: \d+%", words.first.get_attribute("title"))
    first = heading(documents).inner_text()
    documents.button("Next").focus()
    documents.page.keyboard.press("Enter")
    expect(heading(documents)).not_to_have_text(first)
    documents.button("Previous").click()
    expect(heading(documents)).to_have_text(first)


@pytest.mark.second
def test_the_run_is_marked_on_another_page_too_and_back_takes_the_choice_back(documents):
    first = documents.page.get_by_role("radio", name="hdp-tsvi", exact=True)
    second = documents.page.get_by_role("radio", name="hdp-svi", exact=True)
    expect(first).to_be_checked()
    documents.go("Topics")
    expect(first).to_be_checked()
    second.click()
    expect(documents.page).to_have_url(re.compile("=hdp-svi"))
    documents.settled()
    documents.page.go_back()
    expect(first).to_be_checked()
    assert "=hdp-svi" not in documents.page.url


@pytest.mark.second
def test_a_right_to_left_text_of_one_s_own(documents):
    documents.choose("A text of your own")
    documents.page.get_by_label("A text of your own").last.fill(f"{ARABIC} train station")
    documents.button("Read it").click()
    text = documents.page.locator(".bnp-text")
    expect(text).to_contain_text(ARABIC)
    assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"
    expect(text.locator("mark")).to_have_count(2)
    expect(documents.page.get_by_text("2 not in the vocabulary")).to_be_visible()


@pytest.mark.second
def test_figures_download_as_svg_and_png_on_the_page_s_paper(documents):
    figure = documents.page.locator(".bnp-figure")
    for form, beginning in (("SVG", b"<svg"), ("PNG", b"\x89PNG\r\n\x1a\n")):
        figure.hover()
        with documents.page.expect_download(timeout=WAIT) as download:
            figure.get_by_role("button", name=f"Download as {form}").click()
        name = download.value.suggested_filename
        assert name == f"bnpexplorer-document-shares.{form.lower()}"
        data = Path(download.value.path()).read_bytes()
        assert data.startswith(beginning)
        if form == "SVG":
            assert b"rgb(255, 255, 255)" in data
            assert data.count(b"<path") > 1
        else:
            wide = int.from_bytes(data[16:20], "big")
            assert wide == 2 * figure.evaluate("node => node.offsetWidth")


@pytest.mark.second
def test_a_square_of_labels_leads_to_its_documents_and_a_chip_takes_the_label_away(documents):
    documents.go("Topics")
    documents.choose("Compare groups")
    figure = documents.page.locator(".st-key-topics-labels .bnp-figure")
    expect(figure.locator(".heatmaplayer image, .hm")).not_to_have_count(0)
    documents.settled()
    box = figure.bounding_box()
    documents.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.75 * box["height"])
    expect(documents.page).to_have_url(re.compile(r"/documents\?.*only-label="))
    text = documents.page.locator(".bnp-text")
    expect(text).to_be_visible()
    documents.settled()
    documents.page.locator(".st-key-documents-chip-labels button").first.click()
    expect(documents.page).not_to_have_url(re.compile("only-label="))
