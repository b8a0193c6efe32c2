"""A figure that is drawn again every second, put together without a look at each property."""

from typing import Any

import plotly.graph_objects as go

from .style import base_layout


class Drawing:
    """What figures of lines need of `go.Figure`, in plain dictionaries.

    Plotly's own classes look at every property, and copy it several times: 4 to 19 ms for a live
    figure, which a click waits for. Of dictionaries a figure is made in 1 to 3 ms; a test holds
    every kind of figure against Plotly's own look.
    """

    def __init__(self, dark: bool, x_title: str = "", y_title: str = "", size: int = 14) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = base_layout(dark, x_title, y_title, size)

    def add_scatter(self, **properties: Any) -> None:
        self.data.append({"type": "scatter", **properties})

    def add_annotation(self, **properties: Any) -> None:
        self.layout.setdefault("annotations", []).append(properties)

    def add_hline(self, y: float, **properties: Any) -> None:
        """A line from the left to the right edge, wherever the horizontal axis begins and ends."""
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
        self.layout.setdefault("shapes", []).append({"type": "line", **ends, **properties})

    def update_xaxes(self, **properties: Any) -> None:
        self.layout["xaxis"] |= properties

    def update_yaxes(self, **properties: Any) -> None:
        self.layout["yaxis"] |= properties

    def update_layout(self, **parts: Any) -> None:
        for name, value in parts.items():
            self.layout[name] = self.layout[name] | value if isinstance(value, dict) else value

    def figure(self) -> go.Figure:
        """As a figure of Plotly's, which others can go on with."""
        return go.Figure(self.data, self.layout, _validate=False)
