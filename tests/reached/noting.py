"""A pytest plugin that notes which tests a change reaches and which tests fail.

`held.py` runs it. The file that BNPEXPLORER_NOTES names gets one line of JSON for each test; the
files that BNPEXPLORER_CHANGED lists are the change.
"""

import json
import os

import pytest

from .selecting import Reach, select

CHANGED, NOTES = "BNPEXPLORER_CHANGED", "BNPEXPLORER_NOTES"


def _note(kind: str, test: str) -> None:
    with open(os.environ[NOTES], "a", encoding="utf-8") as notes:
        notes.write(json.dumps([kind, test]) + "\n")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.collectonly:
        chosen, left = select(items, Reach(frozenset(os.environ[CHANGED].split())))
        for kind, some in (("reached", chosen), ("left", left)):
            for item in some:
                _note(kind, item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _note("failed", report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _note("failed", report.nodeid)
