"""A survey of 60 rows as people bring them: empty, short and repeated answers, repeated ids, cells
that look like formulas; in four forms of file."""

import csv
import datetime
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.tools.spreadsheets import excel

THEMES = (
    "harbour vessel anchor captain cargo storm sailor coast wave rudder",
    "barley cattle harvest tractor orchard wheat farmer barn seed field",
    "court judge jury verdict lawyer witness appeal clause statute hearing",
    "guitar violin chorus drummer melody album singer rhythm stage concert",
)
N_ROWS = 60
EMPTY, SHORT, REPEATED = (6, 21, 40), (10, 33), (50, 17)
"""Places of rows without text, of rows of stop words, and of one that repeats another."""
FORMULAS = ("=1+2", "+49 30", "@home", "-5", "007", "  leading", "two\nlines", 'a "quoted" one', "")
HEADS = ("Answer", "id", "topic", "Note", " Code ", "weight", "asked", "group")


def answers():
    """The texts of all rows."""
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(THEMES[i % 4].split(), 30).tolist()) for i in range(N_ROWS)]
    for place in EMPTY:
        texts[place] = ""
    for place in SHORT:
        texts[place] = "the of and"
    texts[REPEATED[0]] = texts[REPEATED[1]]
    return texts


def rows():
    """All cells by row; the ids of the last two rows are the same, and one column is called as one
    that is added."""
    return [
        [
            text,
            f"r{min(i, N_ROWS - 2)}",
            f"theirs {i}",
            FORMULAS[i % len(FORMULAS)],
            f"{i:03d}",
            i / 4 if i % 5 else i,
            datetime.date(2001, 1, 1) + datetime.timedelta(i),
            "ab"[i % 2],
        ]
        for i, text in enumerate(answers())
    ]


def as_csv(delimiter=";", bom=True):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([HEADS, *rows()])
    return out.getvalue().encode("utf-8-sig" if bom else "utf-8")


def as_excel():
    return excel({"Answers": [list(HEADS), *[[None if x == "" else x for x in r] for r in rows()]]})


def as_parquet():
    columns = dict(zip(HEADS, map(list, zip(*rows(), strict=True)), strict=True))
    columns["Note"] = [None if i % 7 == 0 else note for i, note in enumerate(columns["Note"])]
    columns["tags"] = [[["x", "y"], []][i % 2] for i in range(N_ROWS)]
    columns["weight"] = [float(x) for x in columns["weight"]]
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def objects():
    """Of JSON: a cell may be null, absent, a number, a list or an object."""
    made = []
    for i, row in enumerate(rows()):
        one = dict(zip(HEADS, row, strict=True)) | {"asked": str(row[6]), "more": {"n": [i, None]}}
        if i % 7 == 0:
            del one["Note"]
        if i % 11 == 0:
            one["group"] = None
        made.append(one)
    return made


def as_jsonl():
    return "".join(json.dumps(one) + "\n" for one in objects()).encode()


FORMS = {
    "survey.csv": as_csv,
    "survey.tsv": lambda: as_csv("\t", False),
    "survey.xlsx": as_excel,
    "survey.parquet": as_parquet,
    "survey.jsonl": as_jsonl,
}
