"""Where the system says what a container, or a scheduler's job, may take of the machine."""

from collections.abc import Iterator
from pathlib import Path

GROUPS = "sys/fs/cgroup"


def limits(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """The folders with the limits of this process's control group and of each above it, and whether
    they are of version 2; none without a control group.

    `root`: where the system's folders `proc` and `sys` lie; `controller`: such as "cpu".
    """
    for line in text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for folder in _upwards(root / GROUPS, path):
                yield folder, True
        elif controller in controllers.split(","):
            for folder in _upwards(root / GROUPS / controllers, path):
                yield folder, False


def _upwards(groups: Path, path: str) -> list[Path]:
    """A group's folder and all above it. In a container `path` may not be there: then its top is
    the container's own."""
    inside = groups / path.strip("/")
    return [folder for folder in (inside, *inside.parents) if folder.is_relative_to(groups)]


def text(path: Path) -> str:
    """The text of a file of the system; empty where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
