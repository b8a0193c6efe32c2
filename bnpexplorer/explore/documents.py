"""Documents under a fit: which belong to a topic, which are alike, and what lists call them.

Numbers of every document are worked out once for a corpus: of 500,000 documents of 17 words the
lengths alone take 0.1 s and 140 MB.

D documents, V words, K topics; `share` float32 (D, K) is what `doc_topic` returns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F32, F64, I32, I64, Bools
from ..corpus.corpus import CHUNK_DOCS, Column, Corpus
from ..state.snapshot import Topics

TINY = 1e-30
TOGETHER, BETWEEN = 1024, "\0"
"""Cells that are searched at once, and what stands between them."""


def usual_minimum(lengths: I64) -> int:
    """Half the median length: shorter documents are left out of a ranking by share.

    In a document of three words one topic easily has all of them, and such documents would fill
    the top of every list.
    """
    return max(1, round(float(np.median(lengths)) / 2))


def rank_by_share(topics: Topics, corpus: Corpus, share: F32, k: int, min_length: int = 1) -> I64:
    """Documents of at least `min_length` tokens, those with the largest share of topic k first.

    Shares that agree to 0.1 % (in mixtures most are 1) are told apart by how typical the words
    are, see `typicality`. int64 (at most D,).
    """
    rows = np.flatnonzero(lengths_of(corpus) >= min_length)
    rounded = np.round(share[rows, k].astype(np.float64), 3)
    typical = typicality(topics, corpus, k)[rows]
    return np.asarray(rows[np.lexsort((-typical, -rounded))], dtype=np.int64)  # else in order


def best_by_share(topics: Topics, corpus: Corpus, share: F32, k: int, rows: I64, n: int) -> I64:
    """The first `n` of `rows` (in order) in the ranking of `rank_by_share`: int64 (at most n,).

    How typical words are is asked only of documents that may be among them: for three of 500,000
    a page need not read all words, which takes a second.
    """
    n = min(n, len(rows))
    if not n:
        return np.zeros(0, np.int64)
    rounded = np.round(share[rows, k].astype(np.float64), 3)
    near = np.flatnonzero(rounded >= -np.partition(-rounded, n - 1)[n - 1])
    found, rounded = rows[near], rounded[near]
    ratio, typical = _ratio(topics, k), np.empty(len(found))
    for begin in range(0, len(found), BLOCK):
        part = corpus.take(found[begin : begin + BLOCK])
        typical[begin : begin + BLOCK] = summed(part, ratio) / part.doc_lengths
    order = np.lexsort((found, -typical, -rounded))
    return np.asarray(found[order[:n]], dtype=np.int64)


def rank_by_words(corpus: Corpus, share: F32, k: int) -> I64:
    """All documents, those with the most expected tokens of topic k first: int64 (D,)."""
    expected = share[:, k] * lengths_of(corpus)
    return np.asarray(np.argsort(-expected, kind="stable"), dtype=np.int64)


def typicality(topics: Topics, corpus: Corpus, k: int) -> F64:
    """Mean over a document's tokens of ln [p(w | k) / p(w | all others)]: float64 (D,)."""
    return np.asarray(summed(corpus, _ratio(topics, k)) / lengths_of(corpus))


def _ratio(topics: Topics, k: int) -> F64:
    """ln [p(w | k) / p(w | all others)]: float64 (V,)."""
    mine = np.maximum(topics.topic_word[k].astype(np.float64), TINY)
    return np.asarray(np.log(mine) - np.log(np.maximum(others(topics, k), TINY)))


def others(topics: Topics, k: int) -> F64:
    """Word probabilities of all topics but k by their weights, unseen ones included: (V,)."""
    weight = topics.weight.astype(np.float64).copy()
    weight[k] = 0.0
    unseen = max(topics.unseen, 0.0)
    n_words = topics.topic_word.shape[1]
    total = weight.sum() + unseen
    if total <= 0.0:
        return np.full(n_words, 1.0 / n_words)
    return np.asarray((weight @ topics.topic_word + unseen / n_words) / total)


@dataclass(frozen=True, eq=False)
class TopicsOfWord:
    """The most probable topic of N words in one document."""

    topic: I64
    """int64 (N,): place 0..K-1 of the topic; -1: a topic not yet seen."""
    certainty: F64
    """float64 (N,), 0 to 1."""


def word_topics(topics: Topics, theta: F64, words: I64) -> TopicsOfWord:
    """Topic models: argmax of p(k | w, d), proportional to theta_dk E beta_kw, and its value.

    `theta` float64 (K,); what it leaves to 1 is topics not yet seen, which expect every word with
    probability 1/V. `words` int64 (N,).
    """
    words, back = np.unique(words, return_inverse=True)
    joint = np.empty((len(topics) + 1, len(words)))
    joint[:-1] = theta[:, None] * topics.topic_word[:, words]
    joint[-1] = max(1.0 - float(theta.sum()), 0.0) / topics.topic_word.shape[1]
    best, total = joint.argmax(axis=0), joint.sum(axis=0)
    certainty = joint.max(axis=0) / np.maximum(total, TINY)
    topic = np.where((best == len(topics)) | (total <= 0.0), -1, best)
    return TopicsOfWord(topic[back].astype(np.int64), certainty[back])


def word_support(topics: Topics, theta: F64, words: I64) -> TopicsOfWord:
    """Mixtures: all words belong to the document's cluster k; how much does each speak for it?

    `certainty` is p(w | k) / [p(w | k) + p(w | all others)]: above a half, the word speaks for k.
    """
    k = int(theta.argmax())
    if theta[k] < 1.0 - float(theta.sum()):
        return TopicsOfWord(np.full(len(words), -1, np.int64), np.zeros(len(words)))
    mine = topics.topic_word[k, words].astype(np.float64)
    certainty = mine / np.maximum(mine + others(topics, k)[words], TINY)
    return TopicsOfWord(np.full(len(words), k, np.int64), certainty)


def nearest(corpus: Corpus, share: F32, theta: F64, counts: Mapping[int, int], n: int) -> I64:
    """The `n` documents whose proportions are nearest to `theta` (K,) by `hellinger`: int64.

    Distances that agree to 0.001 (in mixtures a whole cluster's do) are told apart by the cosine
    of the word counts; `counts` are those of the document asked about.
    """
    distance = np.round(hellinger(share, theta), 3)
    n = min(n, corpus.n_docs)
    if not n:
        return np.zeros(0, np.int64)
    # Only those that are near enough to be among them are compared word by word.
    rows = np.flatnonzero(distance <= np.partition(distance, n - 1)[n - 1])
    asked = np.zeros(corpus.n_words)
    for word, count in counts.items():
        asked[word] = count
    cosine = np.empty(len(rows))
    for begin in range(0, len(rows), BLOCK):
        part = corpus.take(rows[begin : begin + BLOCK])
        own, starts = part.counts.astype(np.float64), part.indptr[:-1]
        dots = np.add.reduceat(own * asked[part.word_ids], starts)
        cosine[begin : begin + BLOCK] = dots / np.sqrt(np.add.reduceat(own**2, starts))
    order = np.lexsort((rows, -cosine, distance[rows]))
    return np.asarray(rows[order[:n]], dtype=np.int64)


def hellinger(share: F32, theta: F64) -> F64:
    """Hellinger distance of every document's proportions to `theta` (K,): float64 (D,), 0 to 1.

    sqrt(1 - sum_k sqrt(p_k q_k)), with what is missing to 1 as one more topic.
    """
    roots, missing = np.sqrt(theta).astype(np.float32), max(1.0 - float(theta.sum()), 0.0)
    found = np.empty(len(share))
    for begin in range(0, len(share), BLOCK):  # roots of all would be a second such matrix
        part = share[begin : begin + BLOCK]
        rest = np.maximum(1.0 - part.sum(axis=1, dtype=np.float64), 0.0)
        overlap = (np.sqrt(part) @ roots).astype(np.float64)
        overlap += np.sqrt(rest * missing)
        found[begin : begin + BLOCK] = np.sqrt(np.maximum(1.0 - overlap, 0.0))
    return found


def search(corpus: Corpus, words: Sequence[int], phrase: str) -> I64:
    """Documents whose id, title or label holds `phrase`, then those that use all of `words`.

    The latter by how often, in relation to their length. `words` are places in the vocabulary.
    """
    needle = phrase.strip().casefold()
    columns = [c for c in (corpus.docs.title, corpus.docs.id, corpus.docs.label) if c is not None]
    named = np.zeros(corpus.n_docs, bool)
    for column in columns if needle else ():
        named |= holding(column, needle)
    used = np.ones(corpus.n_docs, bool) if words else np.zeros(corpus.n_docs, bool)
    often = np.zeros(corpus.n_docs)
    for word in words:
        docs, counts = uses_of(corpus, word)
        here = np.zeros(corpus.n_docs)
        here[docs] = counts
        used &= here > 0
        often += here
    rows = np.flatnonzero(named | used)
    order = np.lexsort((rows, -(often / lengths_of(corpus))[rows], ~named[rows]))
    return np.asarray(rows[order], dtype=np.int64)


def holding(column: Column, needle: str) -> Bools:
    """Which cells of a column (D,) hold `needle`, which is case folded: bool (D,).

    Cells are looked through by the thousand, put together: of 500,000 titles in 0.1 s, one by one
    in 0.4 s.
    """
    found = np.zeros(len(column), bool)
    for begin in range(0, len(column), TOGETHER):
        cells = [str(cell) for cell in column[begin : begin + TOGETHER]]
        if needle in BETWEEN.join(cells).casefold():
            found[begin : begin + TOGETHER] = [needle in cell.casefold() for cell in cells]
    return found


def counts_of(corpus: Corpus, row: int) -> dict[int, int]:
    """Word -> count of one document."""
    own = corpus.part(row, row + 1)
    return dict(zip(own.word_ids.tolist(), own.counts.tolist(), strict=True))


def one_document(counts: Mapping[int, int], corpus: Corpus) -> Corpus:
    """A corpus of one document over the same words. Raises ValueError if it has no word."""
    if not counts:
        raise ValueError("The document has no word of the vocabulary.")
    words = sorted(counts)
    return Corpus(
        np.array([0, len(words)], np.int64),
        np.array(words, np.int32),
        np.array([counts[w] for w in words], np.int32),
        corpus.vocab,
        name="one document",
    )


BLOCK = 16_384
"""Documents at once, so that what is needed beside the result stays in the processor's cache. Up to
so many, sums are what they were before there were blocks, to the last bit."""


def lengths_of(corpus: Corpus) -> I64:
    """`corpus.doc_lengths`, int64 (D,), kept as long as the corpus is; read-only."""

    def read() -> I64:
        found = corpus.doc_lengths
        found.flags.writeable = False
        return found

    return corpus.derived("lengths", read)


def unnamed_of(corpus: Corpus) -> Corpus:
    """`corpus.unnamed()`, one for all who ask: what is kept of it serves every moment of a run."""
    return corpus.derived("unnamed", corpus.unnamed)


def uses_of(corpus: Corpus, word: int) -> tuple[I64, I32]:
    """The documents that use a word, by its place in the vocabulary, in order: int64 (N,); and how
    often each does: int32 (N,)."""
    rows, often, first = [np.empty(0, np.int64)], [np.empty(0, np.int32)], 0
    for part in corpus.chunks(CHUNK_DOCS):
        entries = np.flatnonzero(part.word_ids == word)
        rows.append(first + np.searchsorted(part.indptr, entries, side="right") - 1)
        often.append(part.counts[entries])
        first += part.n_docs
    return np.concatenate(rows), np.concatenate(often)


def shares_of_words(corpus: Corpus, words: Sequence[int]) -> F32:
    """The share of each of `words` (N,), by places in the vocabulary, in the tokens of every
    document: float32 (D, N)."""
    found, first = np.empty((corpus.n_docs, len(words)), np.float32), 0
    for part in corpus.chunks(BLOCK):
        counts = part.to_csr()[:, list(words)].toarray()
        found[first : first + part.n_docs] = counts / part.doc_lengths[:, None]
        first += part.n_docs
    return found


def summed(corpus: Corpus, value: F64) -> F64:
    """The sum of `value` (V,) over the tokens of every document: float64 (D,).

    Documents have at least one token each, as a corpus promises.
    """
    found, first = np.empty(corpus.n_docs), 0
    for part in corpus.chunks(BLOCK):
        weighed = part.counts * value[part.word_ids]
        found[first : first + part.n_docs] = np.add.reduceat(weighed, part.indptr[:-1])
        first += part.n_docs
    return found


def title_of(corpus: Corpus, row: int, length: int = 90) -> str:
    """The document's title, else its first words, its id or its number."""
    docs = corpus.docs
    for column in (docs.title, docs.text, docs.id):
        line = _line(column, row, 4 * length)
        if line:
            return _cut(line, length)
    return f"document {row + 1:,}"


def snippet_of(corpus: Corpus, row: int, length: int = 110, title: int = 90) -> str:
    """How the text goes on after its title of at most `title` letters, as `title_of` cuts it.

    The commonest words where there is no text; empty where the title has said all.
    """
    docs = corpus.docs
    line = _line(docs.text, row, 4 * (title + length))
    if line:
        head = title_of(corpus, row, title).removesuffix("…")
        rest = line[len(head) :] if line.startswith(head) else ""
        own = not _line(docs.title, row, 1)  # the title is the text's beginning
        if own or (rest and not rest[0].isalnum()):
            line = rest.strip()
        return _cut(line, length)
    counts = counts_of(corpus, row)
    return ", ".join(corpus.vocab[w] for w in sorted(counts, key=lambda w: -counts[w])[:8])


def _line(column: Column | None, row: int, letters: int) -> str:
    """The beginning of what a column says of a document, on one line; empty if nothing."""
    if column is None or column[row] is None:
        return ""
    return " ".join(str(column[row]).lstrip()[:letters].split())


def _cut(line: str, length: int) -> str:
    """At most `length` letters, cut between two words where there is a blank in their latter half;
    scripts without blanks are cut anywhere."""
    if len(line) <= length:
        return line
    blank = line.rfind(" ", length // 2, length)
    return line[: blank if blank > 0 else length - 1].rstrip() + "…"


def facts_of(corpus: Corpus, row: int) -> list[str]:
    """Date, label and id, where there are any, in words."""
    docs = corpus.docs
    facts = []
    if docs.date is not None and not np.isnat(docs.date[row]):
        facts.append(str(docs.date[row].astype("datetime64[D]")))
    for column in (docs.label, docs.id):
        if column is not None and str(column[row] or "").strip():
            facts.append(str(column[row]))
    return facts
