"""The arguments of every command. Open this to add a command, or an option of one or of all.

`run` names the function of the command's file that does the work. It is imported when the
arguments are right, so help and refusals need neither numba nor pandas nor plotly.
"""

import argparse
from typing import Any, get_args

from ..core.environment import THREADS
from ..methods import METHODS
from ..runs.choices import Until
from .reading_arguments import add_form, add_reading

EVERYWHERE = "0.0.0.0"
PORT = 8501
FORMATS = {
    "report": (".html", "an HTML page"),
    "csv": (".zip", "a .zip with .csv tables"),
    "script": (".py", "a Python script"),
    "notebook": (".ipynb", "a notebook"),
    "pyldavis": (".npz", "an .npz with arrays for pyLDAvis"),
    "mallet": (".zip", "a .zip with files as MALLET writes them"),
}
"""What `--to` may be -> how the name of such a file ends, and what it is."""


def add_fit(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="fit")
    parser.add_argument("path", help="a corpus file or folder, or sample:NAME for a sample")
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        metavar="NAME",
        help="as `methods` lists it [what measures best for such texts]",
    )
    parser.add_argument("--seed", type=int, help="0 where none is given")
    parser.add_argument("--preset", help="a named setting of the method")
    parser.add_argument(
        "--start-from",
        metavar="RUN",
        help="begin at the topics of another run: its file, or its id or name as `runs` lists it",
    )
    parser.add_argument("--passes", type=int, help="times the corpus is read, at most")
    parser.add_argument(
        "--minutes", type=float, help="of learning, after which it ends in any case [no limit]"
    )
    parser.add_argument(
        "--until",
        choices=get_args(Until),
        help="settled: end as soon as the run has settled, or the chains have met",
    )
    parser.add_argument(
        "--stream", action="store_true", help="read the corpus once, by date, never looking back"
    )
    parser.add_argument("--batch-size", type=int, help="documents per step")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the method, as `methods` lists them; may be repeated",
    )
    parser.add_argument(
        "--heldout",
        type=int,
        metavar="N",
        help="documents kept for the score; 0: learn all, without a score",
    )
    parser.add_argument(
        "--chains",
        type=int,
        metavar="N",
        help="run so many chains from different starts and seeds, and say whether they have met",
    )
    parser.add_argument(
        "--try-clusters",
        action="store_true",
        help="learn clusters, too, and say which predict the held-out words better",
    )
    add_threads(parser)
    add_cluster(parser)
    add_shards(parser)
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="the path is the file of a run that was saved before its end: learn the rest of it",
    )
    parser.add_argument("--out", metavar="RUN", help="save the run in this file")
    add_write_back(parser)
    add_force(parser)
    parser.add_argument("--keep", metavar="NAME", help="save it among the runs of the app")
    add_json(parser)
    add_reading(parser)


def add_write_back(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write-back",
        metavar="OUT",
        help="write the file that is read into another one, with the topics of each row; .csv, "
        ".tsv, .json, .jsonl, .xlsx or .parquet",
    )
    parser.add_argument(
        "--all-shares", action="store_true", help="there, with the share of every topic"
    )


def add_apply(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="apply")
    about = "a file of `fit --out`, or a saved run by its id or name"
    parser.add_argument("saved", metavar="RUN", help=about)
    parser.add_argument("path", metavar="FILE", help="a file with texts")
    add_write_back(parser)
    add_force(parser)
    add_json(parser)
    reading = parser.add_argument_group("reading the file")
    for name in ("text", "title"):
        reading.add_argument(f"--{name}", default="", metavar="COLUMN", help="[that of the run]")
    add_form(reading)


def add_corpus(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="of_corpus", metavar="WHAT", required=True)
    building = commands.add_parser("build", help="build one of files and folders of any size")
    _add_build(building)
    _add_show(commands.add_parser("show", help="what it holds, and how it was read"))
    _add_check(commands.add_parser("check", help="is it what it was when it was built?"))


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="build_corpus")
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files, and folders of files, in this order"
    )
    parser.add_argument("out", metavar="OUT", help="the folder of the corpus, which is made")
    add_threads(parser, "processes that count words")
    parser.add_argument(
        "--force",
        action="store_true",
        help="start anew where a corpus, or a begun build of one, stands",
    )
    add_json(parser)
    add_reading(parser)


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="show_corpus")
    parser.add_argument("folder", help="the folder that `corpus build` wrote")
    add_json(parser)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="check_corpus")
    parser.add_argument("folder", help="the folder that `corpus build` wrote")
    add_json(parser)


def add_export(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="export")
    about = "a file of `fit --out`, or a saved run by its id or name"
    parser.add_argument("saved", metavar="RUN", help=about)
    parser.add_argument("out", metavar="OUT", help="the file to write")
    made = "; ".join(f"{to}: {kind}" for to, (_, kind) in FORMATS.items())
    parser.add_argument("--to", required=True, choices=list(FORMATS), help=made)
    parser.add_argument(
        "--about",
        type=int,
        metavar="N",
        help="with N topics in place of all; 0: all [as many as the app shows]",
    )
    parser.add_argument(
        "--bom", action="store_true", help="csv: with the mark by which Excel knows UTF-8"
    )
    add_force(parser)
    add_json(parser)


def add_runs(parser: argparse.ArgumentParser) -> None:
    _add(parser, "list_runs")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    listing = actions.add_parser("list", help="all saved runs (as without an action)")
    _add(listing, "list_runs")
    rename = _action(actions, "rename", "give a run another name", "rename_run")
    rename.add_argument("name")
    tag = _action(actions, "tag", "give a run these tags, instead of what it had", "tag_run")
    tag.add_argument("tags", nargs="*", metavar="TAG")
    _action(
        actions, "delete", "take a run off the list; it can be restored for a week", "delete_run"
    )
    _action(actions, "restore", "bring a deleted run back", "restore_run")
    export = _action(actions, "export", "write a run into one .zip", "export_run")
    export.add_argument("file", metavar="FILE")
    add_force(export)
    export.add_argument("--with-text", action="store_true", help="with the documents' texts")
    taking = actions.add_parser("import", help="add a run that was exported")
    taking.add_argument("file", metavar="FILE")
    taking.add_argument("--copy", action="store_true", help="also if the run is here already")
    _add(taking, "import_run")


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, help: str, run: str
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=help)
    parser.add_argument("named", metavar="RUN", help="its id or name, as `runs` lists them")
    _add(parser, run)
    return parser


def _add(parser: argparse.ArgumentParser, run: str) -> None:
    add_json(parser)
    parser.set_defaults(run=run)


def add_methods(parser: argparse.ArgumentParser) -> None:
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--markdown", action="store_true", help="as the table of the docs")
    add_json(forms)
    parser.set_defaults(run="list_methods")


def add_check(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="check_methods")
    parser.add_argument("names", nargs="*", metavar="METHOD", help="ours, or of another package")
    parser.add_argument("--all", action="store_true", help="every method that is installed")
    add_json(parser)


def add_claims(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="try_claims")
    parser.add_argument(
        "names", nargs="*", metavar="CLAIM", help="which, or `all`; none: list them"
    )
    parser.add_argument(
        "--path", default="sample:sotu", help="a corpus, or sample:NAME [sample:sotu]"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=10.0,
        help="time for each claim; for those judged by passes the longest, after which the same "
        "command goes on [10]",
    )
    parser.add_argument(
        "--passes",
        type=int,
        default=0,
        help="of every trial that is judged by passes [the claim's]",
    )
    parser.add_argument("--seeds", type=int, default=3, help="repetitions of every trial [3]")
    parser.add_argument("--seed", type=int, default=0, help="seed of a drawn sample")
    add_json(parser)
    add_threads(parser)
    add_cluster(parser, "try every trial as a whole on a worker of a Dask cluster")
    add_reading(parser)


def add_compare(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run="compare")
    about = "files that `fit --out` wrote; ids or names of saved runs"
    parser.add_argument("paths", nargs="+", metavar="RUN", help=about)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="as CSV, with every setting")
    add_json(forms)


def add_warm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="METHOD", help="only what these need")
    add_json(parser)
    parser.set_defaults(run="compile_kernels")


def add_app(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "For example: app -- --server.port 8502 --server.headless true"
    _add_streamlit(parser)
    parser.set_defaults(run="app")


def add_class(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "For example: class --address 127.0.0.1 --host https://topics.example.org"
    parser.add_argument(
        "--address", default=EVERYWHERE, help="listen at this address of the machine only"
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"instead of {PORT}")
    parser.add_argument(
        "--host",
        metavar="NAME",
        help="the name by which students call the server, with https:// before it if a proxy does "
        "TLS",
    )
    _add_streamlit(parser)
    parser.set_defaults(run="start_class")


def add_doctor(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.set_defaults(run="doctor")


def _add_streamlit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "streamlit",
        nargs="*",
        metavar="-- OPTION",
        help="after two dashes, options of `streamlit run`",
    )


def add_json(parser: Any) -> None:
    """The option; `parser`: an argparse parser, or a group of one."""
    parser.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,  # else `runs --json list` would be told that it was not given
        help="print the result as one JSON object, for programs",
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="write over a file that exists")


def add_threads(parser: argparse.ArgumentParser, what: str = "threads to compute on") -> None:
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help=f"{what}, which changes no number [all cores, or {THREADS}]",
    )


def add_cluster(
    parser: argparse.ArgumentParser,
    what: str = "compute on the workers of a Dask cluster, which changes no number",
) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"{what}: tcp://HOST:PORT of its scheduler, or local:4 for four processes on this "
        "machine",
    )


def add_shards(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--shards",
        metavar="ADDRESS",
        help="where the workers of a cluster read a corpus on the disk, or a folder that holds it: "
        "a path, or an address such as s3://BUCKET/news.corpus [the path of the corpus here]",
    )
