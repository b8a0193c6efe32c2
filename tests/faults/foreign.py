"""A stranger's run file with one value replaced: refused in a sentence, or harmless on pages."""

from pathlib import Path

import numpy as np

from tests.tools.foreign import EVIL, attempt, leaves, theirs


def values(rng: np.random.Generator, folder: Path) -> None:
    """One value anywhere in the file becomes one of those that break tables, text or counting."""
    places = list(leaves(theirs()[0]))
    place = places[int(rng.integers(len(places)))]
    evil = EVIL[int(rng.integers(len(EVIL)))]
    try:
        refused = attempt(place, evil, folder)
    except Exception as problem:
        problem.add_note(f"{'.'.join(map(str, place))} = {evil!r:.60}")
        raise
    assert refused == "" or refused.startswith("theirs.zip"), refused


TRIALS = {"values": values}
