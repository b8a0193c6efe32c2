"""Score against seconds: one command runs programs on a corpus and writes lines and a picture."""

import json
import math
import xml.etree.ElementTree as ET

import pytest

from benchmarks import measure, quality
from benchmarks.compare import Measured, chosen_corpus
from benchmarks.peers import AsItComes, Learner, Settings
from bnpexplorer import Plan, recommend
from bnpexplorer.compare.references import read_references
from bnpexplorer.compare.rows import ground_of
from bnpexplorer.evaluate import split_heldout, unigram_score


def run(program, seed, *points):
    found = tuple({"documents": 9, "seconds": s, "wall": s, "heldout": v} for s, v in points)
    return Measured("lda", program, seed, 0.0, 1.0, 1.0, found, 0.5)


@pytest.mark.second
def test_one_command_writes_a_line_a_checkpoint_and_a_picture_that_compare_reads(tmp_path, capsys):
    rest = ["--topics", "5", "--seeds", "1", "--seconds", "0.05", "--out", str(tmp_path)]
    assert quality.main(["sample:small-csv", *rest, "--only", "lda-svi", "bnpexplorer"]) == 0
    lines = [json.loads(line) for line in (tmp_path / "quality.jsonl").open(encoding="utf-8")]
    assert {(line["program"], line["seed"]) for line in lines} == {
        ("lda-svi, K 5", 0),
        ("bnpexplorer", 0),
    }
    level = unigram_score(*split_heldout(chosen_corpus("sample:small-csv", None), seed=0))
    for line in lines:
        ours = line["program"] == "bnpexplorer"
        assert line["settings"]["method" if ours else "n_topics"] == ("hdp-gibbs" if ours else 5)
        assert line["seconds"] > 0 > line["score"]
        assert line["load"] >= 0
        assert line["frequencies"] == pytest.approx(level, abs=1e-5)
    assert max(line["seconds"] for line in lines) >= 0.05
    printed = capsys.readouterr().out
    assert "bnpexplorer ends " in printed
    drawn = ET.parse(tmp_path / "quality-small-csv.svg").getroot()
    assert len([e for e in drawn.iter() if e.tag.endswith("polyline")]) == 2
    assert any("lda-svi, K 5" in (e.text or "") for e in drawn.iter())
    assert any(e.text == f"word frequencies {level:.3f}" for e in drawn.iter())
    corpus = chosen_corpus("sample:small-csv", None)
    ground = ground_of(Plan.of("hdp-svi", protocol="completion").split_and_start(corpus))
    text = (tmp_path / "quality.jsonl").read_text(encoding="utf-8").splitlines()
    assert {found.program for found in read_references(text, ground)} == {
        "lda-svi, K 5",
        "bnpexplorer",
    }
    other = ground_of(Plan.of("hdp-svi", seed=1).split_and_start(corpus))
    assert read_references(text, other) == []


def test_ours_as_it_comes_is_what_is_recommended_and_averages_over_its_states(bars):
    corpus = bars[0]
    ours = AsItComes(Settings("hdp", 0, 0.0, 0.0, 0.0, 0.0))
    ours.start(corpus, seed=0)
    assert ours.method == recommend(corpus).method
    rest = Settings("hdp", 0, 0.0, 0.0, 0.0, 0.0, passes=30)
    list(measure.run(ours, corpus, rest, seed=0))
    assert ours.kept() == ours.method.kept(ours.state) != ()


class Clock(Learner):
    """Spends a second of the stopwatch a mini-batch."""

    def start(self, corpus, seed):
        self.steps = 0

    def prepare(self, batch):
        return batch

    def learn(self, prepared):
        self.steps += 1

    def topics(self):
        return self.steps


def test_everybody_learns_for_the_same_seconds(bars, monkeypatch):
    monkeypatch.setattr(measure.Stopwatch, "__enter__", lambda self: None)

    def tick(self, *_):
        self.seconds += 1.0

    monkeypatch.setattr(measure.Stopwatch, "__exit__", tick)
    rest = Settings("lda", 5, 0.1, 0.1, 1.0, 0.6, batch_size=100, passes=1, seconds=64.0)
    found = list(measure.run(Clock(rest), bars[0], rest, seed=0))
    marks = [64.0 * 2 ** (-i / 2) for i in range(8, -1, -1)]
    assert [point["seconds"] for point, _ in found] == [math.ceil(mark) for mark in marks]
    assert [steps for _, steps in found] == [math.ceil(mark) - 1 for mark in marks]


def test_curves_are_medians_the_best_first_and_rise_upwards():
    runs = [run("a", seed, (1.0, -8.0), (10.0, end)) for seed, end in enumerate((-7.5, -7.0, -7.1))]
    runs.append(run("bnpexplorer", 0, (1.0, -7.9), (4.0, -7.1), (10.0, -6.0)))
    found = quality.curves(runs)
    assert [(c.program, c.seconds, c.scores) for c in found] == [
        ("bnpexplorer", (1.0, 4.0, 10.0), (-7.9, -7.1, -6.0)),
        ("a", (1.0, 10.0), (-8.0, -7.1)),
    ]
    assert quality.verdict(runs) == (
        "bnpexplorer ends +1.100 from a and reaches its score in 0.40 of its time."
    )
    drawn = ET.fromstring(quality.picture("<texts>", found))
    ends = [e.get("points").split()[-1].split(",") for e in drawn.iter() if "points" in e.attrib]
    (x_best, y_best), (x_other, y_other) = [(float(x), float(y)) for x, y in ends]
    assert x_best == x_other, "at the same time"
    assert y_best < y_other, "higher"


def test_a_wrong_corpus_is_refused_in_one_sentence(tmp_path, capsys):
    assert quality.main(["sample:nothing", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("topics", [[20], [20, 50]])
def test_every_number_of_topics_is_tried_and_the_rest_once(topics):
    groups = quality.groups_of(topics, 7.0)
    assert [group.settings.n_topics for (key, _), group in groups.items() if key == "lda"] == topics
    assert [key for key, title in groups if not title] == ["hdp-ours", "ours"]
    assert {g.settings.seconds for g in groups.values()} == {7.0}
