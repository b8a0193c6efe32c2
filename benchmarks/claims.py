"""Try every claim of the papers and keep the findings: `python -m benchmarks.claims`.

On the State of the Union by paragraph and in passages of 200 words, with three seeds, at the passes
or in the time of each claim (`Judged` beside it): all of them take about ten hours on two cores.
Every trial is kept when it ends (in the user's data folder, or where BNPEXPLORER_HOME says), and
every claim when its trials have (`bnpexplorer/claims/found/CLAIM-TEXTS.json`), so that the same
command goes on where it was cut off. What is kept and needs no more is not tried again.

Writes `claims.md` from all that is kept, and one small SVG a picture into `claims/`, but none of a
claim for whose verdict it is too early. `reasons.toml` says why a claim comes out as it does.
Pictures are drawn by plotly.js in a Chromium, which the browser tests want too.
"""

import argparse
import base64
import datetime
import platform
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import plotly
import plotly.graph_objects as go
from playwright.sync_api import Page, sync_playwright

from bnpexplorer.claims import CLAIMS, Claim, Picture, Study
from bnpexplorer.claims.kept import FOLDER, Kept, all_kept, read
from bnpexplorer.claims.reading import best_scores, listed
from bnpexplorer.claims.trial import TrialOutcome
from bnpexplorer.plots.claims import HEIGHT

from .compare import FOUR_TIMES, PASSAGES, chosen_corpus, machine
from .kept_claims import taken_over, write

HERE = Path(__file__).parent
USUAL = ("sample:sotu", PASSAGES)
"""What is tried where nothing is asked for."""
TEXTS = {"sample:sotu": "sotu", PASSAGES: "sotu-passages", FOUR_TIMES: "sotu-passages-four-times"}
"""The names of their files."""
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


def rows(kept: Kept) -> list[str]:
    """One row for every line and place: the scores at the end, seed by seed."""
    found = [
        "| line | at | held-out score by seed | above word frequencies | topics in use | passes |",
        "|---|---:|---|---|---|---|",
    ]
    places: dict[tuple[str, float], list[TrialOutcome]] = {}
    for trial, outcome in kept.findings.items():
        places.setdefault((trial.line, trial.x), []).append(outcome)
    for (line, x), outcomes in sorted(places.items()):
        scores = listed([outcome.scores[-1] for outcome in outcomes]).replace("+", "")
        above = listed([outcome.scores[-1] - outcome.unigram[-1] for outcome in outcomes])
        topics = ", ".join(str(outcome.topics[-1]) for outcome in outcomes)
        passes = ", ".join("converged" if o.converged else f"{o.passes[-1]:.3g}" for o in outcomes)
        found.append(f"| {line} | {x:g} | {scores} | {above} | {topics} | {passes} |")
    return found


def reason(kept: Kept) -> str:
    """Why a claim comes out so on these texts, with the scores of the lines that test it, or with
    what was found on the texts that do; empty if nobody has sought it."""
    reasons = tomllib.loads((HERE / "reasons.toml").read_text(encoding="utf-8"))
    of_claim = reasons.get(kept.texts, {}).get(kept.claim.name, {})
    words = " ".join(of_claim.get(kept.verdict.outcome, "").split())
    lines = {trial.line for trial in kept.findings}
    ends = {line: [*best_scores(kept.findings, line).values()] for line in lines}
    told = {line: f"{median(found):.3f}" for line, found in ends.items()}
    own = [one for one in all_kept() if one.claim is kept.claim]
    told |= {one.texts: one.verdict.sentence for one in own}
    return re.sub(r"\{(.+?)\}", lambda name: told[name[1]], words)


def pictures_of(kept: Kept, folder: Path) -> list[Path]:
    """Where its pictures are, as far as they have been drawn."""
    found = [p for p in folder.glob(f"{kept.name}-*.svg") if re.search(r"-\d+$", p.stem)]
    own = [p for p in found if p.stem.rpartition("-")[0] == kept.name]
    return sorted(own, key=lambda path: int(path.stem.rpartition("-")[2]))


def section(kept: Kept, folder: Path) -> list[str]:
    """What `claims.md` says of one claim on some texts."""
    verdict = kept.verdict
    why = reason(kept)
    text = [f"### {kept.corpus}", ""]
    if verdict.outcome == "too early":
        text += [f"**Too early: made with too little.** {verdict.sentence}", ""]
    else:
        said = kept.claim.said(verdict, kept.findings)
        text += [f"**{said[0].upper()}{said[1:]}.** {verdict.sentence}", ""]
    text += [f"Why: {why}", ""] if why else []
    text += [f"Made {kept.made}, {len(kept.findings)} trials.", ""]
    if verdict.outcome == "too early":
        return text
    for picture, path in zip(
        kept.claim.pictures(kept.findings), pictures_of(kept, folder), strict=False
    ):
        text += [f"![{picture.title}](claims/{path.name})", ""]
    return [*text, *rows(kept), ""]


def about(claim: Claim) -> list[str]:
    """What `claims.md` says of a claim before its findings."""
    text = [
        f"## {claim.title}",
        "",
        f"{claim.source}. *{claim.statement}*",
        "",
        f"How this is decided: {claim.decided}",
        "",
    ]
    if claim.judged.paper:
        paper = f"Where the paper judged it: {claim.judged.paper} Here {claim.judged.where}."
        numbers = claim.judged.numbers
        return [*text, paper, "", *([f"The paper's numbers: {numbers}", ""] if numbers else [])]
    verdict = claim.verdict({})
    outcome = verdict.outcome.capitalize()
    return [*text, f"**{outcome}.** {verdict.sentence}", "", *exact_pictures(claim)]


def exact_pictures(claim: Claim) -> list[str]:
    found: list[str] = []
    for i, picture in enumerate(claim.pictures({})):
        found += [f"![{picture.title}](claims/{claim.name}-{i + 1}.svg)", ""]
    return found


def page(folder: Path, found: Path = FOLDER) -> str:
    """Return `claims.md`, made of the findings in `found` and the pictures in `folder`."""
    text = [
        "# What the papers claim, tried",
        "",
        "Made by `python -m benchmarks.claims` from the numbers in "
        "[found/](../bnpexplorer/claims/found). Scores are log likelihoods per held-out word; the "
        "dotted line of the pictures is the score of word frequencies alone, which a method has to "
        "leave behind before anything is said of it.",
        "",
    ]
    kept = all_kept(found)
    for claim in CLAIMS.values():
        text += about(claim)
        own = [one for one in kept if one.claim.name == claim.name]
        for one in own:
            text += section(one, folder)
        if not own and claim.trials(1):
            text += ["Not tried yet with enough to be judged.", ""]
    return "\n".join(text)


def draw_kept(kept: Kept, folder: Path) -> None:
    """Its pictures; none of a claim that cannot be judged yet."""
    for path in pictures_of(kept, folder):
        path.unlink()
    if kept.verdict.outcome != "too early" and kept.has_curves:
        draw_all(kept.claim.pictures(kept.findings), kept.name, folder)


def draw_exact(folder: Path) -> None:
    """The pictures of claims that need no trials."""
    for claim in CLAIMS.values():
        if not claim.trials(1):
            draw_all(claim.pictures({}), claim.name, folder)


def draw_all(pictures: Sequence[Picture], stem: str, folder: Path) -> None:
    with drawing_page() as browser:  # not while trials learn: a browser takes their time
        for i, picture in enumerate(pictures):
            draw(browser, picture.figure(False, 14), folder / f"{stem}-{i + 1}.svg")


def tried(study: Study[Claim], kept: Kept | None) -> Study[Claim]:
    """The study, with all its trials at their ends; those that an earlier call tried are read, and
    those that are `kept` are taken as they are."""
    if kept is not None:
        study.findings |= kept.complete(study)
    while study.waiting:  # here nothing ends it: whoever stops the command goes on with it later
        study.step()
    return study


def made() -> str:
    today = datetime.date.today().isoformat()
    return f"{today}, {machine().split(', load')[0]}, {platform.machine()}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description=__doc__)
    parser.add_argument(
        "--corpus", nargs="+", default=USUAL, help=f"files, sample:NAME, {PASSAGES} or {FOUR_TIMES}"
    )
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="for claims judged by seconds [the claim's own]"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--only",
        nargs="*",
        default=list(CLAIMS),
        choices=list(CLAIMS),
        help="these claims; without any, the page and the pictures of what is kept are made again",
    )
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args(arguments)
    folder = options.out / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    found_in = FOLDER if options.out == HERE else folder
    for name in options.corpus if options.only else ():
        corpus = chosen_corpus(name, options.vocab)
        texts = TEXTS.get(name) or re.sub(r"\W+", "-", corpus.name)
        what = f"{corpus.name}, {corpus.n_docs:,} documents, {corpus.n_words:,} words"
        for claim in (CLAIMS[key] for key in options.only if CLAIMS[key].trials(1)):
            minutes = options.minutes or claim.judged.minutes
            planned = Study(claim, corpus, 60.0 * minutes, options.seeds)
            path = found_in / f"{claim.name}-{texts}.json"
            old = read(path) if path.exists() else None
            if old is None or not old.has_all(planned):
                found = taken_over(planned, texts, found_in)
                if found is None:
                    study = tried(planned, old)
                    found = Kept(claim, texts, what, made(), options.seeds, study.findings)
                write(found, found_in)
            kept = read(path)
            draw_kept(kept, folder)
            (options.out / "claims.md").write_text(page(folder, found_in), encoding="utf-8")
            print(f"{claim.name}, {texts}: {kept.verdict.outcome}", flush=True)
    if options.only:
        return 0
    draw_exact(folder)
    for kept in all_kept(found_in):
        draw_kept(kept, folder)
    (options.out / "claims.md").write_text(page(folder, found_in), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
