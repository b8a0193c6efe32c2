"""Where Poisson counts may stand for exact draws of topics: `python -m benchmarks.drawn_topics`.

`hdp-parallel-gibbs` learns every FILE with both draws, for every `--etas` and every `--starts`, and
both learn for the same number of passes, in turn, on one thread. Each chain is scored by document
completion, averaged over its kept states. A line also holds the topics in use and the processor
seconds. `FILE`: as the app reads it, or `sample:NAME`; `--documents` takes so many of each, evenly.
The command adds lines to `--out` and prints the table in Markdown; without files it prints the
table alone.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.inference.start import topics_for
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import usual_draw

from .compare import chosen_corpus, machine
from .defaults import some
from .parallel_gibbs import PARALLEL, Chain, rehearse

KEPT = Path(__file__).with_name("drawn-topics.jsonl")
DRAWS = ("exact", "poisson")


class Setting(NamedTuple):
    """One corpus with one eta and one number of topics at the start; seeds are averaged over."""

    corpus: str
    documents: int
    eta: float
    n_start: int


class Gap(NamedTuple):
    """Compare Poisson counts with exact draws in one setting, as means over seeds."""

    length: float
    """Tokens of a document on average."""
    v_eta: float
    """Words of the vocabulary times eta."""
    tokens_each: float
    """Tokens to learn over topics at the start."""
    usual: str
    """The draw that `auto` takes."""
    score: float
    """Score with Poisson counts less that with exact draws, a word."""
    topics: float
    """Topics in use with Poisson counts over those with exact draws."""
    seconds: float
    """Processor seconds of exact draws over those of Poisson counts."""


def measured(
    corpus: Corpus, seed: int, eta: float, n_start: int, passes: int, times: int = 1
) -> Iterator[dict[str, Any]]:
    """Yield one line for each draw; all documents to learn are learned `times` over."""
    train, heldout = split_heldout(corpus, seed=seed, n=max(corpus.n_docs // 10, 1))
    train = train.take(np.tile(np.arange(train.n_docs), times))
    facts = {
        "corpus": corpus.name if times == 1 else f"{corpus.name}, {times} times over",
        "documents": corpus.n_docs,
        "eta": eta,
        "n_start": n_start,
        "seed": seed,
        "learned": train.n_docs,
        "tokens": int(train.n_tokens),
        "words": train.n_words,
    }
    for draw in DRAWS:
        chain = Chain(train, PARALLEL, seed, eta=eta, n_start=n_start, draw=draw)
        while chain.passes < passes:
            chain.learn_until(chain.seconds + 1e-9)
        yield facts | {"draw": draw} | chain.scored(heldout)


def gaps(lines: Sequence[dict[str, Any]]) -> dict[Setting, Gap]:
    """Compare them setting by setting, the smallest V eta first."""
    found: dict[Setting, dict[str, list[dict[str, Any]]]] = {}
    for line in lines:
        setting = Setting(*(line[name] for name in Setting._fields))
        found.setdefault(setting, {draw: [] for draw in DRAWS})[line["draw"]].append(line)
    means = {
        setting: {
            draw: {name: mean(line[name] for line in some) for name in VALUES}
            for draw, some in by_draw.items()
        }
        for setting, by_draw in found.items()
    }
    compared = {s: _gap(s, by["exact"], by["poisson"]) for s, by in means.items()}
    return dict(sorted(compared.items(), key=lambda pair: (pair[1].v_eta, pair[1].tokens_each)))


VALUES = ("learned", "tokens", "words", "score", "topics", "seconds")


def _gap(setting: Setting, exact: dict[str, float], poisson: dict[str, float]) -> Gap:
    learned, tokens, words = (round(exact[name]) for name in VALUES[:3])
    return Gap(
        tokens / learned,
        words * setting.eta,
        tokens / topics_for(setting.n_start, tokens, learned),
        usual_draw(tokens, learned, words, setting.eta, setting.n_start),
        poisson["score"] - exact["score"],
        poisson["topics"] / exact["topics"],
        exact["seconds"] / max(poisson["seconds"], 0.01),
    )


def table(lines: Sequence[dict[str, Any]]) -> str:
    """All settings in Markdown, the smallest V eta first."""
    head = ["corpus", "documents", "tokens each", "eta", "V eta", "tokens a topic", "auto"]
    head += ["score", "topics", "seconds"]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    for setting, gap in gaps(lines).items():
        rows.append(
            [
                setting.corpus,
                f"{setting.documents:,}",
                f"{gap.length:.0f}",
                f"{setting.eta:g}",
                f"{gap.v_eta:,.0f}",
                f"{gap.tokens_each:,.0f}",
                gap.usual,
                f"{gap.score:+.3f}",
                f"{gap.topics:.2f}",
                f"{gap.seconds:.1f}",
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drawn_topics", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--etas", type=float, nargs="+", default=[0.02, 0.1])
    parser.add_argument("--starts", type=int, nargs="+", default=[200])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--passes", type=int, default=100)
    parser.add_argument("--times", type=int, default=1, help="learn all documents so many times")
    parser.add_argument("--out", type=Path, default=KEPT)
    options = parser.parse_args(arguments)
    for file in options.files:
        try:
            corpus = some(chosen_corpus(file, options.vocab), options.documents)
        except ValueError as problem:
            print(f"drawn_topics: {problem}", file=sys.stderr)
            return 2
        rehearse(corpus)
        for seed in options.seeds:
            for eta in options.etas:
                for n_start in options.starts:
                    for line in measured(corpus, seed, eta, n_start, options.passes, options.times):
                        with options.out.open("a", encoding="utf-8") as lines:
                            lines.write(json.dumps(line) + "\n")
    text = options.out.read_text(encoding="utf-8") if options.out.exists() else ""
    if not text:
        print(f"drawn_topics: nothing is kept in {options.out}; name a corpus.", file=sys.stderr)
        return 2
    print(table([json.loads(line) for line in text.splitlines()]))
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
