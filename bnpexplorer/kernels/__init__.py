"""Compiled inner loops: arrays and scalars in, arrays out; nothing here knows the package.

All kernels of the package live in this folder, so that one hash of it names their cache.
"""

from . import cache as cache  # first: it must run before numba is imported
