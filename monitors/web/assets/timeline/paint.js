// Draws tiles of a timeline: operations as bars with the colour, the pattern and the letter of their class, bins as shares of
// their time, and hatched what was lost. A tile is drawn once, on a canvas of its own, and then moved.

import { class_of, depth_of, first_ending_after, is_in_flight, rows_of_group } from "./tiles.js";
import { ink_on } from "../states.js";

export const row_height = 24;
export const bar_font = "11px system-ui, sans-serif";
const bar_top = 3;
const bar_height = row_height - 2 * bar_top;
const step = 3; // of an operation inside another

// By class: the name of its colour, and its pattern.
const looks = [["send", null], ["receive", null], ["wait", "stripes"], ["collective", "lines"], ["file", "columns"], ["region", null], ["other", "dots"]];

/** The colours and patterns of the present theme. */
export class Palette {
  constructor() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.back = colour("--card");
    this.line = colour("--line");
    this.text = colour("--text");
    this.faint = colour("--faint");
    this.accent = colour("--accent");
    this.lost = colour("--lost");
    this.arrow = colour("--arrow");
    this.classes = looks.map(([name, pattern]) => {
      const base = colour(`--class-${name}`);
      return { colour: base, ink: ink_on(base), ...(pattern ? pattern_of(base, pattern) : { fill: base }) };
    });
    this.gap = { colour: this.back, ink: this.lost, ...pattern_of(this.back, "cross", this.lost) };
  }
}

/** A pattern to fill with, and the same as the address of an image. */
function pattern_of(base, kind, ink = ink_on(base) === "#000000" ? "rgb(0 0 0 / .28)" : "rgb(255 255 255 / .38)") {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = base;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = pen.fillStyle = ink;
  pen.lineWidth = 1.4;
  pen.beginPath();
  const line = (x1, y1, x2, y2) => { pen.moveTo(x1, y1); pen.lineTo(x2, y2); };
  if (kind === "stripes" || kind === "cross") for (const shift of [-8, 0, 8]) line(shift, 8, shift + 8, 0);
  if (kind === "cross") for (const shift of [-8, 0, 8]) line(shift, 0, shift + 8, 8);
  if (kind === "lines") for (const y of [1.5, 5.5]) line(0, y, 8, y);
  if (kind === "columns") for (const x of [1.5, 5.5]) line(x, 0, x, 8);
  if (kind === "dots") for (const [x, y] of [[1, 1], [5, 5]]) pen.fillRect(x, y, 1.6, 1.6);
  pen.stroke();
  return { fill: pen.createPattern(tile, "repeat"), image: tile.toDataURL() };
}

/** A canvas with the tile's rows of `group` from `from` to `to`, `width` pixels wide. */
export function paint(tile, { group, from, to, width }, { header, palette, scale }) {
  const canvas = document.createElement("canvas");
  const count = Math.min(rows_of_group, header.rows.length - group * rows_of_group);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(count * row_height * scale));
  const pen = canvas.getContext("2d");
  pen.scale(canvas.width / width, canvas.height / (count * row_height));
  pen.font = bar_font;
  pen.textBaseline = "middle";
  const x_of = (time) => ((time - from) / (to - from)) * width;
  for (const [row, data] of tile.rows) {
    const top = (row - group * rows_of_group) * row_height;
    if (tile.exact) paint_operations(pen, data, top, { x_of, width, palette, header, from, to });
    else paint_bins(pen, data, top, tile, { x_of, palette });
  }
  pen.fillStyle = palette.gap.fill;
  for (const [row, begin, end] of tile.gaps) {
    const [left, right] = [Math.max(0, x_of(begin)), Math.min(width, x_of(end))];
    if (right < 0 || left > width) continue;
    pen.fillRect(left, (row - group * rows_of_group) * row_height + 1, Math.max(right - left, 2), row_height - 2);
  }
  return canvas;
}

function paint_operations(pen, data, top, { x_of, width, palette, header, from, to }) {
  let covered = -1; // the last pixel that was drawn at depth 0: operations within it would draw the same again
  for (let i = first_ending_after(data, from); i < data.count && data.begin[i] < to; ++i) {
    const right = x_of(data.end[i]);
    if (right < 0) continue;
    const left = x_of(data.begin[i]);
    const depth = depth_of(data.look[i]);
    if (depth === 0 && right < covered) continue;
    const look = palette.classes[class_of(data.look[i])];
    const lift = Math.min(depth * step, bar_height - 5);
    const [x, wide] = [Math.max(left, -2), Math.min(right, width + 2) - Math.max(left, -2)];
    pen.fillStyle = wide > 6 ? look.fill : look.colour;
    const seam = wide > 4 && right < width ? 0.6 : 0; // between operations, not between tiles
    pen.fillRect(x, top + bar_top + lift, Math.max(wide - seam, 0.8), bar_height - lift);
    if (depth === 0) covered = Math.floor(x + Math.max(wide, 0.8));
    if (is_in_flight(data.look[i]) && right <= width + 2) paint_open_end(pen, x, wide, top, palette);
    const place = { x: left, wide: Math.min(right, width) - left, top: top + lift };
    if (left >= 0 && place.wide > 13) paint_text(pen, header, { name: data.name[i], of: class_of(data.look[i]) }, place, look);
  }
}

// An operation that had not ended is open at its end.
function paint_open_end(pen, x, wide, top, palette) {
  pen.fillStyle = palette.text;
  for (let y = top + bar_top; y < top + bar_top + bar_height; y += 4) pen.fillRect(x + wide - 2.5, y, 2.5, 2);
}

/** The letter of an operation's class and, where there is room, its name. */
export function paint_text(pen, header, { name, of }, { x, wide, top }, look) {
  const { letter } = header.classes[of];
  const fits = wide > 60 ? `${letter} ${header.names[name] ?? ""}` : letter;
  const most = Math.floor((wide - 6) / 6);
  const text = fits.length > most && fits.length > 1 ? `${fits.slice(0, Math.max(1, most - 1))}…` : fits;
  const y = top + row_height / 2 + 0.5;
  pen.fillStyle = look.colour; // without the pattern below the text
  pen.fillRect(x, y - 6, Math.min(pen.measureText(text).width + 5, wide), 12);
  pen.fillStyle = look.ink;
  pen.fillText(text, x + 3, y);
}

// The shares of a bin, one over the other; what is left is time outside of operations.
function paint_bins(pen, data, top, tile, { x_of, palette }) {
  let bin = -1;
  let bottom = 0;
  for (let i = 0; i < data.count; ++i) {
    if (data.bin[i] !== bin) bottom = top + bar_top + bar_height;
    bin = data.bin[i];
    const left = x_of(tile.from + bin * tile.width);
    const right = x_of(tile.from + (bin + 1) * tile.width);
    const height = data.share[i] > 0 ? Math.max((data.share[i] / 1000) * bar_height, 0.7) : data.begun[i] > 0 ? 1.5 : 0;
    pen.fillStyle = palette.classes[data.class[i]].colour;
    pen.fillRect(left, bottom - height, Math.max(right - left, 0.5), height);
    bottom -= height;
  }
}
