"""The inference methods: one file each, one line each here, in the order of the form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .registry import MethodRegistry

if TYPE_CHECKING:
    from .base import Method

METHODS = MethodRegistry(
    {
        "lda-batch": ".lda_batch:LdaBatch",
        "lda-svi": ".lda_svi:LdaSvi",
        "lda-gibbs": ".lda_gibbs:LdaGibbs",
        "dpm-batch": ".dpm_batch:DpmBatch",
        "dpm-svi": ".dpm_svi:DpmSvi",
        "dpm-collapsed": ".dpm_collapsed:DpmCollapsed",
        "dpm-tsvi": ".dpm_tsvi:DpmTsvi",
        "dpm-gibbs": ".dpm_gibbs:DpmGibbs",
        "dpm-particle": ".particles.dpm_particle:DpmParticle",
        "dpm-sumo": ".sumo.dpm_sumo:DpmSumo",
        "hdp-batch": ".hdp_batch:HdpBatch",
        "hdp-svi": ".hdp_svi:HdpSvi",
        "hdp-tsvi": ".hdp_tsvi:HdpTsvi",
        "hdp-gibbs": ".direct.hdp_gibbs:HdpGibbs",
        "hdp-parallel-gibbs": ".parallel.hdp_parallel_gibbs:HdpParallelGibbs",
        "hdp-catvi": ".catvi.hdp_catvi:HdpCatvi",
        "hdp-memoized": ".memoized.hdp_memoized:HdpMemoized",
        "hdp-splitmerge": ".memoized.hdp_splitmerge:HdpSplitmerge",
        "gdp-catvi": ".catvi.gdp_catvi:GdpCatvi",
    }
)
"""Name -> method class, which is imported when a caller first asks for it."""


def make_method(name: str, preset: str = "default", values: Mapping[str, Any] = {}) -> "Method":
    """Return the method `name` with a preset and then single `values` of its or its model's fields.

    >>> method = make_method("hdp-svi", "wang-2011", {"truncation": 50, "eta": 0.1})
    >>> method.truncation, method.doc_truncation, method.model.eta
    (50, 15, 0.1)

    Raises ValueError, which names the unknown method, preset or setting, or the value out of range.
    """
    from .making import build  # loads numba, which listing the names does not need

    return build(METHODS, name, preset, values)


def methods_markdown() -> str:
    """Return the docs' table of methods."""
    from .making import markdown_table

    return markdown_table(METHODS)


__all__ = ["METHODS", "make_method", "methods_markdown"]
