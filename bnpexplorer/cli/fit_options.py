"""What `fit` may be asked for, and the plan that it makes of that."""

import argparse
from dataclasses import replace
from typing import Any, get_args

from ..chains import FEWEST, MOST
from ..methods import METHODS
from ..runs.beginning import Beginning
from ..runs.choices import Order, Until
from ..runs.plan import Plan
from ..runs.recommend import recommend
from .cluster import add_cluster, add_shards
from .printing import add_json
from .reading import Given, add_reading, inputs_of, parsed
from .threads import add_threads
from .writing import add_force, may_write

ANEW = ("method", "preset", "start_from", "passes", "minutes", "stream", "batch_size", "settings")
"""Options of a run that begins."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="a corpus file or folder, or sample:NAME for a sample")
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        metavar="NAME",
        help="as `methods` lists it [what measures best for such texts]",
    )
    parser.add_argument("--seed", type=int, default=0)
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
        default="passes",
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
        dest="settings",
        help="a knob of the method or a field of its model; may be repeated",
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
    add_threads(parser)
    add_cluster(parser)
    add_shards(parser)
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="the path is the file of a run that was saved before its end: learn the rest of it",
    )
    parser.add_argument("--out", metavar="RUN", help="save the run in this file")
    add_force(parser)
    parser.add_argument("--keep", metavar="NAME", help="save it among the runs of the app")
    add_json(parser)
    add_reading(parser)


def check(options: argparse.Namespace) -> None:
    """Refuse what can be refused before anything is read or learned."""
    if options.seed < 0:
        raise ValueError(f"--seed must be 0 or more; got {options.seed}.")
    if options.heldout is not None and options.heldout < 0:
        raise ValueError(f"--heldout must be 0 or more; got {options.heldout}.")
    if options.go_on and (
        chosen := [
            f"--{name}".replace("_", "-")
            for name in (*ANEW, "chains", "heldout")
            if getattr(options, name)
        ]
    ):
        raise ValueError(
            f"--go-on learns the rest of a run as it was begun; leave {', '.join(chosen)} out."
        )
    if options.stream and (options.passes or 1) > 1:
        raise ValueError(
            f"--stream reads the corpus once, --passes {options.passes} would read it again; "
            "leave one of them out."
        )
    if options.chains is not None and not FEWEST <= options.chains <= MOST:
        raise ValueError(f"--chains must be {FEWEST} to {MOST}; got {options.chains}.")
    if options.chains is not None and options.out is not None:
        raise ValueError(
            "--chains makes several runs and --out writes one; leave one of them out, or keep all "
            "chains among the runs of the app with --keep."
        )
    if options.keep is not None and not options.keep.strip():
        raise ValueError("--keep needs a name for the run; got an empty one.")
    if options.out is not None:
        may_write(options.out, options.force, *([] if options.go_on else inputs_of(options)))


def recommended(options: argparse.Namespace, given: Given, start_from: Beginning | None) -> Plan:
    """What the texts suggest, with all else as the options ask for."""
    best = recommend(given.corpus, order=_order(options))
    plan = plan_of(options, best.method.name, best.preset, start_from)
    return replace(plan, reason=best.reason)


def _order(options: argparse.Namespace) -> Order:
    return "stream" if options.stream else "shuffled"


def plan_of(
    options: argparse.Namespace, method: str, preset: str, start_from: Beginning | None
) -> Plan:
    """What the options ask for, of `method`, and `preset` if none is asked for; what they leave out
    is left open."""
    settings: dict[str, Any] = {}
    for pair in options.settings:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE; got {pair!r}.")
        settings[name.strip().replace("-", "_")] = parsed(value)
    return Plan.of(
        method,
        options.preset or preset,
        settings,
        seed=options.seed,
        batch_size=options.batch_size,
        passes=options.passes,
        n_heldout=options.heldout or None,
        order=_order(options),
        until=options.until,
        minutes=options.minutes,
        chains=options.chains or 1,
        start_from=start_from,
    )
