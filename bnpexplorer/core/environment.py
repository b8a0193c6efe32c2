"""Numbers that environment variables set."""

import os


def whole_number(name: str, what: str) -> int | None:
    """What an environment variable says; None if it is not set.

    Raises ValueError if that is no whole number: a limit that was mistyped must not be taken for
    none.
    """
    asked = os.environ.get(name, "").strip()
    if asked and not asked.isdecimal():
        raise ValueError(f"{name} must be a whole number of {what}; got {asked!r}.")
    return int(asked) if asked else None
