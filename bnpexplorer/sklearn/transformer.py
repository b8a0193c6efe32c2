"""The base of the three estimators: learning by a run, and results read from its topics."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import F64
from ..corpus.corpus import Corpus
from ..evaluate import default_protocol, heldout_of, perplexity, score
from ..inference.fold_in import mean_proportions
from ..inference.pool import Pool
from ..methods.base import Method
from ..runs.stream import Stream
from .given import (
    corpus_of,
    method_of,
    methods_of,
    plan_of,
    reads_streams,
    refuse,
    threads_of,
    with_words,
)

DIVISION_SEED = 0
"""Of the words that a score hides: the same for every estimator, so that scores compare."""


def _may_stream(estimator: Any) -> bool:
    """Raises AttributeError where `partial_fit` is not there; of an unknown method it says so."""
    method = method_of(estimator._model, estimator.method)
    if method is None or reads_streams(method):
        return True
    streams = [n for n, kind in methods_of(estimator._model).items() if reads_streams(kind)]
    raise AttributeError(
        f"{method.name} needs all documents in every pass and has no partial_fit; choose method "
        f"from {', '.join(streams)}."
    )


class TopicTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Counts (D, V) to shares of K topics (D, K); see the module for all that it does."""

    _model: ClassVar[str]
    """The name of its model."""
    _all_shown: ClassVar[bool] = False
    """Whether every topic has a column, in use or not."""

    # ---- learning --------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **refused: Any) -> Self:
        """Learn the topics of counts `X` (D, V), dense or sparse; `y` is not looked at.

        Raises ValueError for counts that are negative or not finite, for no words at all, and for
        settings that the method does not have, with those it has; TypeError for sample weights.
        """
        whom = f"{type(self).__name__}.fit"
        refuse(whom, refused)
        plan = plan_of(self, self._model)
        docs = corpus_of(self, X, whom, True, plan.method)
        with threads_of(self.n_jobs) as pool:
            run = plan.start(with_words(docs, whom), pool=pool)
            while not run.done:
                run.step()
            self._stream = Stream.after(run) if reads_streams(type(plan.method)) else None
            self._publish(plan.method, run.state, docs, pool)
        self.n_iter_ = run.docs_seen // run.corpus.n_docs
        return self

    @available_if(_may_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, **refused: Any) -> Self:
        """Learn the documents of `X` (D, V) once, in mini-batches, and go on from what is learned.

        They are part of a stream of `total_samples` documents; after `fit`, of as many as `fit`
        had. Settings are those of the first call. Raises as `fit` does, and ValueError for other
        columns than those learned.
        """
        whom = f"{type(self).__name__}.partial_fit"
        refuse(whom, refused)
        begun: Stream | None = getattr(self, "_stream", None)
        stream = self._new_stream() if begun is None else begun
        docs = corpus_of(self, X, whom, begun is None, stream.method)
        with threads_of(self.n_jobs) as pool:
            stream.learn(with_words(docs, whom), pool)
            self._stream = stream
            self._publish(stream.method, stream.state, docs, pool)
        self.n_iter_ = max(stream.docs_seen // stream.n_docs, 1)
        return self

    def _new_stream(self) -> Stream:
        plan, n_docs = plan_of(self, self._model), self.total_samples
        try:
            awaited = int(n_docs)
        except (TypeError, ValueError, OverflowError):
            awaited = 0
        if awaited < 1 or awaited != n_docs:
            raise ValueError(f"total_samples must be a whole number from 1; got {n_docs!r}.")
        return Stream(plan.method, plan.seed, plan.batch_for(awaited), awaited)

    def _publish(self, method: Method, state: Any, docs: Corpus, pool: Pool) -> None:
        """Set the attributes that are known once `docs` were learned."""
        topics = method.topics(state)
        self.topics_, self._kept, self._method = topics, method.kept(state), method
        self.n_topics_ = int(topics.in_use.sum())
        # Of few documents that many topics share none may have one document: the largest is shown.
        n_shown = max(self.n_topics_, 1)
        self._shown = np.arange(len(topics)) if self._all_shown else topics.by_size[:n_shown]
        self.components_ = topics.topic_word[self._shown].astype(np.float64)

    # ---- what is read off ------------------------------------------------------------------

    def transform(self, X: Any) -> F64:
        """The share of every topic in each document of `X` (D, V): float64 (D, K).

        What is missing to 1 is the share of topics that have no column. A row without words gets
        the prior. Topic models read a document from several starts, as scores do, and shares are
        the mean. Raises NotFittedError, and ValueError for other columns than those learned.
        """
        docs = self._read(X, "transform")
        with threads_of(self.n_jobs) as pool:
            return self._shares(docs, pool)

    def score(self, X: Any, y: Any = None) -> float:
        """Log likelihood per held-out word of `X` (D, V), whose documents should not have been
        learned; higher is better. The module says what is held out."""
        docs = with_words(self._read(X, "score"), f"{type(self).__name__}.score")
        heldout = heldout_of(docs, DIVISION_SEED, default_protocol(self._method.model.name, docs))
        with threads_of(self.n_jobs) as pool:
            return score(self._method.model, self.topics_, heldout, kept=self._kept, pool=pool)

    def perplexity(self, X: Any) -> float:
        """exp(-score): as many equally likely words would be as surprising; lower is better."""
        return perplexity(self.score(X))

    def _read(self, X: Any, what: str) -> Corpus:
        check_is_fitted(self)
        return corpus_of(self, X, f"{type(self).__name__}.{what}", False, self._method)

    def _shares(self, docs: Corpus, pool: Pool) -> F64:
        model, topics = self._method.model, self.topics_
        read = model.fold_in if model.mixture else mean_proportions
        shares: F64 = read(topics, docs, pool)
        return np.ascontiguousarray(shares[:, self._shown])

    # ---- what scikit-learn asks ------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return len(self._shown)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags
