"""From where on a score shows that something was learned: `python -m benchmarks.learned`.

The same methods learn every corpus twice: as it is, and with all its tokens dealt out anew, each
document as long as before. Those texts have nothing to be learned but word frequencies, so what a
held-out score gains there over word frequencies is chance.

Writes `learned.jsonl`, a line a run,
and `learned.md`, the table by which `bnpexplorer.claims.learned.MARGIN` was chosen. Without `FILE`
only the State of the Union, by paragraph and in passages of 200 words, and the sample `small-csv`.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from bnpexplorer import Corpus, Plan
from bnpexplorer.claims.learned import MARGIN
from bnpexplorer.evaluate import from_one_start, score, unigram_score

from .compare import chosen_corpus
from .starts import part

HERE = Path(__file__).parent
CORPORA = ("sample:sotu", "sotu:passages", "sample:small-csv")
METHODS = (
    ("dpm-tsvi", "wang-blei-2012"),
    ("dpm-tsvi", "default"),
    ("dpm-sumo", "das-2015"),
    ("hdp-tsvi", "wang-blei-2012"),
    ("hdp-tsvi", "default"),
    ("hdp-svi", "wang-2011"),
    ("hdp-svi", "default"),
    ("lda-svi", "default"),
    ("hdp-catvi", "liu-2022"),
)
"""Method and preset: those of the papers, from their starts, and ours."""
MOST, FEWEST = 2_000, 5
"""Documents of a part, and those in which a word must be that counts: the part of a large corpus
has thousands of words that are in none of its texts, and of a vocabulary like that word frequencies
are a poor guess. With them glosses of a dictionary, dealt out anew, gained up to 0.106."""
SEEN, SEEDS = 10_000, 3
"""Documents that every run processes, so that many passes go through small texts."""


@dataclass(frozen=True)
class Gain:
    """Of one run, over word frequencies on the same held-out documents."""

    corpus: str
    dealt: bool
    """Whether its tokens were dealt out anew."""
    method: str
    preset: str
    seed: int
    highest: float
    """At any of ten moments."""
    last: float


def in_part(corpus: Corpus) -> Corpus:
    """`MOST` documents at random, with the words that are in `FEWEST` of them; all if it has no
    more documents."""
    if corpus.n_docs <= MOST:
        return corpus
    few = part(corpus, MOST)
    matrix = csr_matrix((few.counts, few.word_ids, few.indptr), (few.n_docs, few.n_words))
    words = np.flatnonzero(np.bincount(few.word_ids, minlength=few.n_words) >= FEWEST)
    kept = matrix[:, words]
    kept = kept[np.flatnonzero(kept.getnnz(axis=1))]
    return Corpus.from_csr(kept, vocab=[corpus.vocab[w] for w in words])


def dealt_anew(corpus: Corpus, seed: int) -> Corpus:
    """The same words and lengths, every token in a place that chance alone chose."""
    rng = np.random.default_rng([seed, 1])
    tokens = rng.permutation(np.repeat(corpus.word_ids, corpus.counts))
    lengths = np.add.reduceat(corpus.counts, corpus.indptr[:-1])
    rows = np.repeat(np.arange(corpus.n_docs), lengths)
    shape = (corpus.n_docs, corpus.n_words)
    ones = np.ones(len(tokens), np.int32)
    return Corpus.from_csr(csr_matrix((ones, (rows, tokens)), shape), vocab=list(corpus.vocab))


def gain_of(corpus: Corpus, name: str, dealt: bool, method: str, preset: str, seed: int) -> Gain:
    """One run of `SEEN` documents or a pass, the longer of the two."""
    passes = max(1, round(SEEN / corpus.n_docs))
    texts = dealt_anew(corpus, seed) if dealt else corpus
    batch = max(1, min(256, corpus.n_docs // 10))
    plan = Plan.of(method, preset, seed=seed, passes=passes, batch_size=batch)
    plan = replace(plan, protocol=from_one_start(plan.protocol_for(texts)))  # as claims are scored
    train, heldout = plan.split(texts)
    run, line, gains = plan.start(train), unigram_score(train, heldout), []
    while not run.done:
        run.step()
        if run.done or run.docs_seen * 10 >= (len(gains) + 1) * run.planned_docs:
            snapshot, rng = run.snapshot(with_kept=True), np.random.default_rng(seed)
            model = run.method.model
            value = score(model, snapshot.topics, heldout, rng, snapshot.kept, run.pool)
            gains.append(float(value - line))
    return Gain(name, dealt, method, preset, seed, max(gains), gains[-1])


def gains_of(file: str, vocab: str | None) -> Iterator[Gain]:
    whole = chosen_corpus(file, vocab)
    corpus = in_part(whole)
    name = f"{whole.name or file}, {corpus.n_docs:,} documents"
    for dealt in (True, False):
        for method, preset in METHODS:
            for seed in range(SEEDS):
                yield gain_of(corpus, name, dealt, method, preset, seed)


def table(gains: Sequence[Gain]) -> list[str]:
    """A row a corpus: the most that chance gave, and how many real runs are above the margin."""
    rows = [
        "| corpus | dealt anew: lowest | median | highest | as it is: above the margin | highest |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    both = [{gain.corpus for gain in gains if gain.dealt == dealt} for dealt in (True, False)]
    for name in dict.fromkeys(gain.corpus for gain in gains):
        if not all(name in known for known in both):
            continue  # under way
        chance = [gain.highest for gain in gains if gain.corpus == name and gain.dealt]
        real = [gain.last for gain in gains if gain.corpus == name and not gain.dealt]
        above = sum(value > MARGIN for value in real)
        rows.append(
            f"| {name} | {min(chance):+.3f} | {np.median(chance):+.3f} | {max(chance):+.3f} | "
            f"{above} of {len(real)} | {max(real):+.3f} |"
        )
    return rows


def read(path: Path) -> list[Gain]:
    """What an earlier call wrote."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Gain(**json.loads(line)) for line in lines]


def page(gains: Sequence[Gain]) -> str:
    """`learned.md`."""
    highest = max(gain.highest for gain in gains if gain.dealt)
    return "\n".join(
        [
            "# From where on something was learned",
            "",
            "Made by `python -m benchmarks.learned FILE ...`.",
            " ".join(str(__doc__).split("\n\n")[1].split()),
            "",
            f"{len(METHODS)} methods with the papers' settings and with ours, {SEEDS} seeds, "
            f"{SEEN:,} documents each. Gains are differences of held-out log likelihoods per word; "
            f"the highest of texts dealt out anew, at any of ten moments, is {highest:+.3f}. "
            f"The margin is {MARGIN:g}.",
            "",
            *table(gains),
            "",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned", description=__doc__)
    parser.add_argument("file", nargs="*", help="as the app reads it, or a corpus of ours")
    parser.add_argument("--vocab", help="the vocabulary of a file of counts")
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args(arguments)
    path = options.out / "learned.jsonl"
    gains = read(path)
    for file in options.file or CORPORA:
        for gain in gains_of(file, options.vocab):
            same = (gain.corpus, gain.dealt, gain.method, gain.preset, gain.seed)
            gains = [
                g for g in gains if (g.corpus, g.dealt, g.method, g.preset, g.seed) != same
            ] + [gain]
            text = "".join(json.dumps(asdict(gain)) + "\n" for gain in gains)
            path.write_text(text, encoding="utf-8")
        (options.out / "learned.md").write_text(page(gains), encoding="utf-8")
        print("\n".join(table(gains)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
