"""What a run, a race or chains that have ended are worth, in words that anybody can quote.

The held-out score is a mean log likelihood per word, so `exp` of a difference of two scores is the
factor by which one gives the hidden words more probability than the other, in the geometric mean
over all hidden words. "8 % better" says that this factor is 1.08.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..claims.claim import MARGIN
from ..claims.learned import MARGIN as LEARNED
from ..core.display import plural
from ..corpus.documents.enough import too_little
from ..evaluate import between_starts
from ..evaluate.settling import QUANTITIES
from ..runs.about import Granularity
from ..runs.choices import reads_once
from ..runs.run import Run
from ..runs.saved.rows import Saved
from ..state.moment import Moment
from ..state.snapshot import TracePoint

DEVIATIONS = 2
"""Standard deviations by which two scores must differ to be more than a choice of starts."""
FEWEST_SCORES = 6
"""In the latter half of a run, below which nothing is said of where its score goes."""
WORD_FREQUENCIES = "word frequencies"


@dataclass(frozen=True)
class RunVerdict:
    """Clauses without capital and full stop; those with nothing to say are empty."""

    topics: str
    prediction: str
    """Against word frequencies alone."""
    among: str
    """Against other methods on the same held-out documents; only where there are any."""
    longer: str
    """Whether to run it longer, and why."""
    filler: str = ""
    """How many of its topics are filler; empty where none is."""
    meaning: str = ""
    """What the per cent are, in a sentence of its own."""
    fewer: str = ""
    """How many topics would do in place of all; empty where nobody knows."""
    worth_a_look: bool = True
    """Whether its topics tell more than word frequencies, as far as anybody knows."""
    enough: str = ""
    """The same for who only reads topics."""

    @property
    def sentence(self) -> str:
        """All clauses."""
        predicts = ", ".join(filter(None, (self.prediction, self.among)))
        asked = f"run it longer? {self.longer}" if self.longer else ""
        said = "; ".join(filter(None, (self.topics, predicts, self.fewer, self.filler, asked)))
        return f"{said}."

    @property
    def brief(self) -> str:
        """Say to readers of topics how many are enough, and whether more passes help."""
        said = self.enough or "; ".join(filter(None, (self.topics, self.prediction)))
        return f"{said}." + (" Still improving." if self.longer.startswith("yes") else "")


def verdict_of(
    run: Run,
    moment: Moment,
    unigram: float,
    rivals: Mapping[str, float] = {},
    filler: Collection[int] = (),
    fewer: Granularity | None = None,
) -> RunVerdict:
    """The verdict on a run that has ended, at its last moment.

    `unigram`: the score of word frequencies on its held-out documents (nan: nothing is held out);
    `rivals`: other methods -> their best score on exactly these documents by the same protocol;
    `filler`: its topics that are filler (`state/filler.py`); `fewer`: topics in place of all.
    """
    score, held_out = moment.snapshot.heldout, run.heldout
    spread = moment.snapshot.spread
    if too_little(run.corpus, *([held_out.whole] if held_out else [])):
        return RunVerdict(
            moment.how_many,
            "too little text to judge any of them, or how well they predict",
            "",
            "",
            worth_a_look=False,
        )
    told = any(topic not in filler for topic in moment.in_use)
    useless = plural(len(filler), f"{moment.noun} is filler", f"{moment.noun}s are filler")
    useless = useless if filler else ""
    differs = between_starts(spread, held_out.whole.n_docs) if held_out else ""
    if score is None or held_out is None or not math.isfinite(unigram):
        return RunVerdict(
            moment.how_many,
            _alone(run, score),
            "",
            longer(run, moment.trace),
            useless,
            worth_a_look=told,
        )
    return RunVerdict(
        moment.how_many,
        f"predicts unseen words {compared(score - unigram, WORD_FREQUENCIES, margin(spread))}",
        among(score, rivals, margin(spread, spread)),  # theirs differ as much between starts
        longer(run, moment.trace),
        useless,
        f"Each hidden word of the {plural(held_out.hidden.n_docs, 'held-out document')} gets "
        f"{math.exp(score - unigram):.2f} times the probability that word frequencies give it, in "
        f"the geometric mean: exp of {score:.3f} less {unigram:.3f}."
        + (f" The score is {differs}." if differs else "")
        + _depends(run, moment.noun),
        _would_do(fewer, moment.noun),
        told and score - unigram >= margin(spread),
        _enough(fewer, moment),
    )


def _depends(run: Run, noun: str) -> str:
    """Return a sentence on how the number of topics came about; empty where somebody fixed it."""
    if hasattr(run.method.model, "n_topics"):
        return ""
    return f" How many {noun}s there are depends on the start, on eta and on the number of texts."


def _would_do(fewer: Granularity | None, noun: str) -> str:
    if fewer is None or not fewer.said:
        return ""
    keep = f"would keep {fewer.said} of that gain"
    return f"{plural(fewer.n_topics, noun)} in their place {keep}"


def _enough(fewer: Granularity | None, moment: Moment) -> str:
    if fewer is None or not fewer.said:
        return ""
    keep = "keeps" if fewer.n_topics == 1 else "keep"
    few, n_all = plural(fewer.n_topics, moment.noun), len(moment.in_use)
    return f"{few} {keep} {fewer.said} of what {n_all:,} gain over word frequencies"


def _alone(run: Run, score: float | None) -> str:
    """How well a run predicts without held-out documents that word frequencies predict, too."""
    if run.protocol == "stream" and score is not None:
        return (
            "mini-batches were predicted before they were learned, the latest at "
            f"{score:.2f} log likelihood per word"
        )
    return "nothing was held out, so nobody knows how well it predicts"


def margin(*spreads: float) -> float:
    """The difference of scores up to which it means nothing: 0.01, 1 %, or what another choice of
    starts of the fold-in could make of scores that differ so far between starts."""
    return max(MARGIN, DEVIATIONS * math.hypot(*spreads))


def compared(gain: float, whom: str, within: float = MARGIN) -> str:
    """How much better words are predicted than by `whom`, for a difference of scores.

    Differences below `within` mean nothing (`margin`).
    """
    if not math.isfinite(gain):
        return f"worse than {whom}: it rules out a word that is there"
    if abs(gain) < within:
        return f"no better than {whom}"
    if gain >= math.log(2.0):
        return f"{math.exp(gain):.1f} times as well as {whom}"
    return f"{100.0 * abs(math.expm1(gain)):.0f} % {'better' if gain > 0 else 'worse'} than {whom}"


def among(score: float, rivals: Mapping[str, float], within: float = MARGIN) -> str:
    """Where a score stands among those of other methods; empty where there are none. Scores that
    differ by `within` at most are equal."""
    if not rivals:
        return ""
    best = max(rivals, key=lambda name: rivals[name])
    gain, tried = score - rivals[best], len(rivals) + 1
    if gain < -within:
        said = f"and {compared(gain, best, within)}, the best"
        return f"{said} of {tried} methods tried on these documents"
    if gain <= within:
        return f"as good as the best of {tried} methods tried on these documents"
    return f"the best of {tried} methods tried on these documents, {compared(gain, best, within)}"


def rivals_of(run: Run, saved: Iterable[Saved]) -> dict[str, float]:
    """Other methods -> their best score among saved runs that are finished and judged as `run`."""
    found: dict[str, float] = {}
    for row in saved:
        method, score = row.facts["method"], row.facts["heldout"]
        ended = row.facts["status"] == "finished" and method != run.method.name
        if ended and row.judged_with(run):
            found[method] = max(score, found.get(method, -math.inf))
    return found


# ---- run it longer? ------------------------------------------------------------------------------


def longer(run: Run, trace: Sequence[TracePoint]) -> str:
    """Whether more passes would predict better: `no`, `yes` or `nobody can tell`, and why."""
    if run.converged:
        return "no: it has converged"
    if run.draws:
        found = run.settling()
        return f"{'no' if found.settled else 'yes'}: {found.why}"
    if run.done and reads_once(run.method, run.order):
        return "no: it reads its texts once"
    return by_curve(trace)


def by_curve(trace: Sequence[TracePoint]) -> str:
    """By the held-out scores of the latter half of a history: the mean of its second half against
    that of its first, which moves by 0.01 at most in a run that is as good as it gets.

    It tells of prediction alone, not whether a sampler's chain has converged.
    """
    half = trace[-1].docs_seen / 2 if trace else 0.0
    scores = [p.heldout for p in trace if p.docs_seen > half and math.isfinite(p.heldout)]
    if len(scores) < FEWEST_SCORES:
        return f"nobody can tell from {plural(len(scores), 'score')} in its latter half"
    n = len(scores) // 2
    rise = sum(scores[-n:]) / n - sum(scores[:n]) / n
    said = f"over its latter half the held-out score {'rose' if rise >= 0 else 'fell'} by"
    if rise > QUANTITIES["heldout"].steady:
        return f"yes: {said} {rise:.3f}"
    if rise < -QUANTITIES["heldout"].steady:
        return f"no: {said} {-rise:.3f}"
    return f"no: {said} only {abs(rise):.3f}"


# ---- several runs --------------------------------------------------------------------------------


def race_verdict(
    scores: Mapping[str, float], unigram: float, spreads: Mapping[str, float] = {}
) -> str:
    """Return who predicts best in a race that has ended.

    `scores`: names -> last score on the same documents. `spreads`: names -> how far it differs
    between starts of the fold-in.

    Nobody as long as none has left word frequencies behind. Empty where fewer than two have a
    score.
    """
    known = {name: score for name, score in scores.items() if not math.isnan(score)}
    if len(known) < 2:
        return ""
    ranked = sorted(known, key=lambda name: -known[name])
    best, top = ranked[0], known[ranked[0]]
    if not math.isfinite(top):
        return "No method gives every hidden word a probability, so none can be recommended."
    if math.isfinite(unigram) and top - unigram <= LEARNED:
        return (
            f"It is too early to choose: the best, {best}, is "
            f"{compared(top - unigram, WORD_FREQUENCIES)}, and only what is more than "
            f"{math.expm1(LEARNED):.0%} better has learned something. Let them read more."
        )
    within = {name: margin(spreads.get(best, 0.0), spreads.get(name, 0.0)) for name in ranked}
    equal = [name for name in ranked if top - known[name] <= within[name]]
    behind = [
        f"{name} is {compared(known[name] - top, best, within[name])}"
        for name in ranked
        if name not in equal
    ]
    against = ""
    if math.isfinite(unigram):
        against = f", {compared(top - unigram, WORD_FREQUENCIES)}"
    if len(equal) == len(known):
        who = f"Any of them does: {', '.join(ranked)} predict unseen words equally well{against}"
    elif len(equal) > 1:
        who = f"Use {' or '.join(equal)}: they predict unseen words best{against}"
    else:
        who = f"Use {best}: it predicts unseen words best{against}"
    return f"{'; '.join((who, *behind))}. One seed each."


def chains_verdict(met: bool, enough_draws: bool, n_chains: int) -> str:
    """Return advice on chains that have ended."""
    if met:
        return f"Quote any of the {n_chains} chains: running them longer does not help."
    if not enough_draws:
        return "Run them longer before quoting any."
    return "Quote only what all chains have found, or run them longer."
