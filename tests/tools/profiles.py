"""How many examples the property tests try: `short` in every run, `long` where it is asked for.

    python -m pytest --hypothesis-profile long tests/corpus/test_dates_properties.py

The examples of `short` are the same in every run, and none of the two knows the clock.
"""

from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir

SHORT, LONG = "short", "long"


def begin(home: Path) -> None:
    """Register both profiles and choose `short`. What hypothesis keeps goes into the folder `home`.

    pytest chooses another profile later, where one is asked for.
    """
    set_hypothesis_home_dir(home)
    timeless = {
        "deadline": None,
        "suppress_health_check": [HealthCheck.too_slow],
        "database": None,
        "phases": set(Phase) - {Phase.explain},  # of a figure it took minutes
    }
    settings.register_profile(SHORT, derandomize=True, max_examples=50, **timeless)
    settings.register_profile(LONG, max_examples=2000, print_blob=True, **timeless)
    settings.load_profile(SHORT)


def fewer(times: int) -> settings:
    """A decorator for tests of which an example costs more: so many times fewer of them."""
    return settings(max_examples=max(settings().max_examples // times, 1))
