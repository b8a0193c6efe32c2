"""The three estimators: their parameters, and what a mixture has beside."""

from typing import Any, ClassVar

import numpy as np

from ..core.arrays import I64
from ..corpus.corpus import Corpus
from ..inference.pool import Pool
from ..methods.base import Method
from .given import threads_of
from .transformer import TopicTransformer


class LDA(TopicTransformer):
    """Latent Dirichlet allocation: `n_components` topics, each of which has a column.

    `method`: `lda-gibbs`, `lda-batch` or `lda-svi`, which has `partial_fit`. `alpha`: Dirichlet
    parameter of a document's topics, `eta`: of a topic's words; `learn_alpha` and `learn_eta` learn
    them. All other parameters stand in the module.
    """

    _model: ClassVar[str] = "lda"
    _all_shown: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        method: str = "lda-gibbs",
        preset: str = "default",
        alpha: float | None = None,
        eta: float | None = None,
        learn_alpha: bool | None = None,
        learn_eta: bool | None = None,
        start: str | None = None,
        tau: float | None = None,
        kappa: float | None = None,
        knobs: dict[str, Any] | None = None,
        batch_size: int | None = None,
        max_iter: int | None = None,
        total_samples: float = 1e6,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.preset = preset
        self.alpha = alpha
        self.eta = eta
        self.learn_alpha = learn_alpha
        self.learn_eta = learn_eta
        self.start = start
        self.tau = tau
        self.kappa = kappa
        self.knobs = knobs
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.total_samples = total_samples
        self.n_jobs = n_jobs
        self.random_state = random_state


class HDP(TopicTransformer):
    """The hierarchical Dirichlet process: topics open and close as it learns.

    Columns are the topics in use, the largest first. `method`: `hdp-gibbs` and all others of the
    model; `hdp-tsvi`, `hdp-svi` and `hdp-catvi` have `partial_fit`. `gamma`: larger, and there are
    more topics; `alpha`: larger, and a document mixes more; `eta`: smaller, and a topic uses fewer
    words; `learn_gamma` and its like learn them. `truncation`: most topics of mean field. All other
    parameters stand in the module.
    """

    _model: ClassVar[str] = "hdp"

    def __init__(
        self,
        *,
        method: str = "hdp-gibbs",
        preset: str = "default",
        gamma: float | None = None,
        alpha: float | None = None,
        eta: float | None = None,
        learn_gamma: bool | None = None,
        learn_alpha: bool | None = None,
        learn_eta: bool | None = None,
        truncation: int | None = None,
        start: str | None = None,
        tau: float | None = None,
        kappa: float | None = None,
        knobs: dict[str, Any] | None = None,
        batch_size: int | None = None,
        max_iter: int | None = None,
        total_samples: float = 1e6,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.gamma = gamma
        self.alpha = alpha
        self.eta = eta
        self.learn_gamma = learn_gamma
        self.learn_alpha = learn_alpha
        self.learn_eta = learn_eta
        self.truncation = truncation
        self.start = start
        self.tau = tau
        self.kappa = kappa
        self.knobs = knobs
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.total_samples = total_samples
        self.n_jobs = n_jobs
        self.random_state = random_state


class DPMixture(TopicTransformer):
    """The Dirichlet process mixture: every document belongs to one cluster, as many as needed.

    Columns are the clusters in use, the largest first, and `transform` gives the probability that a
    document belongs to each. `labels_` int64 (D,) and `predict` give the most probable one of the
    documents learned (by `partial_fit`: those of the last call) and of others. `method`:
    `dpm-gibbs` and all others of the model; `dpm-tsvi`, `dpm-svi`, `dpm-particle` and `dpm-sumo`
    have `partial_fit`. `gamma`: larger, and there are more clusters; `eta`: smaller, and a cluster
    uses fewer words. `truncation`: most clusters of mean field. All other parameters stand in the
    module.
    """

    _model: ClassVar[str] = "dpm"

    def __init__(
        self,
        *,
        method: str = "dpm-gibbs",
        preset: str = "default",
        gamma: float | None = None,
        eta: float | None = None,
        learn_gamma: bool | None = None,
        learn_eta: bool | None = None,
        truncation: int | None = None,
        start: str | None = None,
        tau: float | None = None,
        kappa: float | None = None,
        knobs: dict[str, Any] | None = None,
        batch_size: int | None = None,
        max_iter: int | None = None,
        total_samples: float = 1e6,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.preset = preset
        self.gamma = gamma
        self.eta = eta
        self.learn_gamma = learn_gamma
        self.learn_eta = learn_eta
        self.truncation = truncation
        self.start = start
        self.tau = tau
        self.kappa = kappa
        self.knobs = knobs
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.total_samples = total_samples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _publish(self, method: Method, state: Any, docs: Corpus, pool: Pool) -> None:
        super()._publish(method, state, docs, pool)
        self.labels_ = self._labels(docs, pool)

    def _labels(self, docs: Corpus, pool: Pool) -> I64:
        shares = self._shares(docs, pool)
        if not shares.shape[1]:
            return np.full(docs.n_docs, -1, np.int64)
        return np.asarray(shares.argmax(axis=1), np.int64)

    def predict(self, X: Any) -> I64:
        """The most probable cluster of each document of `X` (D, V): int64 (D,), the number of its
        column, and -1 where no cluster is left. Raises as `transform` does."""
        docs = self._read(X, "predict")
        with threads_of(self.n_jobs) as pool:
            return self._labels(docs, pool)

    def fit_predict(self, X: Any, y: Any = None, **refused: Any) -> I64:
        """`fit` and then `labels_`."""
        return self.fit(X, y, **refused).labels_
