"""Wheels, built and installed as people have them; nothing is fetched."""

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Installed:
    """An environment with wheels of ours, beside the libraries of the one that runs the tests."""

    scripts: Path
    packages: Path
    """Its site-packages."""

    @property
    def command(self) -> str:
        return str(self.scripts / "bnpexplorer")

    @property
    def python(self) -> str:
        return str(self.scripts / "python")

    def files(self) -> dict[Path, int]:
        """Everything in site-packages with its size, but for what Python compiles there."""
        found = (path for path in self.packages.rglob("*") if path.is_file())
        return {path: path.stat().st_size for path in found if path.parent.name != "__pycache__"}


def wheel_of(source: Path, folder: Path) -> Path:
    """The wheel of the package whose source lies in `source`, built into `folder`."""
    before = set(folder.glob("*.whl"))
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (wheel,) = set(folder.glob("*.whl")) - before
    return wheel


def installed_in(home: Path, wheels: Sequence[Path], beside: Sequence[Path] = ()) -> Installed:
    """A new environment with these wheels; a .pth file adds the libraries of the one that runs the
    tests, and the folders `beside`."""
    venv.create(home, symlinks=os.name == "posix")
    own = {"base": str(home), "platbase": str(home)}
    packages = Path(sysconfig.get_path("purelib", "venv", own))
    scripts = Path(sysconfig.get_path("scripts", "venv", own))
    folders = [sysconfig.get_path("purelib"), *map(str, beside)]
    (packages / "libraries.pth").write_text("\n".join(folders) + "\n")
    pip("--python", str(home), "install", *map(str, wheels))
    return Installed(scripts, packages)


def pip(*arguments: str) -> None:
    """Run pip; what it needs is there already, so that nothing is fetched."""
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    at = arguments.index("wheel" if "wheel" in arguments else "install") + 1
    command = [sys.executable, "-m", "pip", *arguments[:at], *quiet, *arguments[at:]]
    subprocess.run(command, check=True)
