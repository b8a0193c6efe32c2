"""Stop words of a person's own, from a file."""

import re

from .corpus import CorpusError

REMARK = re.compile(r"^[#;].*|\|.*", re.MULTILINE)
"""Lines that begin with # or ; and what follows a bar, as in the lists of Snowball."""


def read_stop_words(name: str, data: bytes) -> str:
    """The words of a list, one a line or with blanks or commas between, with single blanks.

    Raises CorpusError for what is not UTF-8 or holds no word.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CorpusError(
            f"{name} is not in UTF-8; save the list of stop words as UTF-8."
        ) from None
    words = dict.fromkeys(re.split(r"[\s,;]+", REMARK.sub("", text)))
    words.pop("", None)
    if not words:
        raise CorpusError(f"{name} holds no word; give stop words, one a line.")
    return " ".join(words)


def with_words(before: str, more: str) -> str:
    """Two lists as one."""
    return f"{before} {more}".strip()
