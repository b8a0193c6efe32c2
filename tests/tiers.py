"""The two tiers of the tests: which tests `python -m pytest` runs, and what each room costs."""

import resource
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGINS = "tests/plugins/"
"""Where all tests belong to the second tier."""
SECONDS = "processor seconds"
BEGAN = pytest.StashKey[float]()
COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All tests that were found, those of the second tier among them."""


def first(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of the first tier and those of the second, in their order."""
    tiers: tuple[list[pytest.Item], list[pytest.Item]] = ([], [])
    for item in items:
        tiers[item.get_closest_marker("second") is not None].append(item)
    return tiers


def room(path: str) -> str:
    """Return the room of a test file: its folder under `tests`, of a plugin with the folder above,
    or "tests" for those beside it."""
    parts = path.removeprefix("tests/").split("/")
    if parts[0] == "plugins":
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 else "tests"


def processor_seconds() -> float:
    """Return the seconds of processor time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def begin(item: pytest.Item) -> None:
    """Note where the processor's clock stands before a test's fixtures."""
    item.stash[BEGAN] = processor_seconds()


def end(item: pytest.Item) -> None:
    """Add what a test has cost, with its fixtures, to what its last report carries."""
    item.user_properties.append((SECONDS, processor_seconds() - item.stash[BEGAN]))


def by_room(reports: Iterable[pytest.TestReport]) -> str:
    """Return a table in Markdown of the tests that ran: their number and seconds by room."""
    tests: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for report in reports:
        where = room(report.nodeid.partition("::")[0])
        if report.when == "setup":
            tests[where] += 1
        if report.when == "teardown":
            seconds[where] += dict(report.user_properties).get(SECONDS, 0.0)
    lines = ["| room | tests | processor seconds |", "|---|---:|---:|"]
    lines += [f"| {name} | {tests[name]:,} | {seconds[name]:,.0f} |" for name in sorted(tests)]
    lines.append(f"| all | {tests.total():,} | {seconds.total():,.0f} |")
    return "\n".join(lines)
