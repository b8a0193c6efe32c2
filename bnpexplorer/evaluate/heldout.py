"""Test documents: which are held out of training, and which part of each is hidden.

Numbers under different protocols cannot be compared with each other, so every plot that shows one
states its protocol's `sentence`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..core.arrays import I64, Bools
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.order import is_large
from ..corpus.weighted import Weighted
from ..inference.fold_in import STARTS
from ..models import MODELS

Amounts = npt.NDArray[Any]
"""Whole numbers, or the weights of a `Weighted`."""
DRAWN = 1024
"""Documents of a large corpus that are drawn at once: more than are usually held out."""
DEFAULT_SHARE = 0.1
DEFAULT_MOST = 500
SPLIT_STREAM = 0x68656C64
"""Sets the split's random stream apart from every other use of the same seed."""


@dataclass(frozen=True)
class Protocol:
    """One way of asking how well a model predicts documents it was not trained on."""

    title: str
    sentence: str
    """What is predicted from what, in one plain sentence, to stand beside a plot."""
    models: tuple[str, ...]
    """Names of the models for which it is defined."""
    hides: Literal["words", "tokens", "all"] = "all"
    """What is hidden of a document: half of its distinct words, a tenth of its tokens, or all."""
    starts: int = 1
    """From how many starts topic models fold a document in (`inference/fold_in.py`). It is the
    version of the score: what was saved before there were several names a protocol with one."""


MIXTURES = tuple(name for name, model in MODELS.items() if model.mixture)
TOPIC_MODELS = tuple(name for name, model in MODELS.items() if not model.mixture)

_BY_WORDS = (
    "Log likelihood per word of the hidden half of each test document's distinct words, given "
    "the other half, which shares no word with it (Hoffman et al. 2013); "
)
_BY_TOKENS = (
    "Log likelihood per word of a random 10 % of each test document's tokens, given the other "
    "90 %, in which the same words may occur (Wang et al. 2011); "
)
_SEVERAL = (
    f"topics read each document from {STARTS} starts, which count by how well they explain its "
    "observed words; "
)
_HIGHER = "higher is better."
PROTOCOLS: dict[str, Protocol] = {
    "completion-4-starts": Protocol(
        "Document completion, 4 starts",
        _BY_WORDS + _SEVERAL + _HIGHER,
        tuple(MODELS),
        "words",
        STARTS,
    ),
    "tokens-90-10-4-starts": Protocol(
        "90/10 tokens, 4 starts", _BY_TOKENS + _SEVERAL + _HIGHER, tuple(MODELS), "tokens", STARTS
    ),
    "completion": Protocol("Document completion", _BY_WORDS + _HIGHER, tuple(MODELS), "words"),
    "tokens-90-10": Protocol("90/10 tokens", _BY_TOKENS + _HIGHER, tuple(MODELS), "tokens"),
    "exact": Protocol(
        "Exact predictive",
        "Log likelihood per word of whole test documents, given the training documents alone, "
        "computed exactly under the fitted mixture (Wang & Blei 2012); higher is better.",
        MIXTURES,
    ),
    "importance": Protocol(
        "Importance sampling",
        "Log likelihood per word of whole test documents, given the expected topics and weights, "
        "estimated by importance sampling, which tends to come out too low (Wallach et al. 2009); "
        "higher is better.",
        TOPIC_MODELS,
    ),
}
"""Key -> protocol, in the order in which they are offered."""


MOST_TOKENS = 10**9 - 1
"""What numpy's hypergeometric draws hold."""
DENSE = 0.2
"""Share of the vocabulary in a typical document above which words are not hidden by kind."""


def default_protocol(model_name: str, corpus: Corpus) -> str:
    """The key of the protocol used unless another is asked for.

    Document completion hides whole words. Where a document uses much of the vocabulary, a word's
    absence from the observed half speaks against it just because it was hidden: on pictures of
    bars (25 words) the true topics score -3.48 and word frequencies -3.22. Tokens are hidden there,
    but not of words with weights, which have none.
    """
    if MODELS[model_name].mixture:
        return "exact"
    typical = _median(corpus.size_pieces())
    dense = typical > DENSE * corpus.n_words and not isinstance(corpus, Weighted)
    return "tokens-90-10-4-starts" if dense else "completion-4-starts"


def from_one_start(protocol: str) -> str:
    """The key of the protocol that hides the same words and folds documents in from one start."""
    hides = PROTOCOLS[protocol].hides
    return {"words": "completion", "tokens": "tokens-90-10", "all": protocol}[hides]


@dataclass(frozen=True, eq=False)
class Heldout:
    """Test documents; entry d of all three corpora is the same document.

    Where whole documents are predicted (`exact`, `importance`), every observed part is empty.
    """

    protocol: str
    """A key of `PROTOCOLS`."""
    observed: Corpus
    """What a prediction may look at."""
    hidden: Corpus
    """What is predicted."""
    whole: Corpus

    @property
    def parts(self) -> tuple[Corpus, ...]:
        """The three corpora."""
        return self.observed, self.hidden, self.whole

    @property
    def by_word(self) -> bool:
        """Whether hidden words of a document are predicted from others, and not all of it."""
        return PROTOCOLS[self.protocol].hides != "all"

    def without_text(self) -> "Heldout":
        """The same counts without the documents' texts."""
        return Heldout(self.protocol, *(part.without_text() for part in self.parts))


def split_of(learned: Corpus, heldout: Heldout | None) -> str:
    """Hashes of what is learned and of both parts of what is held out."""
    parts = [learned, *((heldout.observed, heldout.hidden) if heldout is not None else ())]
    return " ".join(part.fingerprint for part in parts)


def split_heldout(
    corpus: Corpus, seed: int, n: int | None = None, protocol: str = "completion"
) -> tuple[Corpus, Heldout]:
    """Hold out `n` random documents: `(training corpus, held-out documents)`.

    Default `n`: 10 % of the documents, at most 500, at least 1. Documents too short for the
    protocol stay in training. The split depends on corpus, `seed`, `n` and `protocol` alone, and
    equal seeds choose the same documents under every protocol, short documents apart.

    Raises CorpusError if the corpus is too small or a document too long, ValueError if `n` is too
    large or too small, or if the protocol is unknown.
    """
    n = heldout_size(corpus, n, protocol)
    choice, division = (
        np.random.default_rng(s) for s in np.random.SeedSequence((seed, SPLIT_STREAM)).spawn(2)
    )
    rows = _drawn(corpus, n, protocol, choice)
    return corpus.without(rows), _divided(corpus.take(rows), protocol, division)


def heldout_of(corpus: Corpus, seed: int, protocol: str = "completion") -> Heldout:
    """All documents of a corpus that nobody has learned, those too short for the protocol left out.

    Raises CorpusError if none is left or a document is too long, ValueError if the protocol is
    unknown.
    """
    _check_protocol(protocol)
    suitable = _suitable(corpus, protocol)
    if not suitable.any():
        raise CorpusError(_none_suitable(protocol))
    _, division = np.random.SeedSequence((seed, SPLIT_STREAM)).spawn(2)
    return _divided(corpus.take(suitable), protocol, np.random.default_rng(division))


def _divided(whole: Corpus, protocol: str, rng: np.random.Generator) -> Heldout:
    whole = replace(whole, file_rows=None)  # the documents to learn have them
    hidden = _hidden_counts(whole, protocol, rng)
    return Heldout(protocol, _part(whole, whole.counts - hidden), _part(whole, hidden), whole)


def _drawn(corpus: Corpus, n: int, protocol: str, choice: np.random.Generator) -> I64:
    """The `n` documents that are held out, ascending: int64.

    Of a large corpus those that come first in draws with replacement, so that nothing is held for
    each document; where most that can be are, a permutation is the shorter way.
    """
    if not is_large(corpus) or 2 * n > _n_suitable(corpus, protocol):
        order, suitable = choice.permutation(corpus.n_docs), _suitable(corpus, protocol)
        return np.asarray(np.sort(order[suitable[order]][:n]), np.int64)
    found: dict[int, None] = {}
    while len(found) < n:
        drawn = choice.integers(corpus.n_docs, size=DRAWN)
        distinct = np.unique(drawn)
        suitable = _suitable(corpus.take(distinct), protocol)
        good = suitable[np.searchsorted(distinct, drawn)]
        found |= dict.fromkeys(drawn[good].tolist())
    return np.sort(np.array([*found][:n], np.int64))


def _median(pieces: Iterator[I64]) -> float:
    """Return the median of any number of whole numbers from 0."""
    tally = np.zeros(0, np.int64)
    for piece in pieces:
        found = np.bincount(piece, minlength=len(tally))
        found[: len(tally)] += tally
        tally = found
    below = np.cumsum(tally)
    middle = ((below[-1] - 1) // 2, below[-1] // 2)
    return float(np.searchsorted(below, middle, side="right").mean())


def heldout_size(corpus: Corpus, n: int | None = None, protocol: str = "completion") -> int:
    """How many documents `split_heldout` holds out where it is asked for `n`; raises as it does."""
    _check_protocol(protocol)
    return _how_many(corpus.n_docs, _n_suitable(corpus, protocol), n, protocol)


def _check_protocol(protocol: str) -> None:
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; got {protocol!r}.")


def _suitable(corpus: Corpus, protocol: str) -> Bools:
    """Which documents the protocol can divide, bool (D,)."""
    hides = PROTOCOLS[protocol].hides
    if hides == "words":
        return np.concatenate([sizes >= 2 for sizes in corpus.size_pieces()])
    if hides == "tokens":
        return np.concatenate([lengths >= 2 for lengths in corpus.length_pieces()])
    return np.ones(corpus.n_docs, bool)


def _n_suitable(corpus: Corpus, protocol: str) -> int:
    """How many documents the protocol can divide."""
    hides = PROTOCOLS[protocol].hides
    if hides == "words":
        return sum(int((sizes >= 2).sum()) for sizes in corpus.size_pieces())
    if hides == "tokens":
        return sum(int((lengths >= 2).sum()) for lengths in corpus.length_pieces())
    return corpus.n_docs


def _how_many(n_docs: int, n_suitable: int, n: int | None, protocol: str) -> int:
    """The number of test documents; raises where the request cannot be met."""
    if n_docs < 2:
        raise CorpusError(
            f"The corpus has {n_docs} document; holding some out for testing needs at least 2. "
            "Add documents or divide them into passages; the command line learns them as they are "
            "without a score (--heldout 0)."
        )
    if not n_suitable:
        raise CorpusError(
            f"{_none_suitable(protocol)} The command line learns them as they are without a score "
            "(--heldout 0)."
        )
    if n is None:
        n = max(1, min(DEFAULT_MOST, round(DEFAULT_SHARE * n_docs)))
        return min(n, n_suitable)
    if n < 1:
        raise ValueError(f"The number of test documents must be at least 1; got {n}.")
    most = min(n_suitable, n_docs - 1)
    if n > most:
        raise ValueError(
            f"Cannot hold out {n:,} documents: the corpus has {n_docs:,}, of which {n_suitable:,} "
            f"are long enough to test on, and at least one must remain; take at most {most:,}."
        )
    return n


def _none_suitable(protocol: str) -> str:
    needs = "two distinct words" if PROTOCOLS[protocol].hides == "words" else "two tokens"
    return (
        f"No document has {needs}, so none can be divided into an observed and a hidden part. "
        "Use longer documents or join short ones."
    )


def _hidden_counts(whole: Corpus, protocol: str, rng: np.random.Generator) -> Amounts:
    """How often every (document, word) pair is hidden: (U,), between 0 and its count."""
    hides = PROTOCOLS[protocol].hides
    if hides == "words":
        return _hide_words(whole, rng)
    if hides == "tokens":
        return _hide_tokens(whole, rng)
    return whole.counts


def _hide_words(whole: Corpus, rng: np.random.Generator) -> Amounts:
    """Hide a random half of every document's distinct words (rounded down), with all tokens."""
    n_distinct = np.diff(whole.indptr)
    document = np.repeat(np.arange(whole.n_docs), n_distinct)
    shuffled = np.lexsort((rng.random(len(document)), document))
    rank = np.arange(len(document)) - np.repeat(whole.indptr[:-1], n_distinct)
    hide = np.zeros(len(document), bool)
    hide[shuffled] = rank < np.repeat(n_distinct // 2, n_distinct)
    return np.where(hide, whole.counts, 0)


def _hide_tokens(whole: Corpus, rng: np.random.Generator) -> I64:
    """Hide a random tenth of every document's tokens (rounded, at least one)."""
    if whole.doc_lengths.max() > MOST_TOKENS:
        raise CorpusError(
            f"A document has {whole.doc_lengths.max():,} tokens, and of one document "
            f"{MOST_TOKENS:,} at most can be divided token by token; divide all counts, or hold "
            "out by another protocol."
        )
    hidden = np.zeros(len(whole.counts), np.int64)
    for d, length in enumerate(whole.doc_lengths):
        entries = slice(whole.indptr[d], whole.indptr[d + 1])
        n_hidden = max(1, round(0.1 * length))
        hidden[entries] = rng.multivariate_hypergeometric(
            whole.counts[entries], n_hidden, method="marginals"
        )
    return hidden


def _part(whole: Corpus, counts: Amounts) -> Corpus:
    """The documents of `whole` with `counts` (U,) in place of its own; pairs with 0 vanish."""
    kept = counts > 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[whole.indptr]
    return replace(
        whole,
        indptr=indptr,
        word_ids=whole.word_ids[kept],
        counts=counts[kept].astype(whole.counts.dtype),
    )
