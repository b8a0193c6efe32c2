// A recording plays by itself, once: curves up to each moment in turn, or each moment's picture.
// Then the figure stands as it ended, as it does at once for those who want less motion.
const LATE = 1500; // milliseconds; a figure that comes later begins at its own beginning

// Whether it plays now, so that nobody else needs to draw it.
export function plays(Plotly, node) {
  const { figure, play } = node.bnpData;
  if (!play || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return false;
  if (node.bnpPlayed === figure) return node.bnpPlaying;
  node.bnpPlayed = figure;
  node.bnpPlaying = true;
  const { data, layout } = JSON.parse(figure);
  const bare = play.pictures ? layout : { ...layout, annotations: [] }; // ends without their labels
  const last = play.until.length - 1;
  const began = beginning();
  let shown = -1;
  const show = () => {
    if (!node.isConnected || node.bnpPlayed !== figure) return;
    const now = Math.min(Math.floor((performance.now() - began) / play.milliseconds), last);
    if (now === last) {
      node.bnpPlaying = false;
      draw(Plotly, node);
      return;
    }
    if (now !== shown) {
      shown = now;
      const traces = data.map((trace) => upTo(trace, play, now));
      Plotly.react(node, traces, bare, node.bnpConfig);
    }
    requestAnimationFrame(show);
  };
  show();
  return true;
}

// One time for all figures that come together.
function beginning() {
  const now = performance.now();
  if (!(now - window.bnpPlayBegan < LATE)) window.bnpPlayBegan = now;
  return window.bnpPlayBegan;
}

function upTo(trace, { until, pictures }, now) {
  if (pictures) return { ...trace, z: pictures[now] };
  const [x, y] = [numbers(trace.x), numbers(trace.y)];
  const n = x.filter((place) => place <= until[now]).length;
  return { ...trace, x: x.slice(0, n), y: y.slice(0, n) };
}

// A list as it is, or the float64 that plotly's Python writes in base 64.
function numbers(found) {
  if (Array.isArray(found)) return found;
  const bytes = Uint8Array.from(atob(found.bdata), (letter) => letter.charCodeAt(0));
  return [...new Float64Array(bytes.buffer)];
}
