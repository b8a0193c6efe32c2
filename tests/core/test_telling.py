"""How far a long piece of work is, told now and then."""

import pytest

from bnpexplorer.core import progress


@pytest.fixture
def told(monkeypatch):
    said = []
    monkeypatch.setattr(progress, "_followers", [said.append])
    return said


def test_it_is_told_as_often_as_the_clock_allows(told, monkeypatch):
    now = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now) * progress.OFTEN / 2)
    assert list(progress.passing(range(600), "texts", 600)) == list(range(600))
    assert told == ["64 of 600 texts", "256 of 600 texts", "448 of 600 texts"]


def test_without_a_follower_the_items_are_as_they_were(monkeypatch):
    monkeypatch.setattr(progress, "_followers", [])
    items = [1, 2]
    assert progress.passing(items, "texts") is items


def test_only_the_last_follower_is_told(monkeypatch):
    monkeypatch.setattr(progress, "_followers", [])
    first, last = [], []
    progress.tell_to(first.append)
    progress.tell_to(last.append)
    list(progress.passing(range(65), "texts"))
    assert (first, last) == ([], ["64 texts"])
