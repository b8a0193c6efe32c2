"""How well, how soon: `python -m benchmarks.quality FILE [FILE ...]`, from the project's folder.

bnpexplorer as it comes and the programs that are installed learn every corpus for the same
processor seconds; `compare.py` runs and scores them: one process a run, one thread, one scorer.
Other programs are tried with several numbers of topics, ours is not told one. Into the folder
`--out` go `quality.jsonl`, with a line for every checkpoint (Compare draws them beside one's own
runs), and for each corpus a picture of score against seconds (SVG). The table is printed. `FILE`:
as the app reads it, or `sample:NAME`.
"""

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import product
from pathlib import Path
from statistics import median

import numpy as np

from bnpexplorer.compare.references import Reference, median_curve
from bnpexplorer.compare.rows import split_of
from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import split_heldout, unigram_score
from bnpexplorer.export.drawing import numbers, ticks
from bnpexplorer.plots.style import LIGHT

from .compare import Measured, chosen_corpus, compare, machine, spread
from .peers import AS_IT_COMES, GROUPS, Group

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 70, 270, 34, 46
LINE = 15
"""Pixels from one name to the next."""
SECONDS, LEAST, MOST = 40e-6, 5.0, 40.0
"""Of learning: for every token, and at least and at most in all."""
SHOWN = ("bnpexplorer", "tomotopy LDAModel", "tomotopy LDAModel, as it comes", "tomotopy HDPModel")
"""The programs where none are asked for: others stayed behind these on every corpus."""


def groups_of(
    topics: Sequence[int], seconds: float, etas: Sequence[float] = (0.1,)
) -> dict[tuple[str, str], Group]:
    """(key, title) of a group -> contestants: LDA with each number of topics and eta, and those
    that ask for none."""
    found = {}
    for k, eta in product(topics, etas):
        settings = replace(GROUPS["lda"].settings, n_topics=k, eta=eta, seconds=seconds)
        title = f"K {k}, eta {eta:g}" if len(etas) > 1 else f"K {k}"
        found["lda", title] = replace(GROUPS["lda"], settings=settings)
    for key, group in {"hdp-ours": GROUPS["hdp-ours"], **AS_IT_COMES}.items():
        settings = replace(group.settings, seconds=seconds)
        found[key, ""] = replace(group, settings=settings)
    return found


def seconds_for(corpus: Corpus) -> float:
    """How long everybody learns: in proportion to the tokens."""
    return float(np.clip(SECONDS * corpus.n_tokens, LEAST, MOST))


def measured(
    corpus: Corpus, groups: dict[tuple[str, str], Group], runs: int, only: Sequence[str]
) -> Iterator[Measured]:
    """The runs of all contestants and seeds, named with their number of topics."""
    for (key, title), group in groups.items():
        for run in compare(corpus, {key: group}, runs, only=only):
            name = f"{run.contestant}, {title}" if title else run.contestant
            yield replace(run, contestant=name)


def checkpoints(corpus: Corpus, runs: Sequence[Measured]) -> Iterator[str]:
    """One JSON object for each checkpoint of each run."""
    train, heldout = split_heldout(corpus, seed=0)
    alone = round(unigram_score(train, heldout), 5)
    for run in runs:
        for point in run.points:
            facts = {
                "corpus": corpus.name,
                "documents": corpus.n_docs,
                "split": split_of(train, heldout),
                "protocol": heldout.protocol,
                "program": run.contestant,
                "settings": run.settings,
                "seed": run.seed,
                "seconds": round(point["seconds"], 3),
                "score": round(point["heldout"], 5),
                "frequencies": alone,
                "learned": point["documents"],
                "load": round(run.load, 2),
            }
            yield json.dumps(facts)


def curves(runs: Sequence[Measured]) -> list[Reference]:
    """Medians over seeds at every checkpoint, the best at the end first."""
    found = []
    for name in dict.fromkeys(run.contestant for run in runs):
        own = [
            [(p["seconds"], p["heldout"]) for p in r.points] for r in runs if r.contestant == name
        ]
        found.append(median_curve(name, own))
    return sorted(found, key=lambda curve: -curve.scores[-1])


def table(runs: Sequence[Measured]) -> list[str]:
    """Where everybody stands at the end and before it, as Markdown, the best first."""
    lines = [
        "| program | score | after a half | after a quarter | seconds |",
        "|---|---:|---:|---:|---:|",
    ]
    for curve in curves(runs):
        own = [run for run in runs if run.contestant == curve.program]
        ends = [run.points[-1] for run in own]
        half, quarter = (curve.scores[-min(1 + n, len(curve.scores))] for n in (2, 4))
        cells = [
            curve.program,
            spread([p["heldout"] for p in ends], 3),
            f"{half:.3f}",
            f"{quarter:.3f}",
            f"{median(p['seconds'] for p in ends):.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def verdict(runs: Sequence[Measured]) -> str:
    """How far the first program is ahead of the best other one, and when it got there."""
    found = {curve.program: curve for curve in curves(runs)}
    ours = found.pop("bnpexplorer", None)
    if ours is None or not found:
        return ""
    best = max(found.values(), key=lambda curve: curve.scores[-1])
    words = f"bnpexplorer ends {ours.scores[-1] - best.scores[-1]:+.3f} from {best.program}"
    there = [s for s, v in zip(ours.seconds, ours.scores, strict=True) if v >= best.scores[-1]]
    if there:
        words += f" and reaches its score in {there[0] / best.seconds[-1]:.2f} of its time"
    return f"{words}."


def picture(title: str, found: Sequence[Reference], level: float = math.nan) -> str:
    """Score against seconds (logarithmic) as an SVG file; names stand in the order of the ends.

    `level`: the score of word frequencies; nan where nobody noted it.
    """
    times = np.log10([max(s, 1e-3) for curve in found for s in curve.seconds])
    left, right = times.min(), max(times.max(), times.min() + 0.1)
    later = [score for curve in found for score in curve.scores[len(curve.scores) // 2 :]]
    high = max(max(curve.scores) for curve in found)
    known = [level] if math.isfinite(level) else []
    low = min(*later, *(one - 0.05 for one in (high, *known)))  # what lies lower is cut off

    def place(seconds: float, score: float) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (np.log10(max(seconds, 1e-3)) - left) / (right - left)
        return f"{x:.1f},{TOP + (HEIGHT - TOP - BOTTOM) * (high - score) / (high - low):.1f}"

    parts = [
        f'<clipPath id="frame"><rect x="{LEFT}" y="{TOP - 4}" width="{WIDTH - LEFT - RIGHT}" '
        f'height="{HEIGHT - TOP - BOTTOM + 8}"/></clipPath>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    levels = ticks(low, high)
    for value, words in zip(levels, numbers(levels), strict=True):
        y = place(10**left, value).partition(",")[2]
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#ddd"/>'
            f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end">{words}</text>'
        )
    for y in (place(10**left, one).partition(",")[2] for one in known):
        parts.append(
            f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" '
            f'stroke="#555" stroke-dasharray="2"/><text class="level" x="{LEFT + 6}" y="{y}" '
            f'dy="-4">word frequencies {level:.3f}</text>'
        )
    decades = range(int(np.floor(left)), int(right) + 1)
    for seconds in (m * 10.0**power for power in decades for m in (1, 2, 5)):
        if left <= np.log10(seconds) <= right:
            x = place(seconds, low).partition(",")[0]
            y = HEIGHT - BOTTOM + 16
            parts.append(f'<text x="{x}" y="{y}" text-anchor="middle">{seconds:g}</text>')
    parts.append(
        f'<text x="{LEFT}" y="{HEIGHT - 8}">processor seconds; log likelihood per word</text>'
    )
    for place_of_name, curve in enumerate(found):
        ink = LIGHT[place_of_name % len(LIGHT)]
        dash = f' stroke-dasharray="{4 * (place_of_name // len(LIGHT))}"' * (
            place_of_name >= len(LIGHT)
        )
        points = " ".join(place(s, v) for s, v in zip(curve.seconds, curve.scores, strict=True))
        y = TOP + 10 + LINE * place_of_name
        parts.append(
            f'<polyline points="{points}" clip-path="url(#frame)" fill="none" '
            f'stroke="{ink}" stroke-width="2"{dash}/>'
            f'<line x1="{WIDTH - RIGHT + 8}" x2="{WIDTH - RIGHT + 32}" y1="{y - 4}" y2="{y - 4}" '
            f'stroke="{ink}" stroke-width="2"{dash}/>'
            f'<text x="{WIDTH - RIGHT + 38}" y="{y}">{curve.scores[-1]:.3f} '
            f"{escape(curve.program)}</text>"
        )
    height = max(HEIGHT, TOP + 20 + LINE * len(found))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--vocab", help="the vocabulary of files of counts")
    parser.add_argument(
        "--topics", type=int, nargs="+", default=[20, 50, 100, 200, 400], metavar="K"
    )
    parser.add_argument("--etas", type=float, nargs="+", default=[0.1], metavar="ETA")
    parser.add_argument(
        "--seconds", type=float, help="of the processor a run [40 for a million tokens, 5 to 40]"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--only", nargs="+", default=SHOWN, metavar="PROGRAM", help=f"only these [{SHOWN}]"
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER")
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    print(machine())
    try:
        for file in asked.file:
            corpus = chosen_corpus(file, asked.vocab)
            groups = groups_of(asked.topics, asked.seconds or seconds_for(corpus), asked.etas)
            runs = list(measured(corpus, groups, asked.seeds, asked.only))
            with (asked.out / "quality.jsonl").open("a", encoding="utf-8") as lines:
                lines.writelines(f"{line}\n" for line in checkpoints(corpus, runs))
            svg = asked.out / f"quality-{slug(corpus.name)}.svg"
            level = unigram_score(*split_heldout(corpus, seed=0))
            svg.write_text(picture(corpus.name, curves(runs), level), encoding="utf-8")
            print("\n".join([f"\n{corpus.name}\n", *table(runs), "", verdict(runs)]))
    except (ValueError, RuntimeError) as problem:
        print(f"quality: {problem}", file=sys.stderr)
        return 2
    print(f"\n{machine()}")
    return 0


def slug(name: str) -> str:
    """A corpus's name as part of a file's."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower())) or "corpus"


if __name__ == "__main__":
    sys.exit(main())
