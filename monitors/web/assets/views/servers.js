// The servers of the session: which answer, how fast, and how much is asked of them; and what of the session can be steered.

import { steeringPanel } from "../steering.js";
import { SortedTable } from "../table.js";
import { amount, duration, element } from "../text.js";

export const title = "Servers";
export const key = "4";
export const wants = ["servers", "steering"];

export function show(box, page) {
  const reason = element("p", { class: "faint" });
  const table = new SortedTable("Servers", [
    { name: "Node", value: (row) => row.node },
    { name: "Answer", value: (row) => row.answer },
    { name: "Round trip", value: (row) => row.round_trip_s, text: (row) => duration(row.round_trip_s), is_number: true },
    { name: "Requests per second", value: (row) => row.requests_per_second, text: (row) => amount(row.requests_per_second), is_number: true },
  ]);
  table.box.hidden = true; // until the part comes
  const steering = steeringPanel(page.source, page.store);
  box.append(element("div", { class: "stack" }, element("section", { class: "card" }, element("h2", {}, "Servers"), reason, table.box), steering.element));
  return (changed) => {
    if (!changed.has("servers")) return;
    const part = page.store.get("servers");
    const rows = part?.servers ?? [];
    reason.textContent = part?.reason ?? (rows.length === 0 ? "No server has been asked yet." : "");
    reason.hidden = reason.textContent === "";
    table.box.hidden = rows.length === 0;
    table.update(rows);
  };
}
