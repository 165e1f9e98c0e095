// A matrix on a canvas: a square for each pair of a row and a column, stronger for larger values, on a logarithmic scale; large
// squares have their value as text. Mouse: hover shows a line of text. Keyboard: arrows move a frame, whose square is described.

import { ink_on } from "./states.js";
import { element } from "./text.js";

const max_side = 640;
const max_cell = 64;
const text_cell = 40; // squares of at least this size have a text

export class MatrixChart {
  constructor(row_words, column_words) {
    this.words = { row: row_words, column: column_words };
    this.rows = [];
    this.cells = new Map();
    this.at = null;
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": "Matrix" });
    this.hint = element("p", { class: "faint hint", dir: "auto", "aria-live": "polite" }, " ");
    this.scale = element("canvas", { class: "scale", "aria-hidden": "true" });
    this.least = element("span");
    this.most = element("span");
    this.box = element("div", { class: "matrix" }, this.canvas, this.hint,
      element("div", { class: "scale-box" }, this.least, this.scale, this.most));
    this.canvas.addEventListener("mousemove", (event) => this.point(this.find(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(this.at));
    this.canvas.addEventListener("click", (event) => this.move_to(this.find(event)));
    this.canvas.addEventListener("keydown", (event) => this.move(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** `cells`: {row, column, value}; `text_of` gives the text of a value, `describe` the line about a cell. */
  update(rows, cells, text_of, describe) {
    this.rows = rows;
    this.text_of = text_of;
    this.describe = describe;
    this.cells = new Map(cells.map((cell) => [cell.row * rows.length + cell.column, cell]));
    this.values = cells.map((cell) => cell.value).filter((value) => value > 0);
    this.canvas.setAttribute("aria-label", `Matrix of ${rows.length} rows (${this.words.row}s) and columns (${this.words.column}s), with ${cells.length} pairs. Arrows move.`);
    if (this.at && (this.at.row >= rows.length || this.at.column >= rows.length)) this.at = null;
    this.draw();
    this.point(this.at);
  }

  draw() {
    const width = this.box.clientWidth;
    const count = this.rows.length;
    if (width === 0 || count === 0) return;
    const style = getComputedStyle(document.documentElement);
    const context = sized(this.canvas, width, 1).getContext("2d");
    context.font = "12px system-ui, sans-serif";
    const names = this.rows.map((name) => context.measureText(name).width);
    this.label = Math.min(Math.max(...names) + 8, width / 3, 140);
    this.cell = Math.max(1, Math.min(max_cell, Math.floor(Math.min(max_side, width - this.label) / count)));
    this.top = 20;
    const side = this.cell * count;
    const ratio = window.devicePixelRatio || 1;
    sized(this.canvas, width, this.top + side + 2);
    context.scale(ratio, ratio);
    const colour = this.colours(style);
    context.fillStyle = style.getPropertyValue("--state-unknown");
    context.fillRect(this.label, this.top, side, side);
    for (const cell of this.cells.values()) this.draw_cell(context, cell, colour);
    this.draw_labels(context, style);
    this.draw_frame(context, style);
    this.draw_scale(colour);
  }

  /** The colour of a value. */
  colours(style) {
    const [least, most] = [Math.min(...spread(this.values)), Math.max(...spread(this.values))];
    const mix = d3.interpolateLab(style.getPropertyValue("--matrix-least").trim(), style.getPropertyValue("--matrix-most").trim());
    const share = most > least ? d3.scaleLog().domain([least, most]).clamp(true) : () => 1;
    return { of: (value) => hex_of(d3.rgb(mix(share(value)))), mix, least, most };
  }

  draw_cell(context, cell, colour) {
    if (!(cell.value > 0)) return;
    const [x, y] = [this.label + cell.column * this.cell, this.top + cell.row * this.cell];
    const gap = this.cell > 5 ? 1 : 0;
    const fill = colour.of(cell.value);
    context.fillStyle = fill;
    context.fillRect(x, y, this.cell - gap, this.cell - gap);
    if (this.cell < text_cell) return;
    context.fillStyle = ink_on(fill);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = "11px system-ui, sans-serif";
    context.fillText(this.text_of(cell.value), x + this.cell / 2, y + this.cell / 2, this.cell - 4);
  }

  // As many names as do not touch; the columns have the same names in the same order.
  draw_labels(context, style) {
    const step = Math.max(1, Math.ceil(15 / this.cell));
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--faint");
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let i = 0; i < this.rows.length; i += step)
      context.fillText(this.rows[i], this.label - 6, this.top + (i + 0.5) * this.cell, this.label - 8);
    context.textAlign = "left";
    context.fillText(`${this.words.row} ↓   ${this.words.column} →  (in the same order)`, this.label, 8);
  }

  draw_frame(context, style) {
    if (!this.at) return;
    context.strokeStyle = style.getPropertyValue("--text");
    context.lineWidth = 2;
    const size = Math.max(this.cell, 6);
    context.strokeRect(this.label + this.at.column * this.cell - 1, this.top + this.at.row * this.cell - 1, size + 1, size + 1);
  }

  draw_scale(colour) {
    const width = 160;
    const context = sized(this.scale, width, 12).getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    context.scale(ratio, ratio);
    for (let x = 0; x < width; ++x) {
      context.fillStyle = colour.mix(x / (width - 1));
      context.fillRect(x, 0, 1, 12);
    }
    this.scale.style.width = `${width}px`;
    this.least.textContent = this.values.length > 0 ? this.text_of(colour.least) : "";
    this.most.textContent = this.values.length > 0 ? this.text_of(colour.most) : "nothing";
  }

  find(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - this.label) / this.cell);
    const row = Math.floor((event.clientY - box.top - this.top) / this.cell);
    const is_inside = row >= 0 && column >= 0 && row < this.rows.length && column < this.rows.length;
    return is_inside ? { row, column } : null;
  }

  point(at) {
    if (!at) {
      this.hint.textContent = " ";
      return;
    }
    const cell = this.cells.get(at.row * this.rows.length + at.column);
    this.hint.textContent = cell ? this.describe(cell) : `${this.rows[at.row]} to ${this.rows[at.column]}: nothing`;
  }

  move_to(at) {
    this.at = at;
    this.draw();
    this.point(at);
  }

  move(event) {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const inside = (value) => Math.max(0, Math.min(this.rows.length - 1, value));
    this.move_to(this.at ? { row: inside(this.at.row + step[0]), column: inside(this.at.column + step[1]) } : { row: 0, column: 0 });
  }
}

const hex_of = ({ r, g, b }) => `#${[r, g, b].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
const spread = (values) => (values.length > 0 ? [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] : [0]);

function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  return canvas;
}
