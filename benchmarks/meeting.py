"""Whether chains of `hdp-gibbs` from different starts meet: `python -m benchmarks.meeting`.

Corpora are drawn from the model with gamma, alpha and eta from the priors under which they are
learned; those with 10 to 100 topics count. Each lever learns every corpus from nothing, from ten
topics and from many, with the concentrations known unless the lever learns them. Of the second half
of the passes a row tells rank-normalised split R-hat and bulk effective sample size (arviz-stats)
of log joint, number of topics and entropy of sizes, topics in use by start, the share of draws with
fewer topics than the truth, and processor seconds. Chains have met where every R-hat is at most
1.05 and every effective sample size at least 100.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from bnpexplorer import Run, make_method
from bnpexplorer.core.arrays import F64
from bnpexplorer.evaluate.in_use import effective_topics
from bnpexplorer.evaluate.settling import FEWEST_ESS, MOST_RHAT, rhat_and_ess
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR, ETA_PRIOR
from bnpexplorer.inference.pool import Threads
from bnpexplorer.models.base import SyntheticCorpus
from bnpexplorer.models.hdp import HDP

STARTS: dict[str, dict[str, Any]] = {
    "nothing": {"start": "nothing"},
    "few": {"start": "many", "n_start": 10},
    "many": {"start": "many", "n_start": 200},
}
KNOWN: dict[str, dict[str, Any]] = {
    "none": {"merge_passes": 0},
    "moves": {"merge_passes": 0, "moves": 10},
    "merging": {"merge_passes": 10},
    "merging for 60 passes": {"merge_passes": 60},
    "merging, then moves": {"merge_passes": 60, "moves": 5},
}
LEARNED = {"learn_gamma": True, "learn_alpha": True}
LEVERS = KNOWN | {
    "learned": KNOWN["none"] | LEARNED,
    "learned, merging": KNOWN["merging"] | LEARNED,
}
"""Name -> knobs, beside those of a start."""
FEWEST, MOST = 10, 100
"""Topics of a corpus that counts."""


def drawn(seed: int) -> tuple[HDP, SyntheticCorpus]:
    """Return the first model and corpus of this seed whose number of topics counts."""
    rng = np.random.default_rng(1000 + seed)
    n_docs, length = (150, 300, 600)[seed % 3], (20, 50, 100)[seed // 3 % 3]
    while True:
        gamma, alpha = (max(_gamma(rng, CONCENTRATION_PRIOR), 0.1) for _ in range(2))
        model = HDP(gamma, alpha, max(_gamma(rng, ETA_PRIOR), 0.01))
        found = model.sample(rng, n_docs, (300, 1000)[seed % 2], length)
        if FEWEST <= len(found.topic_word) <= MOST:
            return model, found


def _gamma(rng: np.random.Generator, prior: tuple[float, float]) -> float:
    return float(rng.gamma(prior[0], 1.0 / prior[1]))


def chain(
    model: HDP, corpus: SyntheticCorpus, knobs: Mapping[str, Any], seed: int, passes: int
) -> tuple[F64, float]:
    """Return log joint, topics and entropy after every pass, float64 (passes, 3), and seconds."""
    learns = "learn_gamma" in knobs
    known = {"eta": model.eta} | ({} if learns else {"gamma": model.gamma, "alpha": model.alpha})
    method = make_method("hdp-gibbs", "default", {**knobs, **known})
    run = Run(method, corpus.corpus, seed, corpus.corpus.n_docs, passes, pool=Threads(1))
    values, began = [], process_time()
    while not run.done:
        run.step()
        topics = method.topics(run.state)
        entropy = np.log(effective_topics(topics))
        values.append((method.log_joint(run.state), topics.in_use.sum(), entropy))
    return np.array(values, np.float64), process_time() - began


@dataclass(frozen=True)
class Met:
    """How three chains on one corpus stand to each other."""

    rhat: tuple[float, ...]
    ess: tuple[float, ...]
    topics: tuple[float, ...]
    below: float
    """Share of all draws with fewer topics than the truth, half of the equal ones among them."""
    seconds: float

    @property
    def met(self) -> bool:
        return max(self.rhat) <= MOST_RHAT and min(self.ess) >= FEWEST_ESS


def compared(seed: int, lever: str, passes: int) -> Met:
    model, corpus = drawn(seed)
    chains = [
        chain(model, corpus, start | LEVERS[lever], seed, passes) for start in STARTS.values()
    ]
    draws = np.stack([values[passes // 2 :] for values, _ in chains])
    both = [rhat_and_ess(np.ascontiguousarray(draws[:, :, i])) for i in range(3)]
    topics, truth = draws[:, :, 1], len(corpus.topic_word)
    below = (topics < truth).mean() + 0.5 * (topics == truth).mean()
    rhat, ess = zip(*both, strict=True)
    means = tuple(topics.mean(axis=1).tolist())
    return Met(rhat, ess, means, float(below), sum(seconds for _, seconds in chains))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meeting", description=__doc__)
    parser.add_argument("--corpora", type=int, default=20)
    parser.add_argument("--passes", type=int, default=600)
    parser.add_argument("--levers", nargs="+", choices=LEVERS, default=list(LEVERS))
    asked = parser.parse_args()
    print(
        "| lever | met | R-hat: log joint, topics, entropy | ess of the three | topics from ",
        end="",
    )
    print("nothing, few, many over the truth | below the truth | seconds over none |")
    print("|---|---:|---|---|---|---|---:|", flush=True)
    usual: dict[int, float] = {}
    for lever in asked.levers:
        found = [compared(seed, lever, asked.passes) for seed in range(asked.corpora)]
        usual = usual or {seed: met.seconds for seed, met in enumerate(found)}
        print(row(lever, found, list(usual.values())), flush=True)


def row(lever: str, found: list[Met], usual: list[float]) -> str:
    """Medians over corpora, how many have met, and fifths of the share below the truth."""

    def medians(name: str, form: str) -> str:
        columns = zip(*(getattr(met, name) for met in found), strict=True)
        return ", ".join(format(median(column), form) for column in columns)

    fifths = np.histogram([met.below for met in found], 5, (0.0, 1.0))[0]
    n_true = [len(drawn(seed)[1].topic_word) for seed in range(len(found))]
    shares = np.array([met.topics for met in found]) / np.array(n_true)[:, None]
    topics = ", ".join(f"{share:.2f}" for share in np.median(shares, axis=0))
    slower = median(met.seconds / seconds for met, seconds in zip(found, usual, strict=True))
    return (
        f"| {lever} | {sum(met.met for met in found)} | {medians('rhat', '.2f')} | "
        f"{medians('ess', '.0f')} | {topics} | {' '.join(map(str, fifths))} | {slower:.1f} |"
    )


if __name__ == "__main__":
    main()
