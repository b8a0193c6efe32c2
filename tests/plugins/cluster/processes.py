"""Schedulers and workers in processes of their own, as a person starts them."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bnpexplorer.plugins.cluster import ClusterPool, connect
from tests.plugins.cluster import work
from tests.tools.waiting import NEVER

TOP = Path(__file__).parents[3]


@contextmanager
def process(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command of Dask's, ended with what it began."""
    command = [sys.executable, "-m", *arguments]
    settings = os.environ | {"PYTHONPATH": str(TOP)} | environment
    begun = subprocess.Popen(
        command, env=settings, start_new_session=True, stderr=subprocess.DEVNULL
    )
    try:
        yield begun
    finally:
        with_its_own = os.getpgid(begun.pid) if begun.poll() is None else None
        if with_its_own is not None:
            os.killpg(with_its_own, signal.SIGKILL)
        begun.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def scheduler(port: int) -> tuple[str, ...]:
    return (
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-dashboard",
    )


def worker(address: str, *more: str) -> tuple[str, ...]:
    options = ("--nthreads", "1", "--no-dashboard", "--memory-limit", "0", "--no-nanny", *more)
    return ("distributed.cli.dask_worker", address, *options)


def answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def connected(address: str, tell: Callable[[str], None] = lambda said: None) -> ClusterPool:
    """As soon as there is a worker."""
    deadline = time.monotonic() + NEVER
    while True:
        try:
            return connect(address, tell)
        except ValueError as problem:
            if "no worker" not in str(problem) or time.monotonic() > deadline:
                raise


def n_ready(pool: ClusterPool) -> int:
    pool.ready()
    return pool.n_workers


@contextmanager
def killing(pool: ClusterPool) -> Iterator[None]:
    """Twice within a second, somebody kills a worker."""
    over = threading.Event()

    def kill() -> None:
        for _ in range(2):
            over.wait(0.4)
            for pid in pool.each(work.who, [(0,)], 0.0):
                if pid != os.getpid():
                    os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()
