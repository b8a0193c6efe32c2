"""The Topics page: what a click on a figure does, and the keyboard."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SMALLEST = """node => {
  const trace = node._fullData[0], sizes = trace.marker.size;
  const k = sizes.indexOf(Math.min(...sizes));
  const box = node.getBoundingClientRect(), plot = node._fullLayout;
  return [box.x + plot.xaxis._offset + plot.xaxis.c2p(trace.x[k]),
          box.y + plot.yaxis._offset + plot.yaxis.c2p(trace.y[k]), String(trace.customdata[k])];
}"""


def turn_to(tab, view):
    tab.page.get_by_test_id("stButtonGroup").get_by_text(view, exact=True).click()
    tab.settled()


def test_a_click_on_the_map_and_on_a_bar(tab, finished):
    tab.open(f"/topics{finished}")
    topic = tab.page.get_by_role("combobox", name="Topic", exact=True)
    tab.page.wait_for_function(
        "() => document.querySelector('.st-key-topics-map .bnp-figure')?._fullData?.length"
    )
    map_figure = tab.figure("topics-map")
    map_figure.scroll_into_view_if_needed()
    x, y, name = map_figure.evaluate(SMALLEST)
    expect(topic).not_to_have_value(re.compile(rf"^{name} · "))
    tab.page.mouse.click(x, y)
    expect(topic).to_have_value(re.compile(rf"^{name} · "))
    tab.settled()
    expect(tab.button("Find it elsewhere")).to_be_disabled()
    tab.figure("topics-words").scroll_into_view_if_needed()
    bar = tab.figure("topics-words").locator(".bars .point").first.bounding_box()
    tab.page.mouse.click(bar["x"] + 0.7 * bar["width"], bar["y"] + 0.5 * bar["height"])
    tab.button("Find it elsewhere").click()
    expect(tab.page.get_by_role("heading", name="Which topics use it")).to_be_visible()
    turn_to(tab, "Topics")
    tab.pick("Topic")
    expect(tab.page).not_to_have_url(re.compile(rf"[?&]topic={name}(&|$)"))
    chosen = topic.input_value()
    assert not chosen.startswith(f"{name} · ")
    turn_to(tab, "Find a word")
    turn_to(tab, "Topics")
    expect(topic).to_have_value(chosen)  # the click of before is not heard again


def test_the_slider_answers_to_the_keyboard(tab, finished):
    tab.open(f"/topics{finished}")
    turn_to(tab, "Through the run")
    heading = tab.page.get_by_role("heading", name=re.compile(r"^After [\d,]+ documents"))
    last = heading.inner_text()
    tab.page.get_by_role("slider").press("ArrowLeft")
    expect(heading).not_to_have_text(last)


def test_a_row_of_live_leads_to_its_topic_and_back_leads_through_the_pages_one_by_one(
    tab, finished
):
    tab.open(f"/live{finished}")
    row = tab.page.locator("button[data-topic]").nth(2)
    number = row.get_attribute("data-topic")
    row.click()
    here = re.compile(rf"/topics\?.*[?&]topic={number}(&|$)")
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
    tab.page.go_forward()
    expect(tab.page).to_have_url(here)
