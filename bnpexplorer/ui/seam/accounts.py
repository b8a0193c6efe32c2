"""Of which account of this machine a tab is: the socket of a browser belongs to whoever started it.

Symptom: Every account of a machine can open a page that is served to `localhost`. What it may see
    there is the app's to say; which files the server reads must be for its own account alone, and
    Streamlit does not know who calls.
Seen in: Streamlit 1.67.
No longer needed when: `st.context` says to which account of the machine a tab belongs.
"""

import os
import socket
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

import streamlit as st

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
