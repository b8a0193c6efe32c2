"""Every fact of a report and every column of a table, each against what the run itself holds."""

import csv
import datetime
import inspect
import io
import itertools
import re
import zipfile
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import Plan, load
from bnpexplorer.core.installation import versions
from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.evaluate import PROTOCOLS
from bnpexplorer.explore.documents import facts_of, title_of
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.export import (
    needs_texts,
    recreation,
    report,
    result_of,
    sample_of_run,
    script,
    tables,
)
from bnpexplorer.export import story as telling
from bnpexplorer.export.drawing import (
    LEFT,
    RIGHT,
    WIDTH,
    DrawnCurve,
    Level,
    line_chart,
    time_line,
    topic_map,
)
from bnpexplorer.export.pieces import DrawnRun, curves, curves_of, lead, protocol_sentence
from bnpexplorer.export.story import Story, _rows
from bnpexplorer.export.texts import sample_behind
from bnpexplorer.plots.style import topic_colour
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.samples import load_sample
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import TracePoint
from tests.tools.export import at, small_result

CSV = "sample_data/small.csv"


@pytest.fixture(scope="module", autouse=True)
def in_repository(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(request.config.rootpath)
        yield


def plain(html):
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def learned(plan, corpus, steps):
    run = plan.split_and_start(corpus)
    for _ in range(steps):
        run.step()
    return run


# ---- the report ----------------------------------------------------------------------------------


def settings_of(result):
    table = report(result).split("<h3>Settings</h3>")[1].split("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', table, re.DOTALL)
    return [tuple(map(plain, row)) for row in rows]


def test_every_setting_of_a_report_is_that_of_its_run():
    loaded = load_with_report(CSV, settings={"min_df": 3, "extra_stop_words": "sea " * 300})
    plan = Plan.of("lda-gibbs", values={"n_topics": 7}, seed=5, batch_size=30, passes=90)
    plan = replace(plan, n_heldout=12, until="settled", minutes=45)
    run = learned(plan, loaded.corpus, 6)
    snapshot = replace(run.snapshot(), seconds=1234.56)
    result = result_of(run, run.moment(snapshot, run_id="ab12"), loaded.corpus, loaded.report)
    rows = settings_of(result)
    facts = dict(rows)
    assert len(facts) == len(rows)
    corpus = loaded.corpus
    assert rows[0] == ("Run", "ab12")
    assert facts["Texts"] == f"small.csv: 160 documents, {corpus.n_words} different words"
    assert facts["Held out"] == "12 documents"
    assert facts["Fingerprint of the corpus"] == corpus.fingerprint
    assert facts["Fingerprint without those held out"] == run.corpus.fingerprint
    assert facts["Method"] == f"lda-gibbs: {run.method.title}"
    assert (facts["Source"], facts["Model"]) == (run.method.source, run.method.model.title)
    for name, value in {**vars(run.method.model), **vars(run.method)}.items():
        if name != "model":
            assert facts[name] == str(value), name
    assert facts["n_topics"] == "7"
    assert (facts["Seed"], facts["Passes"], facts["Batch size"]) == (
        "5",
        "90 at most",
        "30 documents",
    )
    assert facts["It ends when"] == "it has settled, or several chains have met"
    assert (facts["Minutes at most"], facts["Order of reading"]) == ("45", "shuffled")
    assert facts["Protocol of the score"] == PROTOCOLS[run.protocol].sentence
    assert facts["Seconds of learning"] == "1,234.6", "at the moment that is shown"
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    assert facts["Made with"] == made
    assert facts["Words: min_df"] == "3"
    assert facts["Words: extra_stop_words"] == ("sea " * 300)[:1000].strip() + " …"
    assert facts["Words: drop_repeated"] == "False", "what is off is told, too"
    assert "Words: language" not in facts or facts["Words: language"]
    assert "Began from" not in facts


def test_what_a_run_was_not_given_is_said_to_be_none():
    plan = Plan.of("lda-svi", values={"n_topics": 7}, batch_size=1000, passes=2)
    run = plan.start(load(CSV))
    run.step()
    begun = replace(plan, start_from=run, order="stream").start(load(CSV))
    facts = dict(settings_of(result_of(run, run.moment(), load(CSV))))
    assert (facts["Held out"], facts["Protocol of the score"]) == ("none", "nothing was held out")
    assert (facts["Passes"], facts["Minutes at most"]) == ("2", "no limit")
    assert facts["It ends when"] == "all passes are read"
    assert facts["Batch size"] == "160 documents"
    assert "Run" not in facts
    assert not [name for name in facts if name.startswith("Words: ")]
    begun.step()
    facts = dict(settings_of(result_of(begun, begun.moment(), load(CSV))))
    assert facts["Began from"] == begun.given.said
    assert facts["Order of reading"] == "stream"
    assert facts["Protocol of the score"].startswith("Log likelihood per word of each mini-batch")


def test_texts_that_do_not_belong_to_a_run_have_no_fingerprint_in_its_report():
    run = learned(Plan.of("lda-svi", n_heldout=12), load(CSV), 1)
    facts = dict(settings_of(result_of(run, run.moment())))
    assert facts["Fingerprint of the corpus"] == "not known"
    assert facts["Fingerprint without those held out"] == run.corpus.fingerprint


def test_the_day_of_a_report_is_told_where_it_is_given():
    result = small_result("hdp-tsvi")
    assert "Made on" not in report(result)
    assert report(result, datetime.date(2026, 3, 9)).count("Made on 2026-03-09.") == 1


def test_one_topic_is_one_topic():
    result = small_result("hdp-tsvi")
    topics = result.snapshot.topics
    one = replace(topics, size=np.where(np.arange(len(topics)) == 0, 50.0, 0.0))
    alone = at(result, topics=one, docs_seen=1234)
    planned = 2 * result.run.corpus.n_docs
    said = lead(result.run, alone.moment)
    assert said.startswith(
        f"1 topic in use, by hdp-tsvi after 1,234 of {planned} documents; held-out log likelihood "
        f"per word −{-result.score:.2f}."
    )


@pytest.mark.parametrize(("n", "mapped"), [(2, 0), (3, 3), (60, 60), (61, 60)])
def test_a_map_has_the_largest_topics_where_there_are_three(n, mapped):
    result = small_result("hdp-svi")
    topics = result.snapshot.topics
    assert len(topics) > 61
    size = np.zeros(len(topics))
    size[np.random.default_rng(1).permutation(len(topics))[:n]] = 2.0 + np.arange(n)
    html = report(at(result, topics=replace(topics, size=size)))
    if not mapped:
        assert "Map of the topics" not in html
        return
    assert html.count('<circle class="topic"') == mapped
    assert f"The {mapped} largest topics, by their names." in html
    shares = np.sort(size)[::-1][:mapped] / size.sum()
    written = re.findall(r'<circle class="topic".*?<title>.*?, ([\d.]+) %</title>', html, re.DOTALL)
    assert written == [f"{100 * share:.1f}" for share in shares]


def test_every_circle_of_a_map_has_its_own_colour_and_the_largest_have_their_names():
    """Three names in one place: only that of the largest is written; one apart is written too."""
    inks = [(f"#00000{k}", f"#fffff{k}") for k in range(4)]
    points = np.array([[0.0, 0.0], [0.001, 0.0], [0.0, 0.001], [1.0, 1.0]])
    picture = topic_map(points, np.array([0.2, 0.4, 0.1, 0.3]), list("abcd"), inks, "x")
    circles = re.findall(r'class="topic" style="([^"]*)".*?<title>(\w),', picture, re.DOTALL)
    assert circles == [(f"--l:{inks[k][0]};--d:{inks[k][1]}", "abcd"[k]) for k in (1, 3, 0, 2)], (
        "the largest lies below"
    )
    assert re.findall(r'class="name"[^>]*>(\w)<', picture) == ["b", "d"]


def test_the_circles_and_the_rows_of_a_report_have_the_colours_of_their_topics():
    result = small_result("hdp-tsvi")
    html = report(result)
    for topic in result.moment.in_use[:5]:
        look = result.moment.look(topic)
        light, dark = topic_colour(look, False), topic_colour(look, True)
        assert html.count(f"--l:{light};--d:{dark}") >= 2


def test_several_runs_in_one_figure_have_no_births_and_each_its_colour_and_end():
    one, two = small_result("hdp-tsvi", steps=5), small_result("hdp-svi", steps=5)
    drawn = [DrawnRun("first", one.moment, 0), DrawnRun("second", two.moment, 3)]
    both = curves_of(drawn, "As it is.", -7.25, x_end=5000.0)
    assert "Triangles" not in both
    assert both.count(" born") == 0
    assert curves_of(drawn[:1], "", None).count("<title>") >= 1
    ends = re.findall(r'class="end ink"[^>]*>(\w+)\s*<tspan[^>]*>([^<]*)<', both)
    assert ends == [
        ("first", f"{one.score:.2f}".replace("-", "−")),
        ("second", f"{two.score:.2f}".replace("-", "−")),
        ("first", str(one.snapshot.trace[-1].n_topics)),
        ("second", str(two.snapshot.trace[-1].n_topics)),
    ]
    assert both.count(">5,000</text>") == 2, "both axes have room for what is planned"


def heights_of(*curves, level=None, x_end=0.0):
    """The numbers on both axes of a chart."""
    chart = line_chart([*curves], "x", "y", "z", level, x_end)
    up = re.findall(r'text-anchor="end">([−\d.,]+)<', chart)
    across = re.findall(r'y="[\d.]+" text-anchor="middle">([\d.,]+)<', chart)
    return [[float(n.replace("−", "-").replace(",", "")) for n in one] for one in (up, across)]


def drawn(y, steps=False):
    return DrawnCurve("a", [0.0, 50.0], list(y), ("#000", "#fff"), steps)


def test_axes_begin_at_nothing_unless_numbers_lie_below_and_have_room_for_all():
    up, across = heights_of(drawn([0.0, 8.0]))
    assert (up[0], across[0], across[-1]) == (0.0, 0.0, 50.0)
    assert 8.0 <= up[-1] + (up[1] - up[0]) <= 12.0
    assert heights_of(drawn([5.0, 8.0]))[0][0] == 0.0
    up, _ = heights_of(drawn([-7.4, -7.0]))
    assert -7.45 < up[0] <= -7.3
    assert up[-1] <= -6.95
    up, _ = heights_of(drawn([-7.0, -7.0]))
    assert (min(up), max(up)) == (-7.4, -6.6), "half a unit around one number"
    up, _ = heights_of(drawn([-7.4, -7.0]), level=Level("word frequencies", -9.0))
    assert up[0] == -9.0
    assert heights_of(drawn([1.0, 2.0]), x_end=200.0)[1][-1] == 200.0
    assert heights_of(drawn([1.0, 2.0]), x_end=20.0)[1][-1] == 50.0
    assert heights_of(drawn([0.0, 1.0], True))[0] == [0.0, 1.0], "counts are whole"
    assert 0.4 in heights_of(drawn([0.0, 1.0], True), drawn([0.0, 1.0]))[0]


def test_a_long_curve_is_drawn_from_its_first_point_to_its_last():
    n = 5000
    curve = DrawnCurve("a", list(range(n)), [i % 7 for i in range(n)], ("#000", "#fff"))
    path = re.search(r'class="curve"[^>]* d="M([^"]*)"', line_chart([curve], "x", "y", "z"))[1]
    across = [float(point.split()[0]) for point in path.split("L")]
    assert len(across) == 400
    assert (across[0], across[-1]) == (LEFT, WIDTH - RIGHT)
    assert np.ptp(np.diff(across)) < 0.3, "evenly"


@pytest.mark.parametrize(("place", "side"), [(0, "start"), (5, "middle"), (9, "end")])
def test_the_peak_of_a_line_through_time_is_named_where_there_is_room(place, side):
    shares = np.full(10, 0.1)
    shares[place] = 0.4
    picture = time_line(shares, [f"d{i}" for i in range(10)], ("#000", "#fff"), "x")
    assert re.findall(r'text-anchor="(\w+)">40\.0 % d(\d)<', picture) == [(side, str(place))]


def test_a_share_through_time_fills_the_height_and_one_alone_is_a_dot():
    picture = time_line(np.array([0.02, np.nan, 0.01]), list("abc"), ("#000", "#fff"), "x")
    assert picture.count("<circle") == 2 + 1, "each stands alone; and the peak"
    tops = [float(y) for y in re.findall(r'cy="([\d.]+)"', picture)]
    assert min(tops) == 26.0, "the highest, however small"


def test_only_curves_that_are_still_drawn_have_room_for_what_is_to_come():
    result = small_result("hdp-tsvi", steps=3)
    run, moment = result.run, result.moment
    room = [
        max(float(n.replace(",", "")) for n in re.findall(r'middle">([\d,]+)</text>', html))
        for html in (curves(run, moment, None), curves(run, moment, None, to_the_end=True))
    ]
    assert room[0] <= moment.snapshot.docs_seen == 120
    assert 200 <= room[1] <= moment.planned_docs == 288


def test_a_score_says_how_it_was_made():
    assert protocol_sentence("") == ""
    assert protocol_sentence("stream").startswith("Log likelihood per word of each mini-batch")
    for name, protocol in PROTOCOLS.items():
        assert protocol_sentence(name) == protocol.sentence


# ---- its story -----------------------------------------------------------------------------------


def story_of(dates=None, labels=None, n=6):
    """Of some texts with these dates and labels."""
    counts = np.tile(np.eye(3, dtype=int) * 4 + 1, (n // 3, 1))
    docs = DocTable(
        date=None if dates is None else np.array(dates, "datetime64[D]"),
        label=None if labels is None else strings(labels),
    )
    corpus = Corpus.from_csr(counts, ("sea", "hill", "wave"), docs)
    run = Plan.of("lda-svi", values={"n_topics": 2}, passes=1).start(corpus)
    run.step()
    return Story(result_of(run, run.moment(), corpus))


def test_the_texts_of_a_story_are_told_by_their_days_and_labels():
    days = ["2014-03-02", "NaT", "2012-01-30", "2013-05-05", "NaT", "2013-01-01"]
    words = plain(story_of(days, list("bbabcb"))._texts())
    assert words == (
        "The texts 6 texts with 42 words that count, 3 different ones; from 30 January 2012 to "
        "2 March 2014 (2 without a date); labelled b (4), a (1), c (1)."
    )
    words = plain(story_of(["2014-03-02"] * 6, list("abcdef"))._texts())
    assert "; of 2 March 2014; " in words
    assert words.endswith(" and 3 more.")
    assert plain(story_of(["NaT"] * 6)._texts()).endswith("3 different ones.")


@pytest.mark.parametrize(
    ("period", "told"),
    [
        ("day", "2014-10-06"),
        ("week", "2014-10-06"),
        ("month", "2014-10"),
        ("quarter", "2014-10"),
        ("year", "2014"),
        ("10 years", "2014"),
    ],
)
def test_a_period_is_told_by_its_first_day_as_far_as_that_tells(period, told):
    story = story_of()
    story.period = period
    assert story._day(np.datetime64("2014-10-06")) == told


@pytest.mark.parametrize(
    ("period", "by"), [("year", "by year"), ("10 years", "in periods of 10 years")]
)
def test_a_line_through_time_says_by_which_periods(period, by):
    story = story_of([f"{1950 + 10 * i}-01-01" for i in range(6)])
    story.period = period
    topic = story.told[0]
    html = story._topics()
    assert html.count(f"Share of the words {by};") == len(story.told)
    assert f"Share of {story._name(topic)} by {period}." in html


def test_every_number_of_a_story_is_of_its_words_and_of_texts_not_of_their_passages(monkeypatch):
    asked = {}
    for name in ("turns", "changes", "prevalence", "group_means"):
        work = getattr(telling, name)

        def spy(*given, name=name, work=work, **named):
            told = inspect.signature(work).bind(*given, **named).arguments
            asked.setdefault(name, []).append((told.get("weights"), told.get("units")))
            return work(*given, **named)

        monkeypatch.setattr(telling, name, spy)
    made = story_of([f"{2001 + i}-01-01" for i in range(6)], list("aabbab"))
    made.units = np.array([0, 0, 1, 1, 2, 2])
    made.sections()
    n_topics = len(made.told)
    assert {name: len(found) for name, found in asked.items()} == {
        "turns": 1,
        "changes": 1,
        "prevalence": 1,
        "group_means": n_topics,
    }
    for weights, units in itertools.chain.from_iterable(asked.values()):
        np.testing.assert_array_equal(weights, [7.0] * 6)
        assert units is made.units


def test_one_period_is_no_line_and_a_label_without_documents_no_row():
    story = story_of(["2014-03-02"] * 6, list("bbabcb"))
    assert "<figcaption>Share of the words by day" not in story._topics()
    rows = _rows(["a", "b"], *(np.array([[0.5], [np.nan]]) for _ in range(3)))
    assert rows == [("a", 0.5, 0.5, 0.5)]


def test_a_passage_names_its_text_and_two_facts_of_it():
    loaded = load_with_report(CSV)
    corpus = loaded.corpus
    run = learned(Plan.of("lda-svi", values={"n_topics": 3}), corpus, 2)
    story = Story(result_of(run, run.moment(corpus=corpus), corpus, loaded.report))
    sources = [source for _, source in story._passages(story.told[0])]
    assert len(sources) == 3
    told = [
        " · ".join([title_of(corpus, row), *facts_of(corpus, row)[:2]])
        for row in range(corpus.n_docs)
    ]
    assert set(sources) <= set(told)
    assert all(source.count(" · ") >= 1 for source in sources)


def test_documents_count_alike_in_clusters_and_words_in_topics():
    clusters, topics = Story(small_result("dpm-tsvi")), Story(small_result("lda-svi"))
    assert (clusters.weights, clusters.of) == (None, "of the documents")
    assert topics.of == "of the words"
    np.testing.assert_array_equal(topics.weights, topics.result.corpus.doc_lengths)


def test_every_topic_has_its_own_passages(monkeypatch):
    monkeypatch.setattr(Story, "_passages", lambda story, topic: [(f"passage {topic}", "a source")])
    story = Story(small_result("hdp-tsvi"))
    assert len(story.told) > 2
    quoted = re.findall(r"<blockquote>passage (\d+)<", story._topics())
    assert [int(topic) for topic in quoted] == story.told[:12]


def test_of_what_differs_between_labels_the_three_clearest_are_told_where_they_are_sure(
    monkeypatch,
):
    seen = []

    def changes(shares, one, other, *_, columns, **__):
        seen.append((one.tolist(), other.tolist(), len(columns)))
        return SimpleNamespace(order=np.array([2, 0, 1, 3]), sure=np.array([0.0, 1.0, -1.0, 1.0]))

    module = "bnpexplorer.export.story"
    monkeypatch.setattr(f"{module}.changes", changes)
    monkeypatch.setattr(
        f"{module}.change_sentence", lambda name, found, k, sides, _: (name, k, sides)
    )
    story = story_of(None, list("bbabcb"))
    story.told = [7, 8, 9, 10]
    monkeypatch.setattr(story, "_name", lambda topic: f"topic {topic}")
    story.moment = SimpleNamespace(row={7: 0, 8: 1, 9: 0, 10: 1})
    said = story._between_labels()
    assert [(name, k) for name, k, _ in said] == [("topic 9", 2), ("topic 8", 1)]
    assert {sides for *_, sides in said} == {Sides("b", "a", labels=True)}
    of_b, of_a = [label == "b" for label in "bbabcb"], [label == "a" for label in "bbabcb"]
    assert seen == [(of_b, of_a, 4)]


@pytest.mark.second
def test_topics_beyond_the_twelve_largest_are_counted():
    result = small_result("hdp-svi")
    topics = result.snapshot.topics
    for n, said in ((13, "The table at the end has the other 1."), (12, "")):
        size = np.zeros(len(topics))
        size[:n] = 2.0 + np.arange(n)
        labels = replace(result, moment=replace(result.moment, labels=Labels()))
        story = Story(at(labels, topics=replace(topics, size=size)))
        words = plain(story._topics())
        assert (said in words) == bool(said) or "The table at the end" not in words
        assert ("The table at the end" in words) == (n == 13)
        heads = re.findall(r"<h3>.*?</span>(.*?) <span", str(story._topics()), re.DOTALL)
        assert heads == [story._name(topic) for topic in story.told[:12]]


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


# ---- tables --------------------------------------------------------------------------------------


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
    moment = at(result, docs_seen=1234, step=5678)
    run, readme = result.run, frames(moment)[1]
    assert f"method        hdp-tsvi ({run.method.title}; {run.method.source})\n" in readme
    values = [f"{n}={v}" for part in (run.method.model, run.method) for n, v in vars(part).items()]
    settings = ", ".join(value for value in values if not value.startswith("model="))
    assert f"settings      {settings}\n" in readme
    assert (
        "run           seed 0, 2 passes, 40 documents a step, shuffled\n"
        f"              1,234 of {run.planned_docs:,} documents read, 5,678 steps\n"
        f"corpus        small.csv, fingerprint {result.corpus.fingerprint}\n"
        f"              without those held out: {run.corpus.fingerprint}\n"
    ) in readme
    assert f"Score: {PROTOCOLS[run.protocol].sentence}\n" in readme
    everything = small_result("hdp-tsvi", held_out=False)
    assert "Score: Nothing was held out, so there is no score.\n" in frames(everything)[1]


# ---- scripts -------------------------------------------------------------------------------------


@pytest.mark.second
def test_a_drawn_sample_is_known_by_the_seed_that_drew_it():
    for seed in (0, 4):
        corpus = load_sample("hdp-draw", seed).corpus
        run = learned(Plan.of("lda-svi", values={"n_topics": 3}, seed=4), corpus, 1)
        result = result_of(run, run.moment(), corpus)
        assert sample_behind(result) == ("hdp-draw", seed)
        assert sample_of_run(run).fingerprint == corpus.fingerprint
        assert f"corpus = load_sample('hdp-draw', seed={seed}).corpus" in script(result)
        assert not needs_texts(result)
    other = load_sample("hdp-draw", 5).corpus
    run = learned(Plan.of("lda-svi", values={"n_topics": 3}, seed=4), other, 1)
    assert sample_behind(result_of(run, run.moment(), other)) is None
    assert sample_of_run(run) is None


def test_a_run_that_began_at_topics_needs_them_though_its_texts_are_a_sample():
    corpus = load(CSV)
    first = learned(Plan.of("lda-svi", values={"n_topics": 3}), corpus, 1)
    run = learned(Plan.of("lda-gibbs", passes=1, start_from=first), corpus, 1)
    result = result_of(run, run.moment(), corpus)
    assert sample_behind(result) == ("small-csv", 0)
    assert needs_texts(result)
    with zipfile.ZipFile(io.BytesIO(recreation(result))) as archive:
        assert archive.namelist() == ["run.py", "run.ipynb", "CITATION.bib", "texts.zip"]


@pytest.mark.parametrize("place", [0, 1])
def test_the_first_of_several_chains_is_made_by_their_plan_and_another_by_its_own(place):
    corpus = load(CSV)
    plan = Plan.of("lda-gibbs", values={"n_topics": 3}, seed=6, passes=8, until="settled")
    run = learned(plan, corpus, 1)
    run.chain = ChainOf("group", place, 3)
    text = script(result_of(run, run.moment(), corpus))
    first = place == 0
    assert ("from dataclasses import replace" in text) == first
    assert ("run = replace(plan, chains=1, until='passes').start(train, heldout)" in text) == first
    assert ("run = plan.start(train, heldout)" in text) == (not first)
    assert ("    chains=3," in text) == first
    assert ("    until='settled'," in text) == first
    assert "    seed=6," in text
