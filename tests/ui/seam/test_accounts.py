"""A tab is of the account whose socket it is: others of the machine name no path of it."""

import os
import socket
import subprocess
import sys

import pytest

from bnpexplorer.ui.seam import callers
from bnpexplorer.ui.seam.callers import HEADER, is_own, with_account

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux lists sockets with owners")
NOBODY = "65534"
CALL = """
import os, socket, sys
address, port, account = sys.argv[1:]
if account:  # not before: one of another account may not even start this interpreter
    os.setuid(int(account))
calling = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
calling.connect((address, int(port)))
sys.stdin.read()
"""


def connected(address, family, account=""):
    """Both ends of a connection of a process of this account, or of another one."""
    with socket.socket(family) as door:
        door.bind((address, 0))
        door.listen()
        door.settimeout(60)
        called = [sys.executable, "-c", CALL, address, str(door.getsockname()[1]), account]
        with subprocess.Popen(called, stdin=subprocess.PIPE) as process:
            line, _ = door.accept()
            with line:
                yield line.getpeername(), line.getsockname()
            process.stdin.close()


@pytest.fixture(params=[("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)], ids=str)
def own(request):
    yield from connected(*request.param)


@pytest.fixture
def others():
    if os.getuid() != 0:
        pytest.skip("only the administrator can start a process of another account")
    yield from connected("127.0.0.1", socket.AF_INET, account=NOBODY)


def test_a_connection_of_this_account_is_known_at_both_its_ends(own):
    client, server = own
    assert is_own(client, server)
    assert not is_own((client[0], client[1] ^ 1, *client[2:]), server)
    assert not is_own(client, (server[0], server[1] ^ 1, *server[2:]))
    assert not is_own(None, server)
    assert not is_own(("192.0.2.1", client[1]), server)
    assert not is_own(("testclient", 50000), server)


def test_a_connection_of_another_account_is_not_ours(others):
    assert not is_own(*others)


def test_whose_a_connection_is_stands_in_the_system_s_list(tmp_path):
    """A row as Linux writes it: 127.0.0.1:40000 to 127.0.0.1:8501, owned by 1234."""
    if sys.byteorder != "little":
        pytest.skip("the row is that of a little-endian machine")
    (tmp_path / "net").mkdir()
    row = "   0: 0100007F:9C40 0100007F:2135 01 00000000:00000000 00:00000000 00000000 {} 0 1 1"
    for owner in (os.getuid(), 0, 1234):
        (tmp_path / "net" / "tcp").write_text(f"header\n{row.format(owner)}\n")
        own = is_own(("127.0.0.1", 40000), ("127.0.0.1", 8501), tmp_path)
        assert own == (owner == os.getuid())
    held = row.format(os.getuid())
    for left in (held.replace(" 01 ", " 04 "), held.replace("0 0 1 1", "0 0 0 1")):
        (tmp_path / "net" / "tcp").write_text(f"header\n{left}\n")
        assert not is_own(("127.0.0.1", 40000), ("127.0.0.1", 8501), tmp_path), "it was let go"
    (tmp_path / "net" / "tcp").write_text(f"header\n{held}\n")
    assert is_own(("127.0.0.1", 40000), ("127.0.0.1", 8501), tmp_path)
    assert not is_own(("127.0.0.2", 40000), ("127.0.0.1", 8501), tmp_path)


def test_what_a_tab_says_of_itself_is_not_believed(monkeypatch):
    monkeypatch.setattr(callers, "is_own", lambda client, server: False)
    sent = [(b"host", b"localhost"), (b"X-BNPExplorer-Account", b"own")]
    headers = with_account({"headers": sent, "client": ("127.0.0.1", 1)})["headers"]
    assert headers == [(b"host", b"localhost"), (HEADER.encode(), b"other")]


SOUND = {"host": "localhost:8501", HEADER: "own"}


@pytest.mark.parametrize(
    ("address", "headers", "at_home"),
    [
        ("localhost", SOUND, True),
        ("127.0.0.1", SOUND | {"host": "127.0.0.1:8501"}, True),
        ("::1", SOUND | {"host": "[::1]:8501"}, True),
        ("0.0.0.0", SOUND, False),
        ("", SOUND, False),
        ("192.0.2.7", SOUND, False),
        ("localhost", {}, False),
        ("localhost", SOUND | {HEADER: "other"}, False),
        ("localhost", {"host": "localhost:8501"}, False),
        ("localhost", SOUND | {"host": "topics.example.org"}, False),
        ("localhost", SOUND | {"x-forwarded-for": "192.0.2.1"}, False),
        ("localhost", SOUND | {"forwarded": "for=192.0.2.1"}, False),
    ],
)
def test_a_tab_is_at_home_where_nobody_stands_between(monkeypatch, address, headers, at_home):
    monkeypatch.setattr(callers.st, "get_option", {"server.address": address}.get)
    monkeypatch.setattr(type(callers.st.context), "headers", property(lambda self: headers))
    assert callers.called_at_home() is at_home


def test_every_tab_is_told_apart_and_no_other_request_is():
    """The whole way: what `OwnHostsOnly` hands on."""
    import asyncio

    seen = []

    async def app(scope, receive, send):
        seen.append(dict(scope["headers"]))

    guard = callers.OwnHostsOnly(app)
    for kind in ("http", "websocket"):
        scope = {"type": kind, "headers": [(b"host", b"localhost")], "client": None}
        asyncio.run(guard(scope, None, None))
    assert seen == [{b"host": b"localhost"}, {b"host": b"localhost", HEADER.encode(): b"other"}]
