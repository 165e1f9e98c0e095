// Metrics: the reader chooses metrics, objects, the interval and the form; the server measures them while a page shows them. The
// numbers are those of `eventspace measure`.

import { fill } from "../fill.js";
import { MatrixChart } from "../matrix_chart.js";
import { draw_bars, draw_curves, draw_histogram, draw_nothing, draw_pie } from "../metric_charts.js";
import { MetricHistory, name_of } from "../metric_history.js";
import { SortedTable } from "../table.js";
import { amount, counted, duration, element, fits_whole } from "../text.js";

export const title = "Metrics";
export const key = "8";

const forms = { curves: "Curves", bars: "Bars", pie: "Pie", histogram: "Histogram", matrix: "Matrix" };
const intervals = { 10: "last 10 s", 60: "last minute", 300: "last 5 minutes", "": "all" };
const max_chosen = 8;
const max_matrix_rows = 128;

const chosen_of = (page) => (page.address.get("metrics") ?? "").split(",").filter((name) => /^\w+$/.test(name)).slice(0, max_chosen);

export function wants(page) {
  return ["metrics", ...chosen_of(page).map((name) => `metric/${name}`)];
}

export function show(box, page) {
  const choice = new Choice(page);
  const cards = new Map();
  const list = element("div", { class: "stack" });
  box.append(element("div", { class: "stack" }, choice.box, list));
  return (changed) => {
    if (!["metrics", "metric", "address", "theme"].some((part) => changed.has(part))) return;
    choice.update();
    const names = chosen_of(page);
    for (const [name, card] of cards) if (!names.includes(name)) { card.box.remove(); cards.delete(name); }
    for (const name of names) {
      if (!cards.has(name)) cards.set(name, new MetricCard(name, page));
      list.append(cards.get(name).box);
    }
    for (const card of cards.values()) card.update();
  };
}

/** What to show, and how. */
class Choice {
  constructor(page) {
    this.page = page;
    this.add = element("select", { "aria-label": "Add a metric", onchange: () => this.choose([...chosen_of(page), this.add.value]) });
    this.chosen = element("div", { class: "controls" });
    this.form = this.select("Form", "form", forms);
    this.interval = this.select("Interval", "interval", intervals);
    this.objects = element("input", { type: "search", size: "16", placeholder: "all objects", "aria-label": "Objects: a name, with * for any text",
      oninput: () => page.address.set("objects", this.objects.value || null) });
    this.alerts = element("p", { class: "faint" });
    this.box = element("section", { class: "card" }, element("h2", {}, "Metrics"),
      element("div", { class: "controls" }, this.add, element("label", {}, "as ", this.form), element("label", {}, "over the ", this.interval), this.objects),
      this.chosen, this.alerts);
  }

  select(label, parameter, options) {
    const made = element("select", { "aria-label": label, onchange: () => this.page.address.set(parameter, made.value || null) },
      ...Object.entries(options).map(([value, words]) => element("option", { value }, words)));
    return made;
  }

  choose(names) {
    this.page.address.set("metrics", [...new Set(names)].filter((name) => name).join(",") || null);
  }

  update() {
    const { page } = this;
    const part = page.store.get("metrics");
    const names = chosen_of(page);
    const free = (part?.metrics ?? []).filter(({ name }) => !names.includes(name));
    fill(this.add, element("option", { value: "" }, names.length < max_chosen ? "Add a metric…" : `At most ${max_chosen} metrics`),
      ...(names.length < max_chosen ? free : []).map(({ name, unit }) => element("option", { value: name }, unit ? `${name} (${unit})` : name)));
    this.add.value = "";
    this.form.value = Object.hasOwn(forms, page.address.get("form")) ? page.address.get("form") : "curves";
    this.interval.value = page.address.get("interval") ?? "";
    if (document.activeElement !== this.objects) this.objects.value = page.address.get("objects") ?? "";
    // By itself, as fill() is for elements without listeners.
    if (this.shown !== names.join()) {
      this.shown = names.join();
      this.chosen.replaceChildren(...names.map((name) => element("button", { type: "button", "aria-label": `Remove ${name}`,
        onclick: () => this.choose(chosen_of(page).filter((other) => other !== name)) }, `${name} ×`)));
    }
    const rules = part?.alerts ?? [];
    this.alerts.textContent = rules.length > 0 ? `${counted(rules.length, "alert")}: ${rules.join("; ")}. Raised alerts are in the overview's log.` : "";
    this.alerts.hidden = rules.length === 0;
    if (names.length === 0) this.alerts.hidden = false;
    if (names.length === 0 && rules.length === 0) this.alerts.textContent = "Choose a metric. It is measured from then on, or over a recording up to the shown time.";
  }
}

/** One metric: its chart, and the newest value of each object. */
class MetricCard {
  constructor(name, page) {
    this.name = name;
    this.page = page;
    this.history = new MetricHistory();
    this.session = page.session;
    this.note = element("small");
    this.chart = element("div", { class: "chart", "data-label": `Chart of ${name}` });
    this.matrix = new MatrixChart("first object", "second object");
    this.table = new SortedTable(`Values of ${name}`, [
      { name: "Objects", value: (row) => row.name },
      { name: "At", value: (row) => row.virtual_time ?? "", is_number: true },
      { name: "Value", value: (row) => row.value, text: (row) => (row.value === null ? row.problem || "–" : text_of(row.value, row.unit)), is_number: true, is_first: true },
    ], 16);
    this.box = element("section", { class: "card", "aria-label": name }, element("h2", {}, name, this.note), this.chart, this.matrix.box,
      element("details", {}, element("summary", {}, "Newest values"), this.table.box));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  update() {
    const part = this.page.store.get(`metric/${this.name}`);
    if (this.session !== this.page.session) this.history.clear();
    this.session = this.page.session;
    this.history.take(part);
    this.part = part;
    this.table.update(this.newest().map((row) => ({ ...row, unit: part?.unit })));
    this.draw();
  }

  /** The newest value of each chosen object. */
  newest() {
    const rows = new Map();
    (this.part?.objects ?? []).forEach((objects, i) => {
      const name = name_of(objects);
      if (this.is_chosen(name)) rows.set(name, { name, objects, virtual_time: this.part.virtual_time[i], value: this.part.value[i], problem: this.part.problem[i] });
    });
    return [...rows.values()];
  }

  is_chosen(name) {
    const pattern = this.page.address.get("objects") ?? "";
    return pattern === "" || fits_whole(pattern, name);
  }

  series() {
    const last = this.history.last;
    const length = Number(this.page.address.get("interval") ?? 0);
    const is_inside = ([x]) => length === 0 || this.history.has_virtual_time || x >= last - length;
    return [...this.history.series].filter(([name]) => this.is_chosen(name)).map(([name, points]) => ({ name, points: points.filter(is_inside) }));
  }

  draw() {
    const form = this.page.address.get("form") ?? "curves";
    const unit = this.part?.unit ?? "";
    const text = (value) => text_of(value, unit);
    const values = this.newest().filter(({ value }) => value !== null);
    this.rows_left_out = 0;
    this.matrix.box.hidden = form !== "matrix";
    this.chart.hidden = form === "matrix";
    const known = this.page.store.get("metrics")?.metrics;
    if (known && !known.some(({ name }) => name === this.name)) draw_nothing(this.chart, `there is no metric ${this.name}`);
    else if (!this.part) draw_nothing(this.chart, "being measured");
    else if (this.part.reason) draw_nothing(this.chart, this.part.reason);
    else if (form === "bars") draw_bars(this.chart, values, text);
    else if (form === "pie") draw_pie(this.chart, values, text);
    else if (form === "histogram") draw_histogram(this.chart, this.series(), text);
    else if (form === "matrix") this.draw_matrix(values, text);
    else draw_curves(this.chart, this.series(), text, this.history.has_virtual_time ? String : duration);
    this.note.textContent = note_of(this.part, this.rows_left_out);
  }

  draw_matrix(values, text) {
    const pairs = values.filter(({ objects }) => objects.length === 2);
    this.matrix.box.hidden = pairs.length === 0;
    this.chart.hidden = pairs.length > 0;
    if (pairs.length === 0) return draw_nothing(this.chart, "a matrix needs a metric with values of pairs of objects");
    const all = [...new Set(pairs.flatMap(({ objects }) => objects))].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    const rows = all.slice(0, max_matrix_rows);
    this.rows_left_out = all.length - rows.length;
    const place = new Map(rows.map((name, i) => [name, i]));
    const cells = pairs.filter(({ objects }) => objects.every((name) => place.has(name)))
      .map(({ objects: [from, to], value }) => ({ row: place.get(from), column: place.get(to), value }));
    return this.matrix.update(rows, cells, text, (cell) => `${rows[cell.row]}, ${rows[cell.column]}: ${text(cell.value)}`);
  }
}

function note_of(part, rows_left_out) {
  if (!part || part.reason) return "";
  if (part.is_whole === false && part.value.length === 0) return "the recording is being read";
  const lost = part.lost > 0 ? `; ${amount(part.lost)} events lost` : "";
  const unmatched = part.unmatched > 0 ? `; ${amount(part.unmatched)} values not matched` : "";
  const left_out = part.left_out > 0 ? `; ${amount(part.left_out)} values of further objects left out` : "";
  const rows = rows_left_out > 0 ? `; ${amount(rows_left_out)} further objects are not in the matrix: choose by name` : "";
  const rest = part.is_whole === false ? "; more of the recording is being read" : "";
  return `measured for ${duration(part.time_s)}${lost}${unmatched}${left_out}${rows}${rest}`;
}

function text_of(value, unit) {
  if (unit === "s") return duration(value);
  return unit === "" || unit === "1" ? amount(value) : `${amount(value)} ${unit}`;
}
