"""What `fit` may be asked for, and the plan that it makes of that."""

import argparse
from dataclasses import replace
from typing import Any

from ..chains import FEWEST, MOST
from ..runs.beginning import Beginning
from ..runs.choices import Order
from ..runs.plan import Plan
from ..runs.recommend import recommend
from .reading import Given, inputs_of, parsed
from .writing import may_write

ANEW = ("method", "preset", "start_from", "passes", "minutes", "stream", "batch_size", "settings")
"""Options of a run that begins."""


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
