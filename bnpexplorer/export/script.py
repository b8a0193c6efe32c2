"""A script and a notebook that make the run again, with the texts where they are needed."""

import json
import pprint
from dataclasses import dataclass, fields, replace
from typing import Any

from ..core.display import plain
from ..core.installation import versions
from ..evaluate import topics_in_use
from ..runs.choices import Until
from ..runs.plan import Plan
from ..state.edits import Edit
from .result import Result, zipped
from .texts import TEXTS, folder_code, needs_texts, one_line, texts_code, texts_file, texts_imports

NOT_INSTALLED = """\
except ImportError as missing:
    raise SystemExit(
        f"This script needs bnpexplorer as it was when the script was made ({missing}): run "
        "`python -m pip install PATH` first, PATH being the folder with its source code, where "
        "pyproject.toml lies, or its wheel, such as bnpexplorer-0.1.0-py3-none-any.whl."
    ) from None"""
"""How the script ends in a Python that lacks the package, or has another version of it."""


DIGITS = 9
"""The script compares scores of fewer topics to 9 decimals, since they are sums by document."""


@dataclass(frozen=True)
class Cell:
    """One cell of the notebook, one paragraph of the script."""

    text: str
    code: bool = True
    comment: str = ""
    """What the script says instead, where a name is not escaped."""


# ---- the cells ---------------------------------------------------------------------------------


def cells(result: Result, texts: str = TEXTS) -> list[Cell]:
    """What script and notebook are made of; `texts` is the name of the file with word counts."""
    return [
        _head(result),
        Cell(_imports(result)),
        Cell("## The plan", code=False),
        Cell(_plan_code(result, texts)),
        Cell("## The texts", code=False),
        Cell(texts_code(result, texts)),
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
    return Cell(
        f"# {title}{plain(name)}{rest}", code=False, comment=f"{title}{one_line(name)}{rest}"
    )


def _imports(result: Result) -> str:
    chain, begun = result.run.chain, result.run.given is not None
    ours: dict[str, list[str]] = {
        "bnpexplorer": ["Plan"],
        "bnpexplorer.evaluate": ["heaviest_words", "topics_in_use"],
    }
    for module, names in texts_imports(result).items():
        ours.setdefault(module, []).extend(names)
    if begun:
        ours.setdefault("bnpexplorer.export", []).insert(0, "load_beginning")
    lines = ["import json"]
    if chain is not None and chain.place == 0:
        lines.append("from dataclasses import replace")
    if needs_texts(result):
        lines.append("from pathlib import Path")
    lines += ["", "try:"]
    lines += [f"    from {module} import {', '.join(ours[module])}" for module in sorted(ours)]
    return "\n".join([*lines, NOT_INSTALLED])


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
        before = f"{folder_code(texts)}\n"
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
    if result.moment.fewer is not None:
        lines.append(f"run = run.about({result.moment.fewer.n_topics})  # in place of all topics")
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
    moment, score = result.moment, result.score
    named, last = {i: moment.name(i) for i in moment.row}, "scores[-1]"
    if moment.fewer is not None:  # topics of `Run.about` are numbered by their place
        place = {i: k for k, i in enumerate(result.snapshot.topics.topic_ids.tolist())}
        named = {place[i]: name for i, name in named.items() if i in place}
        # It was added up by documents.
        score, last = None if score is None else round(score, DIGITS), f"round({last}, {DIGITS})"
    expected = {"heldout": score, "topics": topics_in_use(result.snapshot.topics)}
    return f"""NAMES = {pprint.pformat(named)}
EXPECTED = {expected!r}

topics = run.snapshot().topics
for k in (-topics.size).argsort(kind="stable")[:10]:
    topic = int(topics.topic_ids[k])
    words = " ".join(train.vocab[w] for w in heaviest_words(topics, k, 10))
    print(f"{{NAMES.get(topic, f'topic {{topic}}')}}: {{words}}")

scores = [point.heldout for point in run.history if point.heldout == point.heldout]
found = {{"heldout": {last} if scores else None, "topics": topics_in_use(topics)}}
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
    itself = Cell("run")  # which shows itself
    for number, cell in enumerate([*cells(result, texts), itself, citation]):
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
