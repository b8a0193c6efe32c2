// plotly.js, loaded once a browser tab, whichever component asks first.
export function loadPlotly(path) {
  window.__bnpPlotly ||= window.Plotly ? Promise.resolve(window.Plotly) : patiently(path);
  return window.__bnpPlotly;
}

// A network that fails for a moment must not leave every figure of the tab empty until it reloads.
async function patiently(path) {
  for (const pause of [1000, 2000, 4000]) {
    try {
      return await once(path);
    } catch {
      await new Promise((done) => setTimeout(done, pause));
    }
  }
  return once(path);
}

function once(path) {
  return new Promise((resolve, reject) => {
    const base = document.baseURI.replace(/[?#].*$/, "").replace(/[^/]*$/, "");
    const script = document.createElement("script");
    script.src = path.startsWith("/") ? path : base + path;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error("plotly.js could not be loaded"));
    document.head.appendChild(script);
  });
}
