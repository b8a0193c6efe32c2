"""What a run learns and is scored on, as a file holds it: word counts, never the texts."""

from typing import Any

from ..core import store
from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS, Heldout
from ..inference.given import GivenTopics


def pack_texts(
    corpus: Corpus, heldout: Heldout | None, given: GivenTopics | None = None
) -> store.Packed:
    """The documents to learn and those held out, with identities, titles, dates and labels; and
    the topics at which their run began."""
    arrays: store.Arrays = {}
    manifest = {
        "corpus": store.pack(corpus.without_text(), arrays, "corpus"),
        "heldout": store.pack(heldout and heldout.without_text(), arrays, "heldout"),
        "fingerprint": corpus.fingerprint,
        "given": store.pack(given, arrays, "given"),
    }
    return manifest, arrays


def unpack_texts(manifest: dict[str, Any], arrays: store.Arrays) -> tuple[Corpus, Heldout | None]:
    """What `pack_texts` packed. Raises one of `store.DAMAGE` if it is not sound."""
    corpus = unpack_corpus(manifest["corpus"], arrays)
    heldout = store.unpack(Heldout | None, manifest["heldout"], arrays)
    for part in heldout.parts if heldout is not None else ():
        _check(part)
    if heldout is not None and heldout.protocol not in PROTOCOLS:
        raise ValueError(f"its documents are scored by {heldout.protocol!r:.40}, which is unknown")
    if manifest.get("fingerprint", corpus.fingerprint) != corpus.fingerprint:
        raise ValueError("the texts are not those of its fingerprint")
    return corpus, heldout


def unpack_given(manifest: dict[str, Any], arrays: store.Arrays) -> GivenTopics | None:
    """The topics at which the run of `pack_texts` began, as far as they are of its shape."""
    given: GivenTopics | None = store.unpack(GivenTopics | None, manifest.get("given"), arrays)
    return given


def unpack_corpus(tree: Any, arrays: store.Arrays) -> Corpus:
    """A corpus that kernels may walk. Raises one of `store.DAMAGE` if it is not sound."""
    corpus: Corpus = store.unpack(Corpus, tree, arrays)
    _check(corpus)
    return corpus


def _check(corpus: Corpus) -> None:
    if fault := corpus.fault():
        raise ValueError(fault)
