"""Pages answer while two runs learn at once; `benchmarks/busy.py` says how soon, on all threads."""

import re

import pytest
from playwright.sync_api import expect

from .prepared import two_long_runs

pytestmark = [pytest.mark.browser, pytest.mark.second]


def resume_until(tab, left):
    """Resume the first paused run, again if the click met a page that was just drawn anew."""
    paused = tab.button("Resume")

    def click():
        if paused.count() > left:
            paused.first.click()

    tab.insist(click, lambda wait: expect(paused).to_have_count(left, timeout=wait))
    tab.settled()


def test_pages_answer_while_two_runs_learn(tab):
    tab.open(two_long_runs())
    for left in (1, 0):
        resume_until(tab, left)
    for name in ("hdp-svi", "lda-svi"):
        tab.until_learning(name)
        expect(tab.status(name)).to_contain_text(re.compile(r"documents/s\d+ thread"))
    before = [tab.documents(name) for name in ("hdp-svi", "lda-svi")]
    tab.choose("passes")
    tab.go("Topics")
    tab.go("Live")
    for name, seen in zip(("hdp-svi", "lda-svi"), before, strict=True):
        tab.until_more_than(seen, name)
