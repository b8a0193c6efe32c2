"""The lecturer of a class: one place to compute and a part of the disk are kept for their link.

There are no accounts. The lecturer's link has a key in its address (`?link=KEY`), which the start
of the class prints. The secret of whatever the lecturer starts begins with a name that is made of
the key, so it is known as the lecturer's after a restart, and does not tell the key.
"""

import hashlib
import os
import re
import secrets

from .limits import is_shared

LECTURER = "BNPEXPLORER_LECTURER"
"""The environment variable with the key of the lecturer's link."""
KEY = re.compile(r"[\w-]{12,64}", re.ASCII)
"""A key has as many characters as a new one, at least; a family name is guessed."""


def has_key(key: str) -> bool:
    """Whether a link with this key is the lecturer's."""
    name = _name()
    return bool(name) and _name_of(key) == name


def is_key(key: str) -> bool:
    """Whether the lecturer's link may have this key."""
    return KEY.fullmatch(key) is not None


def new_key() -> str:
    """A key that nobody guesses."""
    return secrets.token_urlsafe(9)


def new_secret() -> str:
    """A secret for what the lecturer starts."""
    return f"{_name()}.{secrets.token_urlsafe(12)}"


def is_lecturers(secret: str) -> bool:
    """Whether the lecturer started what this secret controls."""
    name = _name()
    return bool(name) and secret.startswith(f"{name}.")


def _name() -> str:
    """What the lecturer's secrets begin with; empty where there is no lecturer."""
    key = os.environ.get(LECTURER, "").strip()
    return _name_of(key) if is_shared() and is_key(key) else ""


def _name_of(key: str) -> str:
    """The name that is made of a key: somebody who is given a secret learns the name alone."""
    return hashlib.sha256(f"link {key}".encode()).hexdigest()[:16]
