"""Whether there is enough text to learn from: told before learning, since no method says so itself.

Measured with four planted topics of twenty words each and the method that is recommended, which
opens topics as it needs them; two draws each. Of the four it found again:

    documents x words  10 x 20  20 x 20  10 x 50  20 x 50  50 x 20  100 x 20  100 x 50
    words in all           200      400      500    1,000    1,000     2,000     5,000
    found                 0, 0     0, 0     1, 2     4, 3     2, 4      3, 4      4, 4

    of few documents    5 x 400  5 x 1,000  2 x 1,000  10 x 200
    found                  2, 0       0, 1       0, 0      3, 2

    of short ones       500 x 3  500 x 4  1,000 x 3  1,000 x 4  3,000 x 3  5,000 x 2
    found                  0, 0     2, 2       2, 3       1, 2       3, 4       4, 2

That was with 100 passes. With the 500 that small corpora have since, four draws of 10 x 20 and of
500 x 3 found none; of 5 x 100 they found 1, 2, 2, 1, of 9 x 100 1, 3, 2, 2 and of 5 x 1,000
4, 1, 3, 2: from few documents it is luck, however long they are.
"""

from .corpus import Corpus
from .source import plural

DOCUMENTS, WORDS = 10, 1000
"""Fewer of either are too few."""
SHORT, WORDS_IF_SHORT = 5, 10_000
"""Of documents with fewer words on average than `SHORT`, so many words are needed in all."""


def too_little(*parts: Corpus) -> str:
    """What is missing of a corpus, or of its parts, and what to do, in one sentence; nothing where
    there is enough."""
    n_docs = sum(part.n_docs for part in parts)
    n_words = sum(part.n_tokens for part in parts)
    have = f"{plural(n_docs, 'document')} with {plural(n_words, 'word')} that count"
    if n_docs >= DOCUMENTS and n_words < WORDS:
        return (
            f"{have} are too little text, in which any topic found is mostly chance: add texts or "
            f"leave out fewer words, until there are at least {WORDS:,}."
        )
    if n_docs < DOCUMENTS:
        remedy = "divide them into passages" if n_words >= WORDS else "leave out fewer words"
        return (
            f"{have} are too few to find topics in: add texts or {remedy}, until there "
            f"are at least {DOCUMENTS} documents and {WORDS:,} words."
        )
    if n_words < min(SHORT * n_docs, WORDS_IF_SHORT):
        return (
            f"{have} are too short to tell which words belong together: add texts, or join those "
            f"of an author or a day, until there are at least {WORDS_IF_SHORT:,} words."
        )
    return ""
