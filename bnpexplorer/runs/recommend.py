"""Which plan measures best for such texts; the figures are in `benchmarks/README.md`."""

from dataclasses import replace
from typing import Literal, get_args

from ..corpus.corpus import Corpus
from .choices import Order
from .plan import Plan

Unit = Literal["topics", "clusters"]
UNITS: tuple[Unit, ...] = get_args(Unit)

TOKENS_READ, MOST_PASSES = 40_000_000, 500
"""What the sampler of topics reads of a small corpus in all its passes, some 15 s, and passes at
most: begun at many topics it takes hundreds to let go of those that it does not need. From 100 to
500 passes 600 articles went from 29 topics to 8 (score -2.576 to -2.561) and the bars from 172 to
91 (-3.146 to -3.126): benchmarks/README.md, what the one button starts."""
LARGE = 10_000_000
"""Tokens in all, above which a sampler's hundred passes take hours."""


def recommend(corpus: Corpus, unit: Unit = "topics", order: Order = "shuffled") -> Plan:
    """The plan that measures best for texts of such a number and length; its `reason` says why.

    >>> plan = recommend(corpus)
    >>> run = plan.start(corpus)

    `unit`: topics, of which a text may have several, or clusters, to one of which it belongs;
    nobody is asked how many. `order`: a stream is read once. Raises ValueError for another unit.
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}; got {unit!r}.")
    if order == "stream" or corpus.n_tokens > LARGE:
        name = "hdp-tsvi" if unit == "topics" else "dpm-tsvi"
        why = f"of {corpus.n_tokens:,} words it learns in minutes, where a sampler takes hours"
        if order == "stream":
            why = f"it reads every text once and opens {unit} as it needs them"
    elif unit == "topics":
        name = "hdp-gibbs"
        why = "it predicts unseen words best, and finds out by itself how many topics there are"
    else:
        name = "dpm-gibbs"
        why = "it learns from the texts, short or long, how many clusters predict them best"
    plan = Plan.of(name, order=order, reason=f"{name}: {why}.")
    if name != "hdp-gibbs":
        return plan
    more = min(MOST_PASSES, TOKENS_READ // max(corpus.n_tokens, 1))
    return replace(plan, passes=more) if more > plan.passes_for(corpus.n_docs) else plan
