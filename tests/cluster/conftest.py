"""One cluster for all tests of a module: a scheduler in this process, workers in others."""

from collections.abc import Iterator

import pytest

from bnpexplorer.cluster import ClusterPool, connect


@pytest.fixture(scope="module")
def pool() -> Iterator[ClusterPool]:
    """Three workers of one thread."""
    with connect("local:3") as pool:
        yield pool
