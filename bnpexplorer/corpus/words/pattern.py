"""Guards against token patterns that are wrong or that would never finish.

A pattern that somebody wrote is tried in a separate interpreter with a time limit, because a
regular expression at work cannot be interrupted in this one and holds all its threads.
"""

import functools
import json
import subprocess
import sys

from ..corpus import CorpusError

SECONDS = 3
"""Seconds of processor time for a pattern on the sample; a harmless one needs milliseconds."""
PATIENCE = 60.0
"""Seconds until its trial is given up, on a busy machine or where nothing limits processor time."""
SAMPLE = 100_000
LETTERS = r"(?u)\b[^\W\d_]{3,}\b"
"""Words of three letters or more; no numbers."""
MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a"
    r"\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0980-\u09e3\u0a00-\u0a63\u0a70-\u0ae3"
    r"\u0b00-\u0b63\u0b80-\u0be3\u0c00-\u0c63\u0c80-\u0ce3\u0d00-\u0d63\u0d80-\u0ddf\u0df2\u0df3"
    r"\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u0f71-\u0fbc\u102b-\u103e\u1056-\u109d"
    r"\u17b4-\u17d3\u200c\u200d"
)
"""Vowels, tones and joiners that stand within words and are no letters for Python's expressions."""
WORDS = rf"(?u)(?<!\w)[^\W\d_](?:(?!\d)[^\W_]|[{MARKS}])+(?!\w)"
"""Words of two letters or more in any script: with the vowels and tones that are no letters for
Python's expressions, and with the joiners that stand within Persian and Indian words."""
_LETTER, _SIGN, _WITHIN = r"[^\W\d_]", r"[^\W_]", r"[_']?+"
_BEGIN = rf"(?u)(?<!{_SIGN})(?<![{MARKS}])"
_END = rf"(?!{_SIGN})(?![{MARKS}])"
_NUMBER = r"-\d++"
WHOLE = {
    LETTERS: rf"{_BEGIN}{_LETTER}[{MARKS}]*+(?:{_WITHIN}{_LETTER}[{MARKS}]*+){{2,}}+{_END}",
    WORDS: rf"{_BEGIN}{_LETTER}(?:{_WITHIN}{_LETTER}|[{MARKS}])++{_END}",
}
"""Either of the two, with accents that stand apart and with _ and ' between letters."""
_DIGITS_TOO = rf"{_SIGN}[{MARKS}]*+"
WITH_DIGITS = {
    LETTERS: rf"{_BEGIN}(?=\d*+{_LETTER})(?:{_DIGITS_TOO}(?:{_WITHIN}{_DIGITS_TOO}){{2,}}+"
    rf"(?:{_NUMBER})?|{_DIGITS_TOO}(?:{_DIGITS_TOO})?+{_NUMBER}|\d{_LETTER}|{_LETTER}\d){_END}",
    WORDS: rf"{_BEGIN}(?=\d*+{_LETTER})(?:{_SIGN}(?:{_WITHIN}{_SIGN}|[{MARKS}])++(?:{_NUMBER})?"
    rf"|{_SIGN}{_NUMBER}){_END}",
}
"""The same with digits: covid-19, co2, 5g. What begins with digits goes on with a letter, and
numbers alone are no words."""
PATTERNS = {
    LETTERS: "Words of 3 letters or more",
    r"(?u)\b\w\w+\b": "scikit-learn's own",
    WORDS: "Words of 2 letters or more, in any script",
}
"""Token patterns known to be fast, with their names."""

TRIAL = """
import json, re, sys
seconds, pattern, *texts = json.load(sys.stdin)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
except ImportError:
    pass  # Windows has no such limit
try:
    compiled = re.compile(pattern)
except (re.error, RecursionError, OverflowError) as error:
    print(json.dumps([str(error), 0, False]))
    sys.exit()
empty = not texts and compiled.fullmatch("") is not None
for text in texts:
    compiled.findall(text)
print(json.dumps(["", compiled.groups, empty]))
"""


def check_pattern(pattern: str) -> None:
    """Raise ValueError unless `pattern` is a regular expression that finds words.

    It must compile, have at most one group (scikit-learn's rule), and match something not empty.
    """
    if pattern not in PATTERNS and (fault := _fault(pattern)):
        raise ValueError(fault)


def check_pattern_speed(pattern: str, sample: str) -> None:
    """Raise CorpusError if `pattern` takes seconds on a sample of text or on adversarial strings.

    A pattern such as `(a+)+b` takes time that doubles with every letter. The trial finds what
    explodes on the sample or on long runs of the letters in the pattern; it is no proof that
    nothing else does.
    """
    if pattern not in PATTERNS:
        _try_speed(pattern, sample[:SAMPLE])


@functools.lru_cache(maxsize=256)
def _fault(pattern: str) -> str:
    """What is wrong with a pattern and how to mend it; empty if nothing is.

    Raises CorpusError if it takes too long: another time the machine may be less busy.
    """
    error, groups, empty = _trial(pattern)
    if error:
        return (
            f"token_pattern {pattern!r} is no regular expression: {error}; correct it, or use "
            r"\w\w+ for words of two signs or more."
        )
    if groups > 1:
        return (
            f"token_pattern {pattern!r} has {groups} groups, at most one is allowed; "
            "write (?:...) for a group that only holds things together."
        )
    if empty:
        return (
            f"token_pattern {pattern!r} matches the empty word; ask for at least one letter, for "
            "example with + instead of *."
        )
    return "token_pattern holds a zero byte; remove it." if "\0" in pattern else ""


@functools.lru_cache(maxsize=32)
def _try_speed(pattern: str, sample: str) -> None:
    letters = dict.fromkeys([*"a1 _-.'A", *(c for c in pattern if c.isalnum())])
    probes = [2000 * letter + end for letter in letters for end in ("!", "\n~")]
    _trial(pattern, *probes, sample)


def _trial(pattern: str, *texts: str) -> tuple[str, int, bool]:
    """What `re` says against a pattern, how many groups it has, and whether it matches the empty
    word (asked only without texts).

    Raises CorpusError if that, or finding it in `texts`, takes too long or cannot be tried.
    """
    try:
        done = subprocess.run(
            [sys.executable or "python3", "-I", "-S", "-c", TRIAL],
            input=json.dumps([SECONDS, pattern, *texts]).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=True,
        )
        error, groups, empty = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        raise CorpusError(
            f"token_pattern {pattern!r} takes far too long on a small sample; avoid a repeated "
            "group that itself repeats, such as (a+)+."
        ) from None
    except (OSError, ValueError) as problem:
        raise CorpusError(
            f"token_pattern {pattern!r} cannot be tried, because no other interpreter can be "
            "started; restart the program."
        ) from problem
    return error, groups, empty
