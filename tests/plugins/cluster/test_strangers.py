"""Whoever reaches a port of Dask's may run programs: ours answer nobody but us."""

import asyncio
import gc
import logging
import os
import re
import socket
import subprocess
import sys
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest
from distributed import Client, Security
from distributed.core import connect as dask_connect

from bnpexplorer.inference.cores import use_everywhere
from bnpexplorer.plugins.cluster import ClusterPool, connect
from bnpexplorer.plugins.cluster.starting import use_named
from tests.plugins.cluster import work
from tests.tools.waiting import until

pytestmark = pytest.mark.second


@pytest.fixture
def ours(pool: ClusterPool) -> ClusterPool:
    return pool


def _workers(pool: ClusterPool) -> list[int]:
    """The processes that compute."""
    pids = {*pool.each(work.who, [(i,) for i in range(8)], 0.05)}
    assert len(pids) == 2
    assert os.getpid() not in pids
    return [*pids]


def _listening(pid: int) -> list[Any]:
    found = psutil.Process(pid).net_connections("inet")
    return [c.laddr for c in found if c.status == psutil.CONN_LISTEN]


def _ports(pool: ClusterPool) -> set[tuple[str, int]]:
    """Where scheduler and workers listen, as the system tells."""
    found = [_listening(pid) for pid in (os.getpid(), *_workers(pool))]
    assert all(found)
    return {(at.ip, at.port) for at in chain(*found)}


def test_they_listen_to_this_machine_alone(ours: ClusterPool) -> None:
    assert {ip for ip, _ in _ports(ours)} == {"127.0.0.1"}


STRANGERS = {"without encryption": ("tcp", None), "with a key of its own": ("tls", "temporary")}


def test_our_own_client_is_answered(ours: ClusterPool) -> None:
    """So that strangers are refused for their key."""
    client = _reached(ours.address, _key(ours))
    assert client.submit(os.getpid, pure=False).result(20) in _workers(ours)
    client.close()


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_strangers_client_without_the_key_is_refused(ours: ClusterPool, stranger: str) -> None:
    protocol, kind = STRANGERS[stranger]
    address = re.sub("^[a-z]+", protocol, ours.address)
    assert _reached(address, Security.temporary() if kind else None) is None


def _key(pool: ClusterPool) -> Any:
    assert pool.members.owned is not None
    return pool.members.owned.security


def _reached(address: str, security: Any) -> Any:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(address, security=security, timeout=3, set_as_default=False)
    except (OSError, TimeoutError, TypeError, RuntimeError, ValueError):
        pass
    gc.collect()  # as `ClusterPool._reach` does
    return None


@pytest.mark.parametrize("stranger", STRANGERS)
def test_no_port_takes_a_message_of_a_stranger(ours: ClusterPool, stranger: str) -> None:
    """Also the worker's own, to which nobody needs the scheduler's leave to talk."""
    protocol, kind = STRANGERS[stranger]
    theirs = (Security.temporary() if kind else Security()).get_connection_args("client")

    async def asked(ip: str, port: int, given: Any, by: str) -> bool:
        """Whether it answers what every part of Dask answers."""
        try:
            comm = await asyncio.wait_for(dask_connect(f"{by}://{ip}:{port}", 3, **given), 6)
            await comm.write({"op": "identity", "reply": True})
            answer = await asyncio.wait_for(comm.read(), 6)
            await comm.close()
        except (OSError, TimeoutError, TypeError, RuntimeError, ValueError):
            return False
        return "type" in answer

    async def answering(given: Any, by: str) -> list[tuple[str, int]]:
        """All are asked at once, since a port that refuses is tried for seconds."""
        ports = _ports(ours)
        answers = await asyncio.gather(*(asked(*at, given, by) for at in ports))
        return [at for at, answer in zip(ports, answers, strict=True) if answer]

    mine = _key(ours).get_connection_args("client")
    # The scheduler and two workers, whom our own key opens; on a busy machine at a second try.
    until(lambda: len(asyncio.run(answering(mine, "tls"))) == 3)
    assert asyncio.run(answering(theirs, protocol)) == []


def test_what_they_tell_by_http_they_tell_nobody(ours: ClusterPool) -> None:
    """Of tasks, workers and files, as Dask's pages would."""
    answers = []
    for ip, port in _ports(ours):
        for page in ("health", "metrics", "info/main/workers.html", "json/identity.json"):
            try:
                with urlopen(f"http://{ip}:{port}/{page}", timeout=5) as answer:
                    answers.append((port, page, answer.read(100)))
            except (HTTPException, URLError, OSError):  # what refuses TLS is no HTTP
                continue
    assert answers == []


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can act as another account"
)
def test_another_account_cannot_read_the_key(ours: ClusterPool) -> None:
    process = psutil.Process(_workers(ours)[0])
    told = Path(f"/proc/{process.pid}/environ")
    assert b"PRIVATE KEY" in told.read_bytes()
    assert "PRIVATE KEY" not in " ".join(process.cmdline())
    found = subprocess.run(["cat", str(told)], user="nobody", capture_output=True)
    assert found.returncode != 0
    assert found.stdout == b""


def test_without_what_makes_keys_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ValueError, match=r"needs the package cryptography, .*\[cluster\]"):
        connect("local:1")


def test_whoever_runs_the_app_reads_the_address_in_its_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And nobody else."""
    from bnpexplorer.inference.pool import PoolLost

    monkeypatch.setenv("BNPEXPLORER_CLUSTER", "local:1")
    pool = use_named.__wrapped__()
    try:
        assert pool is not None
        assert pool.in_words == "1 worker"
        monkeypatch.setattr(pool.members, "look", lambda: False)
        pool.wait_seconds = 0.0
        with pytest.raises(PoolLost) as lost:
            pool.ready()
        port = pool.address.rpartition(":")[2]
        assert port not in str(lost.value)
        assert port in caplog.text
    finally:
        use_everywhere(None)
        if pool is not None:
            pool.close()


def test_the_port_of_a_cluster_of_our_own_is_closed_with_it() -> None:
    with connect("local:1") as pool:
        host, port = pool.address.partition("://")[2].split(":")
    with socket.socket() as one:
        assert one.connect_ex((host, int(port))) != 0
