"""Messages between the server and a child: a tree as JSON, then the arrays that it names.

No pickle: a child that has read a hostile file is not trusted. `store.pack` makes the tree, and the
receiver rebuilds only the type that it expects. Many strings travel as one array of their bytes:
a list of them in JSON takes three times the memory.
"""

import json
import math
import sys
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from ...core import store

MANY = 32
"""Strings in a list from which on they travel as an array."""
TREE = 64 * 2**20
"""Most bytes of JSON in a message."""
KINDS = "biufMU"
"""Kinds of what an array may hold: truth values, whole and real numbers, dates, words."""


class Oversize(Exception):
    """A message that is larger than the receiver takes."""


def send(stream: IO[bytes], value: Any, limit: int | None = None) -> None:
    """Write one message. `limit`: most bytes that its strings and arrays may hold at the receiver.

    Raises Oversize, before anything is written.
    """
    arrays: store.Arrays = {}
    tree = store.pack(value, arrays)
    held = sum(array.nbytes for array in arrays.values())
    if isinstance(tree, dict | list):
        held += _strings_apart(tree, arrays)
    named = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    # Half of a surrogate pair, which a JSON key may hold, can be shown nowhere.
    text = json.dumps([tree, named], ensure_ascii=False).encode("utf-8", "replace")
    if len(text) > TREE or (limit is not None and held > limit):
        raise Oversize
    stream.write(len(text).to_bytes(8, "little") + text)
    for array in arrays.values():
        stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    stream.flush()


def receive(stream: IO[bytes], limit: int | None = None) -> store.Packed:
    """One message: what `store.unpack` takes. `limit`: most bytes of its arrays.

    Raises EOFError where the other side has ended, ValueError for what is no message.
    """
    length = int.from_bytes(_exactly(stream, 8), "little")
    if length > TREE:
        raise ValueError("no message")
    tree, named = json.loads(_exactly(stream, length))
    arrays: store.Arrays = {}
    for name, kind, shape in named:
        dtype = np.dtype(kind)
        size = math.prod(shape) * dtype.itemsize
        if dtype.kind not in KINDS or min(shape, default=0) < 0:
            raise ValueError("no message")
        if limit is not None and (limit := limit - size) < 0:
            raise ValueError("a message beyond its limit")
        array = np.empty(shape, dtype)
        _fill(stream, array.reshape(-1).view(np.uint8).data)
        arrays[name] = array
    return {"value": _strings_back(tree, arrays)}, arrays


def _strings_apart(tree: Any, arrays: store.Arrays) -> int:
    """Put every long list of strings within `tree` into `arrays`; bytes that they hold."""
    held = 0
    places = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, item in list(places):
        if isinstance(item, list) and len(item) >= MANY and all(type(s) is str for s in item):
            held += sum(map(sys.getsizeof, item))
            path = f"strings {len(arrays)}"
            encoded = [s.encode("utf-8", "replace") for s in item]
            arrays[f"{path} ends"] = np.cumsum([*map(len, encoded)], dtype=np.int64)
            arrays[path] = np.frombuffer(b"".join(encoded), np.uint8)
            tree[key] = {"strings": path}
        elif isinstance(item, dict | list):
            held += _strings_apart(item, arrays)
    return held


def _strings_back(tree: Any, arrays: store.Arrays) -> Any:
    if isinstance(tree, dict):
        if set(tree) == {"strings"}:
            path = tree["strings"]
            return _cut(arrays.pop(path).data, arrays.pop(f"{path} ends").tolist())
        return {key: _strings_back(item, arrays) for key, item in tree.items()}
    return [_strings_back(item, arrays) for item in tree] if isinstance(tree, list) else tree


def _cut(data: memoryview, ends: Sequence[int]) -> list[str]:
    starts = [0, *ends]
    return [str(data[a:b], "utf-8") for a, b in zip(starts, ends, strict=False)]


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = bytearray(size)
    _fill(stream, memoryview(data))
    return bytes(data)


def _fill(stream: IO[bytes], into: memoryview) -> None:
    done = 0
    while done < len(into):
        got: int = stream.readinto(into[done:])  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        done += got
