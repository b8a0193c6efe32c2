"""Stored corpora that lie elsewhere, at an address that fsspec reads (`s3://...`): copied to this
machine once, and opened here from then on.

What reads one goes here and there in its files, and a run that is saved names their folder; so the
copy lasts until somebody removes it.
"""

import errno
import hashlib
import re
import shutil
from pathlib import Path
from typing import IO, Any

from ...core import store
from ..corpus import CorpusError
from .layout import MANIFEST, VOCABULARY, Manifest, manifest_of

FOLDER = "copies"
"""Of the folder in which all else of ours lasts."""
SPARE = 2**30
"""Bytes of the disk that a copy leaves to others."""
FULL = (errno.ENOSPC, errno.EDQUOT)
CHOSEN = (
    "{} holds a corpus whose words are counted; columns, settings of words and a vocabulary are "
    "chosen when it is built. Leave them out, or build it again with them."
)
BY_HAND = "copy the corpus to this machine and give its folder"


def is_address(path: str | Path) -> bool:
    """Whether a place is an address and no path."""
    return isinstance(path, str) and "://" in path


def said(address: str) -> str:
    """An address as a person may read it: without a password, which may hold any sign, or a
    signature."""
    return re.sub(r"://.*@", "://", address).partition("?")[0] if "://" in address else address


def brought(address: str, chosen: bool = False) -> Path:
    """The folder on this machine with the corpus that was built at an address: of `file://` what
    lies there, of all others a copy, which is made at the first time and goes on where it ended.

    `chosen`: whether settings were given, which a corpus cannot have any more. Raises CorpusError,
    without secrets of the address, where there is no corpus, or no way to it, or no room for it.
    """
    shown = said(address)
    try:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem

        system, path = url_to_fs(address)
        if isinstance(system, LocalFileSystem):
            return Path(path)
        written = system.cat_file(f"{path}/{MANIFEST}")
        manifest = manifest_of(written.decode("utf-8"), shown, f"{shown}/{MANIFEST}")
        if chosen:
            raise CorpusError(CHOSEN.format(shown))
        return _copied(system, path, shown, manifest, written)
    except CorpusError:
        raise
    except ImportError as problem:  # of fsspec, or as it says of what reads this kind of address
        lacking = "fsspec is not installed" if problem.name == "fsspec" else str(problem)
        raise CorpusError(
            f"{shown} cannot be read ({lacking}): python -m pip install 'bnpexplorer[cluster]', "
            f"and what reads such an address, such as s3fs of s3://; or {BY_HAND}."
        ) from None
    except FileNotFoundError:
        raise CorpusError(
            f"There is no corpus in {shown}: from an address only one that was built is loaded. "
            "Check the address, or copy files of texts to this machine."
        ) from None
    except Exception as problem:  # of many kinds, whose words may hold the address with its secrets
        raise CorpusError(
            f"{shown} cannot be read ({type(problem).__name__}); check the address and that you "
            f"may read it, or {BY_HAND}."
        ) from problem


def _copied(system: Any, path: str, shown: str, manifest: Manifest, written: bytes) -> Path:
    """The copy, by a hash of its manifest, which comes last: what has one is complete."""
    folder = store.home() / FOLDER / hashlib.sha256(written).hexdigest()[:20]
    if (folder / MANIFEST).is_file():
        return folder
    (folder / "fields").mkdir(parents=True, exist_ok=True)
    sizes: dict[str, int | None] = {**manifest.sizes(), VOCABULARY: None}
    lacking = {name: size for name, size in sizes.items() if not _is_there(folder / name, size)}
    room, needed = shutil.disk_usage(folder).free - SPARE, sum(filter(None, lacking.values()))
    if needed > room:
        raise CorpusError(_no_room(shown, folder, needed, room))
    try:
        for name, size in lacking.items():
            with store.replacing(folder / name) as file:
                _copy(system, f"{path}/{name}", f"{shown}/{name}", file)
                if size is not None and file.tell() != size:
                    raise CorpusError(
                        f"{shown}/{name} has {file.tell():,} bytes in place of {size:,}; bring the "
                        "corpus there back as it was."
                    )
        with store.replacing(folder / MANIFEST) as file:
            file.write(written)
    except OSError as problem:
        if problem.errno in FULL:
            raise CorpusError(_no_room(shown, folder, needed, room)) from problem
        raise
    return folder


def _copy(system: Any, there: str, shown: str, file: IO[bytes]) -> None:
    try:
        source = system.open(there, "rb")
    except FileNotFoundError:
        raise CorpusError(f"{shown} is missing; bring the corpus there back as it was.") from None
    with source:
        shutil.copyfileobj(source, file, store.CHUNK)


def _is_there(file: Path, size: int | None) -> bool:
    return size is not None and file.is_file() and file.stat().st_size == size


def _no_room(shown: str, folder: Path, needed: int, room: int) -> str:
    return (
        f"A copy of the corpus in {shown} has {needed / 1e6:,.0f} MB, for which the disk of "
        f"{folder.parent} has no room ({max(room, 0) / 1e6:,.0f} MB); make room, or set "
        "BNPEXPLORER_HOME to a folder of another disk."
    )
