"""Reaching a scheduler, and letting go of it."""

import gc
import logging
import threading
from contextlib import suppress
from typing import Any

CONNECT_SECONDS = 10.0
"""After which nobody is taken to be at an address."""


def reached(address: str, security: Any = None) -> Any:
    """Dask's client of the scheduler at an address; `security`: the keys to it.

    Raises ValueError with a sentence if nobody answers.
    """
    from distributed import Client

    for name in ("distributed", "distributed.client"):  # we say what is wrong, in sentences
        logging.getLogger(name).setLevel(logging.CRITICAL)
    asked: dict[str, Any] = {"timeout": CONNECT_SECONDS, "set_as_default": False}
    if security is not None:
        asked["security"] = security
    found, problems = list[Any](), list[str]()

    def reach() -> None:  # a port that is something else's may never answer, nor time out
        try:
            found.append(Client(address, direct_to_workers=True, **asked))
        except Exception as problem:  # told below; Dask's are of many kinds
            problems.append(f"{type(problem).__name__}: {problem}")
        if problems:
            # A client that came to nothing closes itself when it is collected. Were that while
            # Dask begins another, both would wait for one lock for ever.
            gc.collect()

    trying = threading.Thread(target=reach, name="reach a cluster", daemon=True)
    trying.start()
    trying.join(CONNECT_SECONDS + 5.0)
    if found:
        return found[0]
    if any(said.startswith("TypeError") and "ssl" in said for said in problems):
        raise ValueError(
            f"{address} needs certificates; name them in Dask's configuration, "
            "distributed.comm.tls."
        )
    raise ValueError(
        f"No Dask scheduler answers at {address}; start one with `dask scheduler` and "
        "name the address that it prints."
    )


def let_go(client: Any) -> None:
    """Close a client, whose scheduler may be gone."""
    with suppress(OSError, RuntimeError, TimeoutError):
        client.close(timeout=2)
