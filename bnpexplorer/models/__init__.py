"""The models: statistical assumptions only, one file each."""

from .dpm import DPMixture
from .gdp import GammaDP
from .hdp import HDP
from .lda import LDA

MODELS = {"lda": LDA, "dpm": DPMixture, "hdp": HDP, "gdp": GammaDP}
"""Registry name -> model class."""
