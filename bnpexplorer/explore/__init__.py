"""Looking at a fit: which topics and documents there are, and how they hang together.

Pure functions of published topics, frames and documents; nothing here can change a fit.
"""

from .proportions import doc_topic

__all__ = ["doc_topic"]
