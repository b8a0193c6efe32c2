"""One click from nothing to a live run."""

import re

import pytest
from playwright.sync_api import expect

from bnpexplorer.runs.recording import recording

pytestmark = pytest.mark.browser


@pytest.mark.second
def test_one_click_leads_to_a_live_figure_and_a_list_of_topics(tab):
    tab.open("/")
    tab.choose("Small CSV")
    tab.button("Watch it learn").click()
    expect(tab.page).to_have_url(re.compile(r"/live\?run="))
    for name in ("hdp-tsvi", "hdp-svi"):
        expect(tab.status(name)).to_be_visible()
    for key in ("heldout", "topics"):
        tab.until_points(key)
    tab.button("Pause all").click()  # the demonstration has a pace of its own
    for name in ("hdp-tsvi", "hdp-svi"):
        expect(tab.status(name)).to_contain_text("paused")
    tab.settled()
    expect(tab.page.get_by_text("Log likelihood per word of the hidden half")).to_be_visible()
    names = tab.figure().evaluate("node => node._fullData.map((trace) => trace.name)")
    assert {"hdp-tsvi", "hdp-svi"} <= set(names)

    rows = tab.page.locator("table.bnp-topics tbody tr:has(td)")
    for name in ("hdp-tsvi", "hdp-svi"):
        tab.page.get_by_role("radio", name=name).check(force=True)
        said = tab.page.get_by_text(re.compile(rf"^{name}: \d+ topics in use"))
        expect(said).to_be_visible()
        n_topics = int(re.findall(r": (\d+) topics", said.inner_text())[0])
        expect(rows).to_have_count(min(n_topics, 10))
        expect(rows.first).to_contain_text(re.compile(r"\d+\.\d\s%.*\w+·"))
    tab.page.get_by_role("radio", name="all", exact=True).check(force=True)
    expect(rows).not_to_have_count(10)
    numbers = tab.page.locator("table.bnp-topics td.id").all_inner_texts()
    assert len(numbers) > 10
    assert len(set(numbers)) == len(numbers), "every topic once"


CURVE = """() => document.querySelector(".st-key-recorded-topics .bnp-figure")
  ?._fullData?.[0]?.x?.at(-1) ?? -1"""
"""How many documents the recording has got to."""


@pytest.mark.second
def test_topics_are_born_one_by_one_on_the_first_screen(tab):
    tab.open("/")
    seen = set()
    tab.until(f"() => ({CURVE})() > 0")
    while (docs := tab.page.evaluate(CURVE)) < recording().planned_docs:
        seen.add(docs)
    assert len(seen) > 5, "it moves, and does not end at once"
    assert seen < set(recording().moments) | {row[1] for row in recording().trace}
    tab.still()


def test_who_wants_less_motion_sees_the_last_picture_at_once(tab):
    tab.page.emulate_media(reduced_motion="reduce")
    tab.open("/")
    tab.until(f"() => ({CURVE})() > 0")
    assert tab.page.evaluate(CURVE) == recording().planned_docs
    picture = tab.figure("recorded-pictures")
    z = "node => JSON.stringify(node.data[0].z)"
    first = picture.evaluate(z)
    assert first == picture.evaluate("node => JSON.stringify(node.bnpData.play.pictures.at(-1))")
    tab.page.emulate_media(reduced_motion="no-preference")
