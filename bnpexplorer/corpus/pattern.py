"""Guards against token patterns that are wrong or that would never finish."""

import functools
import re
import subprocess
import sys

SECONDS = 3.0
"""What a pattern may take on the sample; a harmless one needs milliseconds."""
SAMPLE = 100_000

# A separate interpreter, because a regular expression at work cannot be interrupted in this one.
TRIAL = """
import re, sys
pattern, *texts = sys.stdin.read().split(chr(0))
find = re.compile(pattern).findall
for text in texts:
    find(text)
"""


def check_pattern(pattern: str) -> None:
    """Raise ValueError unless `pattern` is a regular expression that finds words.

    It must compile, have at most one group (scikit-learn's rule), and match something not empty.
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(
            f"token_pattern {pattern!r} is no regular expression: {error}; correct it, or use "
            r"\w\w+ for words of two signs or more."
        ) from None
    if compiled.groups > 1:
        raise ValueError(
            f"token_pattern {pattern!r} has {compiled.groups} groups, at most one is allowed; "
            "write (?:...) for a group that only holds things together."
        )
    if compiled.fullmatch(""):
        raise ValueError(
            f"token_pattern {pattern!r} matches the empty word; ask for at least one letter, for "
            "example with + instead of *."
        )
    if "\0" in pattern:
        raise ValueError("token_pattern holds a zero byte; remove it.")


def check_pattern_speed(pattern: str, sample: str) -> None:
    """Raise ValueError if `pattern` takes seconds on a sample of text or on adversarial strings.

    A pattern such as `(a+)+b` takes time that doubles with every letter. The trial runs in another
    process with a time limit. It finds what explodes on the sample or on long runs of the letters
    in the pattern; it is no proof that nothing else does.
    """
    if not _is_fast(pattern, sample[:SAMPLE].replace("\0", " ")):
        raise ValueError(
            f"token_pattern {pattern!r} takes far too long on a small sample; avoid a repeated "
            "group that itself repeats, such as (a+)+."
        )


@functools.lru_cache(maxsize=32)
def _is_fast(pattern: str, sample: str) -> bool:
    letters = dict.fromkeys([*"a1 _-.'A", *(c for c in pattern if c.isalnum())])
    probes = [2000 * letter + end for letter in letters for end in ("!", "\n~")]
    try:
        subprocess.run(
            [sys.executable or "python3", "-I", "-S", "-X", "utf8", "-c", TRIAL],
            input="\0".join([pattern, *probes, sample]).encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return False
    return True
