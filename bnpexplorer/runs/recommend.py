"""Which plan measures best for such texts; the figures are in `benchmarks/README.md`."""

from dataclasses import replace
from typing import Literal, get_args

from ..core.display import plural
from ..corpus.corpus import Corpus
from ..evaluate import Heldout
from .choices import Order
from .plan import Plan
from .run import Run

Unit = Literal["topics", "clusters"]
UNITS: tuple[Unit, ...] = get_args(Unit)

TOKENS_READ, MOST_PASSES = 40_000_000, 500
"""What the sampler of topics reads of a small corpus in all its passes, some 15 s, and passes at
most: begun at many topics it takes hundreds to let go of those that it does not need. From 100 to
500 passes 600 articles went from 29 topics to 8 (score -2.576 to -2.561) and the bars from 172 to
91 (-3.146 to -3.126): benchmarks/README.md, what the one button starts."""
TOKENS_A_SECOND = 2_700_000
"""That 40 million in 15 s are: enough to say whether it takes seconds or minutes."""
LARGE = 10_000_000
"""Tokens in all, above which a sampler's hundred passes take hours."""
LEARNED, SHORT = "learned-alpha", 10
"""The preset of the sampler of topics for texts of fewer words on average: learning alpha gained
0.1 to 0.4 on texts of 6 to 8 words. On longer ones it gained up to 0.2 and lost up to 0.02, and of
600 articles on eight subjects it left 47 topics, where alpha 5 leaves 8 (benchmarks/README.md)."""
ONE_EACH = 0.2
"""A learned alpha below this says that a text has one topic as a rule: 0.02 for messages on 89
subjects, 0.11 to 0.15 for headlines of newsgroups, both of which clusters predict better by 0.2 to
0.4 log likelihood per word; 0.3 to 8 for other texts that were tried."""


def recommend(corpus: Corpus, unit: Unit = "topics", order: Order = "shuffled") -> Plan:
    """The plan that measures best for texts of such a number and length; its `reason` says why.

    >>> from bnpexplorer import load, recommend
    >>> plan = recommend(load("sample_data/small.csv"))
    >>> plan.method.name, plan.passes
    ('hdp-gibbs', 500)

    `unit`: topics, of which a text may have several, or clusters, to one of which it belongs;
    nobody is asked how many. `order`: a stream is read once. Raises ValueError for another unit.
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}; got {unit!r}.")
    if order == "stream" or corpus.n_tokens > LARGE:
        name = "hdp-tsvi" if unit == "topics" else "dpm-tsvi"
    else:
        name = "hdp-gibbs" if unit == "topics" else "dpm-gibbs"
    short = corpus.n_tokens < SHORT * corpus.n_docs
    plan = Plan.of(name, LEARNED if name == "hdp-gibbs" and short else "default", order=order)
    if name == "hdp-gibbs":
        more = min(MOST_PASSES, TOKENS_READ // max(corpus.n_tokens, 1))
        if more > plan.passes_for(corpus.n_docs):
            plan = replace(plan, passes=more)
    return replace(plan, reason=reason_for(plan, corpus))


def clusters_beside(run: Run) -> Plan | None:
    """Return a plan of clusters, scored on the same words, for a run whose texts seem to have one
    topic each. Returns None for other texts, and before the burn-in is over."""
    heldout = run.heldout
    learns = getattr(run.method, "learn_alpha", False)
    if heldout is None or not heldout.by_word or not learns:
        return None
    settled = run.done or (run.state is not None and len(run.method.kept(run.state)) > 0)
    small = settled and run.topics.concentration < ONE_EACH
    return clusters_for(run, heldout) if small else None


def clusters_for(run: Run, heldout: Heldout) -> Plan:
    """Return the plan of clusters that measures best for short texts, scored as `run` is on its
    `heldout`."""
    return Plan.of(
        "dpm-gibbs",
        "short-texts",
        seed=run.seed,
        n_heldout=heldout.whole.n_docs,
        protocol=run.protocol,
    )


def one_each(run: Run) -> str:
    """Say in a sentence why clusters may suit."""
    return (
        f"An alpha of {run.topics.concentration:.2g} says that a text has one topic as a rule: "
        "clusters, of which it has just one, may predict these texts better."
    )


def reason_for(plan: Plan, corpus: Corpus) -> str:
    """Why a plan of a recommended method suits these texts: a sentence."""
    return f"{plan.method.name}: {_why(plan, corpus)}."


def _why(plan: Plan, corpus: Corpus) -> str:
    """How much text there is, why this method, and how long it takes, in one clause."""
    unit = f"{plan.method.model.noun}s"
    have = f"{plural(corpus.n_docs, 'text')} with {plural(corpus.n_tokens, 'word')} that count"
    if plan.order == "stream":
        return f"a stream is read once, by the method that opens {unit} as the texts ask for them"
    if corpus.n_tokens > LARGE:
        return (
            f"{have} are so many that the method which is best for fewer takes hours, so this "
            f"one opens {unit} as it reads, in minutes"
        )
    passes = plan.passes_for(corpus.n_docs)
    few = f"{have} are few enough to be read {plural(passes, 'time')}"
    if plan.method.name == "dpm-gibbs":
        return f"{few} by the method that learns from them how many clusters predict them best"
    seconds = corpus.n_tokens * passes / TOKENS_A_SECOND
    takes = "seconds" if seconds < 5 else "half a minute or so" if seconds < 30 else "minutes"
    return (
        f"{few} in {takes}, by the method here that predicts unseen words best and finds by itself "
        f"how many topics there are"
    )
