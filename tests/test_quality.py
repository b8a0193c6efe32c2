"""Score against seconds: one command runs programs on a corpus and writes lines and a picture."""

import json
import xml.etree.ElementTree as ET

import pytest

from benchmarks import quality
from benchmarks.compare import Measured


def run(program, seed, *points):
    found = tuple({"documents": 9, "seconds": s, "wall": s, "heldout": v} for s, v in points)
    return "K 5", Measured("lda", program, seed, 0.0, 1.0, 1.0, found, 0.5)


def test_one_command_writes_a_line_a_checkpoint_and_a_picture(tmp_path, capsys):
    rest = ["--topics", "5", "--seeds", "1", "--only", "lda-svi", "--out", str(tmp_path)]
    assert quality.main(["sample:small-csv", *rest]) == 0
    lines = [json.loads(line) for line in (tmp_path / "quality.jsonl").open(encoding="utf-8")]
    assert [line["learned"] for line in lines] == [144, 288]
    for line in lines:
        assert (line["program"], line["seed"]) == ("lda-svi, K 5", 0)
        assert line["settings"]["n_topics"] == 5
        assert "gamma" not in line["settings"], "JSON has no word for nan"
        assert line["seconds"] > 0 > line["score"]
        assert line["load"] >= 0
    printed = capsys.readouterr().out
    assert f"{lines[-1]['score']:.3f}" in printed
    drawn = ET.parse(tmp_path / "quality-1.svg").getroot()
    assert len([e for e in drawn.iter() if e.tag.endswith("polyline")]) == 1
    assert any("lda-svi, K 5" in (e.text or "") for e in drawn.iter())


def test_curves_are_medians_the_best_first_and_rise_upwards():
    runs = [run("a", seed, (1.0, -8.0), (10.0, end)) for seed, end in enumerate((-7.5, -7.0, -7.1))]
    runs.append(run("b & c", 0, (1.0, -7.9), (100.0, -6.0)))
    found = quality.curves(runs)
    assert found == [("b & c", [1.0, 100.0], [-7.9, -6.0]), ("a", [1.0, 10.0], [-8.0, -7.1])]
    drawn = ET.fromstring(quality.picture("<texts>", found))
    ends = [e.get("points").split()[-1].split(",") for e in drawn.iter() if "points" in e.attrib]
    (x_best, y_best), (x_other, y_other) = [(float(x), float(y)) for x, y in ends]
    assert x_best > x_other, "later"
    assert y_best < y_other, "higher"


def test_a_wrong_corpus_is_refused_in_one_sentence(tmp_path, capsys):
    assert quality.main(["sample:nothing", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("topics", [[20], [20, 50]])
def test_every_number_of_topics_is_tried_and_the_hdp_once(topics):
    groups = quality.groups_of(topics, 7, 3)
    assert [group.settings.n_topics for group in groups.values()][:-1] == topics
    assert [group.settings.model for group in groups.values()] == ["lda"] * len(topics) + ["hdp"]
    assert {(g.settings.sweeps, g.settings.passes) for g in groups.values()} == {(7, 3)}
