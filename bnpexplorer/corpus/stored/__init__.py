"""Corpora on the disk: written shard by shard, learned and read without being held."""

from .layout import is_stored
from .stored import StoredCorpus
from .writer import ShardWriter

__all__ = ["ShardWriter", "StoredCorpus", "is_stored"]
