"""Demonstrations as files: every position holds what the Lab shows, and nothing is fetched."""

import json
import re

import numpy as np
import pytest

from bnpexplorer.lab import restaurant, toy
from bnpexplorer.lab.sticks import break_sticks, expected_sticks, order_of_appearance
from bnpexplorer.ui.lab import demonstration


def positions(page):
    [found] = re.findall(r'<script type="application/json" id="positions">(.*?)</script>', page)
    return json.loads(found.replace("<\\/", "</"))


def values(trace, axis="y"):
    """Numbers of a trace, which Plotly packs."""
    data = trace[axis]
    if isinstance(data, dict):
        from base64 import b64decode

        return np.frombuffer(b64decode(data["bdata"]), data["dtype"])
    return np.array(data)


@pytest.fixture(scope="module")
def pages():
    return {
        "toy": demonstration.toy(toy.CASES["B"]),
        "sticks": demonstration.sticks(3.0, 10),
        "tables": demonstration.tables(2.0, 5),
    }


@pytest.mark.second
def test_nothing_is_fetched(pages):
    for page in pages.values():
        assert "default-src 'none'" in page
        head = page.split("<script>")[0]
        assert not re.search(r"(src|href)=", head)
        assert page.count("<script>") >= 2


@pytest.mark.second
def test_the_toy_at_every_count(pages):
    found = positions(pages["toy"])
    assert [one["name"] for one in found] == [str(n) for n in range(1, 11)]
    case, copies = toy.CASES["B"], np.arange(1, 11)[:, None]
    for name, odds in (
        ("Mean field", toy.mean_field_log_odds(copies, case.lam1, case.lam2)),
        ("Locally collapsed", toy.collapsed_log_odds(copies, case.lam1, case.lam2)),
    ):
        for one in found:
            [figure] = [f["figure"] for f in one["figures"] if f["title"] == name]
            assert values(figure["data"][0]) == pytest.approx(odds, abs=1e-9)
    assert "+35.09, over 99.99\u00a0%" in found[4]["said"]
    assert "<strong>component 2</strong> (log odds \u22123.89, 98.0\u00a0%)" in found[4]["said"]
    assert "locally collapsed is even" in found[0]["said"]


@pytest.mark.second
def test_the_sticks_of_every_draw(pages):
    found = positions(pages["sticks"])
    assert len(found) == demonstration.SEEDS
    for seed, one in enumerate(found):
        broken = break_sticks(demonstration.MANY, 3.0, seed).weights
        met = order_of_appearance(broken, seed)[:10]
        expected = expected_sticks(10, 3.0).weights
        strips = {
            "as broken": (range(10), broken[:10]),
            "by appearance": (met.tolist(), broken[met]),
            "expected": (range(10), expected),
        }
        bars = one["figures"][0]["figure"]["data"]
        for name, (sticks, weights) in strips.items():
            mine = [bar for bar in bars if bar["y"] == [name]]
            assert [bar["hovertemplate"].split(":")[0] for bar in mine] == [
                f"{k + 1}" for k in sticks
            ]
            assert [bar["x"][0] for bar in mine] == pytest.approx(weights)
        in_order = [values(f["figure"]["data"][0]) for f in one["figures"][1:]]
        assert in_order[1] == pytest.approx(broken[met])
        as_broken = one["figures"][1]["figure"]["data"][0]
        assert values(as_broken) == pytest.approx(broken[:10])
        assert f"hold {100 * broken[:10].sum():.1f}\u00a0% in this draw" in one["said"]


@pytest.mark.second
def test_the_tables_after_every_customer(pages):
    found = positions(pages["tables"])
    seats = restaurant.seat(100, 2.0, 5)
    assert len(found) == 101
    for n, one in enumerate(found):
        n_tables = len(set(seats[:n].tolist()))
        assert f"<strong>{n_tables}</strong>, expected" in one["said"]
        assert f"with {100 * 2.0 / (n + 2.0):.1f} %." in one["said"]
        each = ", ".join(str(count) for count in np.bincount(seats[:n])) or "none"
        assert f"customers at each: {each}." in one["said"]
        line = one["figures"][0]["figure"]["data"][2]
        assert values(line)[-1] == n_tables


def test_words_are_words():
    page = demonstration.html(
        "<b>", "a **b** <c>", "d", "e", [demonstration.Position("0", [], "</script>")]
    )
    assert "<title>&lt;b&gt;</title>" in page
    assert "a <strong>b</strong> &lt;c&gt;" in page
    assert "</script>" not in positions(page)[0]["said"]
