// Where time goes, in a report: the lines of `eventspace profile --format json`.

import { SortedTable } from "../table.js";
import { amount, duration, element, percent } from "../text.js";

export const title = "Profile";
export const key = "4";
export const wants = ["profile_rows"];

const words = (name, value) => ({ name, value });
const number = (name, value, text = (row) => amount(value(row)), is_first = false) => ({ name, value, text, is_number: true, is_first });
const time = (name, member, is_first = false) => number(name, (row) => row[member], (row) => duration(row[member]), is_first);

const tables = [
  ["threads", "Threads", [words("Thread", (row) => row.thread), words("Node", (row) => row.node), number("Calls", (row) => row.calls), time("From first to last", "span_s"),
    time("Compute", "compute_s"), time("Transfer", "transfer_s"), time("Waiting", "waiting_s", true), number("Share", (row) => row.waiting_share, (row) => percent(row.waiting_share)), time("Late", "late_s")]],
  ["calls", "Calls", [words("Call", (row) => row.call), words("Place", (row) => row.site), number("Calls", (row) => row.calls), time("Time", "time_s", true), time("Longest", "longest_s"),
    number("Bytes", (row) => row.bytes)]],
  ["matrix", "Messages by sender and receiver", [words("From", (row) => row.from), words("To", (row) => row.to), words("Over", (row) => row.over),
    number("Messages", (row) => row.messages), number("Bytes", (row) => row.bytes, undefined, true)]],
];

export function show(box, page) {
  const stack = element("div", { class: "stack" });
  box.append(stack);
  const made = tables.map(([name, heading, columns]) => {
    const table = new SortedTable(heading, columns);
    const note = element("small");
    const card = element("section", { class: "card", "data-table": name }, element("h2", {}, heading, note), table.box);
    stack.append(card);
    return { name, table, card, note };
  });
  return (changed) => {
    if (!changed.has("profile_rows")) return;
    const rows = page.store.get("profile_rows") ?? [];
    const left_out = rows.find((row) => row.table === "left_out")?.rows ?? 0; // of the matrix
    for (const { name, table, card, note } of made) {
      const own = rows.filter((row) => row.table === name);
      card.hidden = own.length === 0;
      note.textContent = name === "matrix" && left_out > 0 ? `the ${amount(own.length)} with most bytes; ${amount(left_out)} more: eventspace profile` : "";
      table.update(own);
    }
  };
}
