"""What reading hostile files takes: `python -m benchmarks.hostile [--only NAME ...]`.

Each file, small on the disk and large in memory, is made here and read by `bnpexplorer.load` in a
process of its own: seconds, the most memory of that process and of the child that reads for it,
and how it ended. A file is up to 100 MB; the whole takes some minutes (Linux).
"""

import argparse
import gzip
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

READING = """
import re, resource, sys, time, bnpexplorer
from pathlib import Path
from bnpexplorer.corpus.intake.children import CHILDREN
CHILDREN.warm()
began = time.monotonic()
try:
    found = f"read: {bnpexplorer.load(sys.argv[1], vocab=sys.argv[2] or None).n_docs:,} documents"
except ValueError as problem:
    found = f"refused: {problem}"
seconds = time.monotonic() - began
CHILDREN.end()
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
own = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
print(f"{seconds:.1f}|{child}|{own}|{found}")
"""


def _gz(head: bytes, piece: bytes, times: int, tail: bytes = b"") -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6) as packed:
        packed.write(head)
        for _ in range(times):
            packed.write(piece)
        packed.write(tail)
    return out.getvalue()


def _parquet(text: pa.Array) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"text": text}), out, compression="zstd")
    return out.getvalue()


def _zip(name: str, piece: bytes, times: int) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w") as member,
    ):
        for _ in range(times):
            member.write(piece)
    return out.getvalue()


def _english(megabytes: int) -> bytes:
    """Rows of a CSV that nobody would call hostile."""
    row = b'"the ship went down to the sea and the sea was calm %d",x\n'
    return b"text,label\n" + b"".join(row % i for i in range(megabytes * 2**20 // 62))


def _mtx(blank: int) -> bytes:
    head = b"%%MatrixMarket matrix coordinate integer general\n"
    return head + b"\n" * blank + b"2 2 2\n1 1 1\n2 2 1\n"


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "one long word, a million times": (
        "a.parquet",
        lambda: _parquet(
            pa.DictionaryArray.from_arrays(pa.array([0] * 10**6, pa.int32()), ["a" * 4000])
        ),
    ),
    "twenty million empty rows": ("b.parquet", lambda: _parquet(pa.array([""] * 20_000_000))),
    "nested JSON": ("c.json.gz", lambda: _gz(b"", b"[" * 2**20, 300)),
    "lists of numbers": ("d.json.gz", lambda: _gz(b"[", b"1," * 2**19, 300, b"1]")),
    "empty lines": ("e.txt.gz", lambda: _gz(b"", b"\n" * 2**20, 500)),
    "text with one emoji": ("f.txt.gz", lambda: _gz("😀".encode(), b"a" * 2**20, 700)),
    "text of one line in a ZIP": ("g.zip", lambda: _zip("a.txt", b"word " * 2**18, 1500)),
    "JSON list": ("h.json", lambda: b"[" + b",".join([b'{"text":"a b"}'] * 6_600_000) + b"]"),
    "sixty thousand columns": (
        "i.csv",
        lambda: b",".join(b"c%d" % i for i in range(60_000)) + b"\na\n",
    ),
    "blank lines in Matrix Market": ("j.mtx", lambda: _mtx(50_000_000)),
    "plain CSV of 99 MB": ("k.csv", lambda: _english(99)),
}


def measured(path: Path) -> str:
    """A row of the table."""
    vocab = ""
    if path.suffix == ".mtx":
        vocab = str(path.with_name("vocab.txt"))
        Path(vocab).write_text("sea\nhill\n")
    done = subprocess.run(
        [sys.executable, "-c", READING, str(path), vocab],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds, child, server, found = (done.stdout.strip() or f"?|?|?|{done.stderr[-200:]}").split(
        "|"
    )
    size = path.stat().st_size / 2**20
    return f"{size:.1f} | {seconds} | {child} | {server} | {found}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=FILES, default=list(FILES))
    options = parser.parse_args(arguments)
    print(
        "| file | MB | seconds | child, MB | server, MB | outcome |\n|---|---:|---:|---:|---:|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            path = Path(folder) / FILES[name][0]
            path.write_bytes(FILES[name][1]())
            print(f"| {name} | {measured(path)} |", flush=True)
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
