"""How the partially collapsed sampler draws topics where nobody chose: the rule for `draw = auto`.

Poisson counts are an approximation of the Dirichlet, which becomes exact as topics grow. Open this
file to see from where on they stand for the exact draw, and what was measured.
"""

from ...inference.start import topics_for

AUTO, EXACT, POISSON = "auto", "exact", "poisson"
DRAWS = (AUTO, EXACT, POISSON)
TOKENS_EACH, PRIOR = 20_000.0, 500.0
"""Tokens a topic, and V eta, from which on Poisson counts are taken."""


def usual_draw(n_tokens: int, n_docs: int, n_words: int, eta: float, n_start: int) -> str:
    """Return `POISSON` where counts score as exact draws do, else `EXACT`.

    `n_start`: topics at the start, as the knob says.
    """
    n_topics = topics_for(n_start, n_tokens, n_docs)
    large = n_tokens >= TOKENS_EACH * n_topics and n_words * eta >= PRIOR
    return POISSON if large else EXACT
