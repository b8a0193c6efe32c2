"""Do documents of few words help or harm? `python -m benchmarks.short_documents [FILE ...]`

Corpora: answers drawn from LDA with 8 topics, and 2,000 texts of each FILE, as the app reads it;
`cut:FILE` cuts them to the lengths of answers to an open question. 300 documents of five words and
more are held out. The recommended method learns the others four times: all of them, and without
those of fewer than 2, 3 and 5 words. A row tells how many documents are learned, the held-out score
per word and the topics in use, each as the mean over the seeds with its extremes.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from bnpexplorer import load
from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate.heldout import heldout_of
from bnpexplorer.inference.pool import Threads
from bnpexplorer.models.lda import LDA
from bnpexplorer.runs.recommend import recommend

LEAST = (1, 2, 3, 5)
N_DOCS, N_HELDOUT, N_TOPICS, N_WORDS = 2000, 300, 8, 400
PASSES = 60
ANSWERS = np.array([0, 18, 17, 13, 10, 8, 7, 6, 5, 4, 3, 3, 2, 2, 1, 1], float)
"""Answers to an open question by their words that count, in per cent; half have 3 at most."""


def cut_to_answers(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    """Return documents of the lengths of answers, with words drawn of each document."""
    rows = corpus.to_csr().toarray()
    lengths = rng.choice(len(ANSWERS), len(rows), p=ANSWERS / ANSWERS.sum())
    lengths = np.minimum(lengths, rows.sum(axis=1))
    drawn = [rng.multivariate_hypergeometric(row, n) for row, n in zip(rows, lengths, strict=True)]
    return Corpus.from_csr(np.array(drawn), corpus.vocab, name=f"{corpus.name}, cut")


def corpora(files: Sequence[str]) -> Iterator[Corpus]:
    """Yield the corpora, each of at most `N_DOCS` documents."""
    rng = np.random.default_rng(1)
    drawn = LDA(N_TOPICS, 0.3 / N_TOPICS, 0.05).sample(rng, N_DOCS // 2, N_WORDS, 20.0).corpus
    yield replace(cut_to_answers(drawn, rng), name="drawn answers")
    for file in files:
        whole = load(file.removeprefix("cut:"), min_tokens=1)
        some = whole.take(np.sort(rng.permutation(whole.n_docs)[:N_DOCS]))
        yield cut_to_answers(some, rng) if file.startswith("cut:") else some


def row_of(corpus: Corpus, least: int, seeds: int) -> str:
    """Return a row of the table."""
    scores, topics, kept = [], [], 0
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(corpus.n_docs)
        lengths = corpus.doc_lengths[order]
        tested = order[lengths >= max(LEAST)][:N_HELDOUT]
        others = np.setdiff1d(order[lengths >= least], tested)
        learned, kept = corpus.take(others), len(others)
        plan = replace(recommend(learned), seed=seed, passes=PASSES, until="passes")
        held = heldout_of(corpus.take(np.sort(tested)), seed, plan.protocol_for(learned))
        run = plan.start(learned, held, pool=Threads(1))
        while not run.done:
            run.step()
        moment = run.moment()
        scores.append(float(moment.snapshot.heldout or "nan"))
        topics.append(len(moment.in_use))
    spread = f"{mean(scores):.3f} [{min(scores):.3f}, {max(scores):.3f}]"
    count = f"{mean(topics):.0f} [{min(topics)}, {max(topics)}]"
    return f"| {corpus.name} | {least} | {kept:,} | {spread} | {count} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    print("| corpus | least words | documents learned | held-out score | topics in use |")
    print("|---|---:|---:|---:|---:|")
    for corpus in corpora(options.files):
        for least in LEAST:
            print(row_of(corpus, least, options.seeds), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
