"""What notebooks show: runs, topics, corpora, comparisons and scores, and runs as they learn.

Values ask for it by `core/display.py`, since they lie far below.
"""

from .values import html
from .watching import watch

__all__ = ["html", "watch"]
