"""Columns by their content: usual headers over dates and labels, and what looks like them."""

import datetime
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.readers.source import ReadOptions

AS_OF = "2026-03-05"
HEADERS = tomllib.loads((Path(__file__).parent / "headers.toml").read_text("utf-8"))
WORDS = [
    "sea",
    "hill",
    "rock",
    "sand",
    "wave",
    "shore",
    "stone",
    "wind",
    "grass",
    "cloud",
    "tide",
    "reef",
]
N = 30
MOST_MISSED = 3


def texts(n=N):
    return [
        f"The {WORDS[i % 12]} and the {WORDS[i % 9]} of day {i} were grey and cold again"
        for i in range(n)
    ]


def table(columns):
    """A CSV file with these columns of cells."""
    rows = zip(*columns.values(), strict=True)
    quoted = [",".join(f'"{cell}"' for cell in row) for row in [tuple(columns), *rows]]
    return "\n".join(quoted).encode()


def chosen(columns, **options):
    return read("t.csv", table(columns), options=ReadOptions(as_of=AS_OF, **options)).chosen


DAYS = [datetime.date(2014, 3, 5) + datetime.timedelta(days=17 * i) for i in range(N)]
FILLED = {
    "dates": [str(day) for day in DAYS],
    "years": [str(1990 + i % 20) for i in range(N)],
    "seconds": [str(1_400_000_000 + 90_001 * i) for i in range(N)],
    "labels": [["left", "right", "centre", "green"][i * i % 4 + (i % 7 == 0)] for i in range(N)],
    "numbers_as_labels": [str(i % 5) for i in range(N)],
}
FIELD = {"dates": "date", "years": "date", "seconds": "date"}


def missed(kind):
    field = FIELD.get(kind, "label")
    found = {
        name: chosen({name: FILLED[kind], "body": texts()}).get(field) for name in HEADERS[kind]
    }
    return [name for name, column in found.items() if column != name]


@pytest.mark.parametrize("kind", FILLED)
def test_usual_headers_are_recognised(kind):
    """No more than three of 62 headers of dates, 10 of years, 5 of seconds, 47 of labels."""
    assert len(missed(kind)) <= (MOST_MISSED if len(HEADERS[kind]) > 20 else 0), missed(kind)


@pytest.mark.parametrize(("name", "cells"), HEADERS["no_dates"], ids=lambda c: str(c)[:12])
def test_what_looks_like_dates_is_none(name, cells):
    assert "date" not in chosen({name: cells, "body": texts(len(cells))})


@pytest.mark.parametrize(("name", "cells"), HEADERS["no_labels"], ids=lambda c: str(c)[:12])
def test_what_looks_like_a_label_is_none(name, cells):
    assert "label" not in chosen({name: cells, "body": texts(len(cells))})


def test_every_other_column_of_dates_is_one_click_away():
    columns = {
        "created": [f"2014-03-{i % 28 + 1:02}" for i in range(N)],
        "published": [f"{i % 28 + 1:02}.05.2016" for i in range(N)],
        "edited_utc": [str(1_500_000_000 + i * 86_411) for i in range(N)],
        "year": [str(1950 + i) for i in range(N)],
        "version": [f"{i}.40.77" for i in range(N)],
        "text": texts(),
    }
    options = ReadOptions(as_of="2026-03-05")
    source = read("a.csv", table(columns), options=options)
    assert source.chosen["date"] == "published"
    assert str(source.docs.date[0]) == "2016-05-01"
    assert source.columns == tuple(columns)
    offered = [offer.sets["date"] for offer in source.offers if "date" in offer.sets]
    assert sorted(offered) == ["created", "edited_utc", "year"]
    other = read("a.csv", table(columns), options=replace(options, date="created"))
    assert str(other.docs.date[0]) == "2014-03-01"
    assert {"date": "published"} in [offer.sets for offer in other.offers]
