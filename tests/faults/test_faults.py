"""Attacks with fixed seeds: every promise of `.github/SECURITY.md` holds under each."""

from pathlib import Path

import pytest

from .trials import attack, trials

ALL = trials()
QUICK = ("patterns", "spreadsheets", "states", "uploads")
"""Modules whose attacks need no server and no second process: they belong to the first tier."""


def case(name: str) -> object:
    return pytest.param(name, marks=() if name.startswith(QUICK) else pytest.mark.second)


@pytest.mark.parametrize("name", [case(name) for name in ALL])
def test_promises_hold_under_attack(name: str, tmp_path: Path) -> None:
    trial, seeds = ALL[name]
    for seed in range(seeds):
        try:
            attack(trial, seed, tmp_path)
        except Exception as problem:
            problem.add_note(f"Again: python -m tests.faults --only {name} --seed {seed}")
            raise
