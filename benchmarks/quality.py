"""How well, how soon: `python -m benchmarks.quality FILE [FILE ...]`, from the project's folder.

Our methods and the programs that are installed learn every corpus; `compare.py` runs and scores
them: one process a run, one thread, one scorer. Into the folder `--out` go `quality.jsonl`, with a
line for every checkpoint, and for each corpus a picture of score against seconds (SVG). The table
is printed. `FILE`: as the app reads it, or `sample:NAME`.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from html import escape
from pathlib import Path
from statistics import median

import numpy as np

from bnpexplorer.corpus import Corpus
from bnpexplorer.export.drawing import numbers, ticks
from bnpexplorer.plots.style import LIGHT

from .compare import Measured, chosen_corpus, compare, machine, table
from .peers import GROUPS, Group

Curve = tuple[str, list[float], list[float]]
"""Name, seconds, scores."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 70, 250, 34, 46
LINE = 15
"""Pixels from one name to the next."""


def groups_of(topics: Sequence[int], sweeps: int, passes: int) -> dict[str, Group]:
    """Title -> contestants: LDA with each number of topics, and the HDP, which asks for none."""
    found = {}
    for k in topics:
        settings = replace(GROUPS["lda"].settings, n_topics=k, sweeps=sweeps, passes=passes)
        found[f"K {k}"] = replace(GROUPS["lda"], settings=settings)
    ours = GROUPS["hdp-ours"]
    settings = replace(ours.settings, sweeps=sweeps, passes=passes)
    return {**found, "HDP": replace(ours, settings=settings)}


def measured(
    corpus: Corpus, groups: dict[str, Group], runs: int, only: Sequence[str]
) -> Iterator[tuple[str, Measured]]:
    """(title of the group, run) of every contestant and seed."""
    for title, group in groups.items():
        key = "hdp-ours" if group.settings.model == "hdp" else "lda"
        for run in compare(corpus, {key: group}, runs, only=only):
            yield title, replace(run, contestant=f"{run.contestant}, {title}")


def checkpoints(
    corpus: Corpus, groups: dict[str, Group], runs: Sequence[tuple[str, Measured]]
) -> Iterator[str]:
    """One JSON object for each checkpoint of each run."""
    for title, run in runs:
        for point in run.points:
            facts = {
                "corpus": corpus.name,
                "documents": corpus.n_docs,
                "fingerprint": corpus.fingerprint,
                "program": run.contestant,
                "settings": settings_of(groups[title]),
                "seed": run.seed,
                "seconds": round(point["seconds"], 3),
                "score": round(point["heldout"], 5),
                "learned": point["documents"],
                "load": round(run.load, 2),
            }
            yield json.dumps(facts)


def settings_of(group: Group) -> dict[str, float | str]:
    """Those of the group that have a value; JSON knows no nan."""
    return {key: value for key, value in asdict(group.settings).items() if value == value}


def curves(runs: Sequence[tuple[str, Measured]]) -> list[Curve]:
    """Medians over seeds at every checkpoint, the best at the end first."""
    found = []
    for name in dict.fromkeys(run.contestant for _, run in runs):
        steps = list(zip(*(r.points for _, r in runs if r.contestant == name), strict=True))
        seconds, scores = (
            [median(point[key] for point in step) for step in steps]
            for key in ("seconds", "heldout")
        )
        found.append((name, seconds, scores))
    return sorted(found, key=lambda curve: -curve[2][-1])


def picture(title: str, found: Sequence[Curve]) -> str:
    """Score against seconds (logarithmic) as an SVG file; names stand in the order of the ends."""
    times = np.log10([max(s, 1e-3) for _, seconds, _ in found for s in seconds])
    left, right = np.floor(times.min()), max(np.ceil(times.max()), np.floor(times.min()) + 1)
    ends = [scores[-1] for _, _, scores in found]
    high = max(max(scores) for _, _, scores in found)
    low = min(min(ends), high - 0.05) - 0.1 * (high - min(ends))  # first points may lie below

    def place(seconds: float, score: float) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (np.log10(max(seconds, 1e-3)) - left) / (right - left)
        return (
            f"{x:.1f},{TOP + (HEIGHT - TOP - BOTTOM) * (high - max(score, low)) / (high - low):.1f}"
        )

    parts = [f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>']
    levels = ticks(low, high)
    for value, words in zip(levels, numbers(levels), strict=True):
        y = place(10**left, value).partition(",")[2]
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#ddd"/>'
            f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end">{words}</text>'
        )
    for power in np.arange(left, right + 1):
        x = place(10**power, low).partition(",")[0]
        y = HEIGHT - BOTTOM + 16
        parts.append(f'<text x="{x}" y="{y}" text-anchor="middle">{10**power:g}</text>')
    parts.append(
        f'<text x="{LEFT}" y="{HEIGHT - 8}">processor seconds; log likelihood per word</text>'
    )
    for place_of_name, (name, seconds, scores) in enumerate(found):
        ink = LIGHT[place_of_name % len(LIGHT)]
        dash = f' stroke-dasharray="{4 * (place_of_name // len(LIGHT))}"' * (
            place_of_name >= len(LIGHT)
        )
        points = " ".join(place(s, v) for s, v in zip(seconds, scores, strict=True))
        y = TOP + 10 + LINE * place_of_name
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="2"{dash}/>'
            f'<line x1="{WIDTH - RIGHT + 8}" x2="{WIDTH - RIGHT + 32}" y1="{y - 4}" y2="{y - 4}" '
            f'stroke="{ink}" stroke-width="2"{dash}/>'
            f'<text x="{WIDTH - RIGHT + 38}" y="{y}">{scores[-1]:.3f} {escape(name)}</text>'
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
    parser.add_argument("--topics", type=int, nargs="+", default=[50, 100], metavar="K")
    parser.add_argument("--sweeps", type=int, default=100, help="of samplers [100]")
    parser.add_argument("--passes", type=int, default=2, help="of all others [2]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[], metavar="PROGRAM", help="only these")
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER")
    asked = parser.parse_args(arguments)
    groups = groups_of(asked.topics, asked.sweeps, asked.passes)
    asked.out.mkdir(parents=True, exist_ok=True)
    print(machine())
    try:
        for number, file in enumerate(asked.file, start=1):
            corpus = chosen_corpus(file, asked.vocab)
            runs = list(measured(corpus, groups, asked.seeds, asked.only))
            with (asked.out / "quality.jsonl").open("a", encoding="utf-8") as lines:
                lines.writelines(f"{line}\n" for line in checkpoints(corpus, groups, runs))
            svg = asked.out / f"quality-{number}.svg"
            svg.write_text(picture(corpus.name, curves(runs)), encoding="utf-8")
            print("\n".join([f"\n{corpus.name}\n", *table([run for _, run in runs])]))
    except (ValueError, RuntimeError) as problem:
        print(f"quality: {problem}", file=sys.stderr)
        return 2
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
