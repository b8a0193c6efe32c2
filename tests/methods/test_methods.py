"""What every registered method must pass."""

import importlib
import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import bnpexplorer.methods as methods_package
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import score, split_heldout, unigram_score
from bnpexplorer.methods import METHODS, Method, make_method
from bnpexplorer.methods.base import Inference
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Topics
from tests.tools.methods import small

NAMES = [
    "lda-batch",
    "lda-svi",
    "lda-gibbs",
    "dpm-batch",
    "dpm-svi",
    "dpm-collapsed",
    "dpm-tsvi",
    "dpm-gibbs",
    "dpm-particle",
    "dpm-sumo",
    "hdp-batch",
    "hdp-svi",
    "hdp-tsvi",
    "hdp-gibbs",
    "hdp-catvi",
    "hdp-memoized",
    "hdp-splitmerge",
    "gdp-catvi",
]


def test_registry_is_complete():
    assert list(METHODS) == NAMES
    everywhere = pkgutil.walk_packages(methods_package.__path__, "bnpexplorer.methods.")
    files = [importlib.import_module(module.name) for module in everywhere]
    named = {
        cls
        for file in files
        for cls in vars(file).values()
        if "name" in getattr(cls, "__dict__", {})
    }
    assert {cls for cls in named if issubclass(cls, Inference)} == set(METHODS.values())


def check_topics(topics: Topics, n_words: int) -> None:
    n = len(topics.topic_ids)
    assert topics.topic_word.shape == (n, n_words)
    assert topics.topic_word.dtype == np.float32
    for array in (topics.total, topics.size, topics.weight):
        assert array.shape == (n,)
        assert array.dtype == np.float64
        assert np.all(np.isfinite(array))
        assert np.all(array >= 0)
    assert topics.topic_ids.dtype == np.int64
    assert len(set(topics.topic_ids.tolist())) == n
    np.testing.assert_allclose(topics.topic_word.sum(axis=1), 1.0, rtol=1e-5)
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-9)
    assert topics.unseen >= 0


def same(a: Topics, b: Topics) -> bool:
    return all(
        np.array_equal(getattr(a, f), getattr(b, f))
        for f in ("topic_word", "total", "size", "weight", "topic_ids")
    )


def finished(run: Run) -> Topics:
    while not run.done:
        run.step()
    return run.snapshot().topics


@pytest.mark.parametrize("name", NAMES)
def test_describes_itself(name):
    method = METHODS[name]()
    assert isinstance(method, Method)
    assert method.name == name
    assert type(method).__doc__
    assert "20" in method.source, "a source names a year"
    assert method.batching in ("shuffled", "fixed", "once")
    assert "default" in method.presets
    described = [*knobs_of(method), *knobs_of(method.model)]
    assert described
    for knob_name, default, about in described:
        assert about.help.endswith("."), knob_name
        assert about.choices or isinstance(default, bool) or about.low is not None, knob_name
    for preset in method.presets:
        make_method(name, preset)
    with pytest.raises(FrozenInstanceError):
        method.model = None


@pytest.mark.parametrize("name", NAMES)
def test_refuses_values_out_of_range(name):
    method = METHODS[name]()
    for knob_name, _, about in [*knobs_of(method), *knobs_of(method.model)]:
        if about.low is not None:
            with pytest.raises(ValueError, match=knob_name):
                make_method(name, "default", {knob_name: about.low - 1})
        if about.choices:
            with pytest.raises(ValueError, match=knob_name):
                make_method(name, "default", {knob_name: "no such choice"})


@pytest.mark.parametrize("name", NAMES)
def test_steps_keep_the_invariants(name, dozen):
    run = Run(small(name), dozen, seed=1, batch_size=5, passes=3)
    before = (dozen.counts.copy(), dozen.word_ids.copy())
    seen_ids: set[int] = set()
    gone: set[int] = set()
    while not run.done:
        run.step()
        topics = run.snapshot().topics
        check_topics(topics, dozen.n_words)
        ids = set(topics.topic_ids.tolist())
        assert not ids & gone, "an identity came back"
        gone |= seen_ids - ids
        seen_ids |= ids
    assert np.array_equal(dozen.counts, before[0])
    assert np.array_equal(dozen.word_ids, before[1])


@pytest.mark.parametrize("name", NAMES)
def test_topics_share_no_memory_with_the_state(name, dozen):
    run = Run(small(name), dozen, batch_size=6, passes=2)
    run.step()
    taken = run.snapshot().topics
    copy = replace(taken, **{f: getattr(taken, f).copy() for f in ("topic_word", "size", "weight")})
    for field in ("topic_word", "total", "size", "weight", "topic_ids"):
        getattr(run.snapshot().topics, field)[...] = 7
    assert same(run.snapshot().topics, taken)
    run.step()
    assert np.array_equal(taken.topic_word, copy.topic_word)
    assert np.array_equal(taken.size, copy.size)


@pytest.mark.parametrize("name", NAMES)
def test_equal_seeds_give_equal_bits_for_any_threads(name, bars):
    corpus = bars[0].take(np.arange(60))

    def fit(seed: int, pool: ThreadPoolExecutor | None) -> Topics:
        return finished(Run(small(name), corpus, seed=seed, batch_size=20, passes=2, pool=pool))

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(4) as four:
        alone = fit(5, None)
        assert same(alone, fit(5, one))
        assert same(alone, fit(5, four))
    other = fit(6, None)
    differs = alone.topic_word.shape != other.topic_word.shape
    assert differs or not np.array_equal(alone.topic_word, other.topic_word)


@pytest.mark.parametrize("name", NAMES)
def test_pause_save_and_load_change_nothing(name, bars, tmp_path):
    corpus, heldout = split_heldout(bars[0].take(np.arange(60)), seed=0, n=10)

    def run() -> Run:
        # Six mini-batches a pass: methods that read the corpus once are saved before their end too.
        return Run(small(name), corpus, seed=2, batch_size=9, passes=3, heldout=heldout)

    straight = run()
    whole = finished(straight)
    halved = run()
    for _ in range(5 if halved.passes > 1 else 2):
        halved.step()
    halved.save(tmp_path / "half.run")
    loaded = Run.load(tmp_path / "half.run")
    assert same(finished(loaded), whole)
    assert same(finished(halved), whole)
    scores = [p.heldout for p in straight.snapshot().trace]
    np.testing.assert_array_equal([p.heldout for p in loaded.snapshot().trace], scores)
    assert loaded.snapshot().events == straight.snapshot().events


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_before_the_first_step_begins_as_it_would_have(name, dozen, tmp_path):
    runs = [Run(small(name), dozen, seed=5, batch_size=4, passes=2) for _ in range(2)]
    runs[0].save(tmp_path / "waiting.run")
    runs[0] = Run.load(tmp_path / "waiting.run")
    assert runs[0].state is None, "nobody makes it before it is its turn"
    for run in runs:
        for _ in range(2):
            run.step()
    assert same(*(run.snapshot().topics for run in runs))


@pytest.mark.parametrize("name", NAMES)
def test_scoring_does_not_change_the_fit(name, dozen):
    # Importance sampling draws random numbers: they must not come from the method's stream.
    protocol = "exact" if name.startswith("dpm") else "importance"
    train, heldout = split_heldout(dozen, seed=0, n=2, protocol=protocol)
    silent = finished(Run(small(name), train, seed=3, batch_size=4, passes=2))
    scored = finished(Run(small(name), train, seed=3, batch_size=4, passes=2, heldout=heldout))
    assert same(silent, scored)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "counts",
    [np.array([[4], [1], [30]]), np.array([[2, 0, 1, 5]]), np.array([[1]])],
    ids=["one word", "one document", "one token"],
)
def test_degenerate_corpora(name, counts):
    corpus = Corpus.from_csr(counts)
    topics = finished(Run(small(name), corpus, batch_size=2, passes=3))
    check_topics(topics, corpus.n_words)


@pytest.mark.parametrize("name", NAMES)
def test_one_topic_allowed(name, dozen):
    ones = {"n_topics": 1, "truncation": 1, "doc_truncation": 1}
    known = {n for n, _, _ in [*knobs_of(METHODS[name]()), *knobs_of(METHODS[name]().model)]}
    method = make_method(name, "default", {k: v for k, v in ones.items() if k in known})
    check_topics(finished(Run(method, dozen, batch_size=4, passes=2)), dozen.n_words)


@pytest.mark.parametrize("name", NAMES)
def test_stays_finite_over_many_steps(name, dozen):
    run = Run(small(name), dozen, batch_size=3, passes=50)
    topics = finished(run)
    check_topics(topics, dozen.n_words)


ASCENDING = [n for n in NAMES if n.endswith("-batch") or n in ("hdp-memoized", "hdp-splitmerge")]
"""Methods whose bound, reported at the end of a pass, never falls."""


@pytest.mark.parametrize("name", ASCENDING)
def test_batch_bound_never_falls(name, bars):
    corpus = bars[0].take(np.arange(80))
    for seed in (0, 1):
        run = Run(small(name), corpus, seed=seed, batch_size=20, passes=25)
        finished(run)
        bounds = np.array([p.bound for p in run.snapshot().trace if np.isfinite(p.bound)])
        assert len(bounds) > 2  # a mixture that starts from clusters converges at once
        assert np.all(np.diff(bounds) >= -1e-8 * np.abs(bounds[1:]))


@pytest.mark.parametrize("name", NAMES)
def test_predicts_better_than_word_frequencies(name, bars):
    # Hiding whole words of 25 misleads: the true topics would score below word frequencies.
    protocol = "exact" if name.startswith("dpm") else "tokens-90-10"
    corpus, heldout = split_heldout(bars[0], seed=0, n=50, protocol=protocol)
    method = make_method(name, "default", {"n_topics": 15} if name.startswith("lda") else {})
    passes = 60 if name.endswith("-batch") else 12  # full batches move slowly at first
    topics = finished(Run(method, corpus, batch_size=50, passes=passes))
    reached = score(method.model, topics, heldout)
    assert reached > unigram_score(corpus, heldout) + 0.05


ONE_SIGNATURE = """
import numpy as np
from bnpexplorer import METHODS, Corpus, Run, make_method, score, split_heldout
from bnpexplorer.evaluate import PROTOCOLS
from bnpexplorer.kernels.jit import KERNELS

counts = np.random.default_rng(0).poisson(0.7, (30, 12))
counts[:, 0] += 1
corpus = Corpus.from_csr(counts)
for name in METHODS:
    method = make_method(name)
    for protocol in PROTOCOLS:
        if method.model.name in PROTOCOLS[protocol].models:
            train, heldout = split_heldout(corpus, 0, n=5, protocol=protocol)
            run = Run(method, train, batch_size=10, passes=2, heldout=heldout)
            while not run.done:
                run.step()

# A constant argument makes numba specialise a small helper; that costs nothing worth counting.
found = {k.__name__: [s for s in k.signatures if "Literal" not in str(s)] for k in KERNELS}
print({name: signatures for name, signatures in found.items() if len(signatures) > 1})
"""


def test_every_kernel_has_one_signature(request):
    """A second compiled signature would double the waiting time at the first start."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_SIGNATURE],
        cwd=request.config.rootpath,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "{}"
