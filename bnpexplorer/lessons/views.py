"""What a step may set on a page, by the names of the page's address; the Lab has its own controls.

A test compares it with what the pages draw.
"""

from collections.abc import Mapping

from ..lab.controls import Control
from ..plots.live import AXIS_TITLES

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
                "Find a word",
                "By label",
                "Over time",
                "What changed",
                "Map of texts",
                "Through the run",
                "Together",
                "Tree",
            ],
            "Topics",
        )
    },
}
"""Page -> what may be set there."""
