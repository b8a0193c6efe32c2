"""A script and a notebook that make the run again, with the texts where they are needed.

Scripts carry word counts, not texts: counting the kept texts anew need not give the same counts,
since documents that were left out took part in `min_df` and `max_df`.
"""

import json
import pprint
import tempfile
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..core import store
from ..core.markdown import plain
from ..core.versions import versions
from ..corpus.corpus import Corpus
from ..evaluate import Heldout, topics_in_use
from ..runs.beginning import Beginning
from ..runs.choices import Until
from ..runs.packed_texts import unpack_given, unpack_texts
from ..runs.plan import Plan
from ..runs.run import Run
from ..samples import load_sample
from ..state.edits import Edit
from .result import Result, held_out_rows, zipped

TEXTS = "texts.zip"
"""The file beside the script that holds word counts."""
SAMPLE_CORPORA = {
    "sotu": "State of the Union",
    "small-csv": "small.csv",
    "bars": "bars",
    "hdp-draw": "drawn from an HDP",
    "dpm-draw": "drawn from a Dirichlet process mixture",
}
"""Sample -> how the name of its corpus begins: only such a sample is loaded to compare."""


@dataclass(frozen=True)
class Cell:
    """One cell of the notebook, one paragraph of the script."""

    text: str
    code: bool = True
    comment: str = ""
    """What the script says instead, where a name is not escaped."""


# ---- the texts ---------------------------------------------------------------------------------


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


# ---- the cells ---------------------------------------------------------------------------------


def _line(text: str) -> str:
    """Anybody's text on one line of a comment."""
    return " ".join(text.split())


def cells(result: Result, texts: str = TEXTS) -> list[Cell]:
    """What script and notebook are made of; `texts` is the name of the file with word counts."""
    sample = sample_behind(result)
    return [
        _head(result),
        Cell(_imports(result, sample)),
        Cell("## The plan", code=False),
        Cell(_plan_code(result, texts)),
        Cell("## The texts", code=False),
        Cell(_texts_code(result, sample, texts)),
        Cell("## The run", code=False),
        Cell(_run_code(result)),
        Cell("## What it found", code=False),
        Cell(_findings_code(result)),
    ]


def _head(result: Result) -> Cell:
    run = result.run
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    title = f"{run.method.name} on "
    rest = (
        f"\n\n{run.method.title}; {run.method.source}.\n\n"
        f"Made with {made}. The same versions, seed and texts give the same numbers."
    )
    name = run.corpus.name
    return Cell(f"# {title}{plain(name)}{rest}", code=False, comment=f"{title}{_line(name)}{rest}")


def _imports(result: Result, sample: tuple[str, int] | None) -> str:
    from_file = not sample and _own_file(result)
    begun = result.run.given is not None
    reads = not sample or begun
    lines = ["import json", *(("from pathlib import Path",) if reads else ()), ""]
    chain = result.run.chain
    if chain is not None and chain.place == 0:
        lines.insert(1, "from dataclasses import replace")
    lines.append(f"from bnpexplorer import Plan{', load' if from_file else ''}")
    lines.append("from bnpexplorer.evaluate import heaviest_words, topics_in_use")
    if sample:
        lines.append("from bnpexplorer.samples import load_sample")
    if reads:
        read = [*(("load_beginning",) if begun else ()), *(() if sample else ("load_texts",))]
        lines.append(f"from bnpexplorer.export import {', '.join(read)}")
    return "\n".join(lines)


def _own_file(result: Result) -> bool:
    """Whether the script can also begin from the person's own file."""
    return result.by_rule and result.text_settings is not None


def _texts_code(result: Result, sample: tuple[str, int] | None, texts: str) -> str:
    run, check = result.run, _check_code(result)
    if sample:
        name, seed = sample
        return "\n".join(
            [f"corpus = load_sample({name!r}, seed={seed}).corpus", _split(run), check]
        )
    beside = [_folder(texts), f"train, heldout = load_texts(folder / {texts!r})"]
    if not _own_file(result):
        return "\n".join([*beside, check])
    assert result.text_settings is not None
    words = pprint.pformat(asdict(result.text_settings), sort_dicts=False)
    indented = "\n".join("    " + line for line in beside)
    return (
        "# How texts became words. Name your own file to count them anew; otherwise the counts in\n"
        f"# {texts} are learned, which are the same.\n"
        f"WORDS = {words}\n"
        'FILE = ""\n\n'
        "if FILE:\n    corpus = load(FILE, **WORDS)\n"
        f"    {_split(run)}\nelse:\n{indented}\n{check}"
    )


def _folder(texts: str) -> str:
    return f"folder = Path(globals().get('__file__', {texts!r})).parent"


def _split(run: Run) -> str:
    return f"train, heldout = {'corpus, None' if run.heldout is None else 'plan.split(corpus)'}"


def _check_code(result: Result) -> str:
    print_ = result.run.corpus.fingerprint
    lines = [
        f"if train.fingerprint != {print_!r}:",
        "    raise SystemExit(",
        f'        f"Not the texts of the run: fingerprint {{train.fingerprint}}, not {print_}."',
        "    )",
    ]
    return "\n".join(lines)


def _plan_code(result: Result, texts: str) -> str:
    plan, values = _as_planned(result), result.model_settings | result.method_settings
    settings = "".join(f"        {key!r}: {value!r},\n" for key, value in values.items())
    chosen = {
        f.name: value
        for f in fields(plan)
        if f.name not in ("method", "preset", "start_from", "reason", "minutes")  # steps: below
        and (value := getattr(plan, f.name)) is not None
        and (f.name not in ("until", "chains") or value != f.default)
    }
    rows = "".join(f"    {key}={value!r},\n" for key, value in chosen.items())
    before = ""
    if result.run.given is not None:
        before = f"{_folder(texts)}\n"
        rows += f"    start_from=load_beginning(folder / {texts!r}),\n"
    code = f"plan = Plan.of(\n    {plan.method.name!r},\n    values={{\n{settings}    }},\n{rows})"
    return before + code


def _run_code(result: Result) -> str:
    run, chain = result.run, result.run.chain
    comment = "the whole run" if run.done else "as far as it had come"
    edits, done = result.snapshot.edits, 0
    lines = ["run = plan.start(train, heldout)"]
    if chain is not None and chain.place == 0:
        lines = [
            "# All chains of the plan: bnpexplorer.chains.chains_of(plan, corpus), corpus being",
            "# what is learned and held out together. This is the first of them.",
            "run = replace(plan, chains=1, until='passes').start(train, heldout)",
        ]
    if edits:
        comment += ", which was changed by hand on its way"
    for edit in edits:
        lines += [*(_steps(edit.step - done) if edit.step > done else ()), *_by_hand(edit)]
        done = edit.step
    lines += _steps(result.snapshot.step - done, comment)
    if run.ended in ("met", "minutes"):
        lines.append(f"run.end({run.ended!r})")
    return "\n".join(lines)


def _steps(n: int, comment: str = "") -> list[str]:
    said = f"  # {comment}" if comment else ""
    return [f"for _ in range({n}):{said}", "    run.step()"]


def _by_hand(edit: Edit) -> list[str]:
    """The change made again, at its step."""
    if edit.kind == "run on":
        end = [f"run.end({edit.ended!r})"] if edit.ended else []
        return [*end, f"run.run_on({edit.passes})"]
    return [f"run.edit({edit.kind!r}, {list(edit.topics)}, {list(edit.names)!r})"]


def _as_planned(result: Result) -> Plan:
    """The plan before passes were added by hand, which the script does again."""
    plan, run = Plan.of_run(result.run), result.run
    added = next((edit for edit in run.edits if edit.kind == "run on"), None)
    if added is None:
        return plan
    until: Until = "settled" if added.until == "settled" else "passes"
    return replace(plan, passes=added.planned, until=until)


def _findings_code(result: Result) -> str:
    named = {i: result.moment.name(i) for i in result.moment.row}
    expected = {"heldout": result.score, "topics": topics_in_use(result.snapshot.topics)}
    return f"""NAMES = {pprint.pformat(named)}
EXPECTED = {expected!r}

topics = run.snapshot().topics
for k in (-topics.size).argsort(kind="stable")[:10]:
    topic = int(topics.topic_ids[k])
    words = " ".join(train.vocab[w] for w in heaviest_words(topics, k, 10))
    print(f"{{NAMES.get(topic, f'topic {{topic}}')}}: {{words}}")

scores = [point.heldout for point in run.history if point.heldout == point.heldout]
found = {{"heldout": scores[-1] if scores else None, "topics": topics_in_use(topics)}}
print(json.dumps(found))
if found != EXPECTED:
    print(f"The exported run had {{EXPECTED}}: the versions differ, or the machine does.")"""


# ---- script, notebook, both --------------------------------------------------------------------


def script(result: Result, texts: str = TEXTS) -> str:
    """The run as a Python script; reads the file `texts` beside it, unless it is a sample's run."""
    parts = [
        c.text if c.code else _commented(c.comment or c.text.lstrip("# "))
        for c in cells(result, texts)
    ]
    parts.append(_commented("How to cite\n" + result.citation))
    return "\n\n".join(parts) + "\n"


def _commented(text: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())


def notebook(result: Result, texts: str = TEXTS) -> str:
    """The run as a Jupyter notebook (format 4.5), without outputs."""
    citation = Cell(f"## How to cite\n\n```bibtex\n{result.citation}```", code=False)
    made = []
    for number, cell in enumerate([*cells(result, texts), citation]):
        entry: dict[str, Any] = {
            "cell_type": "code" if cell.code else "markdown",
            "id": f"cell-{number}",
            "metadata": {},
            "source": cell.text.splitlines(keepends=True),
        }
        if cell.code:
            entry |= {"execution_count": None, "outputs": []}
        made.append(entry)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    tree = {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"


def recreation(result: Result) -> bytes:
    """A zip of the script, the notebook, what to cite, and word counts unless it is a sample."""
    members: dict[str, str | bytes] = {
        "run.py": script(result),
        "run.ipynb": notebook(result),
        "CITATION.bib": result.citation,
    }
    if needs_texts(result):
        members[TEXTS] = texts_file(result)
    return zipped(members)
