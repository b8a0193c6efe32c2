"""The disk, shared out by link where many people open one server, as in a class."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ..runs.links import LinkUsage, link_of
from .jobs import Jobs, UnfinishedJob
from .rows import Saved


class LibraryView(Protocol):
    """What is asked of the library."""

    @property
    def folder(self) -> Path: ...

    @property
    def jobs(self) -> Jobs: ...

    def saved(self, deleted: bool = False) -> list[Saved]: ...

    def secret(self, run_id: str) -> str: ...

    def forget(self, run_ids: Sequence[str]) -> None: ...


def make_room_in_share(library: LibraryView, link: str) -> None:
    """Room for one more run or study of a link. Raises ValueError, with what to do, without.

    Nobody empties what was deleted in a class: it goes when its own link wants room.
    """
    try:
        kept_by(library, link).check()
    except ValueError:
        deleted = [saved.run_id for saved in library.saved(deleted=True)]
        library.forget([run_id for run_id in deleted if link_of(library.secret(run_id)) == link])
        kept_by(library, link).check()


def kept_by(library: LibraryView, link: str) -> LinkUsage:
    """What a link has on the disk, deleted runs that can come back and the texts of studies that
    have not ended too. Texts that several links keep count for each."""
    kept: dict[str, list[Saved | UnfinishedJob]] = {link: []}
    for saved in (*library.saved(), *library.saved(deleted=True)):
        kept.setdefault(link_of(library.secret(saved.run_id)), []).append(saved)
    for job in library.jobs.all():
        kept.setdefault(link_of(job.secret), []).append(job)
    taken = {name: _bytes_of(library, of_link) for name, of_link in kept.items()}
    n_links = len(kept.keys() - {""})
    return LinkUsage(link, len(kept[link]), taken[link], sum(taken.values()) - taken[link], n_links)


def _bytes_of(library: LibraryView, kept: Sequence[Saved | UnfinishedJob]) -> int:
    """Bytes of these runs and of all their texts."""
    corpora = {library.folder / "corpora" / f"{one.corpus_key}.zip" for one in kept}
    texts = sum(path.stat().st_size for path in corpora if path.exists())
    return sum(one.n_bytes for one in kept if isinstance(one, Saved)) + texts
