"""A trial draws one attack, tries it in a folder of its own and fails where a promise breaks.

A module of trials has `TRIALS`, its trials by name, and may say in `IN_GATE` how many seeds of each
the gate tries.
"""

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

Trial = Callable[[np.random.Generator, Path], None]
"""One attack: its only source of chance, and an empty folder. Raises AssertionError."""

USUALLY_IN_GATE = 20


def modules() -> list[str]:
    """The modules beside this one that hold trials."""
    folder = str(Path(__file__).parent)
    names = [found.name for found in pkgutil.iter_modules([folder])]
    return [
        name for name in names if name not in ("trials", "mutations", "__main__", "test_faults")
    ]


def trials() -> dict[str, tuple[Trial, int]]:
    """Every trial by "module.name", and how many seeds of it the gate tries."""
    found = {}
    for name in modules():
        module = importlib.import_module(f"tests.faults.{name}")
        seeds = getattr(module, "IN_GATE", USUALLY_IN_GATE)
        found |= {f"{name}.{trial}": (attack, seeds) for trial, attack in module.TRIALS.items()}
    return found


def attack(trial: Trial, seed: int, folder: Path) -> None:
    """One seed of a trial, in a new folder below `folder`."""
    place = folder / str(seed)
    place.mkdir()
    trial(np.random.default_rng(seed), place)
