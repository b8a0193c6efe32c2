"""A run that begins at the topics of another: matched by words, kept in its file, made again."""

import numpy as np
import pytest

from bnpexplorer import METHODS, Plan, Run
from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.export import load_beginning, result_of, script, texts_file
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods import make_method
from bnpexplorer.runs.beginning import Beginning, tokens_of
from bnpexplorer.state.snapshot import Topics
from tests.tools.methods import blocks_of, one_pass

HALVES = np.kron(np.eye(2, dtype=int), np.full((8, 4), 3))
"""Sixteen documents, half of which have the first four words, three times each."""
KNOWN = ("a", "b", "c", "d", "e", "f", "g", "h")


@pytest.fixture(scope="module")
def texts():
    return Corpus.from_csr(HALVES, vocab=KNOWN)


@pytest.fixture(scope="module")
def first(texts, tmp_path_factory):
    """The file of a finished run on these texts."""
    values = {"gamma": 1.0, "alpha": 0.1, "start": "nothing"}
    run = learned(Plan.of("hdp-gibbs", values=values, passes=8).start(texts, name="bars"))
    path = tmp_path_factory.mktemp("runs") / "first.zip"
    run.save(path)
    return path


def learned(run):
    while not run.done:
        run.step()
    return run


def words_of(run):
    topics = run.method.topics(run.state)
    return topics.topic_word * topics.total[:, None] - topics.eta


def test_topics_are_matched_by_their_words(texts):
    given = Beginning(np.arange(16.0).reshape(2, 8) + 1, KNOWN, "the 2 topics of it")
    other = Corpus.from_csr(np.ones((2, 3), int), vocab=("h", "new", "b"))
    np.testing.assert_array_equal(given.on(other).tokens, [[8, 0, 2], [16, 0, 10]])
    assert given.on(other).said == "the 2 topics of it"
    apart = Beginning(np.diag([2.0] * 8), KNOWN, "the 8 topics of it")
    assert apart.on(other).said == "2 of the 8 topics of it"


def test_what_topics_hold_is_told_largest_first_and_without_their_prior():
    """Of four topics over two words the second is not in use and the last holds nothing."""
    words = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75], [0.5, 0.5]], np.float32)
    total, size = np.array([8.0, 1.0, 40.0, 2.0]), np.array([6.0, 0.5, 38.0, 1.0])
    topics = Topics(words, total, size, np.full(4, 0.2), 0.2, np.arange(4), 1.0, 1.0, 1.0)
    np.testing.assert_allclose(tokens_of(topics), [[9.0, 29.0], [5.0, 1.0]])


def test_a_beginning_is_called_as_its_file_or_its_run_unless_somebody_names_it(first):
    run, told = Run.load(first), []
    for source, name in ((first, ""), (str(first), "mine"), (run, ""), (run, "mine")):
        told.append(Beginning.of(source, name).said.partition(" topics of ")[2])
    assert told == ["first.zip", "mine", "bars", "mine"]
    begun = Beginning.of(run)
    assert Beginning.of(begun) is begun


@pytest.mark.parametrize(
    "altered",
    [
        lambda tokens: tokens[:, :-1],
        lambda tokens: np.where(tokens > 0, np.nan, tokens),
        lambda tokens: -tokens,
        lambda tokens: tokens * [[0.0], *[[1.0]] * (len(tokens) - 1)],
        lambda tokens: tokens[:0],
    ],
)
def test_a_file_that_begins_at_no_sound_topics_is_refused(altered, first, texts, tmp_path):
    run = Plan.of("hdp-tsvi", start_from=first).start(texts)
    run.save(tmp_path / "sound.zip")
    manifest, arrays = store.read(tmp_path / "sound.zip")
    arrays["given.tokens"] = np.ascontiguousarray(altered(arrays["given.tokens"]))
    store.write(tmp_path / "altered.zip", manifest, arrays)
    with pytest.raises(store.StoreError, match=r"altered\.zip is damaged"):
        Run.load(tmp_path / "altered.zip")


def test_what_cannot_be_begun_at_is_said(texts, first, tmp_path):
    strange = Corpus.from_csr(np.ones((4, 2), int), vocab=("x", "y"))
    with pytest.raises(ValueError, match=r"No word of corpus occurs in the \d+ topics of first"):
        Plan.of("hdp-tsvi", start_from=first).start(strange)
    (tmp_path / "foreign.zip").write_text("no run")
    with pytest.raises(store.StoreError, match=r"foreign\.zip"):
        Plan.of("hdp-tsvi", start_from=tmp_path / "foreign.zip")
    with pytest.raises(ValueError, match="has no topics yet"):
        Plan.of("hdp-tsvi", start_from=Plan.of("hdp-tsvi").start(texts, name="early"))
    with pytest.raises(ValueError, match="lda-svi has no topics yet, so no run can start"):
        Beginning.of(Plan.of("lda-svi").start(texts))  # what it begins with is not found
    for name in ("dpm-particle", "dpm-sumo"):
        with pytest.raises(ValueError, match=f"{name} cannot begin at the topics of another run"):
            Plan.of(name, start_from=first)


CAN = [name for name in METHODS if name not in ("dpm-particle", "dpm-sumo")]


@pytest.mark.second
@pytest.mark.parametrize("name", CAN)
def test_a_run_begun_at_a_saved_one_goes_on_and_is_made_again_bit_for_bit(
    name, texts, first, tmp_path
):
    """Saved before its first step and after it; made again by the plan of the run."""
    plan = Plan.of(name, seed=2, batch_size=8, passes=2, start_from=first)
    run = plan.start(texts)
    assert run.given.said.endswith("topics of first.zip")
    others = []
    for _ in range(2):
        run.save(tmp_path / "run.zip")
        others.append(Run.load(tmp_path / "run.zip"))
        run.step()
    others.append(Plan.of_run(run).start(texts))
    for other in others:
        assert other.given.said == run.given.said
    expected = words_of(learned(run))
    for other in others:
        np.testing.assert_array_equal(words_of(learned(other)), expected)
    assert run.seconds > 0


GIVEN = GivenTopics(np.kron(np.eye(2), np.full((1, 4), 5.0)), "two halves")


@pytest.mark.parametrize("name", CAN)
def test_a_state_begun_at_given_topics_holds_them(name, texts):
    """Two halves of the words, given as topics, stay two topics, whatever the method."""
    run = Plan.of(name, batch_size=16, passes=1).start(texts)
    run.begin_at(GIVEN)
    run.step()
    topics = run.method.topics(run.state)
    two = topics.topic_word[topics.by_size[:2]].reshape(2, 2, 4).sum(axis=2)
    assert two.max(axis=1).min() > 0.8


def test_the_beginning_at_given_topics_is_learning_and_counts(texts):
    for given, seconds in ((None, 0.0), (GIVEN, 1.0)):
        run, ticks = Plan.of("lda-svi").start(texts), iter(range(100))
        run.clock = lambda ticks=ticks: float(next(ticks))
        if given is not None:
            run.begin_at(given)
        run.prepare()
        assert run.seconds == seconds
        with pytest.raises(
            ValueError, match="lda-svi has already begun, so it cannot start from two halves"
        ):
            run.begin_at(GIVEN)


def test_a_sampler_seats_every_token_given_the_topics():
    """One pass of hdp-gibbs: 4,000 documents of one token, whose law is that of the given topics.

    p(z = k) is proportional to share_k (given_kw + eta) / (given_k + V eta), as long as what was
    seated before weighs little: 4,000 seats of 40,000 given ones, four standard errors and 0.01.
    """
    counts = np.zeros((4000, 2), int)
    counts[:, 0] = 1
    corpus = Corpus.from_csr(counts)
    given = GivenTopics(np.array([[30.0, 10.0], [5.0, 55.0]]), "two")
    values = {"gamma": 1.0, "alpha": 1.0, "eta": 0.1}
    method, rng = make_method("hdp-gibbs", values=values), np.random.default_rng(0)
    state = method.begin(corpus, given, rng)
    state.given *= 1000.0
    state, _ = one_pass(method, state, blocks_of(corpus, [list(range(4000))]), rng)
    weight = given.share * given.tokens[:, 0] / given.tokens.sum(axis=1)
    expected = weight[0] / weight.sum()
    assert state.tokens.count[0] / 4000 == pytest.approx(expected, abs=0.01 + 4 * 0.5 / 4000**0.5)
    assert not state.given.size
    word = np.zeros((corpus.n_words, len(state.tokens.count)))
    state.tokens.add_counts(word)
    held = word.sum(axis=0)
    np.testing.assert_allclose(held, state.tokens.count, atol=1e-9)


def test_an_exported_script_brings_the_topics_at_which_its_run_began(texts, first, tmp_path):
    run = Plan.of("hdp-tsvi", passes=1, start_from=first).start(texts)
    run.step()
    result = result_of(run, run.moment(), texts)
    assert "start_from=load_beginning(folder / 'texts.zip')" in script(result)
    (tmp_path / "texts.zip").write_bytes(texts_file(result))
    again = Plan.of("hdp-tsvi", passes=1, start_from=load_beginning(tmp_path / "texts.zip"))
    np.testing.assert_array_equal(again.start(texts).given.tokens, run.given.tokens)


def test_chains_do_not_begin_at_one_run(first):
    with pytest.raises(ValueError, match="Choose one chain, or no start_from"):
        Plan.of("hdp-gibbs", chains=2, start_from=first)
