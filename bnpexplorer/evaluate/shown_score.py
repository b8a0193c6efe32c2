"""A held-out score that knows how it was asked for: a number like every other that shows itself."""

from ..core.front import Shown
from .heldout import Heldout


class Score(Shown, float):
    """Log likelihood per word (natural logarithm), with its protocol and what it was asked of."""

    protocol: str = ""
    """A key of `PROTOCOLS`; empty of a bare number."""
    n_docs: int = 0
    """Documents that were predicted."""
    n_tokens: int = 0
    """Words of theirs that were predicted."""
    n_words: int = 0
    """V: by chance alone the score would be -ln V."""

    @classmethod
    def of(cls, value: float, heldout: Heldout) -> "Score":
        found = cls(value)
        found.protocol, found.n_docs = heldout.protocol, heldout.whole.n_docs
        found.n_tokens, found.n_words = round(heldout.hidden.n_tokens), heldout.hidden.n_words
        return found
