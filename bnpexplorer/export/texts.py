"""Where an exported script gets its texts: from the sample, from the file that the run read, or
from word counts in a file beside it.

Scripts carry word counts, not texts: a person's file is read anew only where it lies beside the
script or is named, and what comes of it is compared with what the run learned.
"""

import pprint
import tempfile
from dataclasses import asdict
from pathlib import Path, PurePath

from ..core import store
from ..corpus.corpus import Corpus
from ..corpus.readers.source import Reading
from ..corpus.words.settings import TextSettings
from ..evaluate import Heldout
from ..runs.beginning import Beginning
from ..runs.packed_texts import unpack_given, unpack_texts
from ..runs.run import Run
from ..samples import load_sample
from .result import Result, held_out_rows

TEXTS = "texts.zip"
"""The file beside the script that holds word counts."""
LOAD_COUNTS = "train, heldout = load_texts(counts)"
LEAVE_OUT = """\
    settings = TextSettings(**WORDS)
    for words in LEFT_OUT:  # by hand, of what had been counted
        corpus, report = leave_out(corpus, words, settings)
        settings = report.settings"""
SAMPLE_CORPORA = {
    "sotu": "State of the Union",
    "small-csv": "small.csv",
    "bars": "bars",
    "hdp-draw": "drawn from an HDP",
    "dpm-draw": "drawn from a Dirichlet process mixture",
}
"""Sample -> how the name of its corpus begins: only such a sample is loaded to compare."""


def sample_behind(result: Result) -> tuple[str, int] | None:
    """(name, seed) of the sample that the run learned; None for texts of a person's own."""
    corpus = result.corpus
    for name, beginning in SAMPLE_CORPORA.items():
        if result.by_rule and corpus.name.startswith(beginning):
            for seed in dict.fromkeys((0, result.run.seed)):
                if load_sample(name, seed).corpus.fingerprint == corpus.fingerprint:
                    return name, seed
    return None


def sample_of_run(run: Run) -> Corpus | None:
    """The whole corpus of a run on a sample, whose own file has the documents learned alone."""
    for name, beginning in SAMPLE_CORPORA.items():
        if run.corpus.name.startswith(beginning):
            for seed in dict.fromkeys((0, run.seed)):
                corpus: Corpus = load_sample(name, seed).corpus
                if held_out_rows(run, corpus) is not None:
                    return corpus
    return None


def texts_file(result: Result) -> bytes:
    """Word counts of the documents learned and held out, as `load_texts` reads them.

    With identities, titles, dates and labels, but without the documents' texts. No pickle.
    """
    manifest, arrays = result.run.pack_texts()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / TEXTS
        store.write(path, manifest, arrays)
        return path.read_bytes()


def load_texts(path: str | Path) -> tuple[Corpus, Heldout | None]:
    """(documents to learn, documents held out) from a file that came with an exported script.

    Raises store.StoreError if the file is damaged or foreign.
    """
    manifest, arrays = store.read(path)
    with store.named(Path(path).name):
        return unpack_texts(manifest, arrays)


def load_beginning(path: str | Path) -> Beginning:
    """The topics at which the run of an exported script began, from the file that came with it.

    Raises store.StoreError if the file is damaged or foreign, or holds none.
    """
    manifest, arrays = store.read(path)
    with store.named(Path(path).name):
        corpus, _ = unpack_texts(manifest, arrays)
        given = unpack_given(manifest, arrays)
        if given is None:
            raise ValueError("its run began at no other's topics")
        return Beginning.of_run_begun(given, corpus)


def needs_texts(result: Result) -> bool:
    """Whether the script reads a file: of word counts, or of topics at which the run began."""
    return sample_behind(result) is None or result.run.given is not None


# ---- the code ----------------------------------------------------------------------------------


def texts_code(result: Result, texts: str) -> str:
    """What makes `train` and `heldout`, of a plan called `plan`; `texts`: the file of counts."""
    sample = sample_behind(result)
    if sample:
        name, seed = sample
        loaded = f"corpus = load_sample({name!r}, seed={seed}).corpus"
        return "\n".join([loaded, _split(result.run), _check(result.run)])
    found = f"{folder_code(texts)}\ncounts = folder / {texts!r}"
    settings = settings_to_count(result)
    if settings is not None:
        return _code_to_count(result, settings, found, texts)
    return "\n".join([found, _why_not(result, texts), LOAD_COUNTS, _check(result.run)])


def _code_to_count(result: Result, settings: TextSettings, found: str, texts: str) -> str:
    """The counts, or a file of which they are counted anew."""
    reading = result.reading
    read = _named("READ", reading.chosen) if reading else ""
    left_out = _named("LEFT_OUT", [[*words] for words in reading.left_out]) if reading else ""
    name = _file_name(reading)
    lines = [
        *_comment(reading, texts),
        read,
        _named("WORDS", asdict(settings)),
        left_out,
        'FILE = ""\n',
        found,
        _instead_of_counts(name, texts) if name else "",
        "if FILE:",
        f"    corpus = load(FILE, {'**READ, ' if read else ''}**WORDS)",
        LEAVE_OUT if left_out else "",
        f"    {_split(result.run)}",
        "else:",
        f"    {LOAD_COUNTS}",
        _check(result.run, " Where FILE is empty the counts beside the script are learned."),
    ]
    return "\n".join(filter(None, lines))


def _instead_of_counts(name: str, texts: str) -> str:
    """The file itself, where it lies beside the script and the counts do not."""
    missing = (
        f"Neither {texts} nor {one_line(name)} lies beside this script: put one of them there, or "
        "name the file as FILE."
    )
    lines = [
        "if not FILE and not counts.exists():",
        f"    FILE = folder / {name!r}",
        "    if not FILE.exists():",
        f"        raise SystemExit({missing!r})",
    ]
    return "\n".join(lines)


def texts_imports(result: Result) -> dict[str, tuple[str, ...]]:
    """Module -> names of it that `texts_code` calls."""
    if sample_behind(result):
        return {"bnpexplorer.samples": ("load_sample",)}
    wanted: dict[str, tuple[str, ...]] = {"bnpexplorer.export": ("load_texts",)}
    if settings_to_count(result) is None:
        return wanted
    wanted["bnpexplorer"] = ("load",)
    if result.reading and result.reading.left_out:
        wanted["bnpexplorer.corpus.documents.leaving_out"] = ("leave_out",)
        wanted["bnpexplorer.corpus.words.settings"] = ("TextSettings",)
    return wanted


def settings_to_count(result: Result) -> TextSettings | None:
    """How the words of a person's own file are counted anew; None where they cannot be.

    `load` reads one file, or texts in one folder, by one name; counts and their vocabulary by two.
    """
    reading = result.reading
    if not result.by_rule:
        return None
    if reading is None:
        return result.text_settings
    return None if reading.vocabulary else reading.settings


def _file_name(reading: Reading | None) -> str:
    """The file that is looked for beside the script; empty where there is none of one name."""
    if reading is None or len(reading.files) != 1:
        return ""
    return PurePath(reading.files[0]).name  # of a run from elsewhere it might lead anywhere


def _comment(reading: Reading | None, texts: str) -> list[str]:
    """What a person is told before the settings."""
    which = "your own file"
    if reading:
        several = f"a folder with the {len(reading.files):,} files that were read together"
        which = one_line(_file_name(reading)) or several
    lines = [
        f"# How texts became words. To count them anew, let FILE name {which};",
        f"# otherwise the counts in {texts} are learned, which are the same.",
    ]
    if reading is None:
        lines += [
            "# This run does not know how its file was read: what was chosen then (columns, sheet,",
            "# passages, join and the like) has to be given to `load` by hand.",
        ]
    return lines


def _why_not(result: Result, texts: str) -> str:
    """A comment that says why no file is read anew."""
    if result.reading and result.reading.vocabulary:
        names = one_line(" and ".join(result.reading.files))
        return (
            f"# Read from {names} together, which has to be done by hand; {texts} has the counts."
        )
    return f"# How the texts were read and counted is not known to the run; {texts} has the counts."


def one_line(text: str) -> str:
    """Anybody's text on one line of a comment."""
    return " ".join(text.split())


def folder_code(texts: str) -> str:
    """What finds the folder of the script, also where it is a notebook."""
    return f"folder = Path(globals().get('__file__', {texts!r})).parent"


def _named(name: str, value: object) -> str:
    """An assignment; empty if there is nothing in the value."""
    return f"{name} = {pprint.pformat(value, sort_dicts=False)}" if value else ""


def _split(run: Run) -> str:
    return f"train, heldout = {'corpus, None' if run.heldout is None else 'plan.split(corpus)'}"


def _check(run: Run, hint: str = "") -> str:
    """What stops the script for other texts than those of the run."""
    print_ = run.corpus.fingerprint
    lines = [
        f"if train.fingerprint != {print_!r}:",
        "    raise SystemExit(",
        f'        f"Not the texts of the run: fingerprint {{train.fingerprint}}, not {print_}."',
        *((f'        "{hint}"',) if hint else ()),
        "    )",
    ]
    return "\n".join(lines)
