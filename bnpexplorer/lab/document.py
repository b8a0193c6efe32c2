"""One document assigned token by token: collapsed Gibbs in the direct-assignment HDP.

Teh, Jordan, Beal & Blei 2006, section 5.3, equation 37, on a corpus small enough to read:

    p(z = k | rest)    proportional to  (n_dk + alpha pi_k) (n_kw + eta) / (n_k + V eta)
    p(z = new | rest)  proportional to  alpha pi_new / V

Counts are without the token at hand. Topics' weights pi are kept, except that a new topic breaks
its own off pi_new with v ~ Beta(1, gamma), and a topic that loses its last token gives its back.

Beside it, what mean field would say. Given the topics of all other tokens, what is known of the
document's proportions and of each topic's words is exactly

    q(theta_d) = Dirichlet(n_dk + alpha pi_k for every k, alpha pi_new for all that are new)
    q(beta_k)  = Dirichlet(n_kv + eta for every word v),  a new topic Dirichlet(eta, ..., eta)

The conditional above averages under this q: E[theta_dk] E[beta_kw] (Wang & Blei 2012, equation 6).
Mean field (equation 5) averages logarithms under the same q, exp(E[ln theta_dk] + E[ln beta_kw]):

    exp psi(n_dk + alpha pi_k)  exp[psi(n_kw + eta) - psi(n_k + V eta)]

but for exp psi(n_d + alpha), which all choices share.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import psi, softmax

from ..core.arrays import F64, I64
from .restaurant import pick

OTHERS: tuple[tuple[int, str], ...] = (
    (0, "bread butter flour oven bread sugar"),
    (0, "oven flour sugar butter bread flour"),
    (1, "train track station train ticket track"),
    (1, "station ticket train train track ticket"),
)
"""The documents that stay as they are: their topic and their words."""
DOCUMENT = "train ticket bread station violin concert violin concert"
"""The document to be assigned; two of its words stand in no other document, see `HEARD`."""
HEARD = ("nowhere yet", "once, on railways")
"""Where "violin" stands in the other documents."""
VOCAB = tuple(sorted({*DOCUMENT.split(), *(w for _, text in OTHERS for w in text.split())}))
TOKENS = tuple(VOCAB.index(word) for word in DOCUMENT.split())


@dataclass(frozen=True)
class DocumentSettings:
    """Concentrations and prior of the topics."""

    alpha: float
    gamma: float
    eta: float
    violin: str = HEARD[0]
    """One of `HEARD`: whether a document on railways has the word "violin"."""


@dataclass
class State:
    """Topics by identity; identities are never used again."""

    counts: dict[int, I64]
    """n_kw: int64 (V,) for every topic, of all documents."""
    pi: dict[int, float]
    left: float
    """pi_new."""
    z: list[int] = field(default_factory=lambda: [-1] * len(TOKENS))
    """The topic of every token of the document, -1 before its first turn."""
    next_id: int = 2


@dataclass(frozen=True, eq=False)
class Conditional:
    """Every term of one token's conditional; the last entry of the arrays is a new topic."""

    topics: tuple[int, ...]
    """The K identities."""
    n_dk: I64
    """int64 (K+1,)."""
    pi: F64
    n_kw: I64
    n_k: I64
    document_term: F64
    """n_dk + alpha pi_k, float64 (K+1,)."""
    word_term: F64
    """(n_kw + eta) / (n_k + V eta), float64 (K+1,)."""
    log_document: F64
    """Mean field's psi(n_dk + alpha pi_k), float64 (K+1,)."""
    log_word: F64
    """Mean field's psi(n_kw + eta) - psi(n_k + V eta) = E[ln beta_kw], float64 (K+1,)."""

    @property
    def probability(self) -> F64:
        """float64 (K+1,)."""
        product = self.document_term * self.word_term
        return np.asarray(product / product.sum())

    @property
    def mean_field(self) -> F64:
        """What mean field would give each choice, float64 (K+1,)."""
        return np.asarray(softmax(self.log_document + self.log_word))


@dataclass(frozen=True, eq=False)
class TokenTurn:
    """A token whose turn it was: where it stood, its conditional, and where it went."""

    token: int
    before: int
    terms: Conditional
    after: int


def start(settings: DocumentSettings) -> State:
    """Two topics that share, with pi_new, as gamma and their documents would have it."""
    counts = {k: np.zeros(len(VOCAB), np.int64) for k in (0, 1)}
    for topic, text in OTHERS:
        for word in text.split():
            counts[topic][VOCAB.index(word)] += 1
    if settings.violin == HEARD[1]:  # in the place of a ticket, so that topics stay equally long
        counts[1][[VOCAB.index("ticket"), VOCAB.index("violin")]] += [-1, 1]
    tables = np.array([2.0, 2.0, settings.gamma])  # one table a document
    weights = tables / tables.sum()
    return State(counts, {0: float(weights[0]), 1: float(weights[1])}, float(weights[2]))


def take_out(state: State, token: int) -> None:
    """Take a token out of the counts; a topic that is empty then goes."""
    topic = state.z[token]
    if topic < 0:
        return
    state.counts[topic][TOKENS[token]] -= 1
    state.z[token] = -1
    if state.counts[topic].sum() == 0:
        state.left += state.pi.pop(topic)
        del state.counts[topic]


def conditional(state: State, token: int, settings: DocumentSettings) -> Conditional:
    """The conditional of a token that is not in the counts."""
    topics = tuple(state.counts)
    word, n_words = TOKENS[token], len(VOCAB)
    n_dk = np.array([state.z.count(k) for k in topics] + [0])
    pi = np.array([state.pi[k] for k in topics] + [state.left])
    n_kw = np.array([int(state.counts[k][word]) for k in topics] + [0])
    n_k = np.array([int(state.counts[k].sum()) for k in topics] + [0])
    mine = n_dk + settings.alpha * pi
    has, all_words = n_kw + settings.eta, n_k + n_words * settings.eta
    return Conditional(
        topics, n_dk, pi, n_kw, n_k, mine, has / all_words, psi(mine), psi(has) - psi(all_words)
    )


def heard(state: State, word: int, settings: DocumentSettings) -> dict[int, float]:
    """By topic that has the word: its word term for one more of it."""
    return {
        k: float((counts[word] + settings.eta) / (counts.sum() + len(VOCAB) * settings.eta))
        for k, counts in state.counts.items()
        if counts[word]
    }


def put_in(state: State, token: int, choice: int, broken: float) -> int:
    """Give a token its topic (`choice` K: a new one, which breaks off `broken` of pi_new)."""
    topics = tuple(state.counts)
    if choice == len(topics):
        topic = state.next_id
        state.next_id += 1
        state.counts[topic] = np.zeros(len(VOCAB), np.int64)
        state.pi[topic] = broken * state.left
        state.left -= state.pi[topic]
    else:
        topic = topics[choice]
    state.counts[topic][TOKENS[token]] += 1
    state.z[token] = topic
    return topic


def sweep(n: int, settings: DocumentSettings, seed: int) -> tuple[State, TokenTurn | None]:
    """The state after `n` turns, round and round the document; and the last turn."""
    chances = np.random.default_rng(seed).random((n, 2))
    state, last = start(settings), None
    for i, (chance, uniform) in enumerate(chances):
        token = i % len(TOKENS)
        before = state.z[token]
        take_out(state, token)
        terms = conditional(state, token, settings)
        broken = 1.0 - uniform ** (1.0 / settings.gamma)  # Beta(1, gamma)
        after = put_in(state, token, pick(terms.probability, chance), broken)
        last = TokenTurn(token, before, terms, after)
    return state, last
