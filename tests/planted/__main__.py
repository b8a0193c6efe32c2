"""Do the tests bite? Plants known mistakes into a copy of the package, one at a time.

    python -m tests.planted [--only METHOD ...] [--write]

Every mistake of `mistakes.toml` names the lines that it replaces and the tests that should fail.
With `--write` the findings go into `tests/README.md`. Ends with an error if a mistake survives.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("bnpexplorer", "tests", "pages", "sample_data", "app.py", "pyproject.toml", "README.md")
README = ROOT / "tests" / "README.md"
MARK = "<!-- planted mistakes, written by python -m tests.planted --write -->"


def mistakes() -> list[dict[str, Any]]:
    """All planted mistakes: method, about, file, old, new, tests."""
    found: list[dict[str, Any]] = tomllib.loads(
        (Path(__file__).with_name("mistakes.toml")).read_text(encoding="utf-8")
    )["mistake"]
    return found


def planted(source: str, mistake: dict[str, Any]) -> str:
    """`source` with the mistake in it. Raises ValueError if the lines are not there just once."""
    old, new = mistake["old"].strip("\n"), mistake["new"].strip("\n")
    if source.count(old) != 1:
        raise ValueError(
            f"{mistake['file']} holds these lines {source.count(old)} times, not once:\n{old}"
        )
    return source.replace(old, new)


def caught_by(mistake: dict[str, Any], tree: Path, caches: Path) -> str:
    """The first test that fails with the mistake in `tree`; empty if none does."""
    path = tree / mistake["file"]
    right = path.read_text(encoding="utf-8")
    path.write_text(planted(right, mistake), encoding="utf-8")
    # numba does not notice a change in a helper of another file: a mistake in a kernel gets a cache
    # of its own, all others share one.
    cache = caches / ("changed" if "kernels" in mistake["file"] else "right")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, *mistake["tests"].split()],
            cwd=tree,
            env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
            capture_output=True,
            text=True,
        )
    finally:
        path.write_text(right, encoding="utf-8")
        shutil.rmtree(caches / "changed", ignore_errors=True)
    if done.returncode == 0:
        return ""
    if done.returncode < 0:  # a mistake in a kernel may write where it must not
        return mistake["tests"].split()[0].removeprefix("tests/") + ": the process dies"
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, flags=re.MULTILINE)
    if done.returncode != 1 or failed is None:
        raise RuntimeError(f"pytest could not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return failed[1].removeprefix("tests/")


def write(rows: dict[tuple[str, str], str]) -> None:
    """Put the findings into the table; rows that were not tried now stay as they are."""
    text = README.read_text(encoding="utf-8")
    head, _, table = text.partition(MARK)
    for method, about, test in re.findall(
        r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", table, re.MULTILINE
    ):
        rows.setdefault((method, about), test)
    lines = ["| method | mistake | caught by |", "|---|---|---|"]
    for mistake in mistakes():
        key = (mistake["method"], mistake["about"])
        lines.append(f"| `{key[0]}` | {key[1]} | {rows.get(key, 'not tried yet')} |")
    README.write_text(head + MARK + "\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="METHOD", help="only these methods' mistakes")
    parser.add_argument(
        "--write", action="store_true", help="write the findings to tests/README.md"
    )
    options = parser.parse_args()
    rows: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        tree, caches = Path(folder) / "tree", Path(folder) / "caches"
        tree.mkdir()
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, tree / name)
        for mistake in mistakes():
            if options.only and mistake["method"] not in options.only:
                continue
            test = caught_by(mistake, tree, caches)
            rows[mistake["method"], mistake["about"]] = f"`{test}`" if test else "**no test**"
            print(f"{mistake['method']}: {mistake['about']}: {test or 'SURVIVES'}", flush=True)
            if options.write:
                write(rows)
    return 1 if "**no test**" in rows.values() else 0


if __name__ == "__main__":
    sys.exit(main())
