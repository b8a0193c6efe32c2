"""The inference methods: one file each, one line each here, in the order of the form."""

from .base import Method, Preset
from .dpm_batch import DpmBatch
from .dpm_collapsed import DpmCollapsed
from .dpm_svi import DpmSvi
from .dpm_tsvi import DpmTsvi
from .hdp_tsvi import HdpTsvi
from .lda_svi import LdaSvi

METHODS: dict[str, type] = {
    m.name: m
    for m in (
        LdaSvi,
        DpmBatch,
        DpmSvi,
        DpmCollapsed,
        DpmTsvi,
        HdpTsvi,
    )
}
"""Registry name -> method class."""

__all__ = ["METHODS", "Method", "Preset"]
