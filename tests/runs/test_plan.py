"""A plan: what it leaves open, what it refuses, and that its runs are those of the long way."""

from dataclasses import asdict, fields, replace

import numpy as np
import pytest

from benchmarks.fingerprints import fingerprint
from bnpexplorer import METHODS, Plan, Run, make_method, split_heldout
from bnpexplorer.checks.expecting import draw_bars
from bnpexplorer.corpus import Corpus, CorpusError
from bnpexplorer.evaluate import default_protocol
from bnpexplorer.inference.pool import Threads
from bnpexplorer.runs.plan import MOST_LASTING


@pytest.fixture(scope="module")
def texts():
    return draw_bars(60, seed=4)[0]


def learned(run):
    while not run.done:
        run.step()
    return fingerprint(run.state, run.snapshot(with_kept=True))


def words(n_docs):
    """Documents of two words each."""
    return Corpus.from_csr(np.tile([[1, 2, 0], [0, 1, 1]], (n_docs // 2, 1)))


def test_a_run_of_a_plan_is_that_of_the_long_way(texts):
    plan = Plan.of("hdp-tsvi", values={"eta": 0.2}, seed=3, batch_size=20, passes=2, n_heldout=9)
    method = make_method("hdp-tsvi", "default", {"eta": 0.2})
    protocol = default_protocol("hdp", texts)
    train, heldout = split_heldout(texts, 3, 9, protocol)
    assert learned(plan.split_and_start(texts)) == learned(
        Run(method, train, 3, 20, 2, heldout=heldout)
    )
    assert learned(plan.start(texts)) == learned(Run(method, texts, 3, 20, 2))


def test_a_run_begins_at_nothing_and_has_its_name_and_pool(texts):
    with Threads(1) as pool:
        run = Plan.of("lda-svi").split_and_start(texts, "mine", pool)
        assert (run.docs_seen, run.name, run.pool) == (0, "mine", pool)
        assert run.corpus.n_docs + run.heldout.whole.n_docs == texts.n_docs
        everything = Plan.of("lda-svi", n_heldout=5).start(texts)
        assert (everything.docs_seen, everything.name) == (0, "lda-svi")
        assert (everything.corpus, everything.heldout) == (texts, None)


WAYS = [(name, "shuffled") for name in METHODS]
WAYS += [(name, "stream") for name, method in METHODS.items() if method.batching != "fixed"]


@pytest.mark.parametrize(("name", "order"), WAYS)
def test_a_settled_plan_is_that_of_its_run(texts, name, order):
    for preset in METHODS[name].presets:
        plan = Plan.of(name, preset, order=order)
        run = plan.split_and_start(texts)
        assert Plan.of_run(run) == plan.settled(texts)
        assert plan.settled(texts).settled(texts) == plan.settled(texts)
        assert plan.n_to_learn(texts) == run.corpus.n_docs == 54


@pytest.mark.parametrize("name", METHODS)
def test_all_settings_by_name_make_the_method_again(name):
    for preset in METHODS[name].presets:
        method = make_method(name, preset)
        own = {f.name: getattr(method, f.name) for f in fields(method) if f.name != "model"}
        of_model = asdict(method.model)
        assert not own.keys() & of_model.keys(), "one mapping holds both"
        assert Plan.of(name, values=of_model | own).method == method


@pytest.mark.parametrize(
    ("n_docs", "n_heldout", "passes"),
    [(1000, None, 34), (1000, 250, 40), (1000, 1, 31), (6000, None, 6), (60, None, 40)],
)
def test_passes_are_suggested_for_the_documents_to_learn(n_docs, n_heldout, passes):
    plan = Plan.of("lda-svi", n_heldout=n_heldout)
    assert plan.split_and_start(words(n_docs)).passes == passes
    assert plan.settled(words(n_docs)).passes == passes


def test_what_was_chosen_is_not_suggested(texts):
    assert Plan.of("lda-svi", passes=3).passes_for(1000, 50.0) == 3
    assert Plan.of("lda-gibbs", passes=3).passes_for(10, 5.0) == 3
    assert Plan.of("lda-svi").start(words(1000)).passes == 30, "all are learned"
    assert Plan.of("hdp-svi", "wang-2011").passes_for(1000, 50.0) == (
        METHODS["hdp-svi"].presets["wang-2011"].passes
    )
    assert Plan.of("lda-svi", order="stream", passes=3).passes_for(1000, 50.0) == 1
    assert Plan.of("dpm-sumo").passes_for(1000, 50.0) == 1
    paper = Plan.of("hdp-svi", "wang-2011")
    assert paper.batch_for(1000) == METHODS["hdp-svi"].presets["wang-2011"].batch_size
    assert Plan.of("hdp-svi", batch_size=7).start(texts).batch_size == 7


@pytest.mark.parametrize(
    ("n_docs", "length", "passes"),
    [(30, 10.0, 1000), (900, 100.0, 444), (1600, 100.0, 250), (4001, 100.0, 100)],
)
def test_a_sampler_reads_few_texts_until_its_chain_has_had_time(n_docs, length, passes):
    assert Plan.of("lda-gibbs").passes_for(n_docs, length) == passes
    assert Plan.of("lda-gibbs", "griffiths-steyvers-2004").passes_for(n_docs, length) == 2000


def test_its_passes_are_the_same_before_and_after_documents_are_held_out():
    lengths = np.random.default_rng(0).integers(1, 900, (300, 2))
    corpus = Corpus.from_csr(lengths, ("a", "b"))
    for seed in range(5):
        plan = Plan.of("lda-gibbs", seed=seed, n_heldout=100)
        passes = plan.settled(corpus).passes
        assert passes == plan.split_and_start(corpus).passes
        assert 100 < passes < MOST_LASTING


@pytest.mark.parametrize(
    ("n_docs", "size"), [(1, 1), (19, 1), (144, 14), (10_239, 1023), (50_000, 1024)]
)
def test_a_method_that_reads_once_has_ten_mini_batches_at_least(n_docs, size):
    assert Plan.of("dpm-sumo").batch_for(n_docs) == size
    assert Plan.of("dpm-sumo", batch_size=1024).batch_for(n_docs) == 1024, "as somebody chose"
    assert Plan.of("dpm-sumo", "das-2015").batch_for(n_docs) == 500, "as the paper says"
    assert Plan.of("hdp-svi").batch_for(n_docs) == 256, "it comes back to its texts"


def test_the_protocol_is_the_usual_one_unless_chosen(texts):
    assert Plan.of("hdp-svi").split(texts)[1].protocol == default_protocol("hdp", texts)
    assert Plan.of("dpm-svi").split(texts)[1].protocol == "exact"
    chosen = Plan.of("hdp-svi", protocol="completion", n_heldout=7)
    assert chosen.split(texts)[1].protocol == "completion"
    assert chosen.split(texts)[1].whole.n_docs == 7


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seed": -1}, "seed must be 0 or more; got -1"),
        ({"batch_size": 0}, "batch_size must be at least 1; got 0"),
        ({"passes": 0}, "passes must be at least 1; got 0"),
        ({"n_heldout": 0}, "n_heldout must be at least 1; got 0"),
        ({"order": "backwards"}, "order must be 'shuffled' or 'stream'"),
        ({"protocol": "exact"}, "protocol of hdp-batch must be one of completion"),
        ({"order": "stream"}, "cannot learn a stream"),
        ({"preset": "best"}, "no preset 'best'"),
        ({"values": {"colour": 1}}, "no setting 'colour'"),
        ({"values": {"eta": -1}}, "eta must lie in the range"),
    ],
)
def test_impossible_plans_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Plan.of("hdp-batch", **wrong)


def test_a_plan_wants_a_method_that_is_made():
    with pytest.raises(ValueError, match="There is no method 'hdp-magic'"):
        Plan.of("hdp-magic")
    for wrong in ("hdp-tsvi", METHODS["hdp-tsvi"]):
        with pytest.raises(ValueError, match=r"Plan\.of\('hdp-tsvi'\)"):
            Plan(wrong)
    with pytest.raises(ValueError, match="no preset 'best'"):
        replace(Plan.of("hdp-tsvi"), preset="best")


def test_as_many_chains_as_there_may_be():
    assert Plan.of("dpm-gibbs", chains=8).chains == 8
    with pytest.raises(ValueError, match="chains must be 1 to 8; got 9"):
        Plan.of("dpm-gibbs", chains=9)


def test_texts_that_are_too_few_are_refused():
    plan = Plan.of("hdp-tsvi")
    for refuse in (plan.split, plan.settled, plan.n_to_learn, plan.split_and_start):
        with pytest.raises(CorpusError, match="at least 2"):
            refuse(Corpus.from_csr(np.ones((1, 4))))
        with pytest.raises(ValueError, match="at most 9"):
            getattr(replace(plan, n_heldout=10), refuse.__name__)(words(10))
    assert plan.start(Corpus.from_csr(np.ones((1, 4)))).corpus.n_docs == 1
