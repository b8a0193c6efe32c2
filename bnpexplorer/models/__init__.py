"""The models: statistical assumptions only, one file each."""

from collections.abc import Mapping

from .base import Model
from .dpm import DPMixture
from .gdp import GammaDP
from .hdp import HDP
from .lda import LDA

MODELS: Mapping[str, type[Model]] = {"lda": LDA, "dpm": DPMixture, "hdp": HDP, "gdp": GammaDP}
"""Registry name -> model class."""

__all__ = ["MODELS", "Model"]
