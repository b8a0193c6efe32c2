"""A Plotly figure that keeps its node, zoom and hover while its data change.

In Streamlit 1.67 `st.plotly_chart` replaces the chart at every data change and loses the zoom, even
with `key` and `uirevision` (measured). This component calls `Plotly.react` on one lasting node:
zoom kept, at half the browser's work. plotly.js is the file that ships inside the plotly wheel; it
is copied once into `static/`, which Streamlit serves, so that everything works offline.
"""

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
import streamlit as st

from ...core.store import replacing

STATIC = Path(__file__).resolve().parents[3] / "static"
PLOTLY_FILE = f"plotly-{plotly.__version__}.min.js"

HTML = '<div class="bnp-figure" role="group"></div>'

CSS = """
.bnp-figure { width: 100%; }
.bnp-figure .modebar { opacity: 0; transition: opacity .15s; }
.bnp-figure:hover .modebar, .bnp-figure:focus-within .modebar { opacity: 1; }
.bnp-clicks .nsewdrag { cursor: pointer; }
.bnp-figure .modebar-btn[data-title^="Download as"] svg { width: 2em; }
.bnp-figure .modebar-btn text { fill: var(--st-text-color); font-family: var(--st-font); }
.bnp-waiting { color: var(--st-text-color); opacity: .6; font: 14px var(--st-font); padding: 1rem; }
"""

LOAD = """
function loadPlotly(path) {
  if (!window.__bnpPlotly) {
    window.__bnpPlotly = new Promise((resolve, reject) => {
      if (window.Plotly) { resolve(window.Plotly); return; }
      const base = document.baseURI.replace(/[?#].*$/, "").replace(/[^/]*$/, "");
      const script = document.createElement("script");
      script.src = path.startsWith("/") ? path : base + path;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => reject(new Error("plotly.js could not be loaded"));
      document.head.appendChild(script);
    });
  }
  return window.__bnpPlotly;
}
"""

JS = (
    LOAD
    + """
function draw(Plotly, node) {
  const { figure, alt } = node.bnpData;
  const { data, layout } = JSON.parse(figure);
  // One config for all updates: Plotly draws anew, without the zoom, where a button's function is
  // not the same as before.
  const config = node.bnpConfig ||= {
    responsive: true, displaylogo: false, doubleClick: false,
    showSendToCloud: false, plotlyServerURL: "",  // texts stay on this machine, and figures too
    modeBarButtonsToRemove: [
      "toImage", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"
    ],
    modeBarButtonsToAdd: [
      downloader("svg"), downloader("png"),
      { name: "whole", title: "Show the whole", icon: Plotly.Icons.home, click: showWhole }
    ],
  };
  const reduced = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (reduced) layout.transition = { duration: 0 };
  layout.uirevision += ` ${node.bnpView || 0}`;
  node.bnpDrawn = Plotly.react(node, data, layout, config);
  // The drawing is the image, not the node around it: that also holds the buttons.
  const drawing = node.querySelector("svg.main-svg");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", alt);
}

function downloader(format) {
  const word = format.toUpperCase();
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 16"><text x="16" y="13"
    text-anchor="middle" font-size="14" font-weight="600">${word}</text></svg>`;
  return {
    name: format, title: `Download as ${word}`, icon: { svg: icon },
    click: (node) => download(node, format),
  };
}

// As it stands, zoom included, on the page's own background: on the page it is transparent. A PNG
// has twice the points, for paper.
function download(node, format) {
  const paper = getComputedStyle(node).getPropertyValue("--st-background-color") || "white";
  const layout = { ...node.layout, paper_bgcolor: paper };
  window.Plotly.downloadImage({ data: node.data, layout }, {
    format, filename: node.bnpData.file, width: node.offsetWidth, height: node.offsetHeight,
    scale: format === "png" ? 2 : 1,
  });
}

// Plotly's own reset goes back to the ranges it drew first, when there was nothing to draw yet.
// A new revision lets go of the zoom instead, so that the figure shows its ranges of today.
function showWhole(node) {
  node.bnpView = (node.bnpView || 0) + 1;
  draw(window.Plotly, node);
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const node = parentElement.querySelector(".bnp-figure");
  if (!node) return;
  node.setAttribute("aria-label", data.alt);
  node.style.height = data.height + "px";
  node.bnpData = data;
  node.bnpTell = setStateValue;
  node.classList.toggle("bnp-clicks", data.clicks);
  loadPlotly(data.url)
    .then((Plotly) => {
      draw(Plotly, node);
      if (!node.bnpResize) {
        node.on("plotly_doubleclick", () => setTimeout(() => showWhole(node)));
        node.on("plotly_click", ({ points }) => {
          const point = points[0] && points[0].customdata;
          // With the time, so that a second click on the same point is a change too.
          if (node.bnpData.clicks && point != null) {
            node.bnpTell("clicked", { point, time: Date.now() });
          }
        });
        node.bnpResize = new ResizeObserver(() => {
          if (node.offsetWidth > 0 && node.data) Plotly.Plots.resize(node);
        });
        node.bnpResize.observe(node);
      }
    })
    .catch(() => {
      node.innerHTML = '<p class="bnp-waiting">The drawing library could not be loaded. ' +
        'Reload the page; the numbers are in the table below.</p>';
    });
}
"""
)

_component = st.components.v2.component(
    "bnpexplorer_figure", html=HTML, css=CSS, js=JS, isolate_styles=False
)
_loader = st.components.v2.component(
    "bnpexplorer_figure_loader",
    html="<span></span>",
    js=LOAD + "export default ({ data }) => { loadPlotly(data.url).catch(() => {}); };",
    isolate_styles=False,
)


@st.cache_resource
def _plotly_url() -> str:
    """The address of plotly.js, put into the static folder at the first call; empty if it can't."""
    source = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    target = STATIC / PLOTLY_FILE
    if not st.get_option("server.enableStaticServing"):
        return ""
    try:
        if not target.exists():
            STATIC.mkdir(exist_ok=True)
            with replacing(target) as file:
                file.write(source.read_bytes())
    except OSError:
        return ""
    prefix = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{prefix}/app/static/{PLOTLY_FILE}" if prefix else f"/app/static/{PLOTLY_FILE}"


def load_ahead() -> None:
    """Let the browser fetch plotly.js while a page without figures is read (a second of work)."""
    url = _plotly_url()
    if url:
        _loader(key="load-ahead", data={"url": url})


@st.cache_resource(show_spinner=False, max_entries=256)
def _drawn(same: Hashable, key: str, height: int, _make: Callable[[], go.Figure]) -> str:
    """The JSON of a figure, made once for all tabs that show the same."""
    return _json(_make(), height)


def _json(figure: go.Figure, height: int) -> str:
    figure.update_layout(height=height, autosize=True)
    return str(figure.to_json(validate=False))


def live_figure(
    figure: go.Figure | Callable[[], go.Figure],
    key: str,
    height: int,
    alt: str,
    on_click: Callable[[Any], None] | None = None,
    same: Hashable = None,
) -> None:
    """Draw `figure` in place, keeping zoom over updates.

    Where many tabs watch, give a function that makes the figure, and in `same` everything that it
    depends on: it is called once, and tabs with an equal `same` share what it made.

    `on_click` is given the `customdata` of a point that was clicked, before the page runs again;
    offer the same by a field as well, for those who use no mouse.

    `alt` describes the picture to those who cannot see it; keep it constant (numbers that change
    belong in text beside the figure). Falls back to `st.plotly_chart` where plotly.js cannot be
    served from the static folder.
    """
    url = _plotly_url()
    if not url:
        figure = figure() if callable(figure) else figure
        figure.update_layout(height=height)
        config = {"showSendToCloud": False, "plotlyServerURL": "", "displaylogo": False}
        st.plotly_chart(figure, key=key, alt=alt, width="stretch", theme=None, config=config)
        return
    drawn = _drawn(same, key, height, figure) if callable(figure) else _json(figure, height)

    # Told as a state, not as a trigger: a trigger's callback was seen to come once more when the
    # figure had gone and session state held nothing under its key. A state that a figure brings
    # back when it is shown again is an old click: its time tells.
    def clicked() -> None:
        value = st.session_state[key].get("clicked")
        latest = st.session_state.get(f"{key}-clicked", 0)
        if on_click is not None and value is not None and value["time"] > latest:
            st.session_state[f"{key}-clicked"] = value["time"]
            on_click(value["point"])

    _component(
        key=key,
        on_clicked_change=clicked,
        data={
            "figure": drawn,
            "height": height,
            "alt": alt,
            "url": url,
            "file": f"bnpexplorer-{key}",
            "clicks": on_click is not None,
        },
    )
