// Names over the points of a figure: the first ones that do not meet, as many as there is room for
// at this width and zoom, and none cut by an edge.
const BESIDE = 12; // pixels between two names; a plate has four beyond its letters
const BELOW = 7;
const IF_ROOM = "if room";

// Takes them out of a layout, since nothing is known of the room before it is drawn.
export function takeNames(layout) {
  const names = (layout.annotations || []).filter(({ name }) => name === IF_ROOM);
  if (names.length) layout.annotations = layout.annotations.filter((a) => !names.includes(a));
  return names;
}

// Writes those that fit; does nothing if they are the same as before.
export function writeNames(Plotly, node) {
  if (!node.bnpNames?.length || !node._fullLayout?.xaxis) return;
  const kept = namesThatFit(node._fullLayout, node.bnpNames);
  const same = JSON.stringify(kept);
  if (node.bnpWritten === same) return;
  node.bnpWritten = same;
  const others = (node.layout.annotations || []).filter(({ name }) => name !== IF_ROOM);
  Plotly.relayout(node, { annotations: [...others, ...kept] });
}

function namesThatFit({ xaxis, yaxis, font }, names) {
  const pen = document.createElement("canvas").getContext("2d");
  const taken = [];
  for (const name of names) {
    const [x, y] = [xaxis.c2p(name.x), yaxis.c2p(name.y)];
    if (x < 0 || y < 0 || x > xaxis._length || y > yaxis._length) continue;
    pen.font = `bold ${name.font.size}px ${font.family}`;
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
