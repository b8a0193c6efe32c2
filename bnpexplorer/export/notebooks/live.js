// The live figures of a run: asks for the newest drawing twice a second while the run learns, and
// passes buttons on. Title and state are written as text; the drawing has no script in it.

const EVERY = 500; // milliseconds, as often as a run publishes
const PATIENCE = 10000; // milliseconds after which a question without an answer is asked again

function element(name, parent, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  parent.append(made);
  return made;
}

function render({ model, el }) {
  const card = element("div", el);
  card.className = "bnpexplorer";
  const style = element("div", card);
  style.innerHTML = model.get("style");
  const title = element("h2", card);
  const said = element("p", card);
  said.className = "quiet";
  said.setAttribute("role", "status");
  const row = element("div", card);
  row.className = "buttons";
  const toggle = element("button", row);
  const step = element("button", row, "Step");
  const figure = element("div", card);

  let asked = 0; // when the question was put that is still open
  const ask = (what) => {
    asked = Date.now();
    model.send({ do: what });
  };
  const show = () => {
    asked = 0;
    const state = model.get("state");
    title.textContent = model.get("title");
    said.textContent = model.get("said");
    if (figure.innerHTML !== model.get("drawing")) {
      figure.innerHTML = model.get("drawing");
    }
    toggle.textContent = state === "going" ? "Pause" : "Go on";
    toggle.disabled = state === "done";
    step.disabled = state !== "paused";
  };
  toggle.addEventListener("click", () => ask(model.get("state") === "going" ? "pause" : "go_on"));
  step.addEventListener("click", () => ask("step"));
  model.on("change:answers", show);
  show();
  const clock = setInterval(() => {
    if (model.get("state") === "going" && Date.now() - asked > (asked ? PATIENCE : 0)) {
      ask("look");
    }
  }, EVERY);
  return () => {
    clearInterval(clock);
    model.off("change:answers", show);
  };
}

export default { render };
