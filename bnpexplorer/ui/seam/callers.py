"""Who calls the server. Each workaround has its symptom below.

Only who calls the server by its own name is answered, on every route and on the socket.

Symptom: A page of another site whose name was made to lead to this machine (DNS rebinding) could
    read the list of runs and delete them: Streamlit answers requests under any name, and
    `server.allowedHosts`, empty by default, knows the socket only and no "any address".
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `OwnHostsOnly`.

Of which account of this machine a tab is: the socket of a browser belongs to whoever started it.

Symptom: Every account of a machine can open a page that is served to `localhost`. What it may see
    there is the app's to say; which files the server reads must be for its own account alone, and
    Streamlit does not know who calls.
Seen in: Streamlit 1.67.
No longer needed when: `st.context` says to which account of the machine a tab belongs.
"""

import ipaddress
import os
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]

EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses of a server that listens on all addresses of its machine."""
LOCAL = ("localhost", "127.0.0.1", "::1")
HOST = re.compile(
    r"(?:\[(?P<number>[0-9a-f:.]+)\]|(?P<name>[\w.-]*\w))\.?(?::\d{0,5})?", re.I | re.A
)
"""By the letter: `urllib.parse` takes `x[::1]y` for `::1`."""
REFUSED = (
    "This server does not answer under the name {name}. If that is a name of yours, start it with "
    "--browser.serverAddress {name}, or a class with --host {name}.\n"
)
VIOLATION = 1008
"""The code with which a socket is closed for what it may not do (RFC 6455)."""


@dataclass(frozen=True)
class Hosts:
    """The names and addresses that a server answers under."""

    names: frozenset[str]
    any_address: bool = False
    """Under numbers too, of which no other site's name can be made."""

    def serves(self, host: str, origins: Sequence[str]) -> bool:
        """Whether a request to `host` that says it comes from pages of `origins` is answered.

        A page of another site may have an address of numbers too, so `any_address` is for the host
        alone; and on one's own machine another program may serve another port.
        """
        name = name_of(host)
        if not (self._named(name) or (self.any_address and is_address(name))):
            return False
        return all(self._is_own(origin, host) for origin in origins)

    def _is_own(self, origin: str, host: str) -> bool:
        name = name_of_origin(origin)
        if self._named(name) and name not in LOCAL:
            return True  # a proxy may leave out the port
        same = name == name_of(host) or {name, name_of(host)} <= set(LOCAL)
        return bool(name) and same and _port(origin.partition("://")[2]) == _port(host)

    def _named(self, name: str) -> bool:
        ends = tuple(known[1:] for known in self.names if known.startswith("*."))
        return bool(name) and (name in self.names or name.endswith(ends))


def hosts() -> Hosts:
    """Those of this server, by its settings.

    Always this machine's names for itself and what `browser.serverAddress` and
    `server.allowedHosts` say. One that other machines reach also has the address at which it
    listens, or any if those are all, and the names of its machine.
    """
    address = str(st.get_option("server.address") or "")
    given = (st.get_option("browser.serverAddress"), *st.get_option("server.allowedHosts"))
    names = {*LOCAL, *(name.strip().lower().split("/")[0].rstrip(".") for name in given)}
    if address.lower() in LOCAL:
        return Hosts(frozenset(names))
    own = socket.gethostname().lower()
    names |= {own, own.split(".")[0], f"{own.split('.')[0]}.local", address.lower()} - {""}
    return Hosts(frozenset(names), any_address=address in EVERYWHERE)


def name_of(host: str) -> str:
    """Return the host name in lower case without its port; empty if it is invalid."""
    found = HOST.fullmatch(host)
    return (found["number"] or found["name"]).lower() if found else ""


def _port(host: str) -> str:
    """Return the port after the host name; empty for the default port."""
    return host.rpartition("]")[2].partition(":")[2]


def name_of_origin(origin: str) -> str:
    """The name of the site whose page asks; empty for none, such as a file's."""
    return name_of(origin.partition("://")[2]) if origin.startswith(("http://", "https://")) else ""


def is_address(name: str) -> bool:
    """Whether a name is made of numbers, as no other site's is."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class OwnHostsOnly:
    """Around the whole server (ASGI): answers what comes under its own names, refuses the rest."""

    def __init__(self, app: Application) -> None:
        self.app, self.hosts = app, hosts()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):  # the start and the end of the server
            return await self.app(scope, receive, send)
        named, origins = _headers(scope, b"host"), _headers(scope, b"origin")
        if len(named) == 1 and self.hosts.serves(named[0], origins):
            is_tab = scope["type"] == "websocket"
            return await self.app(with_account(scope) if is_tab else scope, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": VIOLATION})
        said = REFUSED.format(name=name_of(named[0]) if named else "").encode()
        kind = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 403, "headers": kind})
        await send({"type": "http.response.body", "body": said})


def _headers(scope: Mapping[str, Any], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def own_hosts_only() -> Middleware:
    """The above as `st.App` takes it."""
    return Middleware(OwnHostsOnly)


FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""What a proxy or a tunnel adds to a request that it passes on."""


def called_at_home() -> bool:
    """Whether the server listens to this machine alone, and the tab is of its own account and calls
    it by this machine's name for itself, with nobody between. A tab of which nothing is known does
    not."""
    address = str(st.get_option("server.address") or "").lower()
    headers = st.context.headers
    return (
        address in LOCAL
        and name_of(headers.get("host", "")) in LOCAL
        and not any(headers.get(name) for name in FORWARDED)
        and of_own_account()
    )


HEADER = "x-bnpexplorer-account"
"""Added here to what a tab sent when it came, in place of one that it sent itself."""
OWN, OTHER = "own", "other"
TABLES = {socket.AF_INET: "net/tcp", socket.AF_INET6: "net/tcp6"}
"""Below /proc: the sockets of the machine, with their owners."""
ADDRESS, PEER, STATE, OWNER, INODE = 1, 2, 3, 7, 9
"""Columns."""
ESTABLISHED, NOBODYS = "01", "0"
"""A socket that its holder has closed is listed until all is sent, without an inode and as the
administrator's, whosever it was."""

Scope = Mapping[str, Any]


def with_account(scope: Scope) -> MutableMapping[str, Any]:
    """A connection as ASGI describes it, with a header that says of which account it is."""
    kept = [(key, value) for key, value in scope["headers"] if key.lower() != HEADER.encode()]
    own = is_own(scope.get("client"), scope.get("server"))
    return {**scope, "headers": [*kept, (HEADER.encode(), (OWN if own else OTHER).encode())]}


def of_own_account() -> bool:
    """Whether the tab belongs to the account that the server runs under. A tab of which nothing is
    known does not."""
    return st.context.headers.get(HEADER) == OWN


def is_own(client: Any, server: Any, proc: Path = Path("/proc")) -> bool:
    """Whether the other end of a connection, (address, port) of either end, is of this account.

    Systems that keep no such list (all but Linux) are taken to be for one person.
    """
    if sys.platform != "linux":
        return True
    return _owner(client, server, proc) == os.getuid()


def _owner(client: Any, server: Any, proc: Path) -> int | None:
    """The number of the account that holds the client's end; None if that is not of this machine,
    or nobody holds it any more."""
    if not (client and server):
        return None
    for family, table in TABLES.items():
        try:
            wanted = [_written(family, *end[:2]) for end in (client, server)]
            rows = (proc / table).read_text("ascii").splitlines()[1:]
        except (OSError, ValueError):  # an address of the other family
            continue
        for row in map(str.split, rows):
            if [row[ADDRESS], row[PEER]] == wanted:
                held = row[STATE] == ESTABLISHED and row[INODE] != NOBODYS
                return int(row[OWNER]) if held else None
    return None


def _written(family: int, address: str, port: int) -> str:
    """An end as the system's list has it: words of 32 bits in the machine's order.

    Raises OSError for what is no address of this family.
    """
    packed = socket.inet_pton(family, address)
    words = (packed[i : i + 4] for i in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words) + f":{port:04X}"
