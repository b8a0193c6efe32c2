"""Corpora on the disk: written shard by shard (`writer.py`), learned and read, but never held."""

from .layout import is_stored
from .stored import StoredCorpus

__all__ = ["StoredCorpus", "is_stored"]
