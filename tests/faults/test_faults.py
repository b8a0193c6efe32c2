"""Attacks with fixed seeds: every promise of `.github/SECURITY.md` holds under each."""

from pathlib import Path

import pytest

from .trials import attack, trials

ALL = trials()


@pytest.mark.parametrize("name", ALL)
def test_promises_hold_under_attack(name: str, tmp_path: Path) -> None:
    trial, seeds = ALL[name]
    for seed in range(seeds):
        try:
            attack(trial, seed, tmp_path)
        except Exception as problem:
            problem.add_note(f"Again: python -m tests.faults --only {name} --seed {seed}")
            raise
