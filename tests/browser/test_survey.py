"""A way of who has a survey: from a workbook of short answers to the same workbook with topics."""

import io

import numpy as np
import pytest
from playwright.sync_api import expect
from python_calamine import CalamineWorkbook

from tests.tools.spreadsheets import excel

from .driver import WAIT

pytestmark = [pytest.mark.browser, pytest.mark.second]

QUESTION = "What went well in your last year here, and what would you change if you could decide?"
HEAD = ("Timestamp", "In which department do you work?", QUESTION, "Years here")
SUBJECTS = {
    "pay": ["salary", "bonus", "raise", "wages", "pension", "overtime", "payslip", "money"],
    "food": ["canteen", "lunch", "coffee", "menu", "vegetarian", "kitchen", "soup", "prices"],
    "rooms": ["office", "desk", "noise", "window", "heating", "chairs", "printer", "light"],
}
N, EMPTY = 300, (4, 17, 250)


@pytest.fixture(scope="module")
def workbook():
    """300 answers of three to seven words, three of them empty; the subject of each."""
    rng, rows = np.random.default_rng(5), [[*HEAD]]
    subjects = rng.choice(list(SUBJECTS), N)
    for row, subject in enumerate(subjects):
        words = rng.choice(SUBJECTS[subject], rng.integers(3, 8))
        answer = None if row in EMPTY else f"{' '.join(words).capitalize()}."
        day, department = f"2024-{1 + row % 12:02}-05 10:00:00", ("IT", "Sales")[row % 2]
        rows.append([day, department, answer, row % 9])
    return excel({"Answers": rows}), subjects


def cells(content):
    return CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()


def test_from_a_survey_to_the_same_file_with_topics(fast_tab, workbook):
    (content, subjects), tab, page = workbook, fast_tab, fast_tab.page
    tab.open("/corpus")
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    file = {"name": "survey.xlsx", "mimeType": kind, "buffer": content}
    page.locator("input[type=file]").first.set_input_files(file)
    metric = page.get_by_test_id("stMetric").filter(has_text="Documents")
    expect(metric.get_by_test_id("stMetricValue").first).to_have_text(str(N - len(EMPTY)))
    tab.settled()
    tab.button("Find the topics").click()
    expect(page.locator(".st-key-verdict").get_by_text("predicts unseen words")).to_be_visible()
    tab.settled()
    tab.button("Share").click()
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="Your file, with topics", exact=True).click()
    with open(download.value.path(), "rb") as file:
        rows = cells(file.read())
    assert [row[: len(HEAD)] for row in rows] == cells(content)
    assert rows[0][len(HEAD) :][:2] == ["topic", "topic_name"]
    topics = np.array([str(row[len(HEAD)]) for row in rows[1:]])
    for row in EMPTY:
        assert "no text" in rows[1 + row]
    told = np.isin(np.arange(N), EMPTY, invert=True)
    of_topic = [subjects[told & (topics == topic)].tolist() for topic in set(topics[told])]
    alike = sum(max(map(rows_of.count, SUBJECTS)) for rows_of in of_topic)
    assert alike > 0.9 * told.sum(), "answers of one topic have one subject"
    assert len(of_topic) > 1
    assert not tab.problems
