"""The models: statistical assumptions only, one file each."""

from .dpm import DPMixture
from .hdp import HDP
from .lda import LDA

MODELS = {"lda": LDA, "dpm": DPMixture, "hdp": HDP}
"""Registry name -> model class."""
