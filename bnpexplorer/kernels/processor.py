"""The processor that kernels are compiled for: the last bits of a sum depend on it."""

import hashlib

import llvmlite.binding
import numba


def processor() -> str:
    """Its name and its features, these in eight letters; as numba was told where it was told
    (`NUMBA_CPU_NAME`, `NUMBA_CPU_FEATURES`)."""
    name = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    if features is None and not numba.config.CPU_NAME:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    told = ",".join(sorted((features or "").split(",")))
    return f"{name} ({hashlib.sha256(told.encode()).hexdigest()[:8]})"
