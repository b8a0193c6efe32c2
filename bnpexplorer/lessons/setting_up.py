"""Reads what a step sets up: a sample, runs or a race, a claim, a demonstration, a view.

What a step may set on a page, by the names of the page's address; the Lab has its own controls.

A test compares it with what the pages draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..claims import CLAIMS
from ..compare.sequential import FEWEST, MOST, why_not
from ..lab import DEMONSTRATIONS
from ..lab.controls import CONTROLS, Control, Value
from ..plots.live import AXIS_TITLES
from ..runs.plan import Plan
from ..samples import SAMPLES
from .lesson import LessonStep, Line, SetUp, one_of, refuse, whole

PAGES = ("start", "corpus", "documents", "live", "topics", "compare", "runs", "claims", "lab")
"""Pages that a lesson may open; a step is left out where the app has not got its page."""
KEYS = ("sample", "run", "race", "runs", "claim", "page", "show", "set")
SEVERAL = ("run", "race", "set")
"""Those that may stand more than once."""
OPENS = {"race": "compare", "claim": "claims"}
"""What opens a page of its own."""
WHOLE = ("batch", "passes", "seed")
"""Settings of a run that are not the method's: whole numbers."""

Fields = Mapping[str, Sequence[Line]]


def fields_of(lines: Sequence[Line], file: str, known: Sequence[str]) -> dict[str, list[Line]]:
    """`key: value` lines, by key. Raises LessonError."""
    found: dict[str, list[Line]] = {}
    for number, row in lines:
        if not row.strip():
            continue
        key, colon, value = (part.strip() for part in row.partition(":"))
        if not colon or key not in known:
            refuse(file, number, f"expected one of {', '.join(known)}, a colon, and its value")
        if not value:
            refuse(file, number, f"{key}: has no value")
        if key in found and key not in SEVERAL:
            refuse(file, number, f"{key}: stands in line {found[key][0][0]} already")
        found.setdefault(key, []).append((number, value))
    return found


def set_up_of(fields: Fields, file: str, before: Sequence[LessonStep]) -> SetUp:
    """Return what the lines of one step set up. Raises LessonError."""
    page = _page(fields, file)
    sample = claim = show = ""
    if "sample" in fields:
        sample = one_of(fields["sample"][0], file, "sample", list(SAMPLES))
    if "claim" in fields:
        claim = one_of(fields["claim"][0], file, "claim", list(CLAIMS))
    if "show" in fields:
        if page != "lab":
            refuse(file, fields["show"][0][0], "show: goes with page: lab")
        show = one_of(fields["show"][0], file, "demonstration", list(DEMONSTRATIONS))
    runs = tuple(_plan(line, file) for line in fields.get("run", []))
    race = _race(fields.get("race", []), file)
    for key in ("run", "race"):
        if key in fields and not sample:
            refuse(file, fields[key][0][0], f"a {key} needs a sample: line as well")
    found = SetUp(sample, runs, race, page, show, claim, _settings(fields, file, page, show))
    return _of_earlier(found, fields["runs"][0], file, before) if "runs" in fields else found


def _page(fields: Fields, file: str) -> str:
    """The page that is opened: as it says, or as goes with a race or a claim."""
    own = [key for key in OPENS if key in fields]
    if "run" in fields and own:
        refuse(file, fields[own[0]][0][0], f"run: and {own[0]}: do not go together")
    if len(own) > 1:
        refuse(file, fields[own[1]][0][0], f"{own[0]}: and {own[1]}: do not go together")
    if own and "page" in fields:
        refuse(file, fields["page"][0][0], f"{own[0]}: opens a page of its own; leave page: out")
    if own:
        return OPENS[own[0]]
    return one_of(fields["page"][0], file, "page", PAGES) if "page" in fields else "live"


def _of_earlier(found: SetUp, line: Line, file: str, before: Sequence[LessonStep]) -> SetUp:
    """The set-up with the sample and the runs of the step before that a `runs:` line names."""
    earlier = {str(n): step.set_up for n, step in enumerate(before, 1)}.get(line[1])
    if earlier is None or not earlier.runs or earlier.of_step:
        refuse(file, line[0], f"runs: names a step before this one with runs; got {line[1]!r}")
    if found.sample or found.show or found.claim:
        refuse(file, line[0], "runs: goes with page: and set: alone")
    return replace(found, sample=earlier.sample, runs=earlier.runs, of_step=int(line[1]))


def _settings(fields: Fields, file: str, page: str, show: str) -> tuple[tuple[str, Value], ...]:
    """Return the settings of `set:` lines; a demonstration has defaults for all others."""
    known: Mapping[str, Control] = CONTROLS[show] if show else VIEWS.get(page, {})
    found: dict[str, Value] = {name: known[name].usual for name in known if show}
    said: dict[str, int] = {}
    if "race" in fields:
        found["compare"] = "Race"
    for line in fields.get("set", []):
        name, equals, word = (part.strip() for part in line[1].partition("="))
        if not known:
            refuse(file, line[0], "set: goes with a page that has something to set, see the README")
        if not equals or not word:
            refuse(file, line[0], f"expected name = value after set:; got {line[1]!r}")
        one_of((line[0], name), file, "control", list(known))
        if name in said:
            refuse(file, line[0], f"{name} is set in line {said[name]} already")
        said[name] = line[0]
        try:
            found[name] = known[name].value_of(word)
        except ValueError as problem:
            refuse(file, line[0], f"{name} {problem}")
    return tuple(found.items())


def _race(lines: Sequence[Line], file: str) -> tuple[Plan, ...]:
    """Plans that can race with each other."""
    plans = tuple(_plan(line, file) for line in lines)
    if not lines:
        return ()
    if not FEWEST <= len(plans) <= MOST:
        refuse(file, lines[0][0], f"a race has {FEWEST} to {MOST} race: lines; got {len(plans)}")
    for (number, _), plan in zip(lines, plans, strict=True):
        if why := why_not(plan.method):
            refuse(file, number, f"{plan.method.name} cannot race: it {why}")
        if (plan.seed, plan.passes) != (plans[0].seed, plans[0].passes):
            refuse(file, number, "the runs of a race have the same seed and passes")
    return plans


def _plan(line: Line, file: str) -> Plan:
    """`method name=value ...`: batch, passes, seed, preset, or a setting of method or model."""
    number, value = line
    name, *pairs = value.split()
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, word = pair.partition("=")
        if not equals or not key or not word or key in given:
            refuse(file, number, f"expected name=value once each after {name}; got {pair!r}")
        given[key] = word
    preset = given.pop("preset", "default")
    numbers = {
        key: whole((number, given.pop(key)), file, key, 0 if key == "seed" else 1, 10**6)
        for key in WHOLE
        if key in given
    }
    truth = {"true": True, "false": False}
    values = {key: truth.get(word, word) for key, word in given.items()}
    try:
        return Plan.of(
            name,
            preset,
            values,
            seed=numbers.get("seed", 0),
            batch_size=numbers.get("batch"),
            passes=numbers.get("passes"),
        )
    except ValueError as problem:
        refuse(file, number, str(problem).rstrip("."))


AXES = list(AXIS_TITLES)

VIEWS: Mapping[str, Mapping[str, Control]] = {
    "live": {
        "view-axis": Control(AXES, AXES[0]),
        "view-topics": Control(["10", "20", "all"], "10"),
    },
    "compare": {
        "compare": Control(
            ["Runs", "Race", "Chains", "Sweep", "Topics aligned", "When it fails"], "Runs"
        ),
        "compare-axis": Control(["documents", "passes", "seconds"], "documents"),
    },
    "topics": {
        "topics-view": Control(
            [
                "Topics",
                "Words",
                "Compare groups",
                "Over time",
                "Map",
                "Through the run",
                "Together",
            ],
            "Topics",
        )
    },
}
"""Page -> what may be set there."""
