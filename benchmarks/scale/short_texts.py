"""Short texts of our own making, as many as are wanted: what pages are measured with.

Every text is of one topic: eight in ten of its 15 to 20 words are of that topic's own 120, the
others of all words. Words are syllables; dates run over twenty years, and topics have theirs, as
they have labels in which they are commoner.
"""

import csv
from pathlib import Path

import numpy as np

ONSETS = (*"bcdfghjklmnprstvwz", "br", "ch", "dr", "fl", "gr", "pr", "qu", "st", "tr")
VOWELS, ENDS = (*"aeiou", "ai", "ea", "ou"), (*"nrslm", "nd", "st", "")
N_WORDS, OWN, SHORTEST, LONGEST = 20_000, 120, 15, 20
LABELS = ("Courier", "Herald", "Gazette", "Tribune", "Observer")
LABELS += ("Mercury", "Sentinel", "Chronicle", "Post", "Echo")
FIRST_DAY, DAYS = np.datetime64("2004-01-01"), 7305
BLOCK = 20_000
"""Texts that are made at once."""


def words(rng: np.random.Generator) -> np.ndarray:
    """So many different words of two or three syllables."""
    found: dict[str, None] = {}
    while len(found) < N_WORDS:
        n = int(rng.integers(2, 4))
        syllables = [rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(n)]
        found["".join(syllables) + str(rng.choice(ENDS))] = None
    return np.array([*found], object)


def write(path: Path, n_docs: int, n_topics: int, seed: int = 0) -> None:
    """A CSV with the columns id, title, date, label and text. Its size is `n_docs` by about 180
    bytes; the memory that it takes is a block's."""
    rng = np.random.default_rng(seed)
    vocab = words(rng)
    zipf = 1.0 / np.arange(10, N_WORDS + 10)
    zipf /= zipf.sum()
    own = rng.integers(0, N_WORDS, (n_topics, OWN))
    favour = rng.dirichlet(np.full(len(LABELS), 0.5), n_topics).cumsum(axis=1)
    centre = rng.uniform(0, DAYS, n_topics)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "title", "date", "label", "text"])
        for begin in range(0, n_docs, BLOCK):
            n = min(BLOCK, n_docs - begin)
            topic = rng.integers(0, n_topics, n)
            length = rng.integers(SHORTEST, LONGEST + 1, n)
            ids = rng.choice(N_WORDS, (n, LONGEST), p=zipf)
            mine = own[topic[:, None], (OWN * rng.random((n, LONGEST)) ** 2).astype(int)]
            text = vocab[np.where(rng.random((n, LONGEST)) < 0.8, mine, ids)]
            label = (rng.random((n, 1)) > favour[topic]).sum(axis=1).clip(0, len(LABELS) - 1)
            near = rng.normal(centre[topic], 600.0)
            day = np.where(rng.random(n) < 0.5, near, rng.uniform(0, DAYS, n)).clip(0, DAYS - 1)
            dates = (FIRST_DAY + day.astype(int)).astype(str)
            rows.writerows(
                (
                    f"t{begin + d:07}",
                    " ".join(text[d, :3]).capitalize(),
                    dates[d],
                    LABELS[label[d]],
                    " ".join(text[d, : length[d]]).capitalize() + ".",
                )
                for d in range(n)
            )
