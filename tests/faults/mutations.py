"""How files are damaged at random; what a person is told of it."""

import numpy as np

NASTY = (b"", b"\0", b"\n" * 50, b'"', b"[" * 2000, b"\xff\xfe", "\U0001f600".encode(), b"9" * 400)


def damaged(rng: np.random.Generator, data: bytes, other: bytes) -> bytes:
    """`data` after one to four random changes; `other` gives pieces of another file."""
    for _ in range(int(rng.integers(1, 5))):
        a, b = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        piece = NASTY[int(rng.integers(len(NASTY)))]
        match int(rng.integers(6)):
            case 0:
                data = data[:a]
            case 1:
                data = data[:a] + data[b:]
            case 2:
                data = data[:b] + data[a:b] * 3 + data[b:]
            case 3:
                data = data[:a] + piece + data[a:]
            case 4:
                data = data[:a] + other[a:]
            case _:
                changed = bytearray(data)
                for place in rng.integers(0, max(len(data), 1), 5).tolist() if data else ():
                    changed[place] = int(rng.integers(256))
                data = bytes(changed)
    return data


def is_one_sentence(words: str) -> bool:
    """Whether it may stand before a person: short, of one line, and no library's own words."""
    return 10 < len(words) < 800 and words.endswith(".") and "Traceback" not in words
