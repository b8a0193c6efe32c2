"""The model of letters by which `py3langid` tells languages: it takes 0.5 s to unpack."""

import functools
import io
import lzma
import threading
from typing import TYPE_CHECKING

import numpy as np

from .names import NAMES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAME = {"nn": "no", "bs": "hr"}
"""Languages that share the lists of another."""
KEPT = 5
"""Languages of a text that are worth a thought."""
_UNPACKING = threading.Lock()


def unpack() -> None:
    """Have the model ready, unless it is; for a thread, so that nobody waits for it later."""
    _model()


def likely(text: str) -> dict[str, float]:
    """Language -> how likely a text is in it; empty where its letters tell nothing."""
    ranked = _model().rank(text)[:KEPT]
    if ranked[0][1] < 2 / len(NAMES):
        return {}
    found: dict[str, float] = {}
    for code, probability in ranked:
        name = SAME.get(code, code)
        found[name] = found.get(name, 0.0) + float(probability)
    return found


def _model() -> "LanguageIdentifier":
    with _UNPACKING:  # once, also where a thread is at it
        return _unpacked()


@functools.cache
def _unpacked() -> "LanguageIdentifier":
    """Read from memory: the package's own way writes a file, which a child that reads must not.

    Languages without a name here are left off at once: they hold 28 MB.
    """
    from py3langid import langid, modelio

    with lzma.open(langid.MODEL_DIR / langid.MODEL_FILE) as packed:
        arrays = np.load(io.BytesIO(packed.read()), allow_pickle=False)
    codes = arrays["classes"].tolist()
    known = [i for i, code in enumerate(codes) if SAME.get(code, code) in NAMES]
    return langid.LanguageIdentifier(
        arrays["ptc"][:, known],
        arrays["pc"][known],
        [codes[i] for i in known],
        modelio._to_array(arrays["nextmove"]),
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=modelio._to_array(arrays["nextmove_row"]),
    )
