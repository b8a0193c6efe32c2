"""`corpus`: corpora on the disk."""

from .corpus_build import build_corpus
from .corpus_check import check_corpus
from .corpus_show import show_corpus

__all__ = ["build_corpus", "check_corpus", "show_corpus"]
