"""Saving without pickle: one zip of a JSON manifest and one .npy member per array, as `packing`
makes them of values; and files that are there whole or not at all."""

import contextlib
import io
import json
import math
import os
import re
import secrets
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import platformdirs

from .faults import short as short
from .faults import told
from .owned_files import owner_only
from .packing import Arrays as Arrays
from .packing import Misfit as Misfit
from .packing import arguments_of as arguments_of
from .packing import pack as pack
from .packing import part as part
from .packing import size as size
from .packing import unpack as unpack

FORMAT = "bnpexplorer-run"
VERSION = 1

Packed = tuple[dict[str, Any], Arrays]
"""A JSON-able tree and the arrays that it names."""


DAMAGE = (Exception,)
"""What reading a damaged file may raise: whatever its libraries think of. A list of a dozen lacked
LZMAError and TokenError, which ended a page. `faults` tells these from errors of our own."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How members of a saved run are packed; other methods take memory before a byte is unpacked."""
MAX_HEADER = 2**14
"""Most bytes before the numbers of an array; numpy takes 10,000."""
CHUNK = 2**20
IN_USE, READERS = (5, 32), 2.0
"""What Windows says of a file that somebody has open (denied, shared), and for how many seconds a
new one waits for its place: a saved run is read within a fraction of one."""
MAX_MEMBERS = 100_000
"""Most parts of a file that comes from elsewhere; the longest history has some 2,000."""


def home() -> Path:
    """Where what lasts is kept on this machine; BNPEXPLORER_HOME names another folder."""
    named = os.environ.get("BNPEXPLORER_HOME", "")
    return Path(named) if named else Path(platformdirs.user_data_dir("bnpexplorer", False))


class StoreError(ValueError):
    """A file that is not one of ours, is damaged, or was written by a newer version."""


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
        _into_place(partial, path)
        _sync_names(path.parent)
    except OSError as problem:
        if problem.errno is not None:  # by the name that was asked for
            raise OSError(problem.errno, problem.strerror, str(path)) from problem
        raise
    finally:
        partial.unlink(missing_ok=True)


def _into_place(partial: Path, path: Path) -> None:
    """Rename a file; Windows refuses while somebody reads what stands there, or a scanner does."""
    until = time.monotonic() + READERS
    while True:
        try:
            return os.replace(partial, path)
        except PermissionError as problem:
            if getattr(problem, "winerror", None) not in IN_USE or time.monotonic() > until:
                raise
            time.sleep(0.02)


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
    """Read the output of `write_json`; empty if there is no such file or it is damaged."""
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
            member = part(members, "manifest.json")
            _check_size(member.file_size, limit, name)
            text = archive.read(member)
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
        damaged = f"{name} is damaged or is not a saved run of bnpexplorer ({short(problem)})."
        raise StoreError(told(name, problem, damaged)) from problem
    return manifest, arrays


def parse(text: bytes, limit: int | None, name: str) -> dict[str, Any]:
    """The manifest of a file, from its JSON. `limit` and `name` as of `read`.

    Raises StoreError if it is foreign, newer or too large, and whatever of DAMAGE if it is damaged.
    """
    _check_size(_parsed_size(text), limit, name)
    manifest: dict[str, Any] = json.loads(text)
    if not isinstance(manifest, dict):
        raise Misfit("its manifest has no parts with names")
    if manifest.get("format") != FORMAT:
        raise StoreError(f"{name} is not a saved run of bnpexplorer.")
    if unpack(int, part(manifest, "version"), {}) > VERSION:
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
            f"{limit / 2**20:,.0f} MB here; set BNPEXPLORER_MEMORY_MB to five times what it needs."
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
    """Turn what reading a file raises in this block into a StoreError: one that names the file as
    damaged, or one of an error of our own."""
    try:
        yield
    except StoreError:  # says by itself what to do
        raise
    except DAMAGE as problem:
        damaged = f"{source} is damaged ({short(problem)})."
        raise StoreError(told(source, problem, damaged)) from problem


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
