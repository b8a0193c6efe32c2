"""What `benchmarks/scale.md` says follows from the figures beside it, and today's limits are those
that it was measured with."""

import re
from itertools import takewhile

import pytest

from benchmarks.scale import cluster, limits, threads
from bnpexplorer.corpus import order
from bnpexplorer.inference import slices
from bnpexplorer.ui.frame import opening
from bnpexplorer.ui.parts import in_background

PAGE = threads.PAGE.read_text(encoding="utf-8")
NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")


def cells_under(head: str) -> list[list[str]]:
    """The rows of the table whose first line begins so."""
    lines = PAGE[PAGE.index(head) :].splitlines()
    return [cells(row) for row in takewhile(lambda line: line.startswith("|"), lines)][2:]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def number(cell: str) -> float:
    return float(NUMBER.findall(cell)[0].replace(",", ""))


# ---- threads ------------------------------------------------------------------------------------

THREADS = cells_under("| method | mini-batch | one thread")


@pytest.mark.parametrize("row", THREADS, ids=lambda row: f"{row[0]} {row[1]}")
def test_gains_of_threads_are_those_of_the_rates_beside_them(row):
    one, two, processes, over_one, of_processes, score = (number(cell) for cell in row[2:])
    assert over_one == pytest.approx(two / one, abs=0.006)
    assert of_processes == pytest.approx(two / processes, abs=0.006)
    assert score < 0


def test_every_method_of_independent_documents_reaches_the_goal_of_two_threads():
    large = {row[0].strip("`"): number(row[6]) for row in THREADS if row[1] == "2,048"}
    assert set(threads.INDEPENDENT) <= set(large)
    assert min(large.values()) >= threads.GOAL


# ---- a cluster ----------------------------------------------------------------------------------


def found() -> cluster.Found:
    """What was measured with workers of a scheduler, as far as the page prints it."""
    first = next(row for row in cells_under("| cluster | step") if row[0] == "`tcp://`")
    wall, processor, sent, received, rest, pack, compute, unpack = map(number, first[1:])
    parts = {"rest": rest, "pack": pack, "compute": compute, "unpack": unpack}
    parts = {name: ms / 1000 for name, ms in parts.items()}
    return cluster.Found(wall, processor, 1e6 * sent, 1e6 * received, parts)


def test_the_steps_on_paper_follow_from_what_was_measured():
    printed = cells_under("| documents a step | workers | send")
    again = [cells(row) for row in cluster.on_paper(found())][2:]
    assert len(printed) == len(again) == 12
    for old, new in zip(printed, again, strict=True):
        assert old[:2] == new[:2]
        for a, b in zip(old[2:], new[2:], strict=True):
            # the parts above are rounded to 0.1 ms and 0.1 MB
            assert number(a) == pytest.approx(number(b), rel=0.01, abs=0.011), (old, new)


def test_where_a_cluster_stops_growing_is_said_as_it_follows():
    large = cluster.step_on_paper(found(), 1, 256 * cluster.BATCH)
    most = large["compute"] / (large["receive"] + large["here"])
    said = re.search(r"takes as long as that\s+at (\d+) workers", PAGE)
    assert int(said[1]) == pytest.approx(most, abs=1)
    assert f"A slice holds {slices.MOST} documents" in PAGE
    assert f"keeps {cluster.BATCH // slices.MOST} workers busy" in PAGE


# ---- limits -------------------------------------------------------------------------------------


def test_the_slices_that_are_the_default_are_those_of_today():
    rows = cells_under("| mini-batch | documents in a slice")
    for batch, size, n_slices, ratio, _ in rows:
        usual = slices.slice_size(int(number(batch)))
        assert ("(default)" in size) == (number(size) == usual)
        assert number(n_slices) == -(-number(batch) // number(size))
        assert number(ratio) < 1.25
    assert {batch for batch, *_ in rows} == {"256", "2,048", "4,096"}


def test_blocks_of_the_order_are_those_of_today():
    (usual,) = [row for row in cells_under("| order | a label's share") if "(default)" in row[0]]
    assert number(usual[0]) == order.BLOCK
    # Every block of 400,000 documents has two numbers of eight bytes.
    assert number(usual[3]) == pytest.approx(16 * 400_000 / order.BLOCK / 1e6, abs=0.006)


def test_a_run_is_opened_by_whom_the_page_says():
    for docs, size, took, by in cells_under("| documents of 100 tokens | on the disk"):
        large = number(size) * 2**20 >= opening.LARGE
        assert by == ("a thread" if large else "the page"), docs
        if by == "the page":
            assert number(took) < opening.PATIENCE


def test_what_goes_through_all_documents_is_done_by_whom_the_page_says():
    rows = cells_under("| documents | which topics go together")
    assert [int(number(row[0])) for row in rows] == list(limits.LOOKED_THROUGH)
    for docs, *seconds, by in rows:
        few = number(docs) <= in_background.MANY
        assert by == ("the page" if few else "a thread")
        if few:
            assert max(map(number, seconds)) < 1.0, "a page answers within a second"


# ---- goals --------------------------------------------------------------------------------------


def test_ten_million_documents_stay_within_two_gigabytes():
    rows = cells_under("| documents | on the disk | peak of building")
    assert rows[-1][0] == "10,000,000"
    for row in rows:
        assert max(number(row[2]), number(row[3])) < 2000
    times = [max(map(float, re.findall(r"\d+", row[5]))) for row in rows]
    assert times == sorted(times, reverse=True), "a document costs no more where there are more"


def test_a_gigabyte_of_csv_is_built_within_seven_hundred_megabytes():
    rows = cells_under("| file | documents | on the disk")
    assert number(rows[-1][0]) > 1000
    assert all(number(row[5]) < 700 for row in rows)
