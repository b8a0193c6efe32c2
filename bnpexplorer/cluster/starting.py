"""Reaching a cluster, or starting one on this machine."""

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from ..inference.cores import use_everywhere
from .pool import ClusterPool

CLUSTER = "BNPEXPLORER_CLUSTER"
"""The variable that names the cluster of the app."""
LOCAL = "local:"
MOST_LOCAL = 256
SETTINGS = {
    # Dask's workers give memory back after every step and ask for it anew: a tenth of a step.
    "MALLOC_TRIM_THRESHOLD_": "500000000",
    "MALLOC_MMAP_THRESHOLD_": "500000000",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__MALLOC_TRIM_THRESHOLD_": "500000000",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
PATIENCE = 30
"""Seconds after which the workers of a local cluster end whose command was ended from outside."""


def connect(address: str) -> ClusterPool:
    """The workers at `tcp://HOST:PORT`, where a Dask scheduler listens, or with `local:N` N
    processes of one thread each on this machine.

    To be closed, or used by `with`. Raises ValueError with a sentence if Dask is not installed, if
    the address is none, if nobody answers there within seconds, if it has no workers, and if the
    programs of a worker are of other versions.
    """
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as problem:
        raise ValueError(
            f"A cluster needs Dask, which is not installed ({problem.name}): "
            "`pip install bnpexplorer[cluster]`."
        ) from problem
    if address.startswith(LOCAL):
        return _local(address)
    scheme, separator, rest = address.partition("://")
    if not separator or scheme not in ("tcp", "tls", "ws", "wss", "ucx") or ":" not in rest:
        raise ValueError(
            f"A cluster is tcp://HOST:PORT, as `dask scheduler` prints it, or {LOCAL}4 for four "
            f"processes on this machine; got {address!r}."
        )
    pool = ClusterPool(address)
    pool.open()
    return pool


def _local(address: str) -> ClusterPool:
    count = address.removeprefix(LOCAL)
    if not count.isdecimal() or not 1 <= int(count) <= MOST_LOCAL:
        raise ValueError(
            f"{LOCAL}N is a cluster of N processes on this machine, 1 to {MOST_LOCAL}; "
            f"got {address!r}."
        )
    from distributed import LocalCluster

    scheduler = LocalCluster(
        n_workers=0,
        dashboard_address="127.0.0.1:0",
        protocol="tcp",
        host="127.0.0.1",
        silence_logs=50,
    )
    workers = Workers(scheduler, int(count))
    pool = ClusterPool(workers.address, n_expected=int(count), owned=workers, said="this machine")
    try:
        pool.open()
    except BaseException:
        pool.close()
        raise
    return pool


@cache
def use_named() -> ClusterPool | None:
    """Let the cluster that `BNPEXPLORER_CLUSTER` names compute for all runs of this process.

    None if it names none. Raises what `connect` does.
    """
    address = os.environ.get(CLUSTER, "").strip()
    if not address:
        return None
    pool = connect(address)
    use_everywhere(pool)
    atexit.register(pool.close)
    return pool


class Workers:
    """Processes on this machine, each watched by another that starts it again.

    Dask would start them by `multiprocessing`, which imports the main module of this process again:
    under Streamlit that is the page.
    """

    def __init__(self, scheduler: Any, count: int) -> None:
        self.scheduler = scheduler
        self.address: str = scheduler.scheduler_address
        top = str(Path(__file__).parent.parent.parent)  # from a clone, too
        paths = [top, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | SETTINGS | {"PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address]
        options = f"--nthreads 1 --memory-limit 0 --no-dashboard --death-timeout {PATIENCE}"
        self.processes = [
            subprocess.Popen(
                [*command, *options.split()],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(count)
        ]

    def close(self) -> None:
        """End the workers, then the scheduler."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        self.scheduler.close()
