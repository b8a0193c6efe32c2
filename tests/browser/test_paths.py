"""Texts by their path, as somebody at the machine builds them: cancelled, gone on with, opened."""

import re

import pytest
from playwright.sync_api import expect

from bnpexplorer import load
from bnpexplorer.plugins.building.plan import work_folder
from bnpexplorer.ui.texts.paths import PATHS

pytestmark = [pytest.mark.browser, pytest.mark.second]

N_DOCS = 300_000
"""So many take seconds to read and to count: long enough to be cancelled."""
KITCHEN = ["flour", "butter", "oven", "sugar", "dough", "bread"]
GARDEN = ["roses", "soil", "spade", "seeds", "lawn", "hedge"]


def write_large(path):
    with path.open("w", encoding="utf-8") as file:
        file.write("note,room\n")
        for i in range(N_DOCS):
            words, room = (KITCHEN, "kitchen") if i % 2 else (GARDEN, "garden")
            file.write(f"{' '.join(words[i % 3 :] * 5)},{room}\n")
    return path


def ask(tab, *paths):
    box = tab.page.get_by_role("textbox", name="A corpus that was built")
    box.fill("\n".join(map(str, paths)))
    box.press("Control+Enter")
    tab.settled()


def test_a_path_is_built_cancelled_gone_on_with_and_opened(tab, tmp_path):
    path, out = write_large(tmp_path / "rooms.csv"), tmp_path / "rooms.corpus"
    tab.open("/corpus")
    tab.choose(PATHS)
    ask(tab, path)
    expect(tab.page.get_by_text("Below is what its first 3,000 documents say.")).to_be_visible()
    folder = tab.page.get_by_role("textbox", name="Folder of the corpus, which is made")
    expect(folder).to_have_value(str(out))
    tab.button("Build it").click()
    card = tab.page.locator('[class*="st-key-build-"]').filter(has_text="rooms.corpus ·").last
    expect(card).to_contain_text(re.compile(r"[\d,]+ documents"))
    tab.button("Cancel").click()
    expect(tab.page.get_by_text("is not complete: it was ended at")).to_be_visible()
    first = work_folder(out) / "records" / "000000.arrow"
    assert first.is_file()
    written = first.stat().st_mtime_ns
    # Another tab of this machine sees it, and goes on.
    tab.open("/corpus")
    expect(tab.page.get_by_text("is not complete: it was ended at")).to_be_visible()
    tab.button("Go on").click()
    expect(card).to_contain_text(re.compile("Counting|Numbering|Writing"))
    assert first.stat().st_mtime_ns == written, "what was done was done again"
    tab.go("Lessons")  # it goes on meanwhile
    tab.go("Texts")
    tab.button("Open it").click()
    documents = tab.page.get_by_test_id("stMetric").filter(has_text="Documents").first
    expect(documents).to_contain_text(f"{N_DOCS:,}")
    expect(tab.page.get_by_role("textbox", name="A corpus that was built")).to_have_value(str(out))
    expect(tab.page.get_by_role("heading", name="rooms.csv")).to_be_visible()
    expect(tab.figure("lengths")).to_be_visible()
    assert not work_folder(out).exists()
    tab.go("Live")
    expect(tab.page.get_by_text(f"{N_DOCS:,} documents")).to_be_visible()
    # What is not there is told, and the corpus stays.
    tab.go("Texts")
    tab.choose(PATHS)
    ask(tab, tmp_path / "nowhere.csv")
    expect(tab.page.get_by_role("alert")).to_contain_text("There is no file")
    expect(documents).to_contain_text(f"{N_DOCS:,}")


def test_short_texts_are_joined_and_phrases_found(tab, tmp_path):
    """As in the form for uploads, in the same words."""
    path = tmp_path / "posts.csv"
    phrases, words = ("old harbour", "green bridge", "long road"), KITCHEN[:3] + GARDEN[:2]
    rows = [f"{phrases[i % 3]} {words[i % 5]},u{i % 240}" for i in range(1200)]
    path.write_text("note,account\n" + "\n".join(rows))
    tab.open("/corpus")
    tab.choose(PATHS)
    ask(tab, path)
    tab.page.get_by_text("Long and short documents").click()
    tab.still()
    tab.pick("Join short texts of one", "account")
    expect(tab.page.get_by_text("1,200 texts joined into 240 documents")).to_be_visible()
    tab.page.get_by_text("Which words count").click()
    tab.still()
    tab.page.get_by_text("Join phrases", exact=True).click()
    tab.settled()
    tab.button("Build it").click()
    documents = tab.page.get_by_test_id("stMetric").filter(has_text="Documents").first
    expect(documents).to_contain_text("240")
    assert {"old_harbour", "green_bridge"} <= set(load(tmp_path / "posts.corpus").vocab)
