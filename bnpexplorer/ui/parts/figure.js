function draw(Plotly, node) {
  const { figure, alt, texts } = node.bnpData;
  const { data, layout } = JSON.parse(figure);
  if (texts) giveTexts(data, texts);
  node.bnpNames = takeNames(layout);
  // One config for all updates: Plotly draws anew, without the zoom, where a button's function is
  // not the same as before.
  node.bnpConfig ||= {
    responsive: true,
    displaylogo: false,
    doubleClick: false,
    showSendToCloud: false,
    plotlyServerURL: "", // texts stay on this machine, and figures too
    plotGlPixelRatio: window.devicePixelRatio, // its own 2 is four times the work on most screens
    modeBarButtonsToRemove: [
      "toImage",
      ...(node.bnpData.selects ? [] : ["select2d", "lasso2d"]),
      ...(node.bnpData.selects ? [] : ["zoomIn2d", "zoomOut2d"]),
      "autoScale2d",
      "resetScale2d",
    ],
    modeBarButtonsToAdd: [
      downloader("svg"),
      downloader("png"),
      { name: "whole", title: "Show the whole", icon: Plotly.Icons.home, click: showWhole },
    ],
  };
  const reduced = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (reduced) layout.transition = { duration: 0 };
  layout.uirevision += ` ${node.bnpView || 0}`;
  if (plays(Plotly, node)) return;
  node.bnpDrawn = Plotly.react(node, data, layout, node.bnpConfig);
  node.bnpDrawn.then(() => writeNames(node));
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
    name: format,
    title: `Download as ${word}`,
    icon: { svg: icon },
    click: (node) => download(node, format),
  };
}

// As it stands, zoom included, on the page's own background: on the page it is transparent. A PNG
// has twice the points, for paper.
function download(node, format) {
  const paper = getComputedStyle(node).getPropertyValue("--st-background-color") || "white";
  const annotations = [...(node.layout.annotations || []), ...(node.bnpWritten || [])];
  const layout = { ...node.layout, paper_bgcolor: paper, annotations };
  window.Plotly.downloadImage(
    { data: node.data, layout },
    {
      format,
      filename: node.bnpData.file,
      width: node.offsetWidth,
      height: node.offsetHeight,
      scale: format === "png" ? 2 : 1,
    },
  );
}

// The outline that was drawn, not the points in it: of 50,000 points that is a tenth of a second.
function outlineOf({ range, lassoPoints }) {
  if (lassoPoints) return { x: lassoPoints.x, y: lassoPoints.y };
  const [[left, right], [low, high]] = [range.x, range.y];
  return { x: [left, right, right, left], y: [low, low, high, high] };
}

// Which of the points that say what they are lies under the pointer. Where lines are read at one
// place of the axis Plotly answers with one point a line, the nearest along that axis: of crowded
// marks it may be another one's. So all marks are asked; of two in one place the upper is meant.
function nearest(node, points, event) {
  const told = points.filter(({ customdata }) => customdata != null);
  const layout = node._fullLayout;
  if (!told.length || layout.hovermode === "closest") return told[0]?.customdata;
  const box = node.getBoundingClientRect();
  const pointer = [event.clientX - box.left, event.clientY - box.top];
  let found = told[0].customdata;
  let least = Infinity;
  for (const trace of node._fullData) {
    const asked = trace.visible === true && trace.customdata && trace.mode?.includes("markers");
    const xaxis = layout[trace.xaxis?.replace("x", "xaxis")];
    const yaxis = layout[trace.yaxis?.replace("y", "yaxis")];
    for (let k = 0; asked && k < trace.x.length; k++) {
      const x = xaxis._offset + xaxis.d2p(trace.x[k]) - pointer[0];
      const y = yaxis._offset + yaxis.d2p(trace.y[k]) - pointer[1];
      if (Math.hypot(x, y) <= least) [found, least] = [trace.customdata[k], Math.hypot(x, y)];
    }
  }
  return found;
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
  node.style.height = `${data.height}px`;
  node.bnpData = data;
  node.bnpTell = setStateValue;
  node.classList.toggle("bnp-clicks", data.clicks);
  loadPlotly(data.url)
    .then((Plotly) => {
      draw(Plotly, node);
      if (!node.bnpResize) {
        node.on("plotly_relayout", () => writeNames(node));
        node.on("plotly_relayouting", () => moveNames(node));
        node.on("plotly_doubleclick", () => setTimeout(() => showWhole(node)));
        node.on("plotly_click", ({ points, event }) => {
          const point = nearest(node, points, event);
          // With the time, so that a second click on the same point is a change too.
          if (node.bnpData.clicks && point != null) {
            node.bnpTell("clicked", { point, time: Date.now() });
          }
        });
        node.on("plotly_selected", (event) => {
          const drawn = event?.range || event?.lassoPoints; // not of one that was let go
          if (node.bnpData.selects && drawn) {
            node.bnpTell("outlined", { outline: outlineOf(event), time: Date.now() });
          }
        });
        node.bnpResize = new ResizeObserver(() => {
          if (node.offsetWidth > 0 && node.data) Plotly.Plots.resize(node);
        });
        node.bnpResize.observe(node);
      }
    })
    .catch(() => {
      node.innerHTML =
        '<p class="bnp-waiting">The drawing library could not be loaded. ' +
        "Reload the page; the numbers are in the table below.</p>";
    });
}
