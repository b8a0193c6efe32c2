"""R-hat and effective sample size, number by number from Vehtari et al. 2021 (arXiv 1903.08008)."""

import math
from statistics import NormalDist


def rhat(chains: list[list[float]]) -> float:
    """The larger of the rank-normalised split R-hat of the draws and of the folded draws
    (section 3.2)."""
    split = halves(chains)
    middle = median([x for chain in split for x in chain])
    folded = [[abs(x - middle) for x in chain] for chain in split]
    return max(plain_rhat(normalised(split)), plain_rhat(normalised(folded)))


def bulk_ess(chains: list[list[float]]) -> float:
    """Effective sample size of the rank-normalised split draws (equations 10 to 13).

    With what Stan does beside the paper: autocovariances of every lag are divided by the number of
    draws, and the last even term counts once where it is positive.
    """
    z = normalised(halves(chains))
    n_chains, n = len(z), len(z[0])
    within, plus = variances(z)
    covariances = [[autocovariance(chain, t) for t in range(n)] for chain in z]

    def rho(t: int) -> float:
        mean = sum(row[t] for row in covariances) / n_chains
        return 1.0 - (within - mean) / plus

    # Geyer's initial monotone sequence of sums of pairs (section 3.3 and its references).
    pairs: list[float] = []
    t = 0
    while t + 1 <= n - 4:
        pair = (1.0 if t == 0 else rho(t)) + rho(t + 1)
        if pair <= 0.0:
            break
        pairs.append(min(pair, pairs[-1]) if pairs else pair)
        t += 2
    last = max(rho(t), 0.0)
    tau = max(-1.0 + 2.0 * sum(pairs) + last, 1.0 / math.log10(n_chains * n))
    return n_chains * n / tau


def halves(chains: list[list[float]]) -> list[list[float]]:
    half = len(chains[0]) // 2
    return [chain[:half] for chain in chains] + [chain[-half:] for chain in chains]


def normalised(chains: list[list[float]]) -> list[list[float]]:
    """z of the average rank r of S: Phi^-1((r - 3/8) / (S + 1/4)) (equation 14)."""
    everything = sorted(x for chain in chains for x in chain)
    places: dict[float, list[int]] = {}
    for place, x in enumerate(everything, start=1):
        places.setdefault(x, []).append(place)
    inverse, s = NormalDist().inv_cdf, len(everything)
    return [
        [inverse((sum(places[x]) / len(places[x]) - 0.375) / (s + 0.25)) for x in chain]
        for chain in chains
    ]


def variances(chains: list[list[float]]) -> tuple[float, float]:
    """Within chains, and var+ (equations 1 to 3)."""
    n, n_chains = len(chains[0]), len(chains)
    means = [sum(chain) / n for chain in chains]
    grand = sum(means) / n_chains
    between = n * sum((mean - grand) ** 2 for mean in means) / (n_chains - 1)
    within = 0.0
    for chain, mean in zip(chains, means, strict=True):
        within += sum((x - mean) ** 2 for x in chain) / (n - 1) / n_chains
    return within, (n - 1) / n * within + between / n


def plain_rhat(chains: list[list[float]]) -> float:
    within, plus = variances(chains)
    return math.sqrt(plus / within)


def autocovariance(chain: list[float], lag: int) -> float:
    n = len(chain)
    mean = sum(chain) / n
    return sum((chain[i] - mean) * (chain[i + lag] - mean) for i in range(n - lag)) / n


def median(values: list[float]) -> float:
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2.0
