"""Reaching a cluster, or starting one on this machine."""

import atexit
import itertools
import logging
import os
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache
from typing import Any

from ...core.child import Channel, ChildProcess, end_all
from ...core.display import plural
from ...core.environment import CLUSTER, usable_cores
from ...inference.cores import use_everywhere
from .pool import ClusterPool

LOCAL = "local:"
ADDRESS = re.compile(r"(tcp|tls)://([\w.-]+|\[[0-9a-fA-F:.%]+\]):[0-9]{1,5}")
"""Of a scheduler: a name or number of a machine, and a port."""
MOST_LOCAL = 256
SETTINGS = {
    # Memory that is given back after every step and asked for anew is a tenth of a step.
    "MALLOC_TRIM_THRESHOLD_": "500000000",
    "MALLOC_MMAP_THRESHOLD_": "500000000",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES": "[]",
}
WORKER = f"{__name__}:work"
END_SECONDS = 10.0
"""That all workers have to end before they are killed: one that is stopped or hangs does not hear
that it is to end."""

log = logging.getLogger(__name__)


def connect(address: str, tell: Callable[[str], None] = lambda said: None) -> ClusterPool:
    """Return a pool of the workers at `tcp://HOST:PORT`, where a Dask scheduler listens, or with
    `local:N` of N processes of one thread each on this machine.

    `tell` is called, with addresses, about workers that are left out and about a lost cluster. Dask
    runs what anyone who reaches its ports sends, and other accounts reach those of this machine. So
    our own processes listen to this machine only and use TLS, with a key that is made at each start
    and stored in no file.

    Close the pool, or use it by `with`. Raises ValueError with a sentence if Dask is not installed,
    if the address is invalid, does not answer within seconds or has no workers, and if a worker has
    other versions.
    """
    try:
        import distributed  # noqa: F401 (only whether it is there)
    except ModuleNotFoundError as problem:
        raise ValueError(
            f"A cluster needs Dask, which is not installed ({problem.name}): "
            "`pip install bnpexplorer[cluster]`."
        ) from problem
    if address.startswith(LOCAL):
        return _local(address, tell)
    if not ADDRESS.fullmatch(address) or not 1 <= int(address.rpartition(":")[2]) <= 65535:
        raise ValueError(
            f"A cluster is tcp://HOST:PORT, as `dask scheduler` prints it, or {LOCAL}4 for four "
            f"processes on this machine; got {address!r}."
        )
    pool = ClusterPool(address, tell=tell)
    pool.open()
    return pool


def _local(address: str, tell: Callable[[str], None]) -> ClusterPool:
    count = address.removeprefix(LOCAL)
    if not count.isdecimal() or not 1 <= int(count) <= MOST_LOCAL:
        raise ValueError(
            f"{LOCAL}N is a cluster of N processes on this machine, 1 to {MOST_LOCAL}; "
            f"got {address!r}."
        )
    import dask
    from distributed import LocalCluster, Security

    try:
        security = Security.temporary()
    except ImportError as problem:
        raise ValueError(
            "A cluster of processes on this machine needs the package cryptography, without which "
            "other accounts could use it: `pip install bnpexplorer[cluster]`."
        ) from problem
    with dask.config.set({"distributed.scheduler.http.routes": []}):  # it tells strangers nothing
        scheduler = LocalCluster(
            n_workers=0,
            dashboard_address="127.0.0.1:0",
            protocol="tls",
            host="127.0.0.1",
            security=security,
            silence_logs=50,
        )
    workers = Workers(scheduler, int(count), security)
    pool = ClusterPool(workers.address, n_expected=int(count), owned=workers, tell=tell)
    if int(count) > (n := usable_cores()):
        pool.crowded = (
            f"{int(count)} processes take turns on {plural(n, 'core')}: what is measured in "
            "seconds, as races, sweeps and claims are, learns less in each."
        )
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
    pool = connect(address, log.warning)
    use_everywhere(pool)
    atexit.register(pool.close)
    return pool


def _keys(security: Any) -> dict[str, str]:
    """Return the certificates of a worker as environment variables for Dask, which other accounts
    of the machine cannot read."""
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    return {
        "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True",
        f"{tls}CA_FILE": security.tls_ca_file,
        f"{tls}WORKER__CERT": security.tls_worker_cert,
        f"{tls}WORKER__KEY": security.tls_worker_key,
    }


class Workers:
    """Worker processes of one thread on this machine, which are started again if they end.

    Dask would watch each by another process, which takes as long to start, and use
    `multiprocessing`, which would import the main module again, under Streamlit the page.
    """

    def __init__(self, scheduler: Any, count: int, security: Any) -> None:
        self.scheduler, self.security = scheduler, security
        self.address: str = scheduler.scheduler_address
        self._environment = os.environ | SETTINGS | _keys(security)
        self._names: dict[ChildProcess, str] = {}
        """By which the scheduler knows the worker of each process."""
        self._numbers = itertools.count()
        self.processes = [self._started() for _ in range(count)]

    def _started(self) -> ChildProcess:
        name = f"own-{next(self._numbers)}"
        process = ChildProcess(
            WORKER,
            self.address,
            name,
            grace=END_SECONDS,
            interrupted=True,
            environment=self._environment,
        )
        self._names[process] = name
        return process

    def revive(self, hanging: Collection[str] = ()) -> None:
        """Start workers again that have ended or that hang; the latter are killed first."""
        there = self.scheduler.scheduler.workers
        names = {there[worker].name for worker in tuple(hanging) if worker in there}
        end_all([p for p in self.processes if self._names[p] in names], 0.0)
        for i, process in enumerate(self.processes):
            if process.poll() is not None or self._names[process] in names:
                del self._names[process]
                self.processes[i] = self._started()

    def close(self) -> None:
        """End the workers, then the scheduler; none is left behind, not even one that hangs."""
        for process in end_all(self.processes, END_SECONDS):
            log.warning("Worker process %d does not end; it waits for a disk.", process.pid)
        with suppress(TimeoutError):  # it ends with this process
            self.scheduler.close(END_SECONDS)


def work(channel: Channel, address: str, name: str) -> None:
    """Run a worker of one thread in a process of `Workers` until that ends the connection."""
    from distributed.cli.dask_worker import main

    options = f"--nthreads 1 --no-nanny --memory-limit 0 --host 127.0.0.1 --name {name}"
    main([address, *options.split(), "--dashboard-address", "127.0.0.1:0"])
