"""What is recommended follows number and length of the texts, and rests on the figures kept."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer import recommend
from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.documents.enough import too_little
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.recommend import (
    LARGE,
    MOST_PASSES,
    ONE_EACH,
    SECONDS,
    TOKENS_A_SECOND,
    clusters_beside,
    one_each,
)

FIGURES = Path(__file__).resolve().parents[2] / "benchmarks" / "README.md"


def texts(length: float, n_docs: int = 20) -> Corpus:
    """Documents over 40 words, of so many tokens on average."""
    rng = np.random.default_rng(1)
    rest = np.full(n_docs, int(length))
    rest[: round((length % 1) * n_docs)] += 1
    return Corpus.from_csr(np.stack([rng.multinomial(n, np.full(40, 1 / 40)) for n in rest]))


def chosen(*asked):
    plan = recommend(*asked)
    return plan.method.name, plan.preset


@pytest.mark.parametrize("length", [7, 60])
def test_clusters_are_sampled_from_many_and_their_eta_is_learned(length):
    plan = recommend(texts(length), "clusters")
    assert (plan.method.name, plan.preset, plan.method.start) == ("dpm-gibbs", "default", "many")
    assert plan.method.learn_eta


@pytest.mark.parametrize(
    ("length", "preset"), [(7, "learned-alpha"), (9.95, "learned-alpha"), (10, "default")]
)
def test_topics_are_sampled_from_many_and_learn_alpha_from_short_texts(length, preset):
    plan = recommend(texts(length))
    assert (plan.method.name, plan.preset, plan.method.start) == ("hdp-gibbs", preset, "many")
    assert plan.method.learn_alpha == (preset == "learned-alpha")


def test_very_many_tokens_and_streams_are_read_in_small_batches():
    few = texts(30)
    counts = few.counts.copy()
    counts[0] += LARGE - few.n_tokens
    enough = Corpus(few.indptr, few.word_ids, counts, few.vocab)
    assert chosen(enough) == ("hdp-gibbs", "default")
    counts[0] += 1
    assert chosen(Corpus(few.indptr, few.word_ids, counts, few.vocab)) == ("hdp-tsvi", "default")
    plan = recommend(few, order="stream")
    assert (plan.method.name, plan.order) == ("hdp-tsvi", "stream")
    assert plan.start(few).order == "stream"
    assert chosen(few, "clusters", "stream") == ("dpm-tsvi", "default")


@pytest.mark.parametrize("unit", ["topics", "clusters"])
@pytest.mark.parametrize("order", ["shuffled", "stream"])
@pytest.mark.parametrize("length", [7, 60])
def test_its_reason_is_one_sentence_and_it_starts(unit, order, length):
    plan = recommend(texts(length), unit, order)
    if length == 7:
        assert (plan.reason, bool(too_little(texts(length)))) == ("", True), "one advice, not two"
        plan = replace(plan, reason=recommend(texts(length, 200), unit, order).reason)
    assert re.fullmatch(rf"{plan.method.name}: [^.;]+\.", plan.reason)
    topics = {"thin": 2, "n_kept": 30} if plan.method.name == "hdp-gibbs" else {}
    usual = type(plan).of(plan.method.name, plan.preset, values=topics, order=order)
    assert replace(plan, passes=None) == usual, "of so few texts, a block holds all"
    run = plan.start(texts(length))
    run.step()
    assert run.docs_seen == 20


def test_a_small_corpus_is_read_more_often_by_the_sampler_of_topics_alone():
    few = texts(60)  # 1,200 tokens
    assert recommend(few).passes == MOST_PASSES
    many = texts(60, 4000)
    assert recommend(many).passes == SECONDS * TOKENS_A_SECOND // many.n_tokens == 375
    counts = few.counts.copy()
    counts[0] += SECONDS * TOKENS_A_SECOND // 100 - few.n_tokens
    large = Corpus(few.indptr, few.word_ids, counts, few.vocab)
    assert recommend(large).passes_for(20, 1.0) == Plan.of("hdp-gibbs").passes_for(20, 1.0)
    assert recommend(few, "clusters").passes is None
    assert recommend(few, order="stream").passes is None


@pytest.mark.parametrize("unit", ["topics", "clusters"])
@pytest.mark.parametrize("length", [3, 30])
def test_what_is_recommended_needs_no_caution_but_for_streams_of_short_texts(unit, length):
    assert recommend(texts(length), unit).caution(texts(length)) == ""
    said = recommend(texts(length), unit, "stream").caution(texts(length))
    assert said.endswith("Samplers, which read them many times, predict them better.") == (
        length < 10
    )


@pytest.mark.parametrize(
    ("length", "n_docs", "size"),
    [(7, 4000, 4000), (7, 9000, 5714), (60, 4000, 666), (200, 900, None)],
)
def test_blocks_of_short_texts_hold_as_many_words_as_those_of_longer_ones(length, n_docs, size):
    """None: as the preset says, 256 texts."""
    assert recommend(texts(length, n_docs)).batch_size == size
    assert recommend(texts(length, n_docs), "clusters").batch_size is None


@pytest.mark.parametrize(("n_words", "kept"), [(11_184, 30), (11_185, 10)])
def test_more_states_are_averaged_where_they_fit_into_a_quarter_of_a_gigabyte(n_words, kept):
    """Of 200 topics at the start, as texts of 157 words or more have, four bytes a word."""
    counts = np.zeros((100, n_words))
    counts[:, :100] = 2
    found = recommend(Corpus.from_csr(counts)).method
    assert (found.n_kept, found.thin) == (kept, 2 if kept == 30 else 5)


@pytest.mark.parametrize("n_docs", [1400, 2200, 4000])
def test_a_plan_of_longer_texts_fills_its_seconds(n_docs):
    """As many texts of 200 words as agencies' news have; by the pace that the plan counts on."""
    long = texts(200, n_docs)
    passes = recommend(long).passes_for(n_docs, 200.0)
    seconds = passes * long.n_tokens / TOKENS_A_SECOND
    assert SECONDS - long.n_tokens / TOKENS_A_SECOND < seconds <= SECONDS
    assert "in half a minute or so" in recommend(long).reason


def test_another_unit_is_refused():
    with pytest.raises(ValueError, match="unit must be one of topics, clusters; got 'words'"):
        recommend(texts(7), "words")


def test_the_figures_kept_say_so():
    """Rows of the table of starts: corpus -> sampler and preset -> score."""
    found: dict[str, dict[str, float]] = {}
    corpus = ""
    for row in FIGURES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        if len(cells) == 6 and re.match(r"`(dpm|hdp)-gibbs`, ", cells[1]):
            corpus = cells[0] or corpus
            found.setdefault(corpus, {})[cells[1]] = float(cells[3])
    assert len(found) >= 3
    for scores in found.values():
        assert scores["`hdp-gibbs`, default"] > scores["`hdp-gibbs`, from-nothing"]
    for scores in found.values():
        assert scores["`dpm-gibbs`, default"] > scores["`dpm-gibbs`, neal-2000"] - 0.03


def test_the_reason_says_how_much_text_there_is_and_how_long_it_takes():
    few = texts(60)
    assert recommend(few).reason.startswith(
        "hdp-gibbs: 20 texts with 1,200 words that count are few enough to be read 500 times in "
        "seconds, by the method"
    )
    counts = few.counts.copy()
    # 6 million tokens a second: 500 readings of 59,900 take 4.99 s, 100 of 1,790,000 29.8 s.
    for tokens, takes in (
        (59_900, "500 times in seconds,"),
        (60_100, "500 times in half a minute or so,"),
        (900_000, "100 times in half a minute or so,"),
        (1_790_000, "100 times in half a minute or so,"),
        (1_810_000, "100 times in minutes,"),
        (LARGE + 1, "hours"),
    ):
        counts[0] += tokens - counts.sum()
        reason = recommend(Corpus(few.indptr, few.word_ids, counts, few.vocab)).reason
        assert takes in reason
        assert f"{tokens:,} words" in reason


# ---- clusters beside topics ----------------------------------------------------------------------


def one_topic_each(n_docs=120, each=True):
    """Texts of six words on one of three subjects, or on two of them."""
    rng = np.random.default_rng(4)
    words = np.kron(np.eye(3), np.full(8, 1 / 8))
    rows = []
    for d in range(n_docs):
        share = words[d % 3] if each else 0.5 * words[d % 3] + 0.5 * words[(d + 1) % 3]
        rows.append(rng.multinomial(8 if each else 40, share))
    return Corpus.from_csr(np.array(rows))


def learned_run(corpus, n_heldout=20, **settings):
    values = {"learn_alpha": True, **settings}
    plan = Plan.of("hdp-gibbs", values=values, seed=3, passes=60, n_heldout=n_heldout)
    run = plan.split_and_start(corpus)
    while not run.done:
        run.step()
    return run


def test_clusters_are_proposed_where_every_text_has_one_topic_and_scored_on_the_same_words():
    corpus = one_topic_each()
    run = learned_run(corpus)
    assert run.topics.concentration < ONE_EACH
    plan = clusters_beside(run)
    assert (plan.method.name, plan.preset) == ("dpm-gibbs", "short-texts")
    _, heldout = plan.split(corpus)
    assert heldout.protocol == run.heldout.protocol
    assert heldout.hidden.fingerprint == run.heldout.hidden.fingerprint
    assert one_each(run) == (
        f"An alpha of {run.topics.concentration:.2g} means that a text usually has one topic. "
        "Clusters, which give each text just one, may predict these texts better."
    )


def test_clusters_are_proposed_once_burn_in_is_over_and_not_before():
    method = replace(Plan.of("hdp-gibbs", "learned-alpha").method, burn_in=30, thin=1)
    plan = replace(Plan.of("hdp-gibbs", passes=60, n_heldout=20), method=method)
    run = plan.split_and_start(one_topic_each())
    offered = []
    while not run.done:
        run.step()
        if run.n_steps % run.n_batches == 0:
            offered.append(clusters_beside(run) is not None)
    assert not any(offered[:30])
    assert all(offered[-10:])


def test_clusters_are_not_proposed_elsewhere():
    assert clusters_beside(learned_run(one_topic_each(each=False))) is None
    assert clusters_beside(learned_run(one_topic_each(), learn_alpha=False, alpha=0.05)) is None
    unscored = Plan.of("hdp-gibbs", values={"learn_alpha": True, "alpha": 0.05}, passes=2)
    run = unscored.start(one_topic_each())
    while not run.done:
        run.step()
    assert clusters_beside(run) is None
    going = replace(unscored, passes=9, n_heldout=20).split_and_start(one_topic_each())
    going.step()
    assert going.topics.concentration < ONE_EACH
    assert clusters_beside(going) is None
    clusters = Plan.of("dpm-gibbs", passes=1).split_and_start(one_topic_each())
    while not clusters.done:
        clusters.step()
    assert clusters_beside(clusters) is None
