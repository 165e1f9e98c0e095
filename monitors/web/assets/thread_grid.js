// The threads as a grid of cells on a canvas, in the order of the session, grouped by node. Cells shrink with the number of
// threads: with room for it a cell shows the state's letter, else bad states have a mark (see states.js). The grid has a
// fixed height, so that nothing below it moves.
//
// Mouse: hover shows a line of text, click selects. Keyboard: arrows move the selection. The selection is in the address.

import { fill } from "./fill.js";
import { layout } from "./grid_layout.js";
import { is_bad, look_of, words_of } from "./states.js";
import { thread_of } from "./store.js";
import { counted, duration, element } from "./text.js";

const label_font = "12px system-ui, sans-serif";
const letter_size = 13; // cells of at least this many pixels show letters

export class ThreadGrid {
  constructor(page) {
    this.page = page;
    this.cells = [];
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": "Threads and their states" });
    this.heading = element("small");
    this.hint = element("p", { class: "faint hint", dir: "auto", "aria-live": "polite" }, " ");
    this.legend = element("div", { class: "legend", "aria-label": "States" });
    this.box = element("section", { class: "card" }, element("h2", {}, "Threads", this.heading),
      element("div", { class: "grid-box" }, this.canvas), this.hint, this.legend);
    this.canvas.addEventListener("mousemove", (event) => this.point(this.at(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => this.select(this.at(event)));
    this.canvas.addEventListener("keydown", (event) => this.move(event));
    new ResizeObserver(() => this.update()).observe(this.box);
  }

  /** The number of the selected thread; null if none is selected. */
  selected() {
    const text = this.page.address.get("select") ?? "";
    return text.startsWith("thread:") ? Number(text.slice(7)) : null;
  }

  select(index) {
    if (index !== null) this.page.address.set("select", `thread:${index}`);
  }

  update() {
    const width = this.canvas.parentElement.clientWidth;
    if (width === 0) return;
    const { store } = this.page;
    this.states = store.thread_blocks().map((block) => block.state).join("");
    const names = store.get("names");
    const nodes = node_of_threads(names, this.states.length);
    this.nodes = names?.nodes ?? [];
    this.plan = layout(nodes, width, this.label_width());
    this.blamed = blamed_in(store.get("verdict"), names);
    this.draw(width);
    this.describe(store.get("about"));
  }

  label_width() {
    const context = this.canvas.getContext("2d");
    context.font = label_font;
    const longest = this.nodes.reduce((most, name) => Math.max(most, context.measureText(name).width), 0);
    return Math.max(32, Math.min(96, Math.ceil(longest) + 12));
  }

  draw(width) {
    const ratio = window.devicePixelRatio || 1;
    const { canvas, plan } = this;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(plan.height * ratio);
    canvas.style.height = `${plan.height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.textAlign = "center";
    context.textBaseline = "middle";
    this.draw_labels(context);
    this.draw_cells(context);
    this.draw_blamed(context);
    this.draw_selection(context);
  }

  draw_labels(context) {
    const { plan } = this;
    if (plan.label_width === 0) return;
    context.save();
    context.textAlign = "left";
    context.font = label_font;
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--faint");
    for (const group of plan.groups)
      context.fillText(shortened(this.nodes[group.node] ?? "", context, plan.label_width - 8), 0, group.y + plan.cell / 2);
    context.restore();
  }

  draw_cells(context) {
    const { plan, states } = this;
    const looks = new Map();
    const inner = plan.cell - plan.gap;
    context.font = `600 ${Math.min(13, Math.round(inner * 0.62))}px system-ui, sans-serif`;
    for (let i = 0; i < states.length; ++i) {
      const letter = states[i];
      if (!looks.has(letter)) looks.set(letter, look_of(letter));
      const look = looks.get(letter);
      const { x, y } = plan.places[i];
      context.fillStyle = look.colour;
      context.fillRect(x, y, inner, inner);
      context.fillStyle = look.ink;
      if (inner >= letter_size) context.fillText(letter, x + inner / 2, y + inner / 2 + 0.5);
      else if (look.mark && inner >= 4) draw_mark(context, look.mark, x, y, inner);
    }
  }

  // Those that hold up the others have a frame, as many others may look worse. It is inside of the cell, if there is room.
  draw_blamed(context) {
    const inner = this.plan.cell - this.plan.gap;
    const line = inner >= 16 ? 3 : 1;
    const inset = inner >= 6 ? line / 2 : -line / 2;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--text");
    context.lineWidth = line;
    for (const index of this.blamed) {
      const place = this.plan.places[index];
      if (place) context.strokeRect(place.x + inset, place.y + inset, inner - 2 * inset, inner - 2 * inset);
    }
  }

  draw_selection(context) {
    const selected = this.selected();
    const place = selected === null ? null : this.plan.places[selected];
    if (!place) return;
    const inner = this.plan.cell - this.plan.gap;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--text");
    context.lineWidth = 2;
    context.strokeRect(place.x - 1.5, place.y - 1.5, inner + 3, inner + 3);
  }

  describe(about) {
    const counts = new Map();
    for (const letter of this.states) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const order = [...counts].sort((a, b) => is_bad(about, b[0]) - is_bad(about, a[0]) || b[1] - a[1]);
    this.heading.textContent = about ? `${counted(about.threads, "thread")}, ${counted(about.processes, "process", "processes")}, ${counted(about.nodes, "node")}` : "";
    this.canvas.setAttribute("aria-label", `Threads: ${order.map(([letter, count]) => `${count} ${words_of(about, letter)}`).join(", ")}`);
    fill(this.legend, ...order.map(([letter, count]) => legend_entry(letter, `${words_of(about, letter)} ${count}`)),
      this.blamed.length > 0 ? element("span", {}, element("span", { class: "swatch blamed", "aria-hidden": "true" }), "holds up others") : null);
  }

  /** The number of the thread at the mouse; null if there is none. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.plan?.find(event.clientX - box.left, event.clientY - box.top) ?? null;
  }

  point(index) {
    const thread = index === null ? null : thread_of(this.page.store, index);
    this.canvas.style.cursor = thread ? "pointer" : "";
    this.hint.textContent = thread
      ? `${thread.name}: ${words_of(this.page.store.get("about"), thread.state)}${thread.call ? `, ${thread.in_flight ? "in" : "last"} ${thread.call}` : ""}${thread.for_s ? ` (${duration(thread.for_s)})` : ""}`
      : " ";
  }

  move(event) {
    const steps = {
      ArrowRight: (now) => Math.min(this.states.length - 1, now + 1),
      ArrowLeft: (now) => Math.max(0, now - 1),
      ArrowDown: (now) => this.plan.below(now, 1),
      ArrowUp: (now) => this.plan.below(now, -1),
    };
    const step = steps[event.key];
    if (!step || !this.states) return;
    event.preventDefault();
    const now = this.selected();
    const next = now === null || !this.plan.places[now] ? 0 : step(now);
    this.select(next);
    this.point(next);
  }
}

/** The numbers of the threads that the verdict names, or whose ranks it names, if no other job has the same ranks. */
function blamed_in(verdict, names) {
  if (!names) return [];
  const culprits = verdict?.culprits ?? [];
  const threads = new Set(culprits.map(({ thread }) => thread));
  const ranges = culprits.flatMap(({ rank }) => [...String(rank ?? "").matchAll(/(\d+)(?:-(\d+))?/g)].map(([, from, to]) => [Number(from), Number(to ?? from)]));
  const ranks = names.rank_of_process.filter((rank) => rank !== null);
  const has_jobs = new Set(ranks).size < ranks.length;
  const is_blamed_rank = (rank) => !has_jobs && typeof rank === "number" && ranges.some(([from, to]) => from <= rank && rank <= to);
  const is_blamed = (name, i) => threads.has(name) || is_blamed_rank(names.rank_of_process[names.process_of_thread[i]]);
  return names.threads.flatMap((name, i) => (is_blamed(name, i) ? [i] : []));
}

function node_of_threads(names, count) {
  const nodes = [];
  for (let i = 0; i < count; ++i) {
    const process = names?.process_of_thread[i] ?? null;
    nodes.push(process === null ? null : names.node_of_process[process]);
  }
  return nodes;
}

function draw_mark(context, mark, x, y, size) {
  context.strokeStyle = context.fillStyle;
  context.lineWidth = Math.max(1, size / 6);
  context.beginPath();
  if (mark === "cross" || mark === "stripe") {
    context.moveTo(x + 1, y + size - 1);
    context.lineTo(x + size - 1, y + 1);
  }
  if (mark === "cross") {
    context.moveTo(x + 1, y + 1);
    context.lineTo(x + size - 1, y + size - 1);
  }
  if (mark === "hatch") {
    context.moveTo(x + size / 2, y + 1);
    context.lineTo(x + size / 2, y + size - 1);
  }
  context.stroke();
}

function legend_entry(letter, words) {
  const look = look_of(letter);
  const swatch = element("span", { class: "swatch", "aria-hidden": "true" }, letter);
  swatch.style.background = look.colour;
  swatch.style.color = look.ink;
  return element("span", {}, swatch, words);
}

function shortened(text, context, width) {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) --end;
  return `${text.slice(0, end)}…`;
}
