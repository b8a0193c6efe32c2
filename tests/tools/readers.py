"""What the tests of the readers share: the sample files, and packing small archives."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "sample_data"
TINY = [json.loads(line) for line in (DATA / "tiny.jsonl").read_text("utf-8").splitlines()]
TEXTS = tuple(row["text"] for row in TINY)
VOCAB = ("v.txt", b"sea\nhill\nrock\n")
FRENCH = "Le café de la gare était fermé à midi; le garçon a goûté la crème brûlée."


def data(name: str) -> bytes:
    return (DATA / name).read_bytes()


def notes(source) -> str:
    return " ".join(source.notes)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def packed_zip(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def packed_tar(entries: dict[str, bytes], mode: str = "w") -> bytes:
    """A tar archive; `mode`: of tarfile, such as "w:gz"."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
