// Who sends to whom: a matrix of bytes, messages or late time, by communicator, and the sizes of messages. The numbers are those
// of `eventspace profile`.

import { fill } from "../fill.js";
import { MatrixChart } from "../matrix_chart.js";
import { reading_note } from "../reading.js";
import { SortedTable } from "../table.js";
import { amount, counted, duration, element } from "../text.js";

export const title = "Communication";
export const key = "7";

const measures = {
  bytes: { words: "Bytes", text: (value) => `${amount(value)}B`, column: "bytes" },
  messages: { words: "Messages", text: (value) => amount(value), column: "messages" },
  waiting: { words: "Late time", text: (value) => duration(value), column: "late_s" },
};

/** The number of the chosen communicator in the part "communication"; 0 for all. */
function chosen_of(page) {
  const names = page.store.get("communication")?.over?.name ?? [];
  return names.indexOf(page.address.get("over")) + 1;
}

export function wants(page) {
  return ["communication", `flows/${chosen_of(page)}`];
}

export function show(box, page) {
  const note = element("small");
  const reason = element("p", { class: "faint" }, "The events are being read.");
  const over = element("select", { "aria-label": "Communicator or path", onchange: () => page.address.set("over", over.value || null) });
  const measure = element("select", { "aria-label": "What the matrix shows", onchange: () => page.address.set("measure", measure.value) },
    ...Object.entries(measures).map(([value, { words }]) => element("option", { value }, words)));
  const matrix = new MatrixChart("sender", "receiver");
  const binned = element("p", { class: "faint hint" }, " ");
  const pairs = pairs_table();
  const sizes = sizes_table();
  const cards = [
    element("section", { class: "card", hidden: true }, element("h2", {}, "Who sends to whom", note),
      element("div", { class: "controls" }, element("label", {}, "Show ", measure), element("label", {}, "over ", over)), binned, matrix.box),
    element("section", { class: "card", hidden: true }, element("h2", {}, "Largest flows"), pairs.box),
    element("section", { class: "card", hidden: true }, element("h2", {}, "Sizes"), sizes.box),
  ];
  box.append(element("div", { class: "stack" }, reason, element("div", { class: "beside" }, cards[0], element("div", { class: "stack" }, ...cards.slice(1)))));
  return (changed) => {
    if (!["communication", "flows", "left_out", "address", "theme"].some((part) => changed.has(part))) return;
    const part = page.store.get("communication");
    reason.textContent = reason_of(part);
    reason.hidden = reason.textContent === "";
    for (const card of cards) card.hidden = !part?.rows || part.rows.length === 0;
    if (cards[0].hidden) return;
    note.textContent = reading_note(part.reading);
    show_choices(over, measure, part, page);
    const cells = cells_of(chosen_flows(page, part));
    const chosen = measures[measure.value];
    matrix.update(part.rows, cells.map((cell) => ({ ...cell, value: cell[chosen.column] })), chosen.text, (cell) => words_of(cell, part.rows));
    binned.textContent = note_of(part, measure.value, chosen_of(page), page.store.get("left_out")?.flows ?? 0);
    pairs.update(cells.map((cell) => ({ ...cell, from: part.rows[cell.row], to: part.rows[cell.column] })));
    sizes.update(part.sizes.what.map((what, i) => ({ what, least: part.sizes.least[i], most: part.sizes.most[i], count: part.sizes.count[i], bytes: part.sizes.bytes[i] })));
  };
}

function reason_of(part) {
  if (!part) return "The events are being read.";
  if (part.reason) return part.reason;
  if (part.rows.length > 0) return "";
  return part.reading.is_whole ? "No message and no tuple for another thread has been seen yet." : "The recording is being read.";
}

function note_of(part, measure, chosen, left_out) {
  const notes = [];
  if (part.share > 1) notes.push(`${part.participants} participants: ${part.share} neighbours share a row and a column.`);
  if (measure === "waiting" && chosen > 0) notes.push("Late time is not known by communicator: choose all.");
  else if (measure === "waiting") notes.push("By how much calls exceeded the shortest of their sort, because the other rank was late.");
  if (left_out > 0) notes.push(`${counted(left_out, "communicator")} only in the sum, to keep this file small.`);
  if (part.others > 0) notes.push(`${counted(part.others, "other communicator")} only in the sum.`);
  return notes.join(" ") || " ";
}

function show_choices(over, measure, part, page) {
  fill(over, element("option", { value: "" }, "all"),
    ...part.over.name.map((name) => element("option", { value: name, dir: "auto" }, name)));
  over.value = part.over.name.includes(page.address.get("over")) ? page.address.get("over") : "";
  measure.value = Object.hasOwn(measures, page.address.get("measure")) ? page.address.get("measure") : "bytes";
}

/** The matrix of the chosen communicator; its number may have been another one's when the matrix was made. */
function chosen_flows(page, part) {
  const chosen = chosen_of(page);
  const flows = page.store.get(`flows/${chosen}`);
  return chosen > 0 && flows?.over !== part.over.name[chosen - 1] ? null : flows;
}

function cells_of(part) {
  return (part?.row ?? []).map((row, i) => ({
    row, column: part.column[i], messages: part.messages[i], bytes: part.bytes[i], late_s: part.late_s[i],
  }));
}

function words_of(cell, rows) {
  const late = cell.late_s > 0 ? `, ${duration(cell.late_s)} late` : "";
  return `${rows[cell.row]} to ${rows[cell.column]}: ${amount(cell.bytes)}B in ${counted(cell.messages, "message")}${late}`;
}

function pairs_table() {
  return new SortedTable("Largest flows", [
    { name: "From", value: (row) => row.from },
    { name: "To", value: (row) => row.to },
    { name: "Messages", value: (row) => row.messages, text: (row) => amount(row.messages), is_number: true },
    { name: "Bytes", value: (row) => row.bytes, text: (row) => `${amount(row.bytes)}B`, is_number: true, is_first: true },
    { name: "Late time", value: (row) => row.late_s, text: (row) => (row.late_s > 0 ? duration(row.late_s) : "–"), is_number: true },
  ], 20);
}

function sizes_table() {
  return new SortedTable("Sizes", [
    { name: "What", value: (row) => row.what },
    { name: "From", value: (row) => row.least, text: (row) => `${amount(row.least)}B`, is_number: true },
    { name: "To", value: (row) => row.most, text: (row) => `${amount(row.most)}B`, is_number: true },
    { name: "Count", value: (row) => row.count, text: (row) => amount(row.count), is_number: true, is_first: true },
    { name: "Bytes", value: (row) => row.bytes, text: (row) => `${amount(row.bytes)}B`, is_number: true },
  ], 64);
}
