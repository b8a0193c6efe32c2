"""Saved runs to begin with, where the way to them is not what is tested."""

import secrets

from bnpexplorer import Plan
from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import load_sample


def long_run() -> str:
    """The address of its owner: hdp-tsvi on the bars, paused, with minutes to go.

    Small mini-batches, so that it leaves the processor to the browser that watches it.
    """
    sample = load_sample("bars")
    run = Plan.of("hdp-tsvi", batch_size=16, passes=1000).split_and_start(sample.corpus)
    for _ in range(3):
        run.step()
    run_id, secret = secrets.token_hex(5), secrets.token_urlsafe(12)
    Library().keep(run_id, run, sample.corpus, "paused", secret, true_topics=sample.true_topics)
    return f"/live?run={run_id}&own={secret}"


def two_long_runs(batch_size: int = 256, corpus: Corpus | None = None) -> str:
    """The address of the owner of hdp-svi and lda-svi, paused, with minutes to go; on the bars, or
    on a corpus of the owner's."""
    sample, own = load_sample("bars"), {}
    for name in ("hdp-svi", "lda-svi"):
        plan = Plan.of(name, batch_size=batch_size, passes=10_000)
        run = plan.split_and_start(corpus or sample.corpus)
        run.step()
        run_id, own[run_id] = secrets.token_hex(5), secrets.token_urlsafe(12)
        true_topics = None if corpus else sample.true_topics
        Library().keep(
            run_id, run, corpus or sample.corpus, "paused", own[run_id], true_topics=true_topics
        )
    return f"/live?run={','.join(own)}&own={','.join(own.values())}"


def finished_run(
    name: str, passes: float | None = None, sample: str = "small-csv"
) -> tuple[str, str]:
    """The identity and the secret of a run of this method that has read a sample.

    `passes`: how often (None: as often as the form suggests).
    """
    found = load_sample(sample)
    corpus = found.corpus
    run = Plan.of(name, passes=passes).split_and_start(corpus)
    while not run.done:
        run.step()
    run_id, secret = secrets.token_hex(5), secrets.token_urlsafe(12)
    told = describe(corpus)
    Library().keep(run_id, run, corpus, "finished", secret, told, true_topics=found.true_topics)
    return run_id, secret
