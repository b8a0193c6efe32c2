"""Every damaged upload ends in a corpus, or in one sentence."""

import gzip
import io
import json
import lzma
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.formats import READERS
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.text import default_settings
from tests.tools.forms import EXAMPLES
from tests.tools.spreadsheets import excel

from .mutations import damaged, is_one_sentence

ROWS = [
    {"id": f"d{i}", "date": f"18{i:02}-05-01", "text": f"the sea and hill {i} of müde rock"}
    for i in range(20)
]
VOCAB = b"sea\nhill\nrock\n"


@cache
def seeds() -> dict[str, bytes]:
    """A small sound file of every format, by name."""
    lines = [",".join(row.values()) for row in ROWS]
    table, archive = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), table)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for row in ROWS[:4]:
            packed.writestr(f"a/{row['id']}.txt", row["text"])
    numbers = io.BytesIO()
    np.savez(numbers, data=np.arange(9))
    files = {
        "a.csv": "\n".join(["id,date,text", *lines]).encode(),
        "a.tsv": "\n".join(["id\ttext", *(f"{r['id']}\t{r['text']}" for r in ROWS)]).encode(),
        "a.jsonl": "\n".join(map(json.dumps, ROWS)).encode(),
        "a.json": json.dumps(ROWS).encode(),
        "a.txt": "\n\n".join(row["text"] for row in ROWS).encode("cp1252"),
        "a.zip": archive.getvalue(),
        "a.parquet": table.getvalue(),
        "a.npz": numbers.getvalue(),
        "a.mtx": b"%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 4\n2 3 1\n",
        "a.ldac": b"2 0:1 2:5\n1 1:3\n",
        "docword.a.txt": b"2\n3\n2\n1 1 4\n2 3 1\n",
    }
    rows = [[*ROWS[0]], *([*row.values()] for row in ROWS)]
    return (
        files
        | EXAMPLES
        | {
            "a.xlsx": excel({"First": rows, "Second": rows[:4]}),
            "a.csv.gz": gzip.compress(files["a.csv"]),
            "a.csv.xz": lzma.compress(files["a.csv"]),
            "a.csv.zst": pa.Codec("zstd").compress(files["a.csv"], asbytes=True),
        }
    )


def uploads(rng: np.random.Generator, folder: Path) -> None:
    """A damaged file, with or without a vocabulary, read as found out or as somebody said."""
    names = [*seeds()]
    name, other = (names[int(i)] for i in rng.integers(0, len(names), 2))
    files = [(name, damaged(rng, seeds()[name], seeds()[other]))]
    if rng.random() < 0.3 or name in ("a.mtx", "a.ldac", "docword.a.txt"):
        files.append(("v.txt", damaged(rng, VOCAB, files[0][1]) if rng.random() < 0.3 else VOCAB))
    asked = str(rng.choice(["", *READERS])) if rng.random() < 0.3 else ""
    try:
        day = str(rng.choice(["", "2026-03-05"]))
        source = api.read_files(files, ReadOptions(format=asked, as_of=day))
        corpus, _ = api.count_words(source, default_settings(source))
    except CorpusError as problem:
        told = str(problem)
    else:
        assert corpus.n_docs
        assert not corpus.fault()
        return
    assert is_one_sentence(told), told
    assert "error of bnpexplorer's own" not in told, told


TRIALS = {"uploads": uploads}
