"""The processor that kernels are compiled for: the last bits of a sum depend on it."""

import hashlib

import llvmlite.binding
import numba


def processor() -> str:
    """Its name and its features, these in eight letters; as numba was told where it was told
    (`NUMBA_CPU_NAME`, `NUMBA_CPU_FEATURES`)."""
    told_name, features = (getattr(numba.config, f"CPU_{x}") for x in ("NAME", "FEATURES"))
    name = told_name or llvmlite.binding.get_host_cpu_name()
    if features is None and not told_name:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    told = ",".join(sorted((features or "").split(",")))
    return f"{name} ({hashlib.sha256(told.encode()).hexdigest()[:8]})"
