"""The lecturer of a class, whose link reserves one place to compute and a part of the disk.

There are no accounts. The lecturer's link has a key in its address (`?link=KEY`), which the start
of the class prints. The secrets of the lecturer's runs begin with a hash of the key, so they are
recognized after a restart and do not reveal the key.
"""

import hashlib
import os
import re
import secrets

from .limits import is_shared

LECTURER = "BNPEXPLORER_LECTURER"
"""The environment variable with the key of the lecturer's link."""
KEY = re.compile(r"[\w-]{12,64}", re.ASCII)
"""A key is at least as long as a new one, since a short name could be guessed."""


def has_key(key: str) -> bool:
    """Whether `key` is that of the lecturer's link."""
    name = _name()
    return bool(name) and _name_of(key) == name


def is_key(key: str) -> bool:
    """Whether `key` is valid for a lecturer's link."""
    return KEY.fullmatch(key) is not None


def new_key() -> str:
    """Return a random key."""
    return secrets.token_urlsafe(9)


def new_secret() -> str:
    """Return a secret for a run of the lecturer."""
    return f"{_name()}.{secrets.token_urlsafe(12)}"


def is_lecturers(secret: str) -> bool:
    """Whether the lecturer started the run of this secret."""
    name = _name()
    return bool(name) and secret.startswith(f"{name}.")


def _name() -> str:
    """Return the prefix of the lecturer's secrets; empty without a lecturer."""
    key = os.environ.get(LECTURER, "").strip()
    return _name_of(key) if is_shared() and is_key(key) else ""


def _name_of(key: str) -> str:
    """Return a hash of the key, so that a secret does not reveal the key."""
    return hashlib.sha256(f"link {key}".encode()).hexdigest()[:16]
