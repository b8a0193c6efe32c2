"""The inference methods: one file each, one line each here, in the order of the form."""

from collections.abc import Mapping
from typing import Any

from .base import Method, Preset
from .catvi.gdp_catvi import GdpCatvi
from .catvi.hdp_catvi import HdpCatvi
from .direct.hdp_gibbs import HdpGibbs
from .dpm_batch import DpmBatch
from .dpm_collapsed import DpmCollapsed
from .dpm_gibbs import DpmGibbs
from .dpm_svi import DpmSvi
from .dpm_tsvi import DpmTsvi
from .hdp_batch import HdpBatch
from .hdp_svi import HdpSvi
from .hdp_tsvi import HdpTsvi
from .lda_batch import LdaBatch
from .lda_gibbs import LdaGibbs
from .lda_svi import LdaSvi
from .making import build, markdown_table
from .memoized.hdp_memoized import HdpMemoized
from .memoized.hdp_splitmerge import HdpSplitmerge
from .parallel.hdp_parallel_gibbs import HdpParallelGibbs
from .particles.dpm_particle import DpmParticle
from .registry import Registry
from .sumo.dpm_sumo import DpmSumo

METHODS = Registry(
    (
        LdaBatch,
        LdaSvi,
        LdaGibbs,
        DpmBatch,
        DpmSvi,
        DpmCollapsed,
        DpmTsvi,
        DpmGibbs,
        DpmParticle,
        DpmSumo,
        HdpBatch,
        HdpSvi,
        HdpTsvi,
        HdpGibbs,
        HdpParallelGibbs,
        HdpCatvi,
        HdpMemoized,
        HdpSplitmerge,
        GdpCatvi,
    )
)
"""Registry name -> method class."""


def make_method(name: str, preset: str = "default", values: Mapping[str, Any] = {}) -> Method:
    """The method `name` with a preset and then single `values` of knobs or of its model's fields.

    >>> method = make_method("hdp-svi", "wang-2011", {"truncation": 50, "eta": 0.1})
    >>> method.truncation, method.doc_truncation, method.model.eta
    (50, 15, 0.1)

    Raises ValueError that names the unknown method, preset or setting, or the value out of range.
    """
    return build(METHODS, name, preset, values)


def methods_markdown() -> str:
    """The method table of the docs."""
    return markdown_table(METHODS)


__all__ = ["METHODS", "Method", "Preset", "make_method", "methods_markdown"]
