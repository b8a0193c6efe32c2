"""Only who calls the server by its own name is answered, on every route and on the socket.

Symptom: A page of another site whose name was made to lead to this machine (DNS rebinding) could
    read the list of runs and delete them: Streamlit answers requests under any name, and
    `server.allowedHosts`, empty by default, knows the socket only and no "any address".
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `OwnHostsOnly`.
"""

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from .accounts import of_own_account, with_account

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
    """The name in what a browser calls a host, small and without its port; empty for all else."""
    found = HOST.fullmatch(host)
    return (found["number"] or found["name"]).lower() if found else ""


def _port(host: str) -> str:
    """What stands behind the name; empty for the usual one."""
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
