"""A person's own files: what is shown of them, and what of a file that cannot be read."""

import csv

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

KITCHEN = ["flour", "butter", "oven", "sugar", "dough", "bread"]
GARDEN = ["roses", "soil", "spade", "seeds", "lawn", "hedge"]


def write_own_csv(path):
    """Forty notes with bars between the fields, quotes and a line break inside them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="|")
        writer.writerow(["name", "note"])
        for i in range(40):
            words = (KITCHEN if i % 2 else GARDEN)[i % 3 :] * 2
            writer.writerow(
                [f"note {i}", f'She said "{words[0]} | {words[1]}",\n{" ".join(words)}']
            )
    return path


def metric(tab, name):
    return tab.page.get_by_test_id("stMetric").filter(has_text=name).get_by_test_id("stMetricValue")


def upload(tab, path):
    tab.page.locator("input[type=file]").set_input_files(path)


def test_own_csv_from_upload_to_the_end_of_a_run(tab, tmp_path):
    tab.open("/")
    tab.go("Texts")
    upload(tab, write_own_csv(tmp_path / "own.csv"))
    expect(tab.page.get_by_text("delimiter vertical bar")).to_be_visible()
    expect(metric(tab, "Documents").first).to_have_text("40")
    # "said" is in every note, so it is a word too; the twelve others are in half of them each.
    expect(metric(tab, "Different words")).to_have_text("13")
    tab.button("Choose a method yourself").click()
    expect(tab.page.get_by_text("own.csv · 40 documents")).to_be_visible()
    tab.pick("Method", ": hdp-svi")
    expect(tab.page.get_by_text("Source: Wang, Paisley & Blei")).to_be_visible()  # its own fields
    tab.number("Passes", 3)
    tab.watch_it_learn()
    expect(tab.status("hdp-svi")).to_contain_text("finished")
    expect(tab.status("hdp-svi")).to_contain_text("108 documents")  # 3 passes, 4 notes held out
    words = tab.page.locator("table.bnp-topics .bnp-words").all_inner_texts()
    assert set(KITCHEN + GARDEN) & {w.strip() for row in words for w in row.split("·")}


def test_a_bad_csv_is_explained_and_the_corpus_before_stays(tab, tmp_path):
    tab.load_sample("Bars:")
    expect(metric(tab, "Documents").first).to_have_text("1,000")
    bad = tmp_path / "ragged.csv"
    bad.write_text("name,note\na,some words here\nb,too many,fields\nc,more words here\n")
    tab.choose("Upload files")
    upload(tab, bad)
    alert = tab.page.get_by_role("alert")
    expect(alert).to_contain_text("ragged.csv, line 3")
    expect(tab.page.get_by_role("heading", name="bars")).to_be_visible()
    expect(metric(tab, "Documents").first).to_have_text("1,000")
    tab.go("Live")
    expect(tab.page.get_by_text("1,000 documents")).to_be_visible()
    expect(tab.button("Find the topics")).to_be_enabled()
