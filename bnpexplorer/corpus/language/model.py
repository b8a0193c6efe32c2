"""The model of letters by which `py3langid` tells languages."""

import functools
import io
import lzma
from typing import TYPE_CHECKING

import numpy as np

from .names import NAMES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAME = {"nn": "no", "bs": "hr"}
"""Languages that share the lists of another."""
KEPT = 5
"""Languages of a text that are worth a thought."""


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


@functools.cache
def _model() -> "LanguageIdentifier":
    """Read from memory: the package's own way writes a file, which a child that reads must not."""
    from py3langid import langid, modelio

    with lzma.open(langid.MODEL_DIR / langid.MODEL_FILE) as packed:
        arrays = np.load(io.BytesIO(packed.read()), allow_pickle=False)
    model = langid.LanguageIdentifier(
        arrays["ptc"],
        arrays["pc"],
        arrays["classes"].tolist(),
        modelio._to_array(arrays["nextmove"]),
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=modelio._to_array(arrays["nextmove_row"]),
    )
    model.set_languages([code for code in model.labels if SAME.get(code, code) in NAMES])
    return model
