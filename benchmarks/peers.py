"""The contestants: our methods and other programs' models behind three functions each.

A learner has `start(corpus, seed)`, `prepare(batch)` (its own input format; not timed),
`learn(prepared)` and `topics()`: the topics in our words, so that one scorer serves them all.
Equal settings mean the same model, mini-batches, step sizes and stopping rules as far as a program
lets them be chosen; `rho_t = (tau + t)^-kappa` with t from 1, whatever a program calls it.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from bnpexplorer import Plan, recommend
from bnpexplorer.corpus import Batch, Corpus
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.methods.base import Method
from bnpexplorer.plugins.interchange import bags_of
from bnpexplorer.state.snapshot import Kept, Topics


@dataclass(frozen=True)
class Settings:
    """What all contestants of a group share."""

    model: str
    n_topics: int
    """K: topics of LDA, corpus truncation of the HDP."""
    alpha: float
    """LDA: Dirichlet parameter per topic; HDP: document concentration."""
    eta: float
    tau: float
    kappa: float
    gamma: float = float("nan")
    """Corpus concentration of the HDP."""
    doc_truncation: int = 0
    """T: most topics of a document (HDP)."""
    max_iterations: int = 100
    """Of one document's local step. gensim's HdpModel has a rule of its own, which stops after 5.4
    on average with its default settings on the KOS corpus, after 3.8 with ours."""
    batch_size: int = 256
    passes: int = 1
    sweeps: int = 100
    """Passes of samplers that go through the whole corpus at every step."""
    seconds: float = float("nan")
    """Of the processor, after which learning ends, however many passes that are."""

    def __str__(self) -> str:
        chosen = {k: v for k, v in asdict(self).items() if v == v and v not in (0, self.model)}
        return ", ".join(f"{name} {value:g}" for name, value in chosen.items())


def topics_of(topic_word: Any, weight: Any, concentration: float) -> Topics:
    """`Topics` that hold what scoring looks at; `topic_word` (K, V) need not be normalised."""
    rows = np.asarray(topic_word, dtype=np.float64)
    total = rows.sum(axis=1)
    weight = np.asarray(weight, dtype=np.float64)
    nan = float("nan")
    return Topics(
        topic_word=(rows / total[:, None]).astype(np.float32),
        total=total,
        size=np.full(len(rows), nan),
        weight=weight / weight.sum(),
        unseen=0.0,
        topic_ids=np.arange(len(rows), dtype=np.int64),
        concentration=concentration,
        gamma=nan,
        eta=nan,
    )


class Learner:
    """One contestant in one run. `batching` as in `bnpexplorer.methods.base`; `sweeps`: every
    `learn` goes through all documents, which `start` was given."""

    sweeps = False
    batching = "shuffled"
    batch_size = 0
    """Documents in a mini-batch, once it has started; 0: as the group has it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def start(self, corpus: Corpus, seed: int) -> None:
        raise NotImplementedError

    def prepare(self, batch: Batch) -> Any:
        raise NotImplementedError

    def learn(self, prepared: Any) -> None:
        raise NotImplementedError

    def topics(self) -> Topics:
        raise NotImplementedError

    def kept(self) -> Kept:
        """States over which its prediction averages, where it offers that."""
        return ()

    def chosen(self) -> dict[str, Any]:
        """The settings it runs with: those of the group that have a value (JSON knows no nan)."""
        return {key: value for key, value in asdict(self.settings).items() if value == value}


class Ours(Learner):
    """One of our methods, once `method` is there."""

    method: Method

    def start(self, corpus: Corpus, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.state = self.method.init(corpus, self.rng)

    def prepare(self, batch: Batch) -> Batch:
        return batch

    def learn(self, prepared: Batch) -> None:
        self.state, _ = self.method.step(self.state, prepared, self.rng, None)

    def topics(self) -> Topics:
        return self.method.topics(self.state)


class Own(Ours):
    """With the group's settings; `knobs` are those beside them."""

    def __init__(self, settings: Settings, method: str, **knobs: Any) -> None:
        super().__init__(settings)
        shared = {**asdict(settings), "truncation": settings.n_topics}
        known = {f for f in METHODS[method].__dataclass_fields__ if f != "model"}
        known |= set(type(METHODS[method]().model).__dataclass_fields__)
        chosen = {name: shared[name] for name in known & set(shared)}
        self.method = make_method(method, values={**chosen, **knobs})
        self.batching = self.method.batching
        self.sweeps = self.method.kind == "sampler"  # as often as the samplers of other programs


class AsItComes(Ours):
    """What a person gets who chooses nothing but a method, or not even that."""

    def __init__(self, settings: Settings, method: str = "") -> None:
        super().__init__(settings)
        self.name = method

    def start(self, corpus: Corpus, seed: int) -> None:
        plan = Plan.of(self.name) if self.name else recommend(corpus)
        self.method, self.batch_size = plan.method, plan.batch_for(corpus.n_docs)
        self.batching = self.method.batching
        super().start(corpus, seed)

    def kept(self) -> Kept:
        return self.method.kept(self.state)

    def chosen(self) -> dict[str, Any]:
        method: Any = self.method  # every method is a frozen dataclass
        return {"method": method.name, **asdict(method)}


class SklearnLda(Learner):
    """scikit-learn's online LDA, one `partial_fit` a mini-batch: no perplexity is computed."""

    def start(self, corpus: Corpus, seed: int) -> None:
        from sklearn.decomposition import LatentDirichletAllocation

        s = self.settings
        self.lda = LatentDirichletAllocation(
            s.n_topics,
            doc_topic_prior=s.alpha,
            topic_word_prior=s.eta,
            learning_method="online",
            learning_decay=s.kappa,
            learning_offset=s.tau,
            batch_size=s.batch_size,
            total_samples=corpus.n_docs,
            max_doc_update_iter=s.max_iterations,
            mean_change_tol=1e-3,
            random_state=seed,
            n_jobs=1,
        )

    def prepare(self, batch: Batch) -> Any:
        return batch.docs.to_csr()

    def learn(self, prepared: Any) -> None:
        self.lda.partial_fit(prepared)

    def topics(self) -> Topics:
        s = self.settings
        return topics_of(self.lda.components_, np.ones(s.n_topics), s.alpha * s.n_topics)


def gensim_words(corpus: Corpus) -> dict[int, str]:
    return {w: str(w) for w in range(corpus.n_words)}


class GensimLda(Learner):
    """gensim's LdaModel, one `update` a mini-batch, each told the size of the whole corpus."""

    def start(self, corpus: Corpus, seed: int) -> None:
        from gensim.models import LdaModel

        s = self.settings
        self.n_docs = corpus.n_docs
        self.lda = LdaModel(
            id2word=gensim_words(corpus),
            num_topics=s.n_topics,
            alpha=[s.alpha] * s.n_topics,
            eta=s.eta,
            decay=s.kappa,
            offset=s.tau + 1.0,
            chunksize=s.batch_size,
            update_every=1,
            eval_every=None,
            iterations=s.max_iterations,
            gamma_threshold=1e-3,
            random_state=seed,
        )

    def prepare(self, batch: Batch) -> Any:
        return bags_of(batch.docs)

    def learn(self, prepared: Any) -> None:
        # `update` adds the batch to `numdocs`, which scales the step: it must end as D.
        self.lda.state.numdocs = self.n_docs - len(prepared)
        self.lda.update(prepared, chunksize=self.settings.batch_size)

    def topics(self) -> Topics:
        s = self.settings
        return topics_of(self.lda.get_topics(), np.ones(s.n_topics), s.alpha * s.n_topics)


class GensimHdp(Learner):
    """gensim's HdpModel, one `update_chunk` a mini-batch."""

    def start(self, corpus: Corpus, seed: int) -> None:
        from gensim.models import HdpModel

        class Untrained(HdpModel):
            def update(self, corpus: Any) -> None:
                """Nothing: the constructor needs the corpus for its size, and trains on it."""

        s = self.settings
        self.hdp = Untrained(
            range(corpus.n_docs),
            gensim_words(corpus),
            chunksize=s.batch_size,
            kappa=s.kappa,
            tau=s.tau,
            K=s.doc_truncation,
            T=s.n_topics,
            alpha=s.alpha,
            gamma=s.gamma,
            eta=s.eta,
            random_state=seed,
        )

    def prepare(self, batch: Batch) -> Any:
        return bags_of(batch.docs)

    def learn(self, prepared: Any) -> None:
        self.hdp.update_chunk(prepared)

    def topics(self) -> Topics:
        self.hdp.update_expectations()
        prior, topic_word = self.hdp.hdp_to_lda()  # prior = alpha * expected corpus weights
        return topics_of(topic_word, prior, self.settings.alpha)


class Tomotopy(Learner):
    """Collapsed Gibbs sampling by tomotopy, one `train(1)` a sweep."""

    sweeps = True
    optim_interval = 0
    """Sweeps from one estimate of its hyperparameters to the next; 0: they are as given."""

    def make(self, seed: int) -> Any:
        raise NotImplementedError

    def start(self, corpus: Corpus, seed: int) -> None:
        self.model, self.n_words = self.make(seed), corpus.n_words
        self.model.optim_interval = self.optim_interval
        for bag in bags_of(corpus):
            self.model.add_doc([str(word) for word, count in bag for _ in range(count)])

    def prepare(self, batch: Batch) -> None:
        return None

    def learn(self, prepared: Any) -> None:
        self.model.train(1, workers=1)

    def topic_word(self, ids: Any) -> Any:
        """(K, V): words that the corpus lacks get what the prior gives them."""
        s, words = self.settings, np.array([int(word) for word in self.model.used_vocabs])
        n_tokens = np.asarray(self.model.get_count_by_topics(), dtype=np.float64)[ids]
        rows = np.full((len(ids), self.n_words), s.eta)
        for row, k, n in zip(rows, ids, n_tokens, strict=True):
            row[words] = self.model.get_topic_word_dist(int(k)) * (n + s.eta * len(words))
        return rows


class TomotopyLda(Tomotopy):
    def make(self, seed: int) -> Any:
        from tomotopy import LDAModel

        s = self.settings
        return LDAModel(k=s.n_topics, alpha=s.alpha, eta=s.eta, seed=seed)

    def topics(self) -> Topics:
        s = self.settings
        rows = self.topic_word(np.arange(s.n_topics))
        return topics_of(rows, np.ones(s.n_topics), s.alpha * s.n_topics)


class TomotopyLdaEstimated(TomotopyLda):
    """Alpha is estimated topic by topic every ten sweeps, from the group's."""

    optim_interval = 10

    def topics(self) -> Topics:
        alpha = np.asarray(self.model.alpha, dtype=np.float64)
        rows = self.topic_word(np.arange(self.settings.n_topics))
        return topics_of(rows, alpha, float(alpha.sum()))


class TomotopyLdaAsItComes(TomotopyLdaEstimated):
    """With its own priors."""

    def make(self, seed: int) -> Any:
        from tomotopy import LDAModel

        self.settings = replace(self.settings, alpha=0.1, eta=0.01)
        return LDAModel(k=self.settings.n_topics, seed=seed)


class TomotopyHdp(Tomotopy):
    """Corpus weights are the topics' shares of all tokens: tables by topic are not published."""

    def make(self, seed: int) -> Any:
        from tomotopy import HDPModel

        s = self.settings
        return HDPModel(alpha=s.alpha, gamma=s.gamma, eta=s.eta, seed=seed)

    def topics(self) -> Topics:
        live = np.array([k for k in range(self.model.k) if self.model.is_live_topic(k)])
        weight = np.asarray(self.model.get_count_by_topics(), dtype=np.float64)[live]
        return topics_of(self.topic_word(live), weight, self.settings.alpha)


@dataclass(frozen=True)
class Contestant:
    """One line of a table."""

    name: str
    make: Callable[[Settings], Learner]
    library: str = ""
    """The package it needs, if it is not ours."""

    @property
    def installed(self) -> bool:
        return not self.library or importlib.util.find_spec(self.library) is not None


@dataclass(frozen=True)
class Group:
    """One table: contestants under the same settings."""

    title: str
    settings: Settings
    contestants: tuple[Contestant, ...]
    ratios: tuple[tuple[str, str], ...]
    """Pairs (ours, theirs) whose documents per second and scores are compared."""


GENSIM_START = {
    "start": "random",
    "sticks_start": "uniform",
    "local_start": "paper",
    "max_iterations": 3,
}
"""Where gensim's HdpModel starts; by its own stopping rule it iterates two or three times."""

HDP_CONTESTANTS = (
    Contestant("hdp-svi", lambda s: Own(s, "hdp-svi")),
    Contestant("hdp-svi, gensim's start", lambda s: Own(s, "hdp-svi", **GENSIM_START)),
    Contestant("gensim HdpModel", GensimHdp, "gensim"),
    Contestant("hdp-tsvi", lambda s: Own(s, "hdp-tsvi")),
    Contestant("hdp-gibbs", lambda s: Own(s, "hdp-gibbs", start="nothing")),
    Contestant("hdp-gibbs, from many", lambda s: Own(s, "hdp-gibbs", start="many")),
    Contestant("tomotopy HDPModel", TomotopyHdp, "tomotopy"),
)
HDP_RATIOS = (
    ("hdp-gibbs", "tomotopy HDPModel"),
    ("hdp-svi", "gensim HdpModel"),
    ("hdp-svi, gensim's start", "gensim HdpModel"),
)

GROUPS: dict[str, Group] = {
    "lda": Group(
        "LDA",
        Settings("lda", n_topics=100, alpha=0.1, eta=0.1, tau=1.0, kappa=0.6),
        (
            Contestant("lda-svi", lambda s: Own(s, "lda-svi")),
            Contestant("lda-svi, random start", lambda s: Own(s, "lda-svi", start="random")),
            Contestant("scikit-learn online LDA", SklearnLda, "sklearn"),
            Contestant("gensim LdaModel", GensimLda, "gensim"),
            Contestant("lda-gibbs", lambda s: Own(s, "lda-gibbs")),
            Contestant("tomotopy LDAModel", TomotopyLda, "tomotopy"),
            Contestant("tomotopy LDAModel, alpha estimated", TomotopyLdaEstimated, "tomotopy"),
            Contestant("tomotopy LDAModel, as it comes", TomotopyLdaAsItComes, "tomotopy"),
        ),
        (
            ("lda-gibbs", "tomotopy LDAModel"),
            ("lda-svi", "scikit-learn online LDA"),
            ("lda-svi, random start", "scikit-learn online LDA"),
            ("lda-svi", "gensim LdaModel"),
            ("lda-svi, random start", "gensim LdaModel"),
        ),
    ),
    "hdp": Group(
        "HDP with gensim's default settings",
        Settings("hdp", 150, 1.0, 0.01, 64.0, 1.0, gamma=1.0, doc_truncation=15, max_iterations=5),
        HDP_CONTESTANTS,
        HDP_RATIOS,
    ),
    "hdp-ours": Group(
        "HDP with our default settings",
        Settings("hdp", 100, 5.0, 0.1, 64.0, 0.6, gamma=5.0, doc_truncation=15, max_iterations=8),
        HDP_CONTESTANTS,
        HDP_RATIOS,
    ),
}

AS_IT_COMES: dict[str, Group] = {
    "ours": Group(
        "bnpexplorer as it comes",
        Settings("hdp", 0, 0.0, 0.0, 0.0, 0.0),
        (
            Contestant("bnpexplorer", AsItComes),
            Contestant("hdp-tsvi", lambda s: AsItComes(s, "hdp-tsvi")),
            Contestant("hdp-svi", lambda s: AsItComes(s, "hdp-svi")),
        ),
        (),
    )
}
"""Whose settings nobody chose."""
