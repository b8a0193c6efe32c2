"""Recommend the plan that measured best for texts of a size; `benchmarks/README.md` has the
measurements."""

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
"""Seconds that the sampler of topics learns a small corpus at its measured pace, and most passes.
From a start with many topics it needs hundreds of passes to drop the ones that it does not need.
From 100 to 500 passes, 600 articles went from 29 topics to 8 (score -2.576 to -2.561) and the bars
from 172 to 91 (-3.146 to -3.126). These numbers decide the passes, not a clock, so every machine
makes the same plan."""
STATES, STATES_BYTES = {"thin": 2, "n_kept": 30}, 2**28
"""Averaging of predictions if 30 states fit into `STATES_BYTES`, enough for 200 topics over 11,000
words. It is as good as ten states five passes apart after a fifth more passes."""
BLOCK = 40_000
"""Tokens between two draws of the corpus weights: a pass over short texts then takes half the time
that it takes in blocks of 256."""
LARGE = 10_000_000
"""Tokens in all, above which a sampler's hundred passes take hours."""
LEARNED, SHORT = "learned-alpha", 10
"""The preset of the sampler of topics for texts with fewer words on average. Learning alpha gained
0.1 to 0.4 on texts of 6 to 8 words. On longer ones it gained up to 0.2 and lost up to 0.02, and it
left 47 topics of 600 articles on eight subjects, where alpha 5 leaves 8."""
ONE_EACH = 0.2
"""A learned alpha below this means that a text usually has one topic. It was 0.02 for messages on
89 subjects and 0.11 to 0.15 for openings of posts, both of which clusters predict better by 0.2 to
0.4 log likelihood per word; it was 0.3 to 8 for other texts."""


def recommend(corpus: Corpus, unit: Unit = "topics", order: Order = "shuffled") -> Plan:
    """Return the plan that measured best for texts of this number and length, with its `reason`.

    >>> from bnpexplorer import load, recommend
    >>> plan = recommend(load("sample_data/small.csv"))
    >>> plan.method.name, plan.passes
    ('hdp-gibbs', 500)

    `unit`: "topics" if a text may have several, "clusters" if it belongs to one. `order`: a stream
    is read once. Raises ValueError for another unit.
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
    """Return the settings of a recommended plan that differ from its preset."""
    return {name: getattr(plan.method, name) for name in STATES if hasattr(plan.method, name)}


def _states_bytes(plan: Plan, corpus: Corpus) -> int:
    """Return the bytes of the kept states, with as many topics as at the start."""
    most, per_root = (getattr(plan.method, name, 1) for name in ("n_start", "start_per_root"))
    n_topics = topics_for(most, corpus.n_tokens, max(corpus.n_docs, 1), per_root)
    return 4 * STATES["n_kept"] * n_topics * corpus.n_words


def clusters_beside(run: Run) -> Plan | None:
    """Return a plan of clusters, scored on the same words, if the texts of `run` seem to have one
    topic each; otherwise, and during the burn-in, None."""
    heldout = run.heldout
    learns = getattr(run.method, "learn_alpha", False)
    if heldout is None or not heldout.by_word or not learns:
        return None
    settled = run.done or (run.state is not None and len(run.method.kept(run.state)) > 0)
    small = settled and run.topics.concentration < ONE_EACH
    return clusters_for(run, heldout) if small else None


def clusters_for(run: Run, heldout: Heldout) -> Plan:
    """Return the plan of clusters that measured best for short texts, scored like `run` on
    `heldout`."""
    return Plan.of(
        "dpm-gibbs",
        "short-texts",
        seed=run.seed,
        n_heldout=heldout.whole.n_docs,
        protocol=run.protocol,
    )


def one_each(run: Run) -> str:
    """Return a sentence on why clusters may suit."""
    return (
        f"An alpha of {run.topics.concentration:.2g} means that a text usually has one topic. "
        "Clusters, which give each text just one, may predict these texts better."
    )


def reason_for(plan: Plan, corpus: Corpus) -> str:
    """Return a sentence on why the plan suits `corpus`; empty for too little text, since
    `too_little` then advises something else."""
    return "" if too_little(corpus) else f"{plan.method.name}: {_why(plan, corpus)}."


def _why(plan: Plan, corpus: Corpus) -> str:
    """Return a clause on the amount of text, the choice of the method and its time."""
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
