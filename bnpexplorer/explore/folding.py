"""The proportions of a whole corpus, read by a thread on its share of the cores."""

from ..core.arrays import F32
from ..corpus.corpus import Corpus
from ..inference.cores import cores
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

        self.found = doc_topic(self._model, self._topics, self._corpus, cores(), tell)
