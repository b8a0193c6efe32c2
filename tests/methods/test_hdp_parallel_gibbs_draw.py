"""How hdp-parallel-gibbs draws topics where nobody chose: by the texts, and the plan says it."""

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.corpus import Corpus
from bnpexplorer.methods import make_method
from bnpexplorer.methods.parallel import hdp_parallel_gibbs
from bnpexplorer.methods.parallel import hdp_parallel_gibbs as module
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample
from tests.tools.methods import in_turn, one_pass

NAME = "hdp-parallel-gibbs"


def of_tokens(n_docs: int, each: int, n_words: int) -> Corpus:
    """So many documents, each of two words that occur `each` times together."""
    word = np.sort(np.array([[d, d + 1] for d in range(n_docs)]) % n_words, axis=1)
    counts = np.tile([each // 2, each - each // 2], n_docs).astype(np.int32)
    vocab = tuple(f"w{i}" for i in range(n_words))
    return Corpus(2 * np.arange(n_docs + 1), word.ravel().astype(np.int32), counts, vocab)


LARGE = of_tokens(1000, 12_000, 6000)
"""60,000 tokens for each of 200 topics, and V eta = 600 with the usual eta."""


def drawn(corpus: Corpus, **values) -> str:
    return make_method(NAME, "default", values).settled(corpus).draw


def test_few_tokens_a_topic_or_a_small_prior_are_drawn_exactly():
    assert drawn(load_sample("small-csv").corpus) == "exact"
    assert drawn(LARGE) == "poisson"
    assert drawn(LARGE.take(np.arange(100))) == "exact"
    assert drawn(LARGE, eta=0.01) == "exact", "the size of the texts alone decides nothing"
    assert drawn(LARGE, n_start=400) == "exact"
    assert drawn(LARGE.take(np.arange(100)), n_start=2) == "exact", "a chain finds more topics"
    assert drawn(LARGE, learn_eta=True) == "exact", "eta may become small"


def test_who_chose_has_what_was_chosen():
    for draw in ("exact", "poisson"):
        assert drawn(load_sample("small-csv").corpus, draw=draw) == draw
        assert drawn(LARGE, draw=draw) == draw


def test_the_choice_stands_in_the_plan_and_in_the_run(tmp_path):
    corpus = load_sample("small-csv").corpus
    plan = Plan.of(NAME, passes=3)
    assert plan.method.draw == "auto"
    assert plan.settled(corpus).method.draw == "exact"
    run = plan.split_and_start(corpus)
    assert run.method.draw == "exact"
    assert Plan.of_run(run) == plan.settled(corpus)
    run.step()
    run.save(tmp_path / "a.run")
    assert Run.load(tmp_path / "a.run").method.draw == "exact"
    assert Plan.of(NAME).settled(LARGE).method.draw == "poisson"


@pytest.mark.second
def test_a_run_of_counts_that_was_kept_goes_on_by_counts(tmp_path):
    """So is every run of the version in which they were the default: each kept file names them."""
    corpus = load_sample("small-csv").corpus
    run = Plan.of(NAME, passes=40, values={"draw": "poisson"}).start(corpus)
    assert run.method.draw == "poisson"
    for _ in range(20):
        run.step()
    run.save(tmp_path / "a.run")
    again = Run.load(tmp_path / "a.run")
    assert again.method.draw == "poisson"
    for one in (run, again):
        while not one.done:
            one.step()
    np.testing.assert_array_equal(run.state.phi_chance, again.state.phi_chance)


@pytest.mark.second
@pytest.mark.parametrize(("corpus", "chosen"), [("small-csv", "exact"), (None, "poisson")])
def test_a_method_without_a_run_draws_as_its_run_would(corpus, chosen, monkeypatch):
    """Who calls `init` and `step` alone has the same bits."""
    texts = LARGE if corpus is None else load_sample(corpus).corpus
    asked, real = set(), module.draw_topics

    def noted(pool, cells, eta, base, draw, *again):
        asked.add(draw)
        return real(pool, cells, eta, base, draw, *again)

    monkeypatch.setattr(module, "draw_topics", noted)
    method = make_method(NAME, "default", {"start_passes": 1, "n_start": 5})
    state, rng = method.init(texts, np.random.default_rng(0)), np.random.default_rng(1)
    state, _ = one_pass(method, state, in_turn(texts, texts.n_docs), rng)
    assert asked == {chosen} == {method.settled(texts).draw}


def test_a_plan_divides_texts_only_if_something_is_left_to_them(monkeypatch):
    corpus = load_sample("small-csv").corpus
    divided, real = [], Plan.split
    monkeypatch.setattr(Plan, "split", lambda *given: divided.append(1) or real(*given))
    Plan.of("hdp-svi").settled(corpus)
    Plan.of(NAME, values={"draw": "exact"}).settled(corpus)
    assert not divided
    Plan.of(NAME).settled(corpus)
    assert divided


def test_the_rule_counts_tokens_a_topic_and_the_prior():
    """By the very numbers on both sides of each threshold."""
    n_words, n_tokens = (
        round(hdp_parallel_gibbs.PRIOR / 0.1),
        round(hdp_parallel_gibbs.TOKENS_EACH * 200),
    )
    enough = {"n_tokens": n_tokens, "n_docs": 1000, "n_words": n_words, "eta": 0.1, "n_start": 200}
    assert hdp_parallel_gibbs.usual_draw(**enough) == "poisson"
    for one_less in ({"n_tokens": n_tokens - 1}, {"n_words": n_words - 1}, {"n_start": 201}):
        assert hdp_parallel_gibbs.usual_draw(**enough | one_less) == "exact", one_less
