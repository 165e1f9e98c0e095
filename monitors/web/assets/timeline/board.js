// The canvas of a timeline: which part of it is seen, how pointer and keys change that, and what is under the pointer.

import { arrows_in, axis_height, draw_axis, draw_bars, draw_lines, draw_links, draw_names, links_of, Pictures, places_in } from "./layers.js";
import { moments_of } from "./moments.js";
import { bar_font, paint_text, Palette, row_height } from "./paint.js";
import { depth_of, first_ending_after, operation_in, rows_of_group } from "./tiles.js";
import { element } from "../text.js";

const narrowest_ns = 50;
const near = 3; // pixels: the pointer need not hit a narrow bar exactly

export class Board {
  /** `on_move()` after the window has changed, `on_pick(operation | null, number that begin in the pixel | null)` at a click, `on_links(messages, collective operations)` how many are not drawn. */
  constructor({ on_move, on_pick, on_links }) {
    this.canvas = element("canvas", { tabindex: "0", role: "application", "aria-label":
      "Timeline: threads by time. Left and right move, plus and minus zoom, Home shows all; up and down go to another thread, and Enter selects its operation in the middle." });
    this.hint = element("p", { class: "hint faint", "aria-live": "off" }, " ");
    this.box = element("div", { class: "timeline-box" }, this.canvas, this.hint);
    this.on_move = on_move;
    this.on_pick = on_pick;
    this.on_links = on_links;
    this.tiles = null;
    this.pictures = new Pictures();
    this.look = { palette: null, scale: 1 };
    this.window = { from: 0, to: 1, top: 0, left: 120, width: 100, height: 100 };
    this.selected = null;
    this.marked = null; // a time
    this.row = 0;
    this.is_due = false;
    this.links = { shown: new Set(), messages: [], joins: [], left_out: 0, joins_left_out: 0 };
    this.listen();
  }

  /** Shows another reading, in the same window by the time that is shown. */
  set_tiles(tiles) {
    const shift = this.tiles ? moments_of(this.tiles.header).shift - moments_of(tiles.header).shift : null;
    this.tiles = tiles;
    this.moments = moments_of(tiles.header);
    this.pictures.clear();
    if (shift === null) this.show_all();
    else this.set_range(this.window.from + shift, this.window.to + shift);
    this.resize();
  }

  show_all() {
    this.set_range(0, this.tiles.header.length_ns);
  }

  set_range(from, to) {
    const length = Math.max(to - from, narrowest_ns);
    const most = this.tiles.header.length_ns;
    const margin = length * 0.5;
    const begin = Math.min(Math.max(from, -margin), most - margin);
    this.window.from = length >= most * 1.2 ? -most * 0.1 : begin;
    this.window.to = this.window.from + Math.min(length, most * 1.2);
    this.draw_soon();
  }

  pan(pixels) {
    const time = (pixels / this.window.width) * (this.window.to - this.window.from);
    this.set_range(this.window.from + time, this.window.to + time);
    this.on_move();
  }

  zoom(factor, x = this.window.left + this.window.width / 2) {
    const at = this.time_at(x);
    this.set_range(at - (at - this.window.from) * factor, at + (this.window.to - at) * factor);
    this.on_move();
  }

  scroll(pixels) {
    const most = Math.max(0, (this.tiles?.header.rows.length ?? 0) * row_height - this.window.height);
    this.window.top = Math.min(most, Math.max(0, this.window.top + pixels));
    this.draw_soon();
  }

  /** The row that keys are about; it is marked. */
  go_to_row(row) {
    this.row = Math.min(this.tiles.header.rows.length - 1, Math.max(0, row));
    const y = this.row * row_height - this.window.top;
    if (y < 0) this.scroll(y);
    if (y > this.window.height - row_height) this.scroll(y - this.window.height + row_height);
    this.draw_soon();
  }

  /** Scrolls a row to the middle, and marks it. */
  center_row(row) {
    this.row = row;
    this.scroll((row + 0.5) * row_height - this.window.top - this.window.height / 2);
  }

  /** Moves the window, if need be, until it has this operation. */
  reveal({ row, begin, end }) {
    const length = this.window.to - this.window.from;
    const wanted = Math.min(length, Math.max((end - begin) * 6, narrowest_ns * 20));
    const is_seen = begin >= this.window.from && end <= this.window.to && end - begin > length / 60; // wide enough to be clicked
    if (!is_seen) this.set_range((begin + end - wanted) / 2, (begin + end + wanted) / 2);
    const y = row * row_height - this.window.top;
    if (y < 0 || y > this.window.height - row_height) this.scroll(y - this.window.height / 2);
    this.on_move();
  }

  time_at(x) {
    return this.window.from + ((x - this.window.left) / this.window.width) * (this.window.to - this.window.from);
  }

  x_of(time) {
    return this.window.left + ((time - this.window.from) / (this.window.to - this.window.from)) * this.window.width;
  }

  resize() {
    const width = this.box.clientWidth;
    if (width === 0 || !this.tiles) return;
    const rows = this.tiles.header.rows.length * row_height;
    const most = Math.max(160, window.innerHeight - 390);
    this.window.left = width < 600 ? 84 : 150;
    this.window.width = width - this.window.left;
    this.window.height = Math.min(Math.max(rows, 3 * row_height), most);
    this.look = { palette: this.look.palette ?? new Palette(), scale: window.devicePixelRatio || 1, header: this.tiles.header };
    this.canvas.width = Math.round(width * this.look.scale);
    this.canvas.height = Math.round((this.window.height + axis_height) * this.look.scale);
    this.canvas.style.height = `${this.window.height + axis_height}px`;
    this.scroll(0);
  }

  set_theme() {
    this.look = { ...this.look, palette: new Palette() };
    this.draw_soon();
  }

  draw_soon() {
    if (this.is_due) return;
    this.is_due = true;
    requestAnimationFrame(() => {
      this.is_due = false;
      if (this.tiles && this.canvas.isConnected) this.draw();
    });
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    const { palette, scale } = this.look;
    const { window: seen } = this;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = palette.back;
    pen.fillRect(0, 0, seen.left + seen.width, seen.height + axis_height);
    draw_lines(pen, seen, this.tiles.header.rows.length, palette);
    const { shown, is_whole } = draw_bars(pen, seen, this.tiles, this.pictures, this.look);
    this.tiles.ask_for_wanted();
    if (!is_whole && !this.tiles.asked.size) this.draw_soon();
    this.draw_over(pen, shown);
    draw_names(pen, seen, this.tiles.header, palette, this.row);
    draw_lines(pen, seen, this.tiles.header.rows.length, palette);
    draw_axis(pen, seen, this.moments, palette);
    this.tell(is_whole);
  }

  // What the canvas shows, for tests: they cannot read it from its pixels.
  tell(is_whole) {
    const { from, to, top } = this.window;
    const { row, begin, end } = this.selected ?? {};
    const selected = this.selected ? `${this.x_of((begin + end) / 2)} ${(row + 0.5) * row_height - top}` : "";
    Object.assign(this.canvas.dataset, { whole: is_whole, range: `${from} ${to}`, generation: this.tiles.header.generation, selected });
  }

  draw_over(pen, shown) {
    if (!is_same(shown, this.links.shown)) this.links = { shown, ...links_of(shown) };
    const { arrows, left_out } = arrows_in(this.window, this.links);
    this.on_links(left_out, this.links.joins_left_out);
    const y_of = (row) => row * row_height - this.window.top + row_height / 2;
    draw_links(pen, arrows, this.links.joins, { x_of: (time) => this.x_of(time), y_of, palette: this.look.palette });
    this.draw_first_names(pen);
    if (this.marked !== null) {
      pen.fillStyle = this.look.palette.accent;
      pen.fillRect(this.x_of(this.marked) - 1, 0, 2, this.window.height);
    }
    if (this.selected === null) return;
    const { row, begin, end } = this.selected;
    pen.strokeStyle = this.look.palette.text;
    pen.lineWidth = 2;
    pen.strokeRect(this.x_of(begin) - 2, y_of(row) - row_height / 2 + 1, Math.max(this.x_of(end) - this.x_of(begin), 1) + 4, row_height - 2);
  }

  // An operation that began before the window has its name in no tile that is seen.
  draw_first_names(pen) {
    const { left, top, height } = this.window;
    pen.font = bar_font;
    pen.textBaseline = "middle";
    for (let y = row_height / 2 - (top % row_height); y < height; y += row_height) {
      const found = this.under(left + 1, y);
      const x_end = found?.end ? this.x_of(found.end) : 0;
      if (!found?.place || found.begin >= this.window.from || x_end < left + 30) continue;
      const place = { x: left, wide: Math.min(x_end, left + this.window.width) - left, top: y - row_height / 2 };
      paint_text(pen, this.tiles.header, found, place, this.look.palette.classes[found.of]);
    }
  }

  /** The innermost operation at a point of the canvas, null if there is none, or the number of operations in the bin there. */
  under(x, y) {
    const row = Math.floor((y + this.window.top) / row_height);
    const time = this.time_at(x);
    const slack = this.time_at(x + near) - time;
    const place = places_in(this.window, this.tiles).find((one) => one.from <= time && time < one.to && Math.floor(row / rows_of_group) === one.group);
    const tile = place ? this.tiles.find(place.group, place.level, place.index, (one) => one.exact || one.level === place.level) : null;
    const data = tile?.rows.get(row);
    if (!data) return null;
    return tile.exact ? operation_at(data, row, time, slack) : begun_at(data, Math.floor((time - tile.from) / tile.width));
  }

  pick(x, y) {
    const found = this.under(x, y);
    this.on_pick(typeof found === "number" ? null : found, typeof found === "number" ? found : null);
  }

  listen() {
    this.canvas.addEventListener("wheel", (event) => this.on_wheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.on_drag(event));
    this.canvas.addEventListener("pointermove", (event) => this.on_hover(event));
    this.canvas.addEventListener("keydown", (event) => this.on_key(event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.box);
  }

  on_wheel(event) {
    if (!this.tiles) return;
    event.preventDefault();
    if (event.shiftKey) this.scroll(event.deltaY || event.deltaX);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX);
    else this.zoom(1.0015 ** event.deltaY, event.offsetX);
  }

  on_drag(event) {
    if (!this.tiles || event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    const drag = new AbortController();
    const { signal } = drag;
    let last = event;
    let moved = 0;
    const move = (next) => {
      moved += Math.abs(next.clientX - last.clientX) + Math.abs(next.clientY - last.clientY);
      if (next.clientX !== last.clientX) this.pan(last.clientX - next.clientX);
      this.scroll(last.clientY - next.clientY);
      last = next;
    };
    const end = (next) => {
      drag.abort();
      if (moved < 5) this.pick(next.offsetX, next.offsetY);
    };
    this.canvas.addEventListener("pointermove", move, { signal });
    this.canvas.addEventListener("pointerup", end, { signal });
    this.canvas.addEventListener("pointercancel", () => drag.abort(), { signal }); // as when a finger scrolls the page: nothing was picked
  }

  on_hover(event) {
    if (!this.tiles || event.buttons !== 0) return;
    const found = this.under(event.offsetX, event.offsetY);
    this.hint.textContent = this.words_of(found) || " ";
  }

  words_of(found) {
    if (typeof found === "number") return found > 0 ? `${found} operations begin in this pixel; zoom in to see them.` : "";
    if (found === null) return "";
    const { header } = this.tiles;
    return `${header.rows[found.row].thread}: ${header.names[found.name]}${found.in_flight ? ", not ended" : ""}`;
  }

  on_key(event) {
    if (!this.tiles || event.ctrlKey || event.metaKey || event.altKey) return;
    const orders = {
      ArrowLeft: () => this.pan(-this.window.width / 8), ArrowRight: () => this.pan(this.window.width / 8),
      ArrowUp: () => this.go_to_row(this.row - 1), ArrowDown: () => this.go_to_row(this.row + 1),
      "+": () => this.zoom(1 / 1.5), "=": () => this.zoom(1 / 1.5), "-": () => this.zoom(1.5),
      Home: () => { this.show_all(); this.on_move(); },
      Enter: () => this.pick(this.window.left + this.window.width / 2, (this.row + 0.5) * row_height - this.window.top),
    };
    if (!orders[event.key]) return;
    event.preventDefault();
    orders[event.key]();
  }
}

function is_same(a, b) {
  return a.size === b.size && [...a].every((one) => b.has(one));
}

function operation_at(data, row, time, slack) {
  let best = -1;
  for (let i = first_ending_after(data, time - slack); i < data.count && data.begin[i] <= time + slack; ++i) {
    if (data.end[i] < time - slack) continue;
    if (best < 0 || depth_of(data.look[i]) >= depth_of(data.look[best])) best = i;
  }
  return best < 0 ? null : operation_in(data, row, best);
}

function begun_at(data, bin) {
  let begun = 0;
  for (let i = 0; i < data.count; ++i) if (data.bin[i] === bin) begun += data.begun[i];
  return begun;
}
