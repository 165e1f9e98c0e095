// The forms in which a metric is drawn, as `measure --plot` draws them: curves, bars, a pie, a histogram and a matrix. Each function
// fills a box of a fixed height, so that nothing below it moves. A curve or a slice has a colour, and a number that the key repeats.

import { ink_on } from "./states.js";
import { element } from "./text.js";

export const chart_height = 280;
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f"];
const most = 12; // curves and slices
const most_bars = 64;
const margin = { left: 64, right: 16, top: 12, bottom: 28 };

const colour_of = (i) => colours[i % colours.length];
const dash_of = (i) => (i < colours.length ? null : "6 3");

/** `series`: [{name, points: [[x, y]]}]; `text_of` gives the text of a number. */
export function draw_curves(box, series, text_of, x_text) {
  const shown = series.slice(0, most);
  const all = shown.flatMap(({ points }) => points.filter(([, y]) => y !== null));
  if (all.length === 0) return draw_nothing(box, "no value yet");
  const frame = frame_of(box, padded(d3.extent(all, ([x]) => x)), from_zero(d3.extent(all, ([, y]) => y)), text_of, x_text);
  const line = d3.line().defined(([, y]) => y !== null).x(([x]) => frame.x(x)).y(([, y]) => frame.y(y));
  shown.forEach(({ points }, i) => {
    frame.svg.append("path").attr("d", line(points)).attr("fill", "none").attr("stroke", colour_of(i)).attr("stroke-width", 2).attr("stroke-dasharray", dash_of(i));
    const last = [...points].reverse().find(([, y]) => y !== null);
    if (!last) return;
    frame.svg.append("circle").attr("cx", frame.x(last[0])).attr("cy", frame.y(last[1])).attr("r", 3).attr("fill", colour_of(i));
    frame.svg.append("text").attr("x", frame.x(last[0]) + 5).attr("y", frame.y(last[1]) + 4).text(i + 1);
  });
  box.append(key_of(shown.map(({ name }) => name), series.length));
}

/** `values`: [{name, value}], the newest of each object. */
export function draw_bars(box, values, text_of) {
  const shown = values.slice(0, most_bars);
  if (shown.length === 0) return draw_nothing(box, "no value yet");
  const frame = frame_of(box, [0, shown.length], from_zero(d3.extent(shown, ({ value }) => value)), text_of, null);
  const bar = Math.min(80, 0.8 * (frame.x(1) - frame.x(0)));
  frame.svg.append("g").selectAll("rect").data(shown).join("rect").attr("x", (_, i) => frame.x(i + 0.5) - bar / 2).attr("width", bar)
    .attr("y", ({ value }) => Math.min(frame.y(value), frame.y(0))).attr("height", ({ value }) => Math.abs(frame.y(value) - frame.y(0))).attr("fill", "var(--bar)");
  const step = Math.ceil(shown.length / Math.max(1, Math.floor(frame.width / 110)));
  shown.forEach(({ name }, i) => {
    if (i % step === 0) frame.svg.append("text").attr("x", frame.x(i + 0.5)).attr("y", chart_height - 10).attr("text-anchor", "middle").text(cut(name, 14));
  });
  if (values.length > shown.length) box.append(element("p", { class: "faint" }, `and ${values.length - shown.length} more objects`));
}

export function draw_pie(box, values, text_of) {
  const positive = values.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  if (positive.length === 0) return draw_nothing(box, "no value above zero yet");
  const shown = positive.slice(0, most);
  const rest = d3.sum(positive.slice(most), ({ value }) => value);
  if (rest > 0) shown.push({ name: `${positive.length - most} others`, value: rest });
  const svg = svg_of(box);
  const radius = chart_height / 2 - 16;
  const arc = d3.arc().innerRadius(0).outerRadius(radius);
  const centre = svg.append("g").attr("transform", `translate(${radius + 20},${chart_height / 2})`);
  const slices = d3.pie().sort(null).value(({ value }) => value)(shown);
  centre.selectAll("path").data(slices).join("path").attr("d", arc).attr("fill", (_, i) => colour_of(i)).attr("stroke", "var(--card)").attr("stroke-width", 2);
  const numbers = d3.arc().innerRadius(radius * 0.75).outerRadius(radius * 0.75);
  centre.selectAll("text").data(slices.filter((slice) => slice.endAngle - slice.startAngle > 0.15)).join("text").attr("text-anchor", "middle").attr("class", "on-colour")
    .attr("transform", (slice) => `translate(${numbers.centroid(slice)})`).text((slice) => slice.index + 1);
  const sum = d3.sum(shown, ({ value }) => value);
  box.append(key_of(shown.map(({ name, value }) => `${name}: ${text_of(value)} (${Math.round((1000 * value) / sum) / 10}%)`), shown.length));
}

/** The distribution of all values, of all objects and times. */
export function draw_histogram(box, series, text_of) {
  const values = series.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y !== null);
  if (values.length === 0) return draw_nothing(box, "no value yet");
  const [low, high] = padded(d3.extent(values));
  const count = Math.min(40, Math.max(5, Math.ceil(Math.sqrt(values.length))));
  const counts = new Array(count).fill(0);
  for (const value of values) ++counts[Math.min(count - 1, Math.floor(((value - low) / (high - low)) * count))];
  const frame = frame_of(box, [low, high], [0, d3.max(counts)], String, text_of);
  const width = (high - low) / count;
  frame.svg.append("g").selectAll("rect").data(counts).join("rect").attr("x", (_, i) => frame.x(low + i * width) + 1).attr("width", Math.max(1, frame.x(low + width) - frame.x(low) - 1))
    .attr("y", (d) => frame.y(d)).attr("height", (d) => frame.y(0) - frame.y(d)).attr("fill", "var(--bar)");
}

export function draw_nothing(box, why) {
  svg_of(box).append("text").attr("x", 16).attr("y", chart_height / 2).text(why);
}

function svg_of(box) {
  box.replaceChildren();
  const width = Math.max(240, box.clientWidth);
  return d3.select(box).append("svg").attr("width", width).attr("height", chart_height).attr("role", "img").attr("aria-label", box.dataset.label)
    .attr("class", "metric-chart");
}

/** The axes. `x_text`: null for none. */
function frame_of(box, x_range, y_range, y_text, x_text) {
  const svg = svg_of(box);
  const width = Number(svg.attr("width"));
  const x = d3.scaleLinear().domain(x_range).range([margin.left, width - margin.right]);
  const y = d3.scaleLinear().domain(y_range).nice(5).range([chart_height - margin.bottom, margin.top]);
  svg.append("g").attr("transform", `translate(${margin.left},0)`).attr("class", "axis").call(d3.axisLeft(y).ticks(5).tickFormat(y_text).tickSize(margin.left + margin.right - width));
  if (x_text) svg.append("g").attr("transform", `translate(0,${chart_height - margin.bottom})`).attr("class", "axis").call(d3.axisBottom(x).ticks(Math.max(2, width / 140)).tickFormat(x_text));
  return { svg, x, y, width: width - margin.left - margin.right };
}

const from_zero = ([low, high]) => padded([Math.min(0, low), Math.max(0, high)]);
const padded = ([low, high]) => (low < high ? [low, high] : [low - (low === 0 ? 0 : 0.5), low + 1]);
const cut = (text, size) => (text.length > size ? `${text.slice(0, size - 1)}…` : text);

function key_of(names, count) {
  const entries = names.map((name, i) => {
    const swatch = element("span", { class: "swatch", "aria-hidden": "true" }, String(i + 1));
    swatch.style.background = colour_of(i);
    swatch.style.color = ink_on(colour_of(i));
    return element("span", { dir: "auto" }, swatch, name);
  });
  const more = count > names.length ? [element("span", {}, `and ${count - names.length} more objects`)] : [];
  return element("div", { class: "legend" }, ...entries, ...more);
}
