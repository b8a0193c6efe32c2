"""Whether there is enough text to learn from: told before learning, since no method says so itself.

Measured with four planted topics of twenty words each, which share no word, though those of real
texts do, and the method that is recommended, which opens topics as it needs them; four draws each.
Of the four it found again:

    documents x words  10 x 20     5 x 100     10 x 100    20 x 50     50 x 20     100 x 10
    words in all           200         500       1,000       1,000       1,000       1,000
    found           0, 0, 0, 0  1, 2, 2, 1  1, 2, 3, 1  3, 4, 3, 3  4, 3, 3, 2  2, 4, 4, 3

    of short ones      200 x 5     334 x 3     400 x 3     500 x 3   100 x 20
    found           3, 4, 3, 4  4, 2, 3, 3  2, 3, 4, 3  4, 4, 4, 4   all four

    of two words       500 x 2     600 x 2     700 x 2     800 x 2     900 x 2    1,000 x 2
    found           0, 0, 0, 0  1, 0, 1, 1  3, 2, 3, 3  2, 3, 1, 3  3, 3, 3, 3   4, 4, 3, 3

From few documents it is luck, however long they are: of 5 x 1,000 it found 4, 1, 3, 2. A word alone
in its document tells nothing (2,000 x 1 found none, and none with 800 x 2 beside them), so of short
ones those words count that stand beside the first. Before alpha was learned from short texts, none
were found in 500 x 3, and in 5,000 x 2 two to four.

What much of the texts is lost by, and the one setting that keeps it.

Nobody asked for these losses: the defaults suit prose of some hundred words a text. Of 9,728
glosses of a dictionary they leave out 5,437 since fewer than five words count, and of 2,465
messages 899; of 249 speeches of 7,000 words they leave out 45 % of the words, since more than half
of the speeches have them. Of 3,000 newsgroups' posts it is 0.4 % and 2 %, which is worth no word.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.display import plural
from ..corpus import Corpus
from ..text import Report, too_few_words
from ..words.counting import in_more_than
from ..words.junk import NEGATED
from ..words.lost import APART, DIGITS, JOINED, SHORT
from ..words.pattern import WORDS as TWO_LETTERS
from ..words.settings import with_words

DOCUMENTS, WORDS = 10, 1000
"""Fewer of either are too few."""
BESIDE = 700
"""So many words more than documents are needed: words that stand beside another."""


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
        remedy = " or divide them into passages" if n_words >= WORDS else ""
        return (
            f"{have} are too few to find topics in: add texts{remedy}, until there "
            f"are at least {DOCUMENTS} documents and {WORDS:,} words."
        )
    if n_words - n_docs < BESIDE:
        return (
            f"{have} are too short to tell which words belong together: add texts, or join those "
            f"of an author or a day, until there are at least {BESIDE:,} words more than documents."
        )
    if parts[0].n_words == 1:
        return (
            f"All words that count are the same one, {parts[0].vocab[0]!r}, by which no topics "
            "can differ: leave out fewer words, or load other texts."
        )
    if all_alike(*parts):
        return (
            f"All {n_docs:,} documents have the same words equally often, by which no topics can "
            "differ: leave out fewer words, or load other texts."
        )
    return ""


def all_alike(*parts: Corpus) -> bool:
    """Return whether all documents have the same words equally often. There is one at least."""
    first = parts[0].part(0, 1)

    def same(docs: Corpus) -> bool:
        as_many = (np.diff(docs.indptr) == len(first.word_ids)).all()
        return bool(
            as_many
            and (docs.word_ids.reshape(docs.n_docs, -1) == first.word_ids).all()
            and (docs.counts.reshape(docs.n_docs, -1) == first.counts).all()
        )

    # Two documents tell it of nearly all texts; the rest is looked at where they do not.
    few = parts[0].part(0, min(2, parts[0].n_docs))
    return same(few) and all(same(docs) for part in parts for docs in part.chunks())


SHARE_OF_DOCUMENTS, SHARE_OF_WORDS = 0.05, 0.2
"""Smaller losses are usual: of the documents, and of all words that would count."""
N_EXAMPLES = 3
FEW = 2
"""Words, of which one can be predicted from the other."""


@dataclass(frozen=True)
class Loss:
    """One reason for which much is left out."""

    sentence: str
    remedy: str
    """What the setting does, for a button."""
    name: str
    """A field of `TextSettings`."""
    value: float | bool | str


LOST: dict[str, tuple[float, str, str, str, bool | str]] = {
    JOINED: (0.01, "they hold _", "Keep words with _", "whole_words", True),
    APART: (
        0.01,
        "their accents or vowel signs are stored apart from the letters",
        "Keep these words whole",
        "whole_words",
        True,
    ),
    DIGITS: (0.01, "they hold digits", "Keep words with digits", "digits", True),
    SHORT: (
        0.03,
        "they have two letters",
        "Keep words of two letters",
        "token_pattern",
        TWO_LETTERS,
    ),
}
"""Why words are lost -> the share of all words that is usual, why in words, and the remedy."""
FRAGMENTS = frozenset(f"http https www html href amp nbsp quot {NEGATED} ve ll".split()) - {"won"}
"""Remains of links, HTML and contractions. Teams have won."""


def losses(report: Report) -> tuple[Loss, ...]:
    """Every loss of a report that is worth a word, documents first."""
    found = (_short_documents(report), _widespread_words(report), _fragments(report))
    return tuple(loss for loss in (*found, *_lost_words(report)) if loss)


def kept_sentence(report: Report) -> str:
    """Return how many documents each choice of the least number of words keeps; an empty string
    where all choices keep the same."""
    if len({n for _, n in report.kept_with}) < 2:
        return ""
    (first, n), *others = report.kept_with
    choices = "; ".join(f"{least}: {n:,}" for least, n in others)
    return (
        f"Documents with at least {plural(first, 'word that counts', 'words that count')}: {n:,}; "
        f"{choices}. "
        f"Kept are those with at least {report.settings.min_tokens}."
    )


def _fragments(report: Report) -> Loss | None:
    """Return remains of links, tags and the like among the commonest words."""
    found = [word for word, *_ in report.commonest if word in FRAGMENTS]
    if not found:
        return None
    return Loss(
        "Remains of links, HTML or contractions are among the commonest words: "
        f"{', '.join(found)}.",
        "Leave them out",
        "extra_stop_words",
        with_words(report.settings.extra_stop_words, " ".join(found)),
    )


def _lost_words(report: Report) -> Iterator[Loss]:
    """Words that the expression for a word breaks or leaves out."""
    lost, remedies = report.lost, set[str]()
    for why, (usual, reason, remedy, name, value) in LOST.items():
        if lost is None or lost.share(why) <= usual or name in remedies:
            continue
        if getattr(report.settings, name) == value:
            continue
        remedies.add(name)
        examples = ", ".join(word for word, _ in lost.removed[why].words[:N_EXAMPLES])
        yield Loss(
            f"{100 * lost.share(why):.0f} % of the words are broken or left out because {reason}, "
            f"such as {examples}.",
            remedy,
            name,
            value,
        )


def _short_documents(report: Report) -> Loss | None:
    least = report.settings.min_tokens
    n = report.dropped.get(too_few_words(least), 0)
    if least <= FEW or n <= SHARE_OF_DOCUMENTS * report.n_read:
        return None
    return Loss(
        f"{n:,} of {plural(report.n_read, 'document')} are left out, of which fewer than {least} "
        "words count.",
        f"Keep those of {FEW} words and more",
        "min_tokens",
        FEW,
    )


def _widespread_words(report: Report) -> Loss | None:
    most = report.settings.max_df
    words = report.removed.get(in_more_than(most))
    if report.n_docs < DOCUMENTS:
        return None  # `too_little` says what to do about few documents, and these words are not it
    if words is None or words.tokens <= SHARE_OF_WORDS * (report.n_tokens + words.tokens):
        return None
    share = 100 * words.tokens / (report.n_tokens + words.tokens)
    often = (
        f"{100 * most:.0f} % of the documents"
        if isinstance(most, float)
        else plural(most, "document")
    )
    return Loss(
        f"{plural(words.total, 'word')} that more than {often} have are left out, {share:.0f} % "
        "of all that would count. In long documents these are the subjects: keep them, or divide "
        "the documents into passages.",
        "Keep these words",
        "max_df",
        1.0,
    )
