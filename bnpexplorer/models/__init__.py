"""The models: statistical assumptions only, one file each."""

from .hdp import HDP
from .lda import LDA

MODELS = {"lda": LDA, "hdp": HDP}
"""Registry name -> model class."""
