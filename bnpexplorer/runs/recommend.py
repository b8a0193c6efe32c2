"""Which plan measures best for such texts; the figures are in `benchmarks/README.md`."""

from dataclasses import replace
from typing import Literal, get_args

from ..core.display import plural
from ..corpus.corpus import Corpus
from ..corpus.documents.enough import too_little
from ..evaluate import Heldout
from ..inference.start import topics_for
from .choices import Order
from .plan import Plan, words_each
from .run import Run

Unit = Literal["topics", "clusters"]
UNITS: tuple[Unit, ...] = get_args(Unit)

SECONDS, TOKENS_A_SECOND, MOST_PASSES = 15, 6_000_000, 500
"""How long the sampler of topics learns a small corpus, at the pace that it had (benchmarks/
README.md, nanoseconds a token), and passes at most: begun at many topics it takes hundreds to let
go of those that it does not need. From 100 to 500 passes 600 articles went from 29 topics to 8
(score -2.576 to -2.561) and the bars from 172 to 91 (-3.146 to -3.126). Passes follow from these
numbers and never from a clock, so that every machine makes the same plan."""
STATES, STATES_BYTES = {"thin": 2, "n_kept": 30}, 2**28
"""Over which prediction averages where that many states fit into so many bytes, those of 30 states
of 200 topics over 11,000 words: as good as ten states five passes apart after a fifth more passes
(benchmarks/README.md)."""
BLOCK = 40_000
"""Tokens between two draws of the corpus weights: a pass over short texts takes half of the time
that it takes in blocks of 256 (benchmarks/README.md)."""
LARGE = 10_000_000
"""Tokens in all, above which a sampler's hundred passes take hours."""
LEARNED, SHORT = "learned-alpha", 10
"""The preset of the sampler of topics for texts of fewer words on average: learning alpha gained
0.1 to 0.4 on texts of 6 to 8 words. On longer ones it gained up to 0.2 and lost up to 0.02, and of
600 articles on eight subjects it left 47 topics, where alpha 5 leaves 8 (benchmarks/README.md)."""
ONE_EACH = 0.2
"""A learned alpha below this says that a text has one topic as a rule: 0.02 for messages on 89
subjects, 0.11 to 0.15 for openings of posts, both of which clusters predict better by 0.2 to
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
        values = STATES if _states_bytes(plan, corpus) <= STATES_BYTES else {}
        plan = Plan.of(name, plan.preset, values=values, order=order)
        size = min(BLOCK * corpus.n_docs // max(corpus.n_tokens, 1), corpus.n_docs)
        if size > plan.batch_for(corpus.n_docs):
            plan = replace(plan, batch_size=size)
        more = min(MOST_PASSES, SECONDS * TOKENS_A_SECOND // max(corpus.n_tokens, 1))
        if more > plan.passes_for(corpus.n_docs, words_each(corpus)):
            plan = replace(plan, passes=more)
    return replace(plan, reason=reason_for(plan, corpus))


def beside_preset(plan: Plan) -> dict[str, int]:
    """Return the settings of a recommended plan that are not its preset's."""
    return {name: getattr(plan.method, name) for name in STATES if hasattr(plan.method, name)}


def _states_bytes(plan: Plan, corpus: Corpus) -> int:
    """Return the bytes of all states that would be kept, with the topics of the start."""
    most, per_root = (getattr(plan.method, name, 1) for name in ("n_start", "start_per_root"))
    n_topics = topics_for(most, corpus.n_tokens, max(corpus.n_docs, 1), per_root)
    return 4 * STATES["n_kept"] * n_topics * corpus.n_words


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
    """Why a plan of a recommended method suits these texts: a sentence.

    Empty for too little text, of which `too_little` says what to do: two would contradict.
    """
    return "" if too_little(corpus) else f"{plan.method.name}: {_why(plan, corpus)}."


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
    passes = plan.passes_for(corpus.n_docs, words_each(corpus))
    few = f"{have} are few enough to be read {plural(passes, 'time')}"
    if plan.method.name == "dpm-gibbs":
        return f"{few} by the method that learns from them how many clusters predict them best"
    seconds = corpus.n_tokens * passes / TOKENS_A_SECOND
    takes = "seconds" if seconds < 5 else "half a minute or so" if seconds < 30 else "minutes"
    return (
        f"{few} in {takes}, by the method here that predicts unseen words best (its number of "
        "topics depends on its start and on eta)"
    )
