const positions = JSON.parse(document.getElementById("positions").textContent);
const place = document.getElementById("place");
const figures = document.getElementById("figures");
const drawn = positions[0].figures.map((one) => {
  const section = document.createElement("section");
  const title = document.createElement("h2");
  const node = document.createElement("div");
  title.textContent = one.title;
  node.className = "figure";
  section.append(title, node);
  figures.append(section);
  return node;
});

/** Show what was computed for where the slider stands. */
function show() {
  const position = positions[Number(place.value)];
  document.getElementById("position").textContent = position.name;
  document.getElementById("said").innerHTML = position.said;
  document.getElementById("pictures").innerHTML = position.pictures;
  position.figures.forEach(({ figure }, i) => {
    const layout = { ...figure.layout, autosize: true };
    window.Plotly.react(drawn[i], figure.data, layout, { displayModeBar: false, responsive: true });
  });
}

place.addEventListener("input", show);
show();
