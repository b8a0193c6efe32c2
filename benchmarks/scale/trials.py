"""Chains on the workers of a cluster beside those in turn: `python -m benchmarks.scale trials`.

Two chains on two processes of this machine against one thread that steps them in turn, which is
what they would do for a sequential law; `settled` chains end when they have met, and are judged
after every draw. Prints seconds, processor time, and what was sent and received.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import psutil

from bnpexplorer.chains import Chains, chains_of
from bnpexplorer.plugins.cluster import ClusterPool, connect
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.warming import warm
from bnpexplorer.samples import load_sample

CHAINS = 2


def processor_seconds() -> float:
    """Of this process and of those that it has begun."""
    one = psutil.Process()
    return sum(sum(each.cpu_times()[:2]) for each in (one, *one.children(recursive=True)))


def told(what: str, chains: Chains, pool: ClusterPool | None = None) -> None:
    """Let the chains learn, and print what that took."""
    sent, received = (0, 0) if pool is None else (pool.moved.sent, pool.moved.received)
    chains.prepare()
    began, computed = time.perf_counter(), processor_seconds()
    steps = 0
    while not chains.done:
        chains.step()
        steps += 1
    took, computed = time.perf_counter() - began, processor_seconds() - computed
    line = f"{what:<8} {took:7.1f} s {computed:7.1f} s of processors, {steps} steps, "
    line += f"{chains.runs[0].n_steps} mini-batches a chain"
    if pool is not None:
        line += f", {(pool.moved.sent - sent) / 1e6:.0f} MB sent"
        line += f", {(pool.moved.received - received) / 1e6:.0f} MB received"
    print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale trials", description=__doc__)
    parser.add_argument("--method", default="hdp-tsvi")
    parser.add_argument("--until", default="settled", choices=("settled", "passes"))
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--every", type=int, default=8, help="of so many paragraphs one [8]")
    asked = parser.parse_args(arguments)
    whole = load_sample("sotu").corpus
    corpus = whole.take(np.arange(0, whole.n_docs, asked.every))
    chosen = {"passes": asked.passes, "batch_size": asked.batch_size, "until": asked.until}
    plan = Plan.of(asked.method, chains=CHAINS, seed=1, n_heldout=corpus.n_docs // 30, **chosen)
    warm(plan.method)
    told("in turn", chains_of(plan, corpus))
    with connect(f"local:{CHAINS}") as pool:
        told("at once", chains_of(plan, corpus, pool=pool), pool)
    return 0


if __name__ == "__main__":
    sys.exit(main())
