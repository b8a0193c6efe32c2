"""The Topics page: what a click on a figure does, and the keyboard."""

import re

import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

from .driver import WAIT

pytestmark = pytest.mark.browser

SMALLEST = """node => {
  const trace = node._fullData[0], sizes = trace.marker.size;
  const k = sizes.indexOf(Math.min(...sizes));
  const box = node.getBoundingClientRect(), plot = node._fullLayout;
  return [box.x + plot.xaxis._offset + plot.xaxis.c2p(trace.x[k]),
          box.y + plot.yaxis._offset + plot.yaxis.c2p(trace.y[k]), String(trace.customdata[k])];
}"""


@pytest.mark.second
def test_a_click_on_the_map_and_on_a_bar(tab, finished):
    tab.open(f"/topics{finished}")
    topic = tab.page.get_by_role("combobox", name="Topic", exact=True)
    tab.page.wait_for_function(
        "() => document.querySelector('.st-key-topics-map .bnp-figure')?._fullData?.length"
    )
    map_figure = tab.figure("topics-map")
    name = map_figure.evaluate(SMALLEST)[2]
    expect(topic).not_to_have_value(re.compile(rf"^{name} · "))

    def click_on_the_map():
        map_figure.scroll_into_view_if_needed()
        tab.page.mouse.click(*map_figure.evaluate(SMALLEST)[:2])

    its_name = re.compile(rf"^{name} · ")
    tab.insist(click_on_the_map, lambda wait: expect(topic).to_have_value(its_name, timeout=wait))
    tab.settled()
    elsewhere = tab.button("Find it elsewhere")
    expect(elsewhere).to_be_disabled()

    def click_on_a_bar():
        tab.figure("topics-words").scroll_into_view_if_needed()
        bar = tab.figure("topics-words").locator(".bars .point").first.bounding_box()
        tab.page.mouse.click(bar["x"] + 0.7 * bar["width"], bar["y"] + 0.5 * bar["height"])

    tab.insist(click_on_a_bar, lambda wait: expect(elsewhere).to_be_enabled(timeout=wait))
    elsewhere.click()
    expect(tab.page.get_by_role("heading", name="Which topics use it")).to_be_visible()
    tab.turn_to("Topics")
    tab.pick("Topic")
    expect(tab.page).not_to_have_url(re.compile(rf"[?&]topic={name}(&|$)"))
    chosen = topic.input_value()
    assert not chosen.startswith(f"{name} · ")
    tab.turn_to("Words")
    tab.turn_to("Topics")
    expect(topic).to_have_value(chosen)  # the click of before is not heard again


@pytest.mark.second
def test_the_slider_answers_to_the_keyboard(tab, finished):
    tab.open(f"/topics{finished}")
    tab.turn_to("Through the run")
    heading = tab.page.get_by_role("heading", name=re.compile(r"^After [\d,]+ documents"))
    last = heading.inner_text()
    tab.page.get_by_role("slider").press("ArrowLeft")
    expect(heading).not_to_have_text(last)


# ---- the map of texts ----------------------------------------------------------------------------

FIRST_POINT = """node => {
  const trace = node._fullData.find((t) => t.x.length), plot = node._fullLayout;
  const box = node.getBoundingClientRect();
  return [box.x + plot.xaxis._offset + plot.xaxis.c2p(trace.x[0]),
          box.y + plot.yaxis._offset + plot.yaxis.c2p(trace.y[0]), trace.customdata[0]];
}"""
IN_BOX = """(node, [left, top, right, bottom]) => {
  const box = node.getBoundingClientRect(), { xaxis, yaxis } = node._fullLayout;
  const rows = [];
  for (const trace of node._fullData) for (let i = 0; i < trace.x.length; i += 1) {
    const x = box.x + xaxis._offset + xaxis.c2p(trace.x[i]);
    const y = box.y + yaxis._offset + yaxis.c2p(trace.y[i]);
    if (left < x && x < right && top < y && y < bottom) rows.push(trace.customdata[i] + 1);
  }
  return rows;
}"""
NAMES = """node => [...node.querySelectorAll(".bnp-names span")].map((plate) => {
  const { left, right, top, bottom } = plate.getBoundingClientRect();
  return { left, right, top, bottom };
})"""


def until_laid_out(tab):
    tab.until(
        """() => document.querySelector('.st-key-topics-atlas .bnp-names span')
          && !document.body.innerText.includes('Laying out the')"""
    )
    tab.settled()
    figure = tab.figure("topics-atlas")
    figure.scroll_into_view_if_needed()
    return figure


@pytest.mark.second
def test_from_the_map_to_the_outline_s_documents_and_their_file(tab, finished):
    tab.open(f"/topics{finished}&topics-view=Map")
    figure, rows = until_laid_out(tab), list[int]()

    def draw() -> None:
        """Draw an outline: again where the figure was drawn anew under the mouse."""
        figure.hover()
        figure.locator('[data-attr="dragmode"][data-val="select"]').click()
        box = figure.bounding_box()
        corners = [box["x"] + 0.1 * box["width"], box["y"] + 0.4 * box["height"]]
        corners += [box["x"] + 0.6 * box["width"], box["y"] + 0.9 * box["height"]]
        rows[:] = figure.evaluate(IN_BOX, corners)
        tab.page.mouse.move(*corners[:2])
        tab.page.mouse.down()
        tab.page.mouse.move(*corners[2:], steps=5)
        tab.page.mouse.up()

    def read() -> Locator:
        return tab.button(f"Read these {len(rows)} texts")

    tab.insist(draw, lambda wait: expect(read()).to_be_visible(timeout=wait))
    assert 3 < len(rows) < 150
    read().click()
    expect(tab.page).to_have_url(re.compile(r"/documents\?.*only-picked="))
    chip = tab.button(f"{len(rows)} texts of an outline on the map")
    expect(chip).to_be_visible()
    tab.settled()
    with tab.page.expect_download(timeout=WAIT) as download:
        tab.button(f"Download these {len(rows)} documents").click()
    table = pd.read_csv(download.value.path())
    assert sorted(table["document"]) == sorted(rows)
    tab.page.reload()
    expect(chip).to_be_visible()
    chip.click()
    expect(chip).to_have_count(0)
    expect(tab.page).not_to_have_url(re.compile("only-picked="))


@pytest.mark.second
def test_a_region_is_picked_out_and_a_text_read_by_keyboard(tab, finished):
    tab.open(f"/topics{finished}&topics-view=Map")
    until_laid_out(tab)
    field = tab.page.get_by_role("combobox", name="The region of a topic")
    field.focus()
    field.press("ArrowDown")
    field.press("Enter")
    expect(tab.page.get_by_role("heading", name="texts in the outline")).to_be_visible()
    tab.settled()
    text = tab.page.locator('[class*="st-key-atlas-open-"] button').first
    title = text.inner_text()
    text.focus()
    text.press("Enter")
    expect(tab.page).to_have_url(re.compile(r"/documents\?.*only-picked="))
    expect(tab.page.get_by_role("heading", level=2, name=title)).to_be_visible()


@pytest.mark.second
def test_a_click_on_a_point_reads_its_text(tab, finished):
    tab.open(f"/topics{finished}&topics-view=Map")
    x, y, row = until_laid_out(tab).evaluate(FIRST_POINT)
    tab.page.mouse.move(x, y)
    expect(tab.figure("topics-atlas").locator(".hoverlayer text").first).not_to_have_text("")
    tab.page.mouse.click(x, y)
    expect(tab.page).to_have_url(re.compile(rf"/documents\?.*document={row + 1}(&|$)"))
    expect(tab.page.locator(".bnp-text")).to_be_visible()


@pytest.mark.second
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_names_on_the_map_do_not_meet_nor_leave_it(open_tab, finished, width, scheme):
    tab = open_tab(width, scheme)
    tab.open(f"/topics{finished}&topics-view=Map")
    figure = until_laid_out(tab)
    plates, box = figure.evaluate(NAMES), figure.bounding_box()
    assert len(plates) > 3
    for k, one in enumerate(plates):
        assert box["x"] - 1 <= one["left"]
        assert one["right"] <= box["x"] + box["width"] + 1
        for other in plates[:k]:
            beside = one["left"] >= other["right"] or other["left"] >= one["right"]
            assert beside or one["top"] >= other["bottom"] or other["top"] >= one["bottom"]


def test_a_row_of_live_leads_to_its_topic_and_back_leads_through_the_pages_one_by_one(
    tab, finished
):
    tab.open(f"/live{finished}")
    row = tab.page.locator("button.bnp-lead").nth(2)
    number = row.evaluate("node => node.dataset.topic")
    here = re.compile(rf"/topics\?.*[?&]topic={number}(&|$)")
    row.click()
    expect(tab.page).to_have_url(here)
    topic = tab.page.get_by_role("combobox", name="Topic", exact=True)
    expect(topic).to_have_value(re.compile(rf"^{number} · "))
    tab.settled()
    tab.button("Read its documents").click()
    expect(tab.page).to_have_url(re.compile(rf"/documents\?.*[?&]topic={number}(&|$)"))
    tab.settled()
    tab.page.go_back()
    expect(tab.page).to_have_url(here)
    expect(topic).to_have_value(re.compile(rf"^{number} · "))
    tab.settled()
    tab.page.go_back()
    expect(tab.page).to_have_url(re.compile(r"/live\?"))
    tab.settled()
    tab.page.go_forward()
    expect(tab.page).to_have_url(here)
    expect(topic).to_have_value(re.compile(rf"^{number} · "))
    tab.settled()
