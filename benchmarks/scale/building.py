"""What `corpus build` takes: seconds, and memory of all its processes.

    python -m benchmarks.scale building short           530,000 texts of 15 words, 74 MB
    python -m benchmarks.scale building long --mb 200   texts of 100 words, as many megabytes
    python -m benchmarks.scale building long --mb 1000 --join --phrases

A CSV of texts drawn from a Zipf law is written into a temporary folder and built there. Ten times a
second the memory of the command and of every process that it started is read: `VmHWM` of each (the
most it held, pages that it shares with others counted in full), and the most that all held together
at one moment where shared pages count once (`Pss`). Linux only.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

WORDS = 200_000
"""Distinct words of the language that texts are drawn from."""
EXPONENT = 1.05
EVERY = 0.1
"""Seconds between two looks at memory."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", choices=("short", "long"))
    parser.add_argument("--mb", type=int, default=200, help="of the long texts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", help="in which the files are written [a temporary one]")
    parser.add_argument("--join", action="store_true", help="all texts of each of many authors")
    parser.add_argument("--phrases", action="store_true", help="find phrases, too")
    options = parser.parse_args(arguments)
    more = ["--join", "author"] * options.join + ["--phrases", "true"] * options.phrases
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        file = Path(folder) / "texts.csv"
        if options.texts == "short":
            n = write_texts(file, 15, n_docs=530_000)
        else:
            n = write_texts(file, 100, n_bytes=options.mb * 10**6)
        print(f"{n:,} texts, {file.stat().st_size / 1e6:,.0f} MB")
        measured(file, Path(folder) / "corpus", ["--threads", str(options.threads), *more])


def write_texts(file: Path, length: int, n_docs: int = 2**62, n_bytes: int = 2**62) -> int:
    """Texts of `length` words on average, up to so many or so many bytes; how many there are."""
    rng = np.random.default_rng(0)
    words = np.array([_word(rank) for rank in range(WORDS)], object)
    law = np.cumsum(1.0 / np.arange(1, WORDS + 1) ** EXPONENT)
    n = 0
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("id", "date", "label", "author", "text"))
        while n < n_docs and stream.tell() < n_bytes:
            lengths = rng.poisson(length, min(10_000, n_docs - n))
            drawn = words[np.searchsorted(law, rng.random(lengths.sum()) * law[-1])]
            ends = np.cumsum(lengths)
            days = np.datetime64("2010-01-01") + rng.integers(0, 5000, len(lengths))
            for i, end in enumerate(ends.tolist()):
                text = " ".join(drawn[end - lengths[i] : end])
                author = f"author {(n + i) * 7919 % (1 + (n + i) // 10)}"  # of ten texts or so
                writer.writerow((f"d{n + i}", days[i], f"group {(n + i) % 20}", author, text))
            n += len(lengths)
    return n


def _word(rank: int) -> str:
    """A word of four letters or more for each rank, none of them a stop word."""
    letters = "bcdfghjklm"
    return "z" + "aeiou"[rank % 5] + "".join(letters[int(digit)] for digit in f"{rank:02d}")


def measured(file: Path, out: Path, more: list[str]) -> None:
    """Build, and print what it took."""
    command = [sys.executable, "-m", "bnpexplorer", "corpus", "build", str(file), str(out)]
    started = time.monotonic()
    process = subprocess.Popen([*command, *more])
    peaks: dict[int, int] = {}
    together = 0
    while process.poll() is None:
        held = 0
        for pid in _family(process.pid):
            peak, own = _memory(pid)
            peaks[pid] = max(peaks.get(pid, 0), peak)
            held += own
        together = max(together, held)
        time.sleep(EVERY)
    seconds = time.monotonic() - started
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    each = ", ".join(f"{peak / 1024:,.0f}" for peak in peaks.values())
    print(f"{seconds:,.0f} s, {size / 1e6:,.0f} MB on the disk")
    print(f"VmHWM of the command and its processes, one after the other: {each} MB")
    print(f"all together, shared pages once: {together / 1024:,.0f} MB")


def _family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:  # it has ended
            continue
    return found


def _memory(pid: int) -> tuple[int, int]:
    """kB: the most a process held, and what it holds now where shared pages are shared out."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0, 0
    return _number(status, "VmHWM:"), _number(rollup, "Pss:")


def _number(text: str, name: str) -> int:
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)


if __name__ == "__main__":
    main()
