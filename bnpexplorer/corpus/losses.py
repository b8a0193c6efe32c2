"""What much of the texts is lost by, and the one setting that keeps it.

Nobody asked for these losses: the defaults suit prose of some hundred words a text. Of 9,728
glosses of a dictionary they leave out 5,437 since fewer than five words count, and of 2,465
messages 899; of 249 speeches of 7,000 words they leave out 45 % of the words, since more than half
of the speeches have them. Of 3,000 newsgroups' posts it is 0.4 % and 2 %, which is worth no word.
"""

from dataclasses import dataclass

from .counting import in_more_than
from .source import plural
from .text import Report, too_few_words

SHARE_OF_DOCUMENTS, SHARE_OF_WORDS = 0.05, 0.2
"""Smaller losses are usual: of the documents, and of all words that would count."""
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
    value: float


def losses(report: Report) -> tuple[Loss, ...]:
    """Every loss of a report that is worth a word, documents first."""
    found = (_short_documents(report), _widespread_words(report))
    return tuple(loss for loss in found if loss)


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
    if words is None or words.tokens <= SHARE_OF_WORDS * (report.n_tokens + words.tokens):
        return None
    share = 100 * words.tokens / (report.n_tokens + words.tokens)
    often = f"{100 * most:.0f} % of the documents" if isinstance(most, float) else f"{most:,}"
    return Loss(
        f"{plural(words.total, 'word')} that more than {often} have are left out, {share:.0f} % "
        "of all that would count. In long documents these are the subjects: keep them, or divide "
        "the documents into passages.",
        "Keep these words",
        "max_df",
        1.0,
    )
