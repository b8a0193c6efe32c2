"""What words say of a run that has ended: every number worked out anew, every verdict reversed."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.compare.verdict import (
    among,
    by_curve,
    chains_verdict,
    compared,
    longer,
    margin,
    race_verdict,
    rivals_of,
    verdict_of,
)
from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.evaluate.score import completion_probabilities
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.making import model_class
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved.rows import Saved, facts_of
from bnpexplorer.samples import load_sample
from bnpexplorer.state.snapshot import TracePoint


def run_to_its_end(name="lda-svi", **chosen):
    plan = Plan.of(name, **{"passes": 3, **chosen})
    run = plan.split_and_start(load_sample("small-csv").corpus)
    while not run.done:
        run.step()
    return run


@pytest.fixture(scope="module")
def ended():
    return run_to_its_end()


def trace(*scores, every=100):
    """A history of one score a row."""
    nan = float("nan")
    return [TracePoint(i, every * i, 0.0, 5, nan, s) for i, s in enumerate(scores, start=1)]


def saved(run, method, score, status="finished", **other):
    facts = facts_of(run, status) | {"method": method, "heldout": score} | other
    return Saved("id", "name", "key", 0.0, 0.0, facts)


@pytest.mark.parametrize(("method", "told"), [("hdp-svi", 1), ("lda-svi", 0)])
def test_a_number_of_topics_that_nobody_fixed_is_told_with_what_it_depends_on(method, told):
    run = run_to_its_end(method)
    meaning = verdict_of(run, run.moment(), -4.0).meaning
    assert meaning.count("How many topics there are depends on the start, on eta") == told


def test_per_cent_are_the_geometric_mean_of_how_much_more_probable_each_hidden_word_is(ended):
    hidden, counts = ended.heldout.hidden, ended.heldout.hidden.counts
    topics = ended.method.topics(ended.state)
    ours = completion_probabilities(ended.method.model, topics, ended.heldout)
    words = np.bincount(ended.corpus.word_ids, ended.corpus.counts, ended.corpus.n_words) + 1.0
    theirs = (words / words.sum())[hidden.word_ids]
    ratios = np.repeat(ours / theirs, counts)
    factor = math.prod(float(r) ** (1 / len(ratios)) for r in ratios)
    verdict = verdict_of(ended, ended.moment(), unigram_score(ended.corpus, ended.heldout))
    assert factor > 2
    assert f"predicts unseen words {factor:.1f} times as well as" in verdict.sentence
    assert f"gets {factor:.2f} times the probability" in verdict.meaning
    assert f"Each hidden word of the {hidden.n_docs} held-out documents" in verdict.meaning
    assert verdict.sentence.startswith(f"{len(ended.moment().in_use)} topics; ")


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (math.log(1.08), "8 % better than x"),
        (math.log(0.92), "8 % worse than x"),
        (math.log(3.0), "3.0 times as well as x"),
        (0.0099, "no better than x"),
        (-0.0099, "no better than x"),
        (-math.inf, "worse than x: it rules out a word that is there"),
    ],
)
def test_a_difference_of_scores_in_words(gain, words):
    assert compared(gain, "x") == words


def test_no_comparison_is_claimed_that_was_not_made(ended):
    assert among(-7.0, {}) == ""
    rows = [
        saved(ended, "hdp-svi", -5.0),
        saved(ended, "hdp-svi", -4.0),
        saved(ended, "hdp-svi", -4.5),  # neither the last nor the first is the best
        saved(ended, "lda-svi", -1.0),  # its own method
        saved(ended, "a", -1.0, split="other documents"),
        saved(ended, "b", -1.0, protocol="tokens-90-10"),
        saved(ended, "c", -1.0, status="paused"),
        saved(ended, "d", None),
    ]
    old = saved(ended, "e", -1.0)
    del old.facts["split"]
    assert rivals_of(ended, [*rows, old]) == {"hdp-svi": -4.0}
    assert rivals_of(run_to_its_end(seed=1, passes=1), rows) == {}, "another split"


def test_where_a_score_stands_among_others():
    rivals = {"hdp-svi": -7.0, "lda-svi": -7.5}
    assert among(-7.005, rivals) == "as good as the best of 3 methods tried on these documents"
    better = among(-7.0 + math.log(1.05), rivals)
    assert better == "the best of 3 methods tried on these documents, 5 % better than hdp-svi"
    worse = among(-7.0 + math.log(0.95), rivals)
    assert worse == "and 5 % worse than hdp-svi, the best of 3 methods tried on these documents"


def test_a_difference_that_starts_of_the_fold_in_could_make_means_nothing():
    assert [margin(), margin(0.004), margin(0.03, 0.04)] == [0.01, 0.01, pytest.approx(0.1)]
    assert compared(math.log(1.05), "x", margin(0.03)) == "no better than x"
    assert compared(math.log(1.08), "x", margin(0.03)) == "8 % better than x"
    rivals, equal = {"a": -7.05, "b": -9.0}, "as good as the best of 3 methods"
    assert among(-7.0, rivals, margin(0.02, 0.02)).startswith(equal)
    assert among(-7.1, rivals, margin(0.02, 0.02)).startswith(equal)
    assert among(-7.0, rivals, margin(0.01, 0.01)).startswith("the best of 3 methods")
    scores, told = {"a": -7.0, "b": -7.03, "c": -7.2}, "they predict unseen words best"
    assert race_verdict(scores, -9.0).startswith("Use a: it predicts")
    wide = race_verdict(scores, -9.0, {"a": 0.01, "b": 0.02})
    assert wide.startswith(f"Use a or b: {told}")
    assert "c is 18 % worse than a" in wide


def test_the_margin_of_a_verdict_is_that_of_its_last_score(ended):
    """A gain that is half of two deviations between starts is none."""
    moment = ended.moment()
    gain, rows = 0.1, list(moment.snapshot.trace)
    for spread, said in ((0.1, "no better than"), (0.04, "11 % better than")):
        rows[-1] = replace(rows[-1], spread=spread)
        shown = replace(moment, snapshot=replace(moment.snapshot, trace=tuple(rows)))
        assert said in verdict_of(ended, shown, shown.snapshot.heldout - gain).prediction
    among_equals = verdict_of(ended, shown, -99.0, {"x": shown.snapshot.heldout - 0.1}).among
    assert among_equals.startswith("as good as"), "both differ between starts"


def test_longer_is_decided_by_the_latter_half_of_the_scores():
    flat, rising = [-9.0] * 10, [-9.0 + 0.01 * i for i in range(10)]
    assert by_curve(trace(*rising, *flat)).startswith("no: over its latter half the held-out score")
    assert by_curve(trace(*flat, *rising)) == (
        "yes: over its latter half the held-out score rose by 0.050"  # five steps of 0.01
    )
    assert by_curve(trace(*flat, *rising[::-1])).endswith("fell by 0.050")
    assert by_curve(trace(*flat, *rising[::-1])).startswith("no")
    assert by_curve(trace(*[-9.0] * 10)).startswith("nobody can tell from 5 scores")
    assert by_curve([]).startswith("nobody can tell from 0 scores")
    # Halves go by documents: the early rows, one after every ten, do not count.
    early = [replace(row, docs_seen=10 * i) for i, row in enumerate(trace(*[-20.0] * 30))]
    assert by_curve([*early, *trace(*flat, *rising)]).endswith("rose by 0.050")
    # Of an odd number the middle one is in neither half.
    assert by_curve(trace(*[-9.0] * 7, -9.0, -9.0, -9.0, -5.0, -8.9, -8.9, -8.9)).endswith(
        "rose by 0.100"
    )


def test_longer_asks_first_how_the_run_ended(ended):
    def run(**facts):
        usual = {"converged": False, "draws": (), "done": True, "order": "shuffled"}
        return SimpleNamespace(method=ended.method, **{**usual, **facts})

    def settling(settled):
        return lambda: SimpleNamespace(settled=settled, why="so it is")

    history = trace(*[-9.0] * 20)
    assert longer(run(), history).startswith("no: over its latter half")
    assert longer(run(converged=True), history) == "no: it has converged"
    assert longer(run(draws=(1,), settling=settling(True)), history) == "no: so it is"
    assert longer(run(draws=(1,), settling=settling(False)), history) == "yes: so it is"
    assert longer(run(order="stream"), history) == "no: it reads its texts once"
    assert longer(run(order="stream", done=False), history).startswith("no: over")


def test_topics_are_worth_a_look_once_they_predict_better_than_word_frequencies(ended):
    at = ended.moment()
    within = margin(at.snapshot.spread)
    for unigram, worth in (
        (at.snapshot.heldout - 1.1 * within, True),
        (at.snapshot.heldout, False),
    ):
        assert verdict_of(ended, at, unigram).worth_a_look == worth
    assert verdict_of(ended, at, math.nan).worth_a_look, "nobody knows"
    assert not verdict_of(ended, at, math.nan, filler=at.in_use).worth_a_look
    assert not verdict_of(ended, at, -99.0, filler=at.in_use).worth_a_look
    few = Plan.of("lda-svi", passes=1).start(ended.corpus.take([0, 1, 2]))
    few.step()
    assert not verdict_of(few, few.moment(), math.nan).worth_a_look, "too little text"


def test_without_held_out_documents_nothing_is_said_of_prediction():
    run = Plan.of("lda-svi", passes=1).start(load_sample("small-csv").corpus)
    run.step()
    verdict = verdict_of(run, run.moment(), float("nan"), filler={4, 5, 9})
    assert "nobody knows how well it predicts; 3 topics are filler; run" in verdict.sentence
    fillers = [verdict_of(run, run.moment(), math.nan, filler=ids).filler for ids in ({7}, ())]
    assert fillers == ["1 topic is filler", ""]
    assert verdict.meaning == ""


def test_a_stream_says_that_it_was_predicted_before_it_was_learned():
    run = Plan.of("lda-svi", passes=1, order="stream", batch_size=100).start(
        load_sample("small-csv").corpus
    )
    while not run.done:
        run.step()
    score = [p.heldout for p in run.moment().trace if math.isfinite(p.heldout)][-1]
    said = verdict_of(run, run.moment(), float("nan")).sentence
    assert "nothing was held out" not in said
    assert "predicted before they were learned" in said
    assert f"the latest at {score:.2f} log likelihood per word; run it longer? no" in said


def test_a_race_names_who_predicts_best_and_whoever_is_as_good():
    scores = {"a": -7.0, "b": -7.0 + math.log(0.9), "c": -7.004}
    assert race_verdict(scores, -7.0 - math.log(1.2)) == (
        "Use a or c: they predict unseen words best, 20 % better than word frequencies; "
        "b is 10 % worse than a. One seed each."
    )
    swapped = race_verdict(scores | {"b": -6.5}, math.nan)
    assert swapped.startswith("Use b: it predicts unseen words best; a is 39 % worse than b")
    assert race_verdict({"a": -7.0, "c": -7.004}, -7.1).startswith("Any of them does: a, c predict")
    assert race_verdict({"a": -7.0, "b": math.nan}, -7.5) == ""
    assert race_verdict({"a": -math.inf, "b": -math.inf}, -7.5) == (
        "No method gives every hidden word a probability, so none can be recommended."
    )
    assert race_verdict({"a": -7.0, "b": -math.inf}, math.nan) == (
        "Use a: it predicts unseen words best; b is worse than a: it rules out a word that is "
        "there. One seed each."
    )


def test_a_race_in_which_nothing_was_learned_names_nobody():
    below = race_verdict({"a": -7.0, "c": -7.004}, -7.0)
    assert below == (
        "It is too early to choose: the best, a, is no better than word frequencies, and only what "
        "is more than 5% better has learned something. Let them read more."
    )
    assert race_verdict({"a": -7.0, "c": -7.2}, -7.0 - 0.049).startswith("It is too early")
    assert race_verdict({"a": -7.0, "c": -7.2}, -7.0 - 0.051).startswith("Use a")
    assert race_verdict({"a": -7.0, "c": -7.2}, math.nan).startswith("Use a"), "not known"


def test_chains_end_in_what_to_do():
    said = {
        (True, True): "Quote any of the 3 chains: running them longer does not help.",
        (True, False): "Quote any of the 3 chains: running them longer does not help.",
        (False, True): "Quote only what all chains have found, or run them longer.",
        (False, False): "Run them longer before quoting any.",
    }
    assert {how: chains_verdict(*how, 3) for how in said} == said


def test_every_method_of_ours_says_in_words_of_its_own_what_it_does():
    said = {}
    for name in METHODS.ours:
        words = METHODS[name].in_words
        assert words
        assert name not in words
        assert not re.search("variational|mean field|Gibbs", words)
        said.setdefault((model_class(METHODS[name]).name, words), []).append(name)
    assert [names for names in said.values() if len(names) > 1] == []


def test_too_little_text_gets_no_praise(ended):
    few = Plan.of("hdp-gibbs", passes=2, n_heldout=1).split_and_start(ended.corpus.take([0, 1, 2]))
    while not few.done:
        few.step()
    said = verdict_of(few, few.moment(), unigram_score(few.corpus, few.heldout)).sentence
    assert re.fullmatch(
        r"\d+ topics?; too little text to judge any of them, or how well they predict\.", said
    )


def test_what_is_held_out_counts_as_text_too():
    """Nine texts to learn would be too few, but ten there are."""
    counts = np.random.default_rng(0).multinomial(150, np.full(60, 1 / 60), 10)
    run = Plan.of("hdp-gibbs", passes=2, n_heldout=1).split_and_start(Corpus.from_csr(counts))
    while not run.done:
        run.step()
    assert run.corpus.n_docs == 9
    said = verdict_of(run, run.moment(), unigram_score(run.corpus, run.heldout)).sentence
    assert "predicts unseen words" in said


def test_in_brief_a_verdict_says_what_helps(ended):
    found = verdict_of(ended, ended.moment(), -7.0, fewer=None)
    assert found.brief.removesuffix(" Still improving.") == f"{found.topics}; {found.prediction}."
    few = SimpleNamespace(n_topics=4, said="90 %")
    n_all = len(ended.moment().in_use)
    found = replace(verdict_of(ended, ended.moment(), -7.0, fewer=few), longer="no: it settled")
    assert found.brief == f"4 topics keep 90 % of what {n_all} gain over word frequencies."
    assert replace(found, longer="yes: it rises").brief == f"{found.brief} Still improving."
