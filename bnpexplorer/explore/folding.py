"""The proportions of a whole corpus, read by a thread on all cores."""

import os

from ..core.arrays import F32
from ..corpus.corpus import Corpus
from ..inference.pool import Threads
from ..models import Model
from ..state.snapshot import Topics
from .proportions import doc_topic
from .working import Working


class FoldingIn(Working[F32]):
    """`doc_topic` under way; `found` float32 (D, K), read-only, comes when all are read."""

    title = "folding in"

    def __init__(self, model: Model, topics: Topics, corpus: Corpus) -> None:
        self._model, self._topics, self._corpus = model, topics, corpus
        self.n_docs, self.n_read = corpus.n_docs, 0
        super().__init__()

    def _work(self) -> None:
        def tell(n_read: int) -> None:
            self.n_read = n_read

        with Threads(os.cpu_count() or 1) as pool:
            found = doc_topic(self._model, self._topics, self._corpus, pool, tell)
        found.flags.writeable = False
        self.found = found
