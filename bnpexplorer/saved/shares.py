"""The disk, shared out by link where many people open one server, as in a class."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ..runs.links import Kept, link_of
from .rows import Saved


class Library(Protocol):
    """What is asked of the library."""

    @property
    def folder(self) -> Path: ...

    def saved(self, deleted: bool = False) -> list[Saved]: ...

    def secret(self, run_id: str) -> str: ...

    def forget(self, run_ids: Sequence[str]) -> None: ...


def make_room_in_share(library: Library, link: str) -> None:
    """Room for one more run of a link. Raises ValueError with what to do where there is none.

    Nobody empties what was deleted in a class: it goes when its own link wants room.
    """
    try:
        kept_by(library, link).check()
    except ValueError:
        deleted = [saved.run_id for saved in library.saved(deleted=True)]
        library.forget([run_id for run_id in deleted if link_of(library.secret(run_id)) == link])
        kept_by(library, link).check()


def kept_by(library: Library, link: str) -> Kept:
    """What a link has on the disk, deleted runs that can come back too. Texts that several links
    keep count for each."""
    runs: dict[str, list[Saved]] = {link: []}
    for saved in (*library.saved(), *library.saved(deleted=True)):
        runs.setdefault(link_of(library.secret(saved.run_id)), []).append(saved)
    taken = {name: _bytes_of(library, saved) for name, saved in runs.items()}
    n_links = len(runs.keys() - {""})
    return Kept(link, len(runs[link]), taken[link], sum(taken.values()) - taken[link], n_links)


def _bytes_of(library: Library, runs: Sequence[Saved]) -> int:
    """Bytes of these runs with their corpora."""
    corpora = {library.folder / "corpora" / f"{saved.corpus_key}.zip" for saved in runs}
    texts = sum(path.stat().st_size for path in corpora if path.exists())
    return sum(saved.n_bytes for saved in runs) + texts
