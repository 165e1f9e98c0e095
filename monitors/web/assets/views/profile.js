// Where time goes: compute, transfer and waiting of each thread, and the calls that take the time. The numbers are those of
// `eventspace profile`.

import { fill } from "../fill.js";
import { reading_note } from "../reading.js";
import { SplitChart, split_bar, time_kinds } from "../split_chart.js";
import { selected_name, selection } from "../store.js";
import { SortedTable } from "../table.js";
import { amount, call_name, counted, duration, element, percent } from "../text.js";

export const title = "Where time goes";
export const key = "6";

/** The calls of the selected thread are asked for by its number in the profile. */
export function wants(page) {
  const at = rows_of(page.store).findIndex((row) => row.name === selected_name(page));
  return ["profile", "call_sites", ...(at < 0 ? [] : [`calls_of/${at}`])];
}

export function show(box, page) {
  const note = element("small");
  const reason = element("p", { class: "faint" }, "The events are being read.");
  const totals = element("div", { class: "totals" });
  const chart = new SplitChart((row) => page.address.set("select", row ? selection(page.store, row.name) : null));
  const threads = threads_table(page);
  const calls_heading = element("h2");
  const calls = calls_table();
  const cards = [
    element("section", { class: "card", hidden: true }, element("h2", {}, "Where time goes", note), totals, chart.box),
    element("section", { class: "card by-thread", hidden: true }, element("h2", {}, "By thread"), threads.box),
    element("section", { class: "card by-call", hidden: true }, calls_heading, calls.box),
  ];
  box.append(element("div", { class: "stack" }, reason, ...cards));
  return (changed) => {
    if (!["profile", "call_sites", "calls_of", "left_out", "names", "address", "theme"].some((part) => changed.has(part))) return;
    const part = page.store.get("profile");
    const rows = rows_of(page.store);
    reason.textContent = reason_of(part, rows);
    reason.hidden = reason.textContent === "";
    for (const card of cards) card.hidden = rows.length === 0;
    if (rows.length === 0) return;
    note.textContent = reading_note(part.reading);
    fill(totals, ...totals_of(rows));
    const name = selected_name(page);
    chart.update(rows, rows.findIndex((row) => row.name === name));
    threads.update(rows);
    show_calls(page, rows, name, calls_heading, calls);
  };
}

function reason_of(part, rows) {
  if (!part) return "The events are being read.";
  if (part.reason) return part.reason;
  if (rows.length > 0) return "";
  return part.reading.is_whole ? "No call and no operation has been seen yet." : "The recording is being read.";
}

/** The rows of all blocks, in the order of the threads. */
function rows_of(store) {
  const rows = [];
  const count = store.get("profile")?.threads ?? 0;
  for (let k = 0; k * 64 < count; ++k) {
    const block = store.get(`profile/${k}`);
    if (!block) break;
    block.names.forEach((name, i) => rows.push({
      name, node: block.nodes[i], calls: block.calls[i], span: block.span_s[i], compute: block.compute_s[i],
      transfer: block.transfer_s[i], waiting: block.waiting_s[i], late: block.late_s[i],
    }));
  }
  return rows;
}

function totals_of(rows) {
  const sum = (kind) => rows.reduce((all, row) => all + row[kind], 0);
  const whole = sum("compute") + sum("transfer") + sum("waiting");
  return time_kinds.map(({ kind, words }) => element("div", { class: "figure" },
    element("div", { class: "name" }, element("span", { class: `key ${kind}`, "aria-hidden": "true" }), words),
    element("div", { class: "value" }, percent(whole > 0 ? sum(kind) / whole : 0)),
    element("div", { class: "more" }, `${duration(sum(kind))} of all threads`)));
}

function threads_table(page) {
  const link = (row) => element("a", {
    href: page.address.with("select", selection(page.store, row.name)),
    "aria-current": row.name === selected_name(page) ? "true" : null,
  }, row.name);
  const time = (name, kind) => ({ name, value: (row) => row[kind], text: (row) => duration(row[kind]), is_number: true });
  return new SortedTable("Time of each thread", [
    { name: "Thread", value: (row) => row.name, cell: link },
    { name: "Node", value: (row) => row.node },
    { name: "Split", value: (row) => share_of(row), cell: (row) => split_bar(row) },
    { name: "Waiting %", value: (row) => share_of(row), text: (row) => percent(share_of(row)), is_number: true },
    { ...time("Waiting", "waiting"), is_first: true },
    time("Compute", "compute"),
    time("Transfer", "transfer"),
    time("Late", "late"),
    time("Span", "span"),
    { name: "Calls", value: (row) => row.calls, text: (row) => amount(row.calls), is_number: true },
  ], 16);
}

const left_out_words = "left out of this file to keep it small; the recording has them: eventspace web";

const share_of = (row) => (row.span > 0 ? row.waiting / row.span : 0);

function calls_table() {
  let largest = 0;
  const bar = (row) => {
    const filled = element("span", { class: "bar" });
    filled.style.width = `${largest > 0 ? (100 * row.time) / largest : 0}%`;
    return element("span", {}, element("span", { class: "bar-track", "aria-hidden": "true" }, filled), duration(row.time));
  };
  const table = new SortedTable("Calls", [
    { name: "Call", value: (row) => row.call },
    { name: "Where", value: (row) => row.site || "–" },
    { name: "Calls", value: (row) => row.calls, text: (row) => amount(row.calls), is_number: true },
    { name: "Longest", value: (row) => row.longest, text: (row) => duration(row.longest), is_number: true },
    { name: "Bytes", value: (row) => row.bytes, text: (row) => amount(row.bytes), is_number: true },
    { name: "Time", value: (row) => row.time, cell: bar, is_number: true, is_first: true, is_wide: true },
  ], 64);
  const update = (rows) => {
    largest = Math.max(0, ...rows.map((row) => row.time));
    table.update(rows);
  };
  return { box: table.box, update };
}

function show_calls(page, rows, name, heading, table) {
  const at = rows.findIndex((row) => row.name === name);
  const calls = page.store.get(at < 0 ? "call_sites" : `calls_of/${at}`);
  const part = at >= 0 && calls?.thread !== name ? null : calls; // its number may have been another thread's
  const only = page.address.get("call");
  fill(heading, at < 0 ? "By call, all threads" : element("span", {}, "By call of ", element("bdi", {}, name)),
    element("small", {}, part ? words_of_calls(part) : at >= 0 && page.store.get("left_out")?.calls_of > 0 ? left_out_words : "being read"),
    only === null ? null : element("small", {}, "only ", element("bdi", {}, only), ": ", element("a", { href: page.address.with("call", null) }, "show all")));
  const all = (part?.call ?? []).map((call, i) => ({
    call, site: part.site[i], calls: part.calls[i], time: part.time_s[i], longest: part.longest_s[i], bytes: part.bytes[i],
  }));
  table.update(only === null ? all : all.filter((row) => call_name(row.call, row.site) === only));
}

function words_of_calls(part) {
  const others = part.others > 0 ? `; ${counted(part.others, "other")} took ${duration(part.others_s)}` : "";
  return `${counted(part.call.length, "call site")}${others}`;
}
