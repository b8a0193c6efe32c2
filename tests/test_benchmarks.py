"""The comparison with other programs: same documents for all, one scorer for all. Nothing timed."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import compare, defaults, intervals, measure, pace, plain_mixture, starts
from benchmarks.peers import GROUPS, Contestant, Learner, Own, Settings, SklearnLda, topics_of
from benchmarks.scale import threads
from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.evaluate import score, split_heldout, unigram_score
from bnpexplorer.methods import METHODS
from bnpexplorer.models import MODELS
from bnpexplorer.plugins.interchange import bags_of
from bnpexplorer.runs import recommend as recommending
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample

SMALL = Settings("lda", n_topics=8, alpha=0.2, eta=0.1, tau=1.0, kappa=0.6, batch_size=64, passes=2)
OURS, THEIRS = "lda-svi", "scikit-learn online LDA"


@pytest.fixture(scope="module")
def texts():
    """300 documents of five topics over 200 words."""
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(200, 0.1), 5)
    counts = [rng.multinomial(80, rng.dirichlet(np.full(5, 0.2)) @ topics) for _ in range(300)]
    return Corpus.from_csr(np.array(counts))


def learned(learner, corpus, seed=0):
    """The documents of every batch, and the topics at the end."""
    seen, topics = [], None
    learner.start(corpus, seed)
    for batch in measure.batches(learner, corpus, 2, SMALL.batch_size, seed):
        learner.learn(learner.prepare(batch))
        seen.append(batch.rows.tolist())
        topics = learner.topics()
    return seen, topics


def test_identical_topics_get_identical_scores_whoever_made_them(texts, tmp_path):
    train, heldout = split_heldout(texts, seed=0)
    ours = Own(SMALL, "lda-svi")
    theirs = SklearnLda(SMALL)
    _, topics = learned(ours, train)
    _, other = learned(theirs, train)
    model = MODELS["lda"]()
    expected = score(model, topics, heldout)
    assert expected > unigram_score(train, heldout) + 0.1
    assert score(model, other, heldout) != pytest.approx(expected, abs=1e-4)
    theirs.lda.components_ = topics.total[:, None] * topics.topic_word
    assert score(model, theirs.topics(), heldout) == pytest.approx(expected, abs=1e-7)
    measure.write_topics(tmp_path / "topics.npz", topics)
    assert score(model, measure.read_topics(tmp_path / "topics.npz"), heldout) == expected
    # A topic model and an HDP with these weights and this concentration are scored alike.
    assert score(MODELS["hdp"](), topics, heldout) == expected


def test_an_untrained_program_would_score_like_guessing(bars):
    """The scorer looks at the topics: uniform ones give every word 1 / V."""
    _, heldout = split_heldout(bars[0], seed=0)
    flat = topics_of(np.ones((3, 25)), np.ones(3), 0.6)
    assert score(MODELS["lda"](), flat, heldout) == pytest.approx(-np.log(25), rel=1e-6)


@pytest.mark.second
def test_everyone_reads_the_same_documents_in_the_same_order(bars):
    corpus = bars[0]
    ours, _ = learned(Own(SMALL, "lda-svi"), corpus, seed=3)
    theirs, _ = learned(SklearnLda(SMALL), corpus, seed=3)
    assert ours == theirs
    n_batches = -(-corpus.n_docs // 64)
    assert len(ours) == 2 * n_batches
    first, second = np.concatenate(ours[:n_batches]), np.concatenate(ours[n_batches:])
    assert sorted(first) == sorted(second) == list(range(corpus.n_docs))
    assert first.tolist() != second.tolist()
    assert learned(SklearnLda(SMALL), corpus, seed=4)[0] != theirs


def test_settings_reach_our_methods():
    settings = GROUPS["hdp"].settings
    method = Own(settings, "hdp-svi", start="random").method
    assert (method.model.gamma, method.model.alpha, method.model.eta) == (1.0, 1.0, 0.01)
    assert (method.truncation, method.doc_truncation, method.max_iterations) == (150, 15, 5)
    assert (method.tau, method.kappa, method.start) == (64.0, 1.0, "random")
    assert str(settings) == (
        "n_topics 150, alpha 1, eta 0.01, tau 64, kappa 1, gamma 1, doc_truncation 15, "
        "max_iterations 5, batch_size 256, passes 1, sweeps 100"
    )


def test_documents_as_lists_of_pairs():
    corpus = Corpus.from_csr([[0, 2, 1], [3, 0, 0]])
    assert bags_of(corpus) == [[(1, 2), (2, 1)], [(0, 3)]]


@pytest.mark.parametrize(("n_steps", "due"), [(1, {1}), (2, {1, 2}), (13, {1, 2, 4, 8, 13})])
def test_checkpoints_double_and_end_at_the_end(n_steps, due):
    assert measure.checkpoints(n_steps) == due


def test_a_program_that_sweeps_is_asked_once_a_sweep(bars):
    class Sweeper(Learner):
        sweeps = True
        calls = 0

        def start(self, corpus, seed):
            self.n_docs = corpus.n_docs

        def prepare(self, batch):
            return batch.docs.n_docs

        def learn(self, prepared):
            assert prepared == self.n_docs
            self.calls += 1

        def topics(self):
            return topics_of(np.ones((1, 25)), [1.0], 1.0)

    learner = Sweeper(replace(SMALL, sweeps=5))
    points = [p for p, _ in measure.run(learner, bars[0], learner.settings, 0)]
    assert learner.calls == 5
    assert [p["documents"] for p in points] == [300, 600, 1200, 1500]


@pytest.fixture(scope="module")
def comparison(texts):
    """Two runs of two programs, the first in processes of their own, the second in this one, and
    what was said meanwhile."""
    group = replace(GROUPS["lda"], settings=SMALL)
    absent = Contestant("absent", SklearnLda, "no_such_package")
    group = replace(group, contestants=(*group.contestants, absent))
    said = []
    alone = compare.measure

    def measured(*what):
        return (measure.main if what[-1] else alone)(*what)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "measure", measured)
        runs = compare.compare(texts, {"lda": group}, 2, only=(OURS, THEIRS), say=said.append)
    return group, runs, said


@pytest.mark.second
def test_every_program_is_run_in_turn(comparison):
    _, runs, said = comparison
    assert [(r.contestant, r.seed) for r in runs] == [
        (OURS, 0),
        (THEIRS, 0),
        (OURS, 1),
        (THEIRS, 1),
    ]
    for run in runs:
        assert [p["documents"] for p in run.points] == [64, 128, 256, 270 + 3 * 64, 540]
        seconds = [p["seconds"] for p in run.points]
        assert 0 < run.start < seconds[0]
        assert seconds == sorted(seconds)
        assert run.rate_with_start == 540 / seconds[-1] < run.rate
        assert run.memory >= run.memory_before > 10
    unigram = float(next(line for line in said if "alone" in line).split()[-1])
    assert all(run.points[-1]["heldout"] > unigram + 0.2 for run in runs)
    assert any("absent; install with" in line for line in said)


@pytest.mark.second
def test_the_tables_say_what_was_measured(comparison, tmp_path):
    group, runs, _ = comparison
    lines = compare.table(runs)
    assert [line.split("|")[1].strip() for line in lines[2:]] == [OURS, THEIRS]
    ours, theirs = runs[0], runs[1]
    ratio = compare.ratios(group, runs[:2])
    assert f"{OURS} / {THEIRS}: documents/s x {ours.rate / theirs.rate:.1f}" in ratio[0]
    gain = ours.points[-1]["heldout"] - theirs.points[-1]["heldout"]
    assert f"score {gain:.3f} higher" in ratio[0]
    whole = ours.rate_with_start / theirs.rate_with_start
    assert f"with the start x {whole:.1f};" in ratio[0]
    assert len(compare.curves(runs)[0].split(";")) == 5
    compare.write_csv(tmp_path / "all.csv", runs)
    with (tmp_path / "all.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 5
    assert float(rows[4]["heldout"]) == ours.points[-1]["heldout"]


def test_spread_is_the_median_with_the_extremes():
    assert compare.spread([3.0, 1.0, 2.0], 1) == "2.0 (1.0 to 3.0)"
    assert compare.spread([1234.5], 0) == "1,234"


def test_a_wrong_corpus_is_refused_in_one_sentence(capsys):
    assert compare.main(["--corpus", "sample:nothing", "--runs", "1"]) == 2
    assert "No sample is called 'nothing'" in capsys.readouterr().err


def test_starts_are_held_against_labels_and_make_a_row():
    rng = np.random.default_rng(2)
    topics = rng.dirichlet(np.full(60, 0.05), 4)
    z = np.arange(200) % 4
    counts = rng.multinomial(30, topics[z])
    docs = DocTable(label=np.array([f"subject {k}" for k in z], dtype=object))
    found = starts.reached("dpm-gibbs", "default", Corpus.from_csr(counts, docs=docs), seed=0)
    assert found.n_topics == 4
    assert found.information == pytest.approx(1.0)
    line = starts.row("dpm-gibbs", "default", [found, replace(found, seconds=1e9), found])
    assert line.startswith("| `dpm-gibbs`, default | 4 | ")
    assert "| 1.00 |" in line
    assert f"| {found.seconds:.1f} |" in line, "the median, not the longest"
    plain = starts.reached("dpm-gibbs", "neal-2000", Corpus.from_csr(counts), seed=0)
    assert np.isnan(plain.information)
    assert "|  |" in starts.row("dpm-gibbs", "neal-2000", [plain])


def test_the_pace_of_every_sampler_is_stated(texts, monkeypatch):
    """With our own sampler in the place of the other program's, which need not be installed."""
    monkeypatch.setattr(pace, "TomotopyLda", lambda settings: Own(settings, "lda-gibbs"))
    found = pace.measured(texts, n_topics=8, sweeps=1, runs=2)
    assert [len(found[name]) for name in pace.contestants(8)] == [2, 2, 2]
    assert min(min(times) for times in found.values()) > 0.0
    assert pace.main(["no-such-file.txt"]) == 2


def test_the_tables_of_defaults_are_of_the_runs_kept_and_the_plan_names_them():
    lines = [json.loads(line) for line in defaults.KEPT.read_text().splitlines()]
    told = (defaults.KEPT.parent / "README.md").read_text()
    assert defaults.tables(lines) in told
    assert defaults.check_tables(lines) in told
    assert len({line["corpus"] for line in lines}) >= 6
    found = {(line["method"], line["corpus"]): line for line in lines}
    for corpus, topics in (("articles", "from 29 topics to 8"), ("bars", "from 172 to 91")):
        few, many = found["hdp-gibbs, 100 passes", corpus], found["**hdp-gibbs**", corpus]
        assert re.findall(r"\d+", topics) == [str(few["topics"]), str(many["topics"])]
        scores = f"{few['score']:.3f} to {many['score']:.3f}"
        said = " ".join(Path(recommending.__file__).read_text().split())
        assert re.search(rf"{topics} \((score )?{scores}\)", said)


def test_a_run_of_the_recommended_plan_makes_a_line():
    corpus, name, plan = next(defaults.alternatives("sample:small-csv", 30, 0.01))
    line = defaults.measured(corpus, name, replace(plan, passes=2))
    assert (line["corpus"], line["method"]) == (corpus.name, "**hdp-gibbs**")
    assert corpus.n_docs == 30
    assert line["topics"] >= 1
    assert f"| **hdp-gibbs** | {line['score']:.3f} ({line['topics']}) |" in defaults.tables([line])


def test_every_default_that_was_checked_is_worth_starting_or_cautions():
    lines = [json.loads(line) for line in defaults.KEPT.read_text().splitlines()]
    found = [line for line in lines if "gain" in line]
    assert {line["method"] for line in found} == {*METHODS.ours}
    assert len({line["corpus"] for line in found}) >= 10
    for line in found:
        assert line["cautioned"] == (line["words"] < METHODS[line["method"]].too_short), line
        assert line["gain"] > 0.0 or line["cautioned"], line
        assert line["points"] >= 10 or line["converged"], line
    failed = {line["method"] for line in found if line["gain"] <= 0.0}
    assert failed == {name for name in METHODS.ours if METHODS[name].too_short}, "by a figure each"


@pytest.mark.second
def test_a_default_that_ends_too_soon_is_told_by_its_rank():
    """A chain of two passes stands below all that it comes to; one of 150 among them."""
    corpus = load_sample("small-csv").corpus

    def ranked(passes):
        run = Plan.of("lda-gibbs", passes=passes).split_and_start(corpus)
        return defaults.rank(run, defaults.log_joints(run))

    assert ranked(2) == 0.0
    assert 0.1 < ranked(150) < 0.9


@pytest.mark.second
def test_a_check_tells_of_the_worst_seed_and_of_what_is_cautioned():
    corpus = defaults.read_alone(load_sample("sotu").corpus, 120)
    line = defaults.checked(corpus, "hdp-memoized", seeds=2, longer=False)
    runs = [Plan.of("hdp-memoized", seed=s).split_and_start(corpus) for s in (0, 1)]
    for run in runs:
        defaults.log_joints(run)
    gains = [run.history[-1].heldout - unigram_score(run.corpus, run.heldout) for run in runs]
    assert line["gain"] == round(min(gains), 3)
    assert (line["points"], line["rank"], line["cautioned"]) == (40, None, True)
    assert corpus.n_docs <= 120
    assert (corpus.word_docs >= 2).all(), "as if these were all"
    table = defaults.check_tables([line])
    assert f"| hdp-memoized | {line['gain']:+.3f}! |" in table
    assert "State of the Union (" in table


def test_a_section_of_the_page_on_scale_is_put_in_the_place_of_the_last(tmp_path):
    page = tmp_path / "scale.md"
    threads.put(page, "threads", "first\n")
    page.write_text(page.read_text(encoding="utf-8") + "by hand\n", encoding="utf-8")
    threads.put(page, "clusters", "other\n")
    threads.put(page, "threads", "second\n")
    lines = page.read_text(encoding="utf-8").splitlines()
    kept = ["second", "<!-- end of threads -->", "by hand", "<!-- clusters -->", "other"]
    assert lines == [
        "# How far it goes", "", "<!-- threads -->", *kept, "<!-- end of clusters -->"
    ]  # fmt: skip


def test_a_row_of_threads_has_medians_of_ratios_of_the_same_turn():
    task = threads.Task("lda-svi", 2048, 3, 500, Path("counts"), Path("words"))
    turns = [
        threads.Turn(threads.Learned(one, -7.5, "a"), threads.Learned(two, -7.5, "a"), both)
        for one, two, both in [(100.0, 180.0, 200.0), (50.0, 60.0, 100.0), (10.0, 19.0, 20.0)]
    ]
    cells = [cell.strip() for cell in threads.row(task, turns).split("|")[1:-1]]
    assert cells == [
        "`lda-svi`", "2,048", "50", "60", "100",
        "1.80 (1.20 to 1.90)", "0.90 (0.60 to 0.95)", "-7.5000",
    ]  # fmt: skip


def test_two_threads_that_learn_other_numbers_end_the_measurement(monkeypatch, tmp_path):
    task = threads.Task("lda-svi", 2048, 3, 500, Path("counts"), Path("words"))

    def learn(task, n_threads, n_processes, folder):
        return [threads.Learned(10.0, -7.5, f"bits of {n_threads}")] * n_processes

    monkeypatch.setattr(threads, "learn", learn)
    with pytest.raises(AssertionError, match="lda-svi: two threads learned other numbers than one"):
        threads.turn(task, tmp_path)


def test_the_plain_sampler_of_clusters_finds_those_of_separate_subjects():
    words = np.kron(np.eye(3), np.full(8, 1 / 8))
    rng = np.random.default_rng(0)
    rows = np.array([rng.multinomial(9, words[d % 3]) for d in range(90)])
    (_, ours), (_, theirs) = plain_mixture.pair(Corpus.from_csr(rows), "default", 40, 1)
    assert ours == theirs == 3


@pytest.mark.second
@pytest.mark.parametrize(
    ("table", "rows"),
    [(intervals.word_table, 15), (intervals.share_table, 16), (intervals.sure_table, 10)],
)
def test_tables_of_intervals_have_a_row_a_world_and_are_made_again_with_equal_numbers(
    monkeypatch, table, rows
):
    monkeypatch.setattr(intervals, "SIDES", {"9 and 9": (9, 9), "3 months of 9": (9, 9, 9)})
    head, rule, *cells = table(1)
    assert len(cells) == rows
    assert len({line.count("|") for line in (head, rule, *cells)}) == 1
    assert [head, rule, *cells] == table(1)


def test_true_shares_of_simulated_worlds_sum_to_one_and_change_where_they_are_told_to():
    found = intervals.world("mixed", (4, 4), 2.0, np.random.default_rng(0))
    np.testing.assert_allclose(found.true.sum(axis=1), 1.0)
    before, after = found.true
    np.testing.assert_allclose(after[intervals.CHANGED], 2.0 * before[intervals.CHANGED])
    np.testing.assert_allclose(after[9:], before[9:])
