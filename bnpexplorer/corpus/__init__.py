"""Corpora: from a person's file to word counts by document."""

from .corpus import Batch, Corpus, CorpusError, DocTable

__all__ = ["Batch", "Corpus", "CorpusError", "DocTable"]
