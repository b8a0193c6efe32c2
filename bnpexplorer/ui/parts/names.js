// Names over the points of a figure: the first ones that do not meet, as many as there is room for
// at this width and zoom, and none cut by an edge.
const BESIDE = 16; // pixels that a name has beyond its letters, ten of them on its plate
const BELOW = 7;
const IF_ROOM = "if room";

// Takes them out of a layout: of 40 such annotations every frame of a moved figure took 60 ms longer,
// as HTML that is moved they take none.
export function takeNames(layout) {
  const names = (layout.annotations || []).filter(({ name }) => name === IF_ROOM);
  if (names.length) layout.annotations = layout.annotations.filter((a) => !names.includes(a));
  return names;
}

// Writes those that fit, above the points and below what the pointer shows.
export function writeNames(node) {
  const { xaxis, yaxis } = node._fullLayout;
  if (!xaxis || !(node.bnpNames.length || node.bnpWritten?.length)) return;
  const layer = node.querySelector(".bnp-names") || newLayer(node);
  layer.style.left = `${xaxis._offset}px`;
  layer.style.top = `${yaxis._offset}px`;
  layer.style.width = `${xaxis._length}px`;
  layer.style.height = `${yaxis._length}px`;
  node.bnpWritten = namesThatFit(node._fullLayout, node.bnpNames);
  layer.replaceChildren(...node.bnpWritten.map(plateOf));
  moveNames(node);
}

// The same names, where their places are now.
export function moveNames(node) {
  const { xaxis, yaxis } = node._fullLayout;
  const plates = node.querySelector(".bnp-names")?.children || [];
  for (const [k, plate] of [...plates].entries()) {
    const { x, y, xshift, yshift } = node.bnpWritten[k];
    const [left, top] = [xaxis.c2p(x) + xshift, yaxis.c2p(y) - yshift];
    plate.style.transform = `translate(${left}px, ${top}px) translate(-50%, -50%)`;
  }
}

function newLayer(node) {
  const layer = document.createElement("div");
  layer.className = "bnp-names";
  layer.setAttribute("aria-hidden", "true"); // the table has them
  [...node.querySelectorAll(".svg-container > .main-svg")].at(-1).before(layer);
  return layer;
}

function plateOf({ text, font, bgcolor, bordercolor }) {
  const plate = document.createElement("span");
  plate.textContent = lettersOf(text);
  plate.style.color = font.color;
  plate.style.fontSize = `${font.size}px`;
  plate.style.background = bgcolor;
  plate.style.borderColor = bordercolor;
  return plate;
}

function namesThatFit({ xaxis, yaxis, font }, names) {
  const pen = document.createElement("canvas").getContext("2d");
  const taken = [];
  for (const name of names) {
    const [x, y] = [xaxis.c2p(name.x), yaxis.c2p(name.y)];
    if (x < 0 || y < 0 || x > xaxis._length || y > yaxis._length) continue;
    pen.font = `600 ${name.font.size}px ${font.family}`;
    const wide = pen.measureText(lettersOf(name.text)).width + BESIDE;
    const tall = 1.3 * name.font.size + BELOW;
    const left = within(x - wide / 2, xaxis._length - wide);
    const top = within(y - tall / 2, yaxis._length - tall);
    const free = taken.every(
      (other) =>
        left >= other.left + other.wide ||
        other.left >= left + wide ||
        top >= other.top + other.tall ||
        other.top >= top + tall,
    );
    if (!free) continue;
    const shift = { xshift: left + wide / 2 - x, yshift: y - top - tall / 2 };
    taken.push({ left, top, wide, tall, drawn: { ...name, ...shift } });
  }
  return taken.map(({ drawn }) => drawn);
}

function within(place, most) {
  return Math.max(0, Math.min(place, most));
}

function lettersOf(text) {
  return text
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}
