"""One run as one .zip: opens on another machine and goes on bit for bit.

A bundle is a saved run (`store.write`) with more in it:

    manifest.json   settings, seed, versions, corpus fingerprint, and the tree of the arrays
    README.txt      what this is and how it is opened, for people
    metrics.csv     the run's history, for other programs
    *.npy           the arrays: word counts, state, history, generators

The documents' texts are in it only if asked; ids, titles, dates and labels always are. A corpus on
the disk is not: its folder has to be brought along (`runs/packed_texts.py`).
`Run.load` opens a bundle too.
"""

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from ...core import store
from ...core.arrays import F64
from ...core.installation import versions
from ...core.spreadsheet import csv_text
from ...corpus.corpus import Corpus
from ...corpus.documents.absent import AbsentCorpus
from ...corpus.intake import api
from ...corpus.stored import StoredCorpus
from ...corpus.text import Report
from ...state.labels import Labels
from ..limits import file_limit
from ..packed_texts import (
    FOLDERS,
    SHOWN,
    AtHand,
    by_name,
    from_elsewhere,
    pack_corpus,
    pack_shown,
    unpack_corpus,
    unpack_known,
)
from ..run import Run
from .library import Library
from .rows import NAME_LENGTH, TAGS_LENGTH, Saved, check_chain, facts_of, one_line

README = """A run of bnpexplorer, saved {when}.

Name       {name}
Method     {method}, seed {seed}
Texts      {corpus}: {documents:,} documents, {words:,} words, fingerprint {fingerprint}
           {texts}
Learned    {learned}

Open it on the Runs page of the app (Import), or with
    python -m bnpexplorer runs import FILE
or in Python with
    bnpexplorer.Run.load("FILE")
metrics.csv has the history of the run; manifest.json has every setting and the versions.
"""


# ---- export ------------------------------------------------------------------------------------


def export(library: Library, run_id: str, file: IO[bytes], with_text: bool = False) -> None:
    """Write the run, as it was saved last, into an open file.

    Raises StoreError if there is no such run or if what was saved is damaged.
    """
    saved = library.get(run_id)
    if saved is None:
        raise store.StoreError(f"There is no saved run {run_id}.")
    run, corpus = library.load(run_id, to_go_on=False), library.corpus(run_id)
    report, true_topics = library.origin(run_id)
    texts, arrays = run.pack_texts()
    standing, more = run.pack_standing()
    arrays |= more
    whole = corpus if with_text else corpus.without_text()
    if report is not None and not with_text:
        report = replace(report, lost=None)  # words of the texts that the vocabulary lacks
    manifest = {
        **texts,
        **standing,
        "whole": pack_corpus(whole, arrays, "whole"),
        "report": store.pack(report, arrays, "report"),
        "true_topics": store.pack(true_topics, arrays, "true_topics"),
        "about": _about(saved, run, whole),
    }
    if isinstance(run.corpus, StoredCorpus):
        manifest[SHOWN] = pack_shown(run.corpus, run.topics if run.n_steps else None, arrays)
    beside = {"README.txt": _readme(manifest["about"]), "metrics.csv": metrics_csv(run)}
    store.write_to(file, by_name(manifest), arrays, beside=beside)


def file_name(saved: Saved) -> str:
    """Return a file name that every system accepts."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in saved.name)
    return f"{plain.strip('-')[:60] or 'run'}-{saved.run_id}.zip"


def _about(saved: Saved, run: Run, whole: Corpus) -> dict[str, Any]:
    return {
        "name": saved.name,
        "tags": list(saved.tags),
        "labels": saved.labels.to_json(),
        "saved": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(saved.updated)),
        "versions": versions(),
        "corpus": {
            "name": whole.name,
            "fingerprint": whole.fingerprint,
            "documents": whole.n_docs,
            "words": whole.n_words,
            "with_text": whole.docs.text is not None and not isinstance(whole, StoredCorpus),
            "folder": whole.folder.name if isinstance(whole, StoredCorpus) else "",
        },
        "learned": run.passes_said(run.docs_seen),
        "facts": {**saved.facts, "docs_seen": run.docs_seen},
    }


def _readme(about: Mapping[str, Any]) -> str:
    corpus, facts = about["corpus"], about["facts"]
    texts = "with the texts themselves" if corpus["with_text"] else "as word counts, without texts"
    if corpus["folder"]:
        texts = (
            f"not in this file: bring along the folder {corpus['folder']} and name the one that "
        )
        texts += f"holds it in {FOLDERS}"
    return README.format(
        when=about["saved"],
        name=about["name"],
        method=facts["method"],
        seed=facts["seed"],
        corpus=corpus["name"],
        documents=corpus["documents"],
        words=corpus["words"],
        fingerprint=corpus["fingerprint"],
        texts=texts,
        learned=about["learned"],
    )


def metrics_csv(run: Run) -> str:
    """Return the history as CSV: a row a moment, empty where nothing was measured."""
    names = sorted({name for point in run.history for name in point.scalars})
    heads = ["step", "documents", "seconds", "topics_in_use", "bound", "heldout_per_word", *names]
    rows = (
        (p.step, p.docs_seen, p.seconds, p.n_topics, p.bound, p.heldout, *map(p.scalars.get, names))
        for p in run.history
    )
    return csv_text([heads, *rows])


# ---- import ------------------------------------------------------------------------------------


VERSION_LENGTH = 40
"""Most letters that are read of a program's version."""


@dataclass(frozen=True)
class Bundle:
    """The checked contents of a bundle."""

    run: Run
    corpus: Corpus
    """The whole corpus, before the split; without texts unless they were asked for."""
    report: Report | None
    true_topics: F64 | None
    name: str
    tags: tuple[str, ...]
    labels: Labels
    versions: Mapping[str, str]
    """Of the programs that wrote it."""

    @property
    def note(self) -> str:
        """Sentences on missing texts and other versions; empty if there are none."""
        return " ".join(filter(None, (self._of_texts(), self._of_versions())))

    def _of_texts(self) -> str:
        if not isinstance(self.run.corpus, AbsentCorpus):
            return ""
        held_out = self.run.heldout
        only = "shows no documents" if held_out is None else "shows only its held-out documents"
        return (
            "It opens without its texts, which are not in the file: it shows what was learned, "
            f"{only}, and cannot go on here."
        )

    def _of_versions(self) -> str:
        here = versions()
        other = [
            f"{name} {there} (here {here[name]})"
            for name, there in self.versions.items()
            if name in here and here[name] != there
        ]
        if not other:
            return ""
        return (
            f"It was learned with {', '.join(other)}: it goes on, but its numbers may come to "
            "differ in the last digits from what they would have been there."
        )


def read(file: str | Path | IO[bytes], name: str = "", at_hand: AtHand | None = None) -> Bundle:
    """Open a bundle, or a file of `Run.save`, in a child process; nothing is written to the disk.

    `name` stands for the file in errors. `at_hand` says which corpora on the disk the file may
    open; without it any in `FOLDERS`, so a server that others reach must give it.

    Raises StoreError in one sentence if the file is foreign, damaged, of a newer version, or larger
    than one run may be here.
    """
    name = name or (Path(file).name if isinstance(file, (str, Path)) else "The file")
    return checked(*api.run_file(file, file_limit(), name), name, at_hand)


def checked(
    manifest: dict[str, Any], arrays: store.Arrays, name: str, at_hand: AtHand | None = None
) -> Bundle:
    """Return the bundle of a file's manifest and arrays. Raises StoreError as `read` does."""
    with store.named(name):
        _check_words({key: part for key, part in manifest.items() if key != "about"})
        manifest = from_elsewhere(manifest, at_hand, name)
    run = Run.unpack(manifest, arrays, name)
    with store.named(name):
        run.name = one_line(run.name, NAME_LENGTH) or run.method.name
        if run.chain is not None:
            check_chain(run.chain)
        about = store.unpack(dict[str, Any], manifest.get("about", {}), arrays)
        whole = _whole_of(run)
        if "whole" in manifest:
            whole = unpack_corpus(manifest["whole"], arrays)
            if whole.fingerprint != store.part(store.part(about, "corpus"), "fingerprint"):
                raise ValueError("the whole texts are not those of its fingerprint")
            if whole.vocab != run.corpus.vocab:
                raise ValueError("two vocabularies differ")
        versions = (about or manifest).get("versions", {})
        return Bundle(
            run,
            whole,
            store.unpack(Report | None, manifest.get("report"), arrays),
            unpack_known(manifest.get("true_topics"), arrays, whole.n_words),
            one_line(str(about.get("name", run.name)), NAME_LENGTH),
            _tags(store.unpack(list[Any], about.get("tags", []), arrays)),
            Labels.from_json(about.get("labels", {})),
            {
                str(k): one_line(str(v), VERSION_LENGTH)
                for k, v in store.unpack(dict[str, Any], versions, arrays).items()
            },
        )


def _whole_of(run: Run) -> Corpus:
    """Return all documents of a file without a whole corpus; for a run without texts, the held-out
    ones."""
    absent = isinstance(run.corpus, AbsentCorpus)
    return run.heldout.whole if absent and run.heldout is not None else run.corpus


def _check_words(tree: Any) -> None:
    """Raise ValueError if a text holds a lone surrogate, which no page or database can show."""
    waiting = [tree]
    while waiting:  # no recursion, since lists may be nested deeply
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and not one.isascii():
            one.encode()


def _tags(tags: Iterable[object]) -> tuple[str, ...]:
    """Return the tags, cut to the length of the field on the Runs page, which joins them by commas.

    `Library.tag` makes each of them one line.
    """
    return tuple(", ".join(map(str, tags))[:TAGS_LENGTH].split(","))


def twin(library: Library, bundle: Bundle, among: Iterable[Saved]) -> Saved | None:
    """Return the run `among` saved ones that is this one at the same step, or None.

    Another run of the same plan differs in its seconds. Raises StoreError.
    """
    run = bundle.run
    ours = facts_of(run, "")
    same = ("method", "seed", "docs_seen", "planned_docs", "seconds")
    for saved in among:
        if all(saved.facts.get(key) == ours[key] for key in same):
            theirs = library.load(saved.run_id, to_go_on=False)
            same_texts = theirs.corpus.fingerprint == run.corpus.fingerprint
            if same_texts and theirs.method == run.method:
                return saved
    return None


def free_name(name: str, among: Iterable[Saved]) -> str:
    """Return the name, with a number if another run has it."""
    taken = {saved.name for saved in among}
    names = (f"{name[: NAME_LENGTH - 6]} ({n})" for n in range(2, 10_000))
    return name if name not in taken else next(one for one in names if one not in taken)


def add(library: Library, bundle: Bundle, secret: str = "", name: str = "") -> str:
    """Add a bundle to the library as a new run and return its identity.

    `secret`: controls the run, by default a new one. `name`: replaces the bundle's. Raises
    LibraryFull if there is no room.
    """
    run_id, run = secrets.token_hex(5), bundle.run
    library.keep(
        run_id,
        run,
        bundle.corpus,
        "finished" if run.done else "paused",
        secret or secrets.token_urlsafe(12),
        bundle.report,
        bundle.true_topics,
    )
    library.rename(run_id, name or bundle.name)
    library.tag(run_id, bundle.tags)
    library.label(run_id, bundle.labels)
    return run_id
