"""Pictures of score against seconds, and what READMEs say of them, are what was measured."""

import json
import math
import re
import xml.etree.ElementTree as ET
from itertools import groupby
from pathlib import Path

import pytest

from benchmarks import quality
from benchmarks.compare import Measured
from bnpexplorer.evaluate import split_heldout, unigram_score
from bnpexplorer.samples import load_sample

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks"
ROWS = {
    "kos": "KOS",
    "reuters": "Reuters",
    "newsgroups": "20 Newsgroups",
    "sotu": "State of the Union",
    "glosses": "WordNet",
}
"""By the end of the files' names, what only its row of the table says."""


def kept(name: str) -> list[Measured]:
    """The runs of one corpus, from the lines that are kept of them."""
    text = (FOLDER / f"quality-{name}.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return [
        Measured("", program, seed, 0.0, 0.0, 0.0, tuple({**p, "heldout": p["score"]} for p in own))
        for (program, seed), own in groupby(lines, key=lambda p: (p["program"], p["seed"]))
    ]


def level_of(name: str) -> float:
    """The score of word frequencies on the same texts; nan where nobody noted it."""
    text = (FOLDER / f"quality-{name}.jsonl").read_text(encoding="utf-8")
    (level,) = {json.loads(line).get("frequencies") for line in text.splitlines()}
    return math.nan if level is None else level


@pytest.mark.second
def test_the_line_of_word_frequencies_is_that_of_the_texts():
    split = split_heldout(load_sample("sotu").corpus, seed=0)
    assert level_of("sotu") == pytest.approx(unigram_score(*split), abs=1e-5)
    assert [name for name in ROWS if math.isnan(level_of(name))] == ["reuters"]


def ends(curve) -> str:
    """Scores at the end, after a half and after a quarter of the seconds."""
    return ", ".join(f"{curve.scores[-n]:.3f}" for n in (1, 3, 5))


@pytest.mark.parametrize("name", ROWS)
def test_the_table_says_what_was_measured(name):
    runs = kept(name)
    ours, *others = sorted(quality.curves(runs), key=lambda c: c.program != "bnpexplorer")
    best = max(others, key=lambda c: c.scores[-1])
    text = (FOLDER / "README.md").read_text(encoding="utf-8").partition("## How well")[2]
    (row,) = re.findall(rf"^\| ([^|]*\b{ROWS[name]}\b.*) \|$", text.partition("## ")[0], re.M)
    _, seconds, own, theirs, ahead, reaches = row.split(" | ")
    assert float(seconds) == pytest.approx(ours.seconds[-1], abs=0.051)
    assert own == ends(ours)
    assert theirs == f"{best.program.removeprefix('tomotopy LDAModel, ')}: {ends(best)}"
    assert float(ahead) == pytest.approx(ours.scores[-1] - best.scores[-1], abs=0.00051)
    # Kept with five digits: where two scores are equal then, ours was the lower one.
    there = [s for s, v in zip(ours.seconds, ours.scores, strict=True) if v > best.scores[-1]]
    assert f"{there[0] / best.seconds[-1]:.2f}" == reaches.split()[0]


@pytest.mark.parametrize("name", ROWS)
def test_the_picture_shows_what_was_measured(name):
    """Names with their last scores to the letter, points as near as their rounding."""
    drawn = ET.parse(FOLDER / f"quality-{name}.svg").getroot()
    level = level_of(name)
    again = ET.fromstring(quality.picture("", quality.curves(kept(name)), level))
    noted = [e.text for e in drawn.iter() if e.get("class") == "level" and e.text]
    assert noted == ([] if math.isnan(level) else [f"word frequencies {level:.3f}"])
    said, anew = ([e.text for e in svg.iter() if e.get("x") == "528"] for svg in (drawn, again))
    assert said == anew
    lines, expected = (
        [e.get("points").split() for e in svg.iter() if e.get("points")] for svg in (drawn, again)
    )
    for line, curve in zip(lines, expected, strict=True):
        for point, near in zip(line, curve, strict=True):
            at = tuple(map(float, near.split(",")))
            assert tuple(map(float, point.split(","))) == pytest.approx(at, abs=0.21)


def test_the_first_page_says_what_was_measured():
    page = ROOT / "docs" / "benchmarks" / "index.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    told = text.partition("after equal seconds: ")[2].partition(" (glosses")[0]
    by_row = {row: name for name, row in ROWS.items()}
    said = re.findall(rf"(\d\.\d\d)(?: higher)? on (?:the )?({'|'.join(by_row)})", told)
    assert len(said) == 4
    for ahead, row in said:
        scores = {c.program: c.scores[-1] for c in quality.curves(kept(by_row[row]))}
        ours = scores.pop("bnpexplorer")
        assert f"{ours - max(scores.values()):.2f}" == ahead
    assert told.endswith("equal on very short texts")
    equal = [curve.scores[-1] for curve in quality.curves(kept("glosses"))[:2]]
    assert equal[0] - equal[1] < 0.005
