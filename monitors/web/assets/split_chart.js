// The time of each thread, split into compute, transfer and waiting: a column for each thread on a canvas. A kind has a colour
// and a pattern. With more threads than columns fit, neighbours share a column, which shows their mean.
//
// Mouse: hover shows a line of text, click selects. Keyboard: arrows move the selection.

import { element, counted, duration, percent } from "./text.js";

export const time_kinds = [
  { kind: "compute", words: "Compute" },
  { kind: "transfer", words: "Transfer" },
  { kind: "waiting", words: "Waiting" },
];
const height = 180;
const min_column = 3; // pixels

/** A bar for a cell of a table. */
export function split_bar(row) {
  const whole = time_kinds.reduce((sum, { kind }) => sum + row[kind], 0);
  const parts = time_kinds.map(({ kind }) => {
    const part = element("span", { class: `part ${kind}` });
    part.style.width = `${whole > 0 ? (100 * row[kind]) / whole : 0}%`;
    return part;
  });
  return element("span", { class: "split", role: "img", "aria-label": time_kinds.map(({ kind, words }) => `${words} ${duration(row[kind])}`).join(", ") }, ...parts);
}

export class SplitChart {
  /** `on_select` gets the row of the selected thread. */
  constructor(on_select) {
    this.on_select = on_select;
    this.rows = [];
    this.selected = -1;
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": "Time of each thread" });
    this.hint = element("p", { class: "faint hint", dir: "auto", "aria-live": "polite" }, " ");
    this.box = element("div", { class: "grid-box" }, this.canvas, this.hint);
    this.canvas.addEventListener("mousemove", (event) => this.point(this.at(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(-1));
    this.canvas.addEventListener("click", (event) => this.on_select(this.rows[this.at(event)]));
    this.canvas.addEventListener("keydown", (event) => this.move(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  update(rows, selected) {
    this.rows = rows;
    this.selected = selected;
    this.canvas.setAttribute("aria-label", `Time of ${counted(rows.length, "thread")}, split into compute, transfer and waiting`);
    this.draw();
    this.point(-1);
  }

  draw() {
    const width = this.box.clientWidth;
    if (width === 0 || this.rows.length === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    this.share = Math.max(1, Math.ceil((this.rows.length * min_column) / width));
    this.columns = Math.ceil(this.rows.length / this.share);
    this.step = Math.min(48, width / this.columns);
    const looks = time_kinds.map(({ kind }) => look_of(context, kind));
    for (let column = 0; column < this.columns; ++column) this.draw_column(context, column, looks);
    this.draw_selection(context);
  }

  draw_column(context, column, looks) {
    const rows = this.rows.slice(column * this.share, (column + 1) * this.share);
    const sums = time_kinds.map(({ kind }) => rows.reduce((sum, row) => sum + row[kind], 0));
    const whole = sums.reduce((a, b) => a + b, 0);
    const gap = this.step > 6 ? 2 : 0;
    let y = height;
    sums.forEach((sum, i) => {
      const size = whole > 0 ? (sum / whole) * height : 0;
      y -= size;
      for (const fill of looks[i]) {
        context.fillStyle = fill;
        context.fillRect(column * this.step, y, this.step - gap, size);
      }
    });
  }

  draw_selection(context) {
    if (this.selected < 0) return;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--text");
    context.lineWidth = 2;
    context.strokeRect(Math.floor(this.selected / this.share) * this.step + 1, 1, Math.max(this.step - 2, 2), height - 2);
  }

  /** The number of the row at the mouse; -1 if there is none. */
  at(event) {
    if (!this.step) return -1;
    const column = Math.floor((event.clientX - this.canvas.getBoundingClientRect().left) / this.step);
    const row = column * this.share;
    return column >= 0 && row < this.rows.length ? row : -1;
  }

  point(at) {
    const row = this.rows[at < 0 ? this.selected : at];
    if (!row) {
      this.hint.textContent = this.share > 1 ? `Each column is the mean of ${this.share} threads.` : " ";
      return;
    }
    const rows = at < 0 ? [row] : this.rows.slice(at, at + this.share); // of a column, or the selected one
    const mean = (kind) => rows.reduce((sum, one) => sum + one[kind], 0) / rows.length;
    const whole = time_kinds.reduce((sum, { kind }) => sum + mean(kind), 0);
    const parts = time_kinds.map(({ kind, words }) => `${words.toLowerCase()} ${duration(mean(kind))} (${percent(whole > 0 ? mean(kind) / whole : 0)})`);
    const names = rows.length > 1 ? `${row.name} .. ${rows.at(-1).name}, mean of ${rows.length}` : row.name;
    this.hint.textContent = `${names}: ${parts.join(", ")}`;
  }

  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = this.selected < 0 ? 0 : Math.min(this.rows.length - 1, Math.max(0, this.selected + step));
    this.on_select(this.rows[next]);
  }
}

/** A colour, and for two kinds a pattern over it. */
function look_of(context, kind) {
  const style = getComputedStyle(document.documentElement);
  const colour = style.getPropertyValue(`--time-${kind}`).trim();
  if (kind === "compute") return [colour];
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.strokeStyle = pen.fillStyle = style.getPropertyValue("--card").trim();
  pen.globalAlpha = 0.55;
  if (kind === "waiting") {
    pen.fillRect(1, 1, 2, 2);
    pen.fillRect(5, 5, 2, 2);
  } else {
    for (const from of [-8, 0, 8]) {
      pen.moveTo(from, 8);
      pen.lineTo(from + 8, 0);
    }
    pen.stroke();
  }
  return [colour, context.createPattern(tile, "repeat")];
}
