"""A way of who has a library of references: from Zotero's export to a report."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from .driver import UNANSWERED, WAIT

pytestmark = [pytest.mark.browser, pytest.mark.second]

SUBJECTS = {
    "Marine Letters": "sailor storm harbour vessel anchor cargo wave coast rudder captain",
    "Annals of Farming": "barley tractor barn harvest orchard cattle seed soil wheat irrigation",
    "Law & Court": "judge jury statute verdict appeal lawyer witness clause hearing court",
}
"""Journal -> the words of its abstracts."""
N, BARE = 240, 5
"""Records, and one of them without an abstract."""
RECORD = """TY  - JOUR
TI  - {title}
AU  - Müller, Ann
AU  - Doe, Bo
T2  - {journal}
AB  - {abstract}
DA  - {year}/03/02/
PY  - {year}
DO  - 10.1000/{number}
UR  - https://example.org/{number}
KW  - {keyword}
ER  - 

"""  # noqa: W291  (Zotero writes the blank)


@pytest.fixture(scope="module")
def library():
    """The file as Zotero exports it, and the title of each record."""
    rng, records, titles = np.random.default_rng(3), [], []
    for number in range(N):
        journal = [*SUBJECTS][number % 3]
        words = rng.choice(SUBJECTS[journal].split(), 30)
        titles.append(f"Paper {number} on the {words[0]}")
        record = RECORD.format(
            title=titles[-1],
            journal=journal,
            abstract=" ".join(words).capitalize() + ".",
            year=2000 + number // 12,
            number=number,
            keyword=words[1],
        )
        if number == BARE:
            record = "".join(x for x in record.splitlines(True) if not x.startswith("AB"))
        records.append(record)
    return "".join(records).encode("utf-8-sig"), titles


def test_from_a_library_of_references_to_a_report(fast_tab, library):
    (content, titles), tab, page = library, fast_tab, fast_tab.page
    tab.open("/corpus")
    file = {"name": "My Library.ris", "mimeType": "application/x-ris", "buffer": content}
    page.locator("input[type=file]").first.set_input_files(file)
    metric = page.get_by_test_id("stMetric").filter(has_text="Documents")
    expect(metric.get_by_test_id("stMetricValue").first).to_have_text(str(N - 1))
    told = "text from 'abstract', id from 'id', title from 'title', date from 'date', label from"
    expect(page.get_by_text(f"{told} 'journal'")).to_be_visible()
    expect(page.get_by_text("1 of 240 documents (1 had no text)")).to_be_visible()
    shown = page.get_by_test_id("stDataFrame").last  # drawn, with a hidden table beside
    shown.scroll_into_view_if_needed()
    first = shown.locator("table[role=grid] tr").nth(1)
    for cell in ("10.1000/0", "2000-03-02", titles[0], "Marine Letters"):
        expect(first).to_contain_text(cell, timeout=UNANSWERED)
    tab.settled()
    tab.button("Find the topics").click()
    expect(page.locator(".st-key-verdict").get_by_text("predicts unseen words")).to_be_visible()
    tab.settled()
    tab.button("Share").click()
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="Report", exact=True).click()
    page.goto("about:blank")
    page.set_content(download.value.path().read_text(encoding="utf-8"))
    topics = page.locator("section.told")
    words = [topics.nth(i).inner_text() for i in range(3)]
    for journal, vocabulary in SUBJECTS.items():
        (said,) = [text for text in words if sum(w in text for w in vocabulary.split()) > 5]
        shares = {j: float(re.search(rf"{j}\s+([\d.]+)", said)[1]) for j in SUBJECTS}
        assert max(shares, key=shares.__getitem__) == journal
        examples = [line for line in said.splitlines() if line.startswith("Paper ")]
        assert examples
        for line in examples:
            number = int(line.split()[1])
            assert line == f"{titles[number]} · {2000 + number // 12}-03-02 · {journal}"
