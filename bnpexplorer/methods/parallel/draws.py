"""How the partially collapsed sampler draws topics where nobody chose: the rule for `draw = auto`.

Poisson counts are an approximation of the Dirichlet. Open this file to see where they may stand for
the exact draw, and what was measured.

With as many passes and the usual eta, counts scored within 0.01 a word of exact draws on KOS and on
16,000 paragraphs of the State of the Union. They scored 0.02 to 0.04 worse where topics had fewer
tokens, and on definitions of 8 words however many there were, and up to 0.5 worse with small
vocabularies (`benchmarks.drawn_topics`).
"""

from ...inference.start import topics_for

AUTO, EXACT, POISSON = "auto", "exact", "poisson"
DRAWS = (AUTO, EXACT, POISSON)
TOPICS = 200
"""Topics that the tokens are divided by at least, as far as the texts have room for them: a chain
that begins with fewer finds more."""
PRIOR = 500.0
"""V eta from which on Poisson counts may be taken: with 345 they scored 0.011 worse."""
PER_PRIOR = 3.0
"""Tokens a topic from which on they are, over V eta."""
LENGTH = 30.0
"""Tokens of a document on average from which on they are."""


def usual_draw(n_tokens: int, n_docs: int, n_words: int, eta: float, n_start: int) -> str:
    """Return `POISSON` where counts score as exact draws do, else `EXACT`.

    `n_start`: topics at the start, as the knob says.
    """
    prior, n_topics = n_words * eta, topics_for(max(n_start, TOPICS), n_tokens, n_docs)
    large = prior >= PRIOR and n_tokens >= PER_PRIOR * prior * n_topics
    return POISSON if large and n_tokens >= LENGTH * n_docs else EXACT
