"""Saving without pickle: one zip of a JSON manifest and one .npy member per array.

`pack` walks dataclasses, tuples, lists, mappings with string keys, numbers, strings, None and
arrays; `unpack` rebuilds them from the type that the caller expects, so a file can never choose
which class is made.
"""

import contextlib
import dataclasses
import io
import json
import math
import os
import re
import secrets
import types
import typing
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any, Union

import numpy as np
import numpy.typing as npt
import platformdirs

from .private import owner_only

FORMAT = "bnpexplorer-run"
VERSION = 1

Arrays = dict[str, npt.NDArray[Any]]
Packed = tuple[dict[str, Any], Arrays]
"""A JSON-able tree and the arrays that it names."""


DAMAGE = (Exception,)
"""What reading a damaged file may raise: whatever its libraries think of. A list of a dozen lacked
LZMAError and TokenError, which ended a page."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How members of a saved run are packed; other methods take memory before a byte is unpacked."""
MAX_HEADER = 2**14
"""Most bytes before the numbers of an array; numpy takes 10,000."""
CHUNK = 2**20
MAX_MEMBERS = 100_000
"""Most parts of a file that comes from elsewhere; the longest history has some 2,000."""


def home() -> Path:
    """Where what lasts is kept on this machine; BNPEXPLORER_HOME names another folder."""
    named = os.environ.get("BNPEXPLORER_HOME", "")
    return Path(named) if named else Path(platformdirs.user_data_dir("bnpexplorer", False))


class StoreError(ValueError):
    """A file that is not one of ours, is damaged, or was written by a newer version."""


def pack(value: Any, arrays: Arrays, path: str = "root") -> Any:
    """A JSON-able tree of `value`; its arrays are put into `arrays` under their path."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [None if item is None else str(item) for item in value]
        arrays[path] = value
        return {"array": path}
    if dataclasses.is_dataclass(value):
        return {
            f.name: pack(getattr(value, f.name), arrays, f"{path}.{f.name}")
            for f in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): pack(item, arrays, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [pack(item, arrays, f"{path}.{i}") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{path}: cannot save a {type(value).__name__}.")


def size(value: Any) -> int:
    """Bytes of the arrays, numbers and strings that `pack` would walk."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if dataclasses.is_dataclass(value):
        return sum(size(getattr(value, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return sum(size(key) + size(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return sum(map(size, value))
    return len(value) if isinstance(value, str) else 8


@cache
def hints_of(kind: Any, extras: bool = False) -> dict[str, Any]:
    """The types of a dataclass's fields, `extras` with their annotations; looked up once, since it
    takes as long as checking what a file of a small run holds."""
    return typing.get_type_hints(kind, include_extras=extras)


def unpack(kind: Any, tree: Any, arrays: Arrays) -> Any:
    """The value of type `kind` that `pack` turned into `tree`."""
    if kind is str and type(tree) is str:  # by far the most frequent
        return tree
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if tree is None:
        if kind is not Any and type(None) not in arguments:
            raise TypeError(f"nothing stands where a {getattr(kind, '__name__', kind)} should")
        return None
    if origin in (Union, types.UnionType):
        choices = [a for a in arguments if a is not type(None)]
        kind = choices[0] if len(choices) == 1 else type(tree)
        if kind not in choices:
            raise TypeError(f"a {kind.__name__} stands where it should not")
        return unpack(kind, tree, arrays)
    if dataclasses.is_dataclass(kind):
        if not isinstance(tree, dict):
            raise TypeError(f"a {type(tree).__name__} stands where parts with names should")
        hints = hints_of(typing.cast(Any, kind))
        values = {
            f.name: unpack(hints[f.name], tree[f.name], arrays)
            for f in dataclasses.fields(kind)
            if f.name in tree
        }
        return typing.cast(type[Any], kind)(**values)
    if isinstance(tree, dict) and set(tree) == {"array"}:
        return _of_type(arguments, arrays[tree["array"]])
    if origin is np.ndarray or kind is np.ndarray:  # strings: an object array was saved as a list
        if not all(item is None or isinstance(item, str) for item in tree):
            raise TypeError("a column of words holds something else")
        column = np.empty(len(tree), dtype=object)
        column[:] = tree
        return column
    if origin is tuple:
        inner = arguments if arguments[-1] is not Ellipsis else (arguments[0],) * len(tree)
        return tuple(unpack(a, item, arrays) for a, item in zip(inner, tree, strict=True))
    if origin is list:
        return [unpack(arguments[0], item, arrays) for item in tree]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: unpack(arguments[1], item, arrays) for key, item in tree.items()}
    if kind is float:
        if isinstance(tree, bool) or not isinstance(tree, (int, float)):
            raise TypeError(f"a number is a {type(tree).__name__}")
        return float(tree)
    if kind in (str, int, bool) and not isinstance(tree, kind):
        raise TypeError(f"a {kind.__name__} is a {type(tree).__name__}")
    return tree


def _of_type(arguments: tuple[Any, ...], array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, if its numbers are of the type that `NDArray[type]` names; any for a bare one."""
    (wanted,) = typing.get_args(arguments[1])[:1] if len(arguments) == 2 else (Any,)
    if wanted is not Any and (array.dtype.type is not wanted or not array.dtype.isnative):
        raise TypeError(f"{array.dtype} stands where {wanted.__name__} should")
    return array


def write(
    path: str | Path,
    manifest: Mapping[str, Any],
    arrays: Arrays,
    compressed: bool = True,
    beside: Mapping[str, str] | None = None,
    private: bool = False,
) -> None:
    """Write one file; it appears under its name only when it is complete and on the disk.

    `beside`: further members of the zip, name -> text, for people and other programs; `read`
    passes over them. As `replacing`.

    Processor time for 32 MB: 0.02 s as it is. Compressed, 0.8 s where no number repeats (and 2 %
    are saved), 0.06 s where most are zero (a twentieth is left).
    """
    with replacing(path, private) as file:
        write_to(file, manifest, arrays, compressed, beside)


@contextlib.contextmanager
def replacing(path: str | Path, private: bool = False) -> Iterator[IO[bytes]]:
    """An open file that gets its name when it is complete and on the disk; if the disk refuses,
    what stood under the name stays. Raises OSError, which names `path`.

    `private`: for this account of the machine alone, at every moment."""
    path = Path(path)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(partial, "wb", opener=owner_only if private else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        _sync_names(path.parent)
    except OSError as problem:
        if problem.errno is not None:  # by the name that was asked for
            raise OSError(problem.errno, problem.strerror, str(path)) from problem
        raise
    finally:
        partial.unlink(missing_ok=True)


def _sync_names(folder: Path) -> None:
    """Put the names in a folder on the disk, too; Windows does so by itself."""
    if os.name != "posix":
        return
    names = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(names)
    except OSError:  # some network disks know of no such thing; what was written is there
        return
    finally:
        os.close(names)


def write_json(path: str | Path, tree: Mapping[str, Any]) -> None:
    """A JSON-able tree as a small private file, whole or not at all. Raises OSError, which names
    `path`."""
    with replacing(path, private=True) as file:
        file.write(json.dumps(tree, indent=1).encode())


def read_json(path: str | Path) -> dict[str, Any]:
    """What `write_json` wrote; empty if there is no such file or it is damaged."""
    try:
        tree = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return tree if isinstance(tree, dict) else {}


def write_to(
    file: IO[bytes],
    manifest: Mapping[str, Any],
    arrays: Arrays,
    compressed: bool = True,
    beside: Mapping[str, str] | None = None,
) -> None:
    """As `write`, into an open file."""
    header = {"format": FORMAT, "version": VERSION, **manifest}
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
        archive.writestr("manifest.json", json.dumps(header))
        for name, text in (beside or {}).items():
            archive.writestr(name, text)
        for name, array in arrays.items():
            # Streamed: a state is not copied whole a second time.
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                whole = np.ascontiguousarray(array)
                np.lib.format.write_array(member, whole, allow_pickle=False)


def read(
    file: str | Path | IO[bytes], limit: int | None = None, name: str = ""
) -> tuple[dict[str, Any], Arrays]:
    """The manifest and the arrays of a file that `write` made.

    `limit`: most bytes that it may hold when unpacked, for a file from elsewhere; nothing is
    unpacked or parsed before that is known, nor written to the disk. Arrays that the manifest does
    not name are passed over. `name` stands for the file in errors. Raises StoreError, naming the
    file, if it is not such a file, damaged or too large.
    """
    name = name or (Path(file).name if isinstance(file, (str, Path)) else "The file")
    try:
        with zipfile.ZipFile(file) as archive:
            members = _members(archive, name)
            # `zipfile` unpacks no byte more than is declared.
            _check_size(members["manifest.json"].file_size, limit, name)
            text = archive.read(members["manifest.json"])
            manifest = parse(text, limit, name)
            parts = {path: members.get(f"{path}.npy") for path in _named_arrays(manifest)}
            there = {path: member for path, member in parts.items() if member is not None}
            unpacked = sum(member.file_size for member in there.values())
            _check_size(_parsed_size(text) + unpacked, limit, name)
            arrays = {path: _array(archive, member) for path, member in there.items()}
    except FileNotFoundError:
        raise StoreError(f"There is no file {file}.") from None
    except DAMAGE as problem:
        if isinstance(problem, StoreError):
            raise
        raise StoreError(
            f"{name} is damaged or is not a saved run of bnpexplorer ({short(problem)})."
        ) from problem
    return manifest, arrays


def parse(text: bytes, limit: int | None, name: str) -> dict[str, Any]:
    """The manifest of a file, from its JSON. `limit` and `name` as of `read`.

    Raises StoreError if it is foreign, newer or too large, and whatever of DAMAGE if it is damaged.
    """
    _check_size(_parsed_size(text), limit, name)
    manifest: dict[str, Any] = json.loads(text)
    if manifest.get("format") != FORMAT:
        raise StoreError(f"{name} is not a saved run of bnpexplorer.")
    if manifest["version"] > VERSION:
        raise StoreError(
            f"{name} was written by a newer version of bnpexplorer; update the program to open it."
        )
    return manifest


def _members(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """The parts by name. Raises StoreError if there are too many, or two of one name."""
    listed = archive.infolist()
    if len(listed) > MAX_MEMBERS:
        raise StoreError(f"{name} has {len(listed):,} parts, more than any saved run.")
    members = {member.filename: member for member in listed}
    if len(members) < len(listed):
        raise StoreError(f"{name} has several parts of one name, which no saved run has.")
    if any(member.compress_type not in METHODS for member in listed):
        raise StoreError(f"{name} is packed as no saved run is; export the run again.")
    return members


def _named_arrays(tree: Any) -> Iterator[str]:
    """The paths of the arrays that a tree names."""
    if isinstance(tree, dict):
        if set(tree) == {"array"} and isinstance(tree["array"], str):
            yield tree["array"]
            return
        tree = tree.values()
    elif not isinstance(tree, list):
        return
    for item in tree:
        if isinstance(item, (dict, list)):  # not the words of 500,000 documents one by one
            yield from _named_arrays(item)


def _parsed_size(text: bytes) -> int:
    """Bytes that `json.loads` takes for `text` at most.

    Measured: lists within lists take 89 for each bracket, a key with its value 94 for each sign,
    short words 64; letters 3 each, and 8 once one of them may need four bytes.
    """
    signs = len(text) - len(text.translate(None, b"[{:,"))
    wide = not text.isascii() or re.search(rb"\\u[dD]", text) is not None
    return 100 * signs + (9 if wide else 3) * len(text)


def _check_size(needed: int, limit: int | None, name: str) -> None:
    if limit is not None and needed > limit:
        raise StoreError(
            f"{name} would unpack to {needed / 2**20:,.0f} MB, and a run may take "
            f"{limit / 2**20:,.0f} MB here, a fifth of BNPEXPLORER_READ_MB, or "
            "BNPEXPLORER_MEMORY_MB where that is less; raise it to open this file."
        )


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """One array, if its header claims exactly what follows it; held once. Raises ValueError."""
    with archive.open(member) as stream:
        head = io.BytesIO(stream.read(MAX_HEADER))
        version = np.lib.format.read_magic(head)
        header = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, by_columns, dtype = header(head)
        size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or min(shape, default=0) < 0 or size != member.file_size - head.tell():
            raise ValueError("an array does not hold what its header says")
        data = np.empty(size, np.uint8)
        place, piece = 0, head.read()
        while piece:
            data.data[place : place + len(piece)] = piece
            place, piece = place + len(piece), stream.read(CHUNK)
    if place != size:
        raise ValueError("an array is cut short")
    return np.ndarray(shape, dtype, data, order="F" if by_columns else "C")


@contextlib.contextmanager
def named(source: str) -> Iterator[None]:
    """What a damaged file raises in this block becomes a StoreError that names the file."""
    try:
        yield
    except StoreError:  # says by itself what to do
        raise
    except DAMAGE as problem:
        raise StoreError(f"{source} is damaged ({short(problem)}).") from problem


def short(problem: BaseException) -> str:
    """What was wrong, for the end of a sentence."""
    if isinstance(problem, KeyError):
        return f"{problem} is missing"
    return " ".join(str(problem).split())[:80].rstrip(".") or type(problem).__name__


def bytes_below(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return bytes_of(folder.rglob("*"))


def bytes_of(paths: Iterable[Path]) -> int:
    """Bytes of these files; what vanishes meanwhile or is closed to us counts nothing."""
    total = 0
    for path in paths:
        # A run was deleted, or a file got its name; or it is another account's.
        with contextlib.suppress(FileNotFoundError, PermissionError):
            total += path.stat().st_size if path.is_file() else 0
    return total
