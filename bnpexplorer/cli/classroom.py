"""`class`: the app for many people on one network, and who they are told to call."""

import argparse
import contextlib
import errno
import os
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from ..core.environment import usual_threads
from ..runs.lecturer import LECTURER, is_key, new_key
from ..runs.limits import SHARED
from .app import open_app, options_of_streamlit
from .arguments import EVERYWHERE

LINK = "link"
"""The name of the lecturer's key in the address of a tab."""
ELSEWHERE = ("192.0.2.1", 9)
"""An address for examples (RFC 5737): nothing is sent there."""


def start_class(options: argparse.Namespace) -> int:
    given = options_of_streamlit("class", options.streamlit)
    return open_class(options.address, options.port, options.host or "", given)


def open_class(address: str, port: int, host: str = "", options: Sequence[str] = ()) -> int:
    """Say where students find the app and what the lecturer's link is, and run it until it is
    stopped; its exit status.

    `host`: a name, or https://NAME of a proxy. Raises ValueError with a sentence if the server
    cannot listen there, or if the number of threads was mistyped.
    """
    check_place(address, port)
    usual_threads()
    name, whole = called(host)
    students = whole or f"http://{_bracketed(name or reachable(address))}:{port}"
    lecturer = os.environ.get(LECTURER, "").strip() or new_key()
    if not is_key(lecturer):
        raise ValueError(
            f"{LECTURER} must be 12 to 64 letters (A to Z), digits, - and _ that "
            f"nobody guesses; got {lecturer!r}."
        )
    os.environ |= {SHARED: "1", LECTURER: lecturer}
    print(f"Students open   {students}")
    print(f"You open        {students}/?{LINK}={lecturer}")
    print("Your link is for you alone: a place to compute and room on the disk are kept for it.")
    if not students.startswith("https:"):
        print(
            "Secrets travel in addresses, unencrypted. On a network that others listen to, let a "
            "proxy do TLS:\nstart this with --address 127.0.0.1 --host https://NAME, and Caddy by "
            f"caddy reverse-proxy --from NAME --to 127.0.0.1:{port}"
        )
    print("Ctrl-C ends it; runs are saved.", flush=True)
    named = ["--browser.serverAddress", name] if name else []
    return open_app(
        [
            *("--server.address", address, "--server.port", str(port), *named),
            # Nobody sits before the server, and where it is found was said above.
            *("--server.headless", "true", "--logger.hideWelcomeMessage", "true", *options),
        ]
    )


def check_place(address: str, port: int) -> None:
    """Raises ValueError with a sentence if nobody can listen there now."""
    if not 0 < port < 2**16:
        raise ValueError(f"--port must be 1 to 65535; got {port}.")
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        if os.name == "posix":  # elsewhere it would let two programs have one port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                why = f"Port {port} is taken; end what uses it, or choose another by --port."
            elif problem.errno == errno.EACCES:
                why = f"Port {port} is not for this account; choose one above 1023 by --port."
            else:
                why = f"{address} is no address of this machine; leave --address out for all."
            raise ValueError(why) from problem


def called(host: str) -> tuple[str, str]:
    """The name in `host` alone, and the address to open if `host` says how; or empty for none.

    Raises ValueError for what is no name.
    """
    if not host:
        return "", ""
    parts = urlsplit(host if "://" in host else f"//{host}")
    bare = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("", "http", "https") or not parts.hostname or not bare:
        raise ValueError(f"--host must be a name, or https:// and a name; got {host!r}.")
    return parts.hostname, host.rstrip("/") if parts.scheme else ""


def reachable(address: str) -> str:
    """Under which address other machines find a server that listens at `address`."""
    if address not in (EVERYWHERE, "::"):
        return address
    # The way to elsewhere begins at the machine's address in its network.
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as way:
        way.connect(ELSEWHERE)
        return str(way.getsockname()[0])
    return socket.gethostname()  # no network: the name is known at home


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
