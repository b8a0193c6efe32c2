"""Learn documents as a caller hands them over, without a corpus or an end.

For a complete corpus, use `Run` with `order="stream"`. With the same documents in the same
mini-batches and the same seed, both draw the same numbers.
"""

from dataclasses import fields
from typing import Any

import numpy as np

from ..core.arrays import I64
from ..corpus.corpus import Batch, Corpus
from ..inference.cores import at_work
from ..inference.pool import Pool, RemotePool
from ..methods.base import Method
from .choices import check_choices
from .learning import Learning
from .limits import check_memory


class Awaited(Corpus):
    """The first documents of a stream, repeated up to the `n_docs` that are expected.

    So a k-means start sees the documents that are there, and topics get the weight of all expected
    documents.
    """

    def __init__(self, first: Corpus, n_docs: int) -> None:
        for of_corpus in fields(first):
            object.__setattr__(self, of_corpus.name, getattr(first, of_corpus.name))
        object.__setattr__(self, "_first", first)
        object.__setattr__(self, "_n_docs", n_docs)

    @property
    def n_docs(self) -> int:
        return int(self.__dict__["_n_docs"])

    @property
    def n_tokens(self) -> int:
        first = self.__dict__["_first"]
        return int(first.n_tokens * self.n_docs // first.n_docs)

    @property
    def doc_lengths(self) -> I64:
        return np.resize(self.__dict__["_first"].doc_lengths, self.n_docs)

    def take(self, rows: Any) -> Corpus:
        first: Corpus = self.__dict__["_first"]
        return first.take(np.asarray(rows) % first.n_docs)

    def part(self, first: int, last: int) -> Corpus:
        return self.take(np.arange(max(first, 0), min(last, self.n_docs)))


class Stream:
    """A method that learns from the documents it is given, in mini-batches.

    `n_docs`: the expected number of documents, to which a mini-batch is scaled up; more may come.
    Raises ValueError if the method needs all documents in every pass.
    """

    def __init__(self, method: Method, seed: int, batch_size: int, n_docs: int) -> None:
        check_choices(method, seed, batch_size, 1, "stream")
        if n_docs < 1:
            raise ValueError(f"The documents awaited must be at least 1; got {n_docs}.")
        self.method, self.batch_size, self.n_docs = method, batch_size, n_docs
        self.rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(3)[1])  # as `Learning`
        self.state: Any = None
        self.docs_seen = 0

    @classmethod
    def after(cls, run: Learning) -> "Stream":
        """Return a stream that continues `run` and expects as many documents as it has."""
        stream = cls(run.method, run.seed, run.batch_size, run.corpus.n_docs)
        stream.state, stream.rng, stream.docs_seen = run.state, run._method_rng, run.docs_seen
        return stream

    def learn(self, corpus: Corpus, pool: Pool | None = None) -> None:
        """Learn the documents of `corpus`, each once, in their order.

        A word has the same index in every call. Raises ValueError, before anything has changed, if
        the method would need more memory than a run may take.
        """
        check_memory(self.method, corpus)
        with at_work(pool):
            if self.state is None:
                awaited = Awaited(corpus, max(self.n_docs, corpus.n_docs))
                self.state = self.method.init(awaited, self.rng)
            for first in range(0, corpus.n_docs, self.batch_size):
                self._step(corpus.part(first, first + self.batch_size), pool)

    def _step(self, docs: Corpus, pool: Pool | None) -> None:
        rows = np.arange(self.docs_seen, self.docs_seen + docs.n_docs)
        index = self.docs_seen // self.batch_size
        of = max(-(-self.n_docs // self.batch_size), index + 1)
        batch = Batch(docs, rows, index, of)
        if isinstance(pool, RemotePool) and self.method.parallel == "documents":
            pool.reads(batch, False)
        self.state, _ = self.method.step(self.state, batch, self.rng, pool)
        self.docs_seen += docs.n_docs
