// The plot of all trials: observe rate against cost. The cost is the application's slowdown, where it is measured, otherwise the
// processors that the page and the servers use. Each mark has the number of its row in the table.

import { amount, element, percent } from "../text.js";

const width = 480;
const height = 180;
const margin = { left: 56, right: 16, top: 12, bottom: 34 };

/** The processors that a trial used: 1 is one processor all the time. */
export function processors_of(trial) {
  return trial.page_cpu_share + trial.servers_cpu_share;
}

/** `trials`: with `number`, as the table has them; the last one runs if `is_running`. */
export function draw_trade_off(box, trials, is_running) {
  const shown = trials.filter(({ rate }) => rate > 0);
  const has_slowdown = shown.some(({ slowdown }) => slowdown.ratio !== undefined);
  const marks = shown.filter(({ slowdown }) => !has_slowdown || slowdown.ratio !== undefined)
    .map((trial) => ({ number: trial.number, x: trial.rate, y: has_slowdown ? trial.slowdown.ratio : processors_of(trial), low: trial.slowdown.low, high: trial.slowdown.high,
      is_running: is_running && trial === trials.at(-1) }));
  const key = JSON.stringify([marks, has_slowdown]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  if (marks.length === 0) {
    box.replaceChildren(element("p", { class: "faint" }, "No trial has been measured yet."));
    return;
  }
  const words = `${has_slowdown ? "Slowdown" : "Processors"} by pulls a second`;
  box.replaceChildren();
  const svg = d3.select(box).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", `${words}: ${marks.length} trials; the table has their numbers`);
  const x = d3.scaleLog().domain(wider(d3.extent(marks, (mark) => mark.x))).range([margin.left, width - margin.right]);
  const y = d3.scaleLinear().domain(has_slowdown ? [Math.min(1, d3.min(marks, (mark) => mark.low)), Math.max(1.01, d3.max(marks, (mark) => mark.high))] : [0, d3.max(marks, (mark) => mark.y) || 1])
    .nice(4).range([height - margin.bottom, margin.top]);
  add_axes(svg, x, y, has_slowdown ? (value) => value.toFixed(2) : percent);
  svg.append("text").attr("x", width - margin.right).attr("y", height - 4).attr("text-anchor", "end").text(words);
  for (const mark of marks) add_mark(svg, mark, x(mark.x), y, has_slowdown);
}

function wider([least, most]) {
  return least === most ? [least / 2, most * 2] : [least / 1.2, most * 1.2];
}

function add_axes(svg, x, y, text) {
  const axis = svg.append("g").attr("class", "axis");
  for (const value of y.ticks(4)) {
    axis.append("line").attr("x1", margin.left).attr("x2", width - margin.right).attr("y1", y(value)).attr("y2", y(value));
    axis.append("text").attr("x", margin.left - 6).attr("y", y(value) + 4).attr("text-anchor", "end").text(text(value));
  }
  const powers = x.ticks().filter((value) => Number.isInteger(Number(Math.log10(value).toFixed(9))));
  for (const value of powers.length > 1 ? powers : x.domain()) axis.append("text").attr("x", x(value)).attr("y", height - margin.bottom + 14).attr("text-anchor", "middle").text(amount(value));
}

function add_mark(svg, mark, x, y, has_slowdown) {
  const group = svg.append("g").attr("class", mark.is_running ? "mark running" : "mark");
  if (has_slowdown) group.append("line").attr("x1", x).attr("x2", x).attr("y1", y(mark.low)).attr("y2", y(mark.high));
  group.append("circle").attr("cx", x).attr("cy", y(mark.y)).attr("r", mark.is_running ? 6 : 4);
  group.append("text").attr("x", x + 8).attr("y", y(mark.y) - 5).text(mark.number);
}
