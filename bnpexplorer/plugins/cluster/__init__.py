"""More than one machine: steps computed by the workers of a Dask cluster."""

from .pool import ClusterPool
from .starting import connect, use_named

__all__ = ["ClusterPool", "connect", "use_named"]
