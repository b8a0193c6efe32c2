// plotly.js, loaded once a browser tab, whichever component asks first.
export function loadPlotly(path) {
  if (!window.__bnpPlotly) {
    window.__bnpPlotly = new Promise((resolve, reject) => {
      if (window.Plotly) {
        resolve(window.Plotly);
        return;
      }
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
