"""Simulation-based calibration of the samplers: `python -m benchmarks.calibration [METHOD ...]`.

Talts, Betancourt, Simpson, Vehtari & Gelman 2018, "Validating Bayesian inference algorithms with
simulation-based calibration". Concentrations are drawn from the priors under which they are
learned, a small corpus from the model, and the sampler learns it as by default. If the draws follow
the posterior, the rank of the true value among them is uniform: a bias moves ranks to one side, and
a chain that is too short or moves too slowly gathers them at both ends.

Only the second half of a chain counts, thinned to `DRAWS` draws; "ess" is the median of the bulk
effective sample sizes of that half before thinning (arviz-stats), so that one can see whether the
draws are as good as independent. Ties are broken at random.
"""

import argparse
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln
from scipy.stats import chisquare

from bnpexplorer import Plan, Run, make_method
from bnpexplorer.core.arrays import F64, I64
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR, ETA_PRIOR, Prior
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.inference.mixture import log_collapsed_joint
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.base import Method
from bnpexplorer.models.base import SyntheticCorpus
from bnpexplorer.runs.plan import words_each

PRIORS: dict[str, Prior] = {
    "gamma": CONCENTRATION_PRIOR,
    "alpha": CONCENTRATION_PRIOR,
    "eta": ETA_PRIOR,
}
SAMPLERS: dict[str, dict[str, Any]] = {
    "dpm-gibbs": {},
    "hdp-gibbs": {},
    "lda-gibbs": {"n_topics": 4},
}
"""Name -> settings for corpora as small as these."""
N_DOCS, N_WORDS, LENGTH = 30, 20, 10.0
DRAWS = 4
"""Of a chain, so that there are five ranks."""


@dataclass(frozen=True)
class Trial:
    """One sampler on many corpora drawn for it."""

    method: str
    learn: bool
    """Whether the concentrations are learned, all of them, or known."""
    priors: Mapping[str, Prior]
    """Of the concentrations that corpora are drawn with; the sampler's own are `PRIORS`."""
    passes: int | None = None
    """None: as by default."""


def learner(trial: Trial, truth: Mapping[str, float]) -> Method:
    """The sampler with its default start, and the concentrations where it does not learn them."""
    names = METHODS[trial.method].learnable()
    values = SAMPLERS[trial.method] | {f"learn_{name}": trial.learn for name in names}
    return make_method(trial.method, "default", values if trial.learn else values | dict(truth))


def ranks(trial: Trial, seed: int) -> dict[str, tuple[int, float]]:
    """Of one corpus, quantity -> the rank of the truth, 0 to `DRAWS`, and the chain's ess."""
    rng = np.random.default_rng(seed)
    known = {n for n in PRIORS if hasattr(METHODS[trial.method]().model, n)}
    truth = {n: rng.gamma(a, 1.0 / b) for n, (a, b) in trial.priors.items() if n in known}
    truth = {name: max(value, 1e-3) for name, value in truth.items()}
    method = learner(trial, truth)
    drawn = replace(method.model, **truth).sample(rng, N_DOCS, N_WORDS, LENGTH)
    preset = method.presets["default"]
    n_docs, length = drawn.corpus.n_docs, words_each(drawn.corpus)
    passes = trial.passes or Plan(method).passes_for(n_docs, length)
    run = Run(method, drawn.corpus, seed, preset.batch_size, passes, pool=Threads(1))
    chain = [quantities for _, quantities in zip(range(passes), visited(run), strict=True)]
    right = of_truth(trial, truth, drawn, rng)
    found = {}
    for name in chain[0].keys() & right.keys():
        values = np.array([point[name] for point in chain[passes // 2 :]])
        thinned = values[np.linspace(0, len(values) - 1, DRAWS).round().astype(int)]
        ties = int((thinned == right[name]).sum())
        found[name] = int((thinned < right[name]).sum() + rng.integers(ties + 1)), ess(values)
    return found


def visited(run: Run) -> Iterator[dict[str, float]]:
    """What the state tells after every pass."""
    while not run.done:
        run.step()
        topics, scalars = run.method.topics(run.state), run.latest_info.scalars
        told = {name: scalars[name] for name in (*PRIORS, "log joint") if name in scalars}
        if not hasattr(run.method.model, "n_topics"):
            told["topics"] = float(len(topics))
        yield told


def of_truth(
    trial: Trial, truth: Mapping[str, float], drawn: SyntheticCorpus, rng: np.random.Generator
) -> dict[str, float]:
    """The same of what made the corpus. Only HDPs tell no joint: `sample` does not return topics
    of tokens, and has left those out that hold none."""
    right = dict(truth) | {"topics": float(len(drawn.topic_word))}
    counts = drawn.corpus.to_csr().toarray()
    if trial.method == "dpm-gibbs":
        lam = Dirichlets.from_excess(drawn.doc_topic.T @ counts, truth["eta"])
        right["log joint"] = log_collapsed_joint(lam, drawn.doc_topic.sum(0), truth["gamma"])
    if trial.method == "lda-gibbs":
        by_doc, by_topic = topics_of_tokens(drawn, counts, rng)
        right["log joint"] = log_dirichlet_multinomial(by_doc, truth["alpha"])
        right["log joint"] += log_dirichlet_multinomial(by_topic, truth["eta"])
    return right


def topics_of_tokens(
    drawn: SyntheticCorpus, counts: I64, rng: np.random.Generator
) -> tuple[I64, I64]:
    """Topics of tokens given words, proportions and topics: counts (D, K) and (K, V)."""
    n_topics = len(drawn.topic_word)
    by_doc = np.zeros((len(counts), n_topics), np.int64)
    by_topic = np.zeros(drawn.topic_word.shape, np.int64)
    for d, w in zip(*np.nonzero(counts), strict=True):
        share = drawn.doc_topic[d] * drawn.topic_word[:, w]
        n = rng.multinomial(counts[d, w], share / share.sum())
        by_doc[d] += n
        by_topic[:, w] += n
    return by_doc, by_topic


def log_dirichlet_multinomial(counts: I64, parameter: float) -> float:
    """ln p of sequences with these counts (rows), each under its own symmetric Dirichlet."""
    total = parameter * counts.shape[1]
    rows = gammaln(total) - gammaln(total + counts.sum(axis=1))
    return float(rows.sum() + (gammaln(parameter + counts) - gammaln(parameter)).sum())


def ess(values: F64) -> float:
    """Bulk effective sample size; all draws if they are one constant."""
    from arviz_stats.base.array import array_stats  # takes a third of a second

    if np.ptp(values) == 0.0:
        return float(len(values))
    return float(array_stats.ess(values[None]))


def histograms(found: list[dict[str, tuple[int, float]]]) -> dict[str, tuple[I64, float]]:
    """Quantity -> how often each rank came, int64 (DRAWS + 1,), and the median ess."""
    return {
        name: (
            np.bincount([one[name][0] for one in found], minlength=DRAWS + 1),
            float(np.median([one[name][1] for one in found])),
        )
        for name in sorted(found[0])
    }


def bias(counts: I64) -> float:
    """How far the mean rank is from its middle, in standard errors; above 0 the draws are low."""
    places = np.arange(len(counts))
    spread = np.sqrt((len(counts) ** 2 - 1) / 12.0 / counts.sum())
    return float((counts @ places / counts.sum() - places.mean()) / spread)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration")
    parser.add_argument("method", nargs="*", default=list(SAMPLERS))
    parser.add_argument("--corpora", type=int, default=200)
    parser.add_argument("--passes", type=int, help="other than by default")
    parser.add_argument("--processes", type=int, choices=(1, 2), default=2)
    asked = parser.parse_args()
    print("| sampler | quantity | ranks 0 to 4 | p | bias | ess |\n|---|---|---|---:|---:|---:|")
    for name in asked.method:
        for learn in (True, False):
            trial, seeds = Trial(name, learn, PRIORS, asked.passes), range(asked.corpora)
            with ProcessPoolExecutor(asked.processes) as pool:
                found = list(pool.map(ranks, [trial] * asked.corpora, seeds, chunksize=10))
            for quantity, (counts, size) in histograms(found).items():
                print(
                    f"| `{name}`, {'learned' if learn else 'known'} | {quantity} | "
                    f"{' '.join(map(str, counts))} | {chisquare(counts).pvalue:.3f} | "
                    f"{bias(counts):+.1f} | {size:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
