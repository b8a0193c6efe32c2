"""Test every column of the tables, and what they say of their run, against the run itself."""

import csv
import io
import re
import zipfile
from dataclasses import replace

import numpy as np

from bnpexplorer.evaluate import PROTOCOLS, between_starts
from bnpexplorer.export import report, tables
from bnpexplorer.export.story import Story
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import TracePoint
from tests.tools.export import at, small_result


def frames(result):
    with zipfile.ZipFile(io.BytesIO(tables(result))) as archive:
        names = [name for name in archive.namelist() if name.endswith(".csv")]
        rows = {n: list(csv.DictReader(io.StringIO(archive.read(n).decode()))) for n in names}
        return rows, archive.read("README.txt").decode()


def test_every_column_of_the_topics_is_that_of_its_topic():
    result = small_result("hdp-svi")
    topics = result.snapshot.topics
    weight = np.random.default_rng(2).dirichlet(np.ones(len(topics)))
    size = np.where(np.arange(len(topics)) % 3 == 1, 0.01 * topics.size, topics.size)
    result = at(result, topics=replace(topics, weight=weight, size=size))
    topics = result.snapshot.topics
    rows = frames(result)[0]["topics.csv"]
    order = np.argsort(-topics.size, kind="stable")
    assert [int(row["topic"]) for row in rows] == topics.topic_ids[order].tolist()
    for name, values in (("size_in_words", size), ("weight", weight)):
        found = [float(row[name]) for row in rows]
        np.testing.assert_allclose(found, values[order], rtol=1e-8)
    in_use = ["yes" if size >= 1.0 - 1e-9 else "no" for size in topics.size[order]]
    assert [row["in_use"] for row in rows] == in_use
    assert set(in_use) == {"yes", "no"}


def test_every_column_of_the_history_is_that_of_its_row():
    nan = float("nan")
    trace = (
        TracePoint(3, 120, 0.123456, 7, -812.5, nan, {"restaurants": 2.5}),
        TracePoint(9, 360, 1.5, 8, nan, -6.75, {}),
    )
    rows = frames(at(small_result("hdp-tsvi"), trace=trace))[0]["metrics.csv"]
    names = ["step", "documents", "seconds", "topics_in_use", "bound"]
    names += ["heldout_log_likelihood_per_word", "restaurants"]
    assert [list(row) for row in rows] == [names, names]
    assert [list(row.values()) for row in rows] == [
        ["3", "120", "0.1235", "7", "-812.5", "", "2.5"],
        ["9", "360", "1.5", "8", "", "-6.75", ""],
    ]


def test_report_and_tables_tell_how_far_the_score_differs_between_starts():
    result = small_result("hdp-tsvi")
    said = between_starts(result.run.history[-1].spread, 16)
    assert said.startswith("± 0.")
    assert result.between_starts == said
    assert said in report(result)
    assert said in frames(result)[1]
    one = at(result, trace=(TracePoint(1, 1, 0.0, 1, -1.0, -7.0),))
    assert "between starts" not in report(one) + frames(one)[1]


def test_words_are_numbered_from_one_topic_by_topic():
    result = small_result("hdp-tsvi")
    rows, topics = frames(result)[0]["topic_words.csv"], result.snapshot.topics
    by_topic = {}
    for row in rows:
        by_topic.setdefault(int(row["topic"]), []).append(row)
    assert list(by_topic) == [t for t in topics.topic_ids[topics.by_size] if t in by_topic]
    for topic, found in by_topic.items():
        k = topics.topic_ids.tolist().index(topic)
        assert [int(row["rank"]) for row in found] == list(range(1, len(found) + 1))
        heaviest = np.sort(topics.topic_word[k])[::-1][: len(found)]
        np.testing.assert_allclose([float(r["probability"]) for r in found], heaviest, rtol=1e-6)
        assert len({row["name"] for row in found}) == 1
    assert max(map(len, by_topic.values())) <= 50


def test_the_tables_say_of_which_run_and_which_moment_they_are():
    result = small_result("hdp-tsvi", steps=5)
    moment = at(result, docs_seen=2 * result.run.corpus.n_docs, step=5678)
    run, readme = result.run, frames(moment)[1]
    assert f"method        hdp-tsvi ({run.method.title}; {run.method.source})\n" in readme
    values = [f"{n}={v}" for part in (run.method.model, run.method) for n, v in vars(part).items()]
    settings = ", ".join(value for value in values if not value.startswith("model="))
    assert f"settings      {settings}\n" in readme
    assert (
        "run           seed 0, 2 passes, 40 documents a step, shuffled\n"
        f"              pass 2 of 2 over {run.corpus.n_docs:,} texts, 5,678 steps\n"
        f"corpus        small.csv, fingerprint {result.corpus.fingerprint}\n"
        f"              without those held out: {run.corpus.fingerprint}\n"
    ) in readme
    assert f"Score: {PROTOCOLS[run.protocol].sentence}\n" in readme
    everything = small_result("hdp-tsvi", held_out=False)
    assert "Score: Nothing was held out, so there is no score.\n" in frames(everything)[1]


def test_what_is_folded_away_is_marked_as_hidden_in_reports_and_tables():
    result = small_result("hdp-tsvi")
    first, second, third = result.moment.in_use[:3]
    labels = Labels(hidden=frozenset([third]), folded=frozenset([first]))
    folded = replace(result, moment=replace(result.moment, labels=labels))
    marked = re.findall(r'<td class="n">(\d+)<(?:(?!</tr>).)*?>hidden</span>', report(folded), re.S)
    assert [int(topic) for topic in marked] == [first, third]
    rows = {int(row["topic"]): row["hidden"] for row in frames(folded)[0]["topics.csv"]}
    assert [rows[topic] for topic in (first, second, third)] == ["yes", "no", "yes"]
    told = Story(folded).told
    assert first not in told
    assert second in told
