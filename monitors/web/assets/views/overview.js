// The overview: the verdict in one sentence, the threads as a grid of states, rates, losses, the cost of watching, and what
// has happened.

import { fill } from "../fill.js";
import { thread_of } from "../store.js";
import { severities, words_of } from "../states.js";
import { curve_box } from "../rate_history.js";
import { amount, counted, duration, element, percent, terms } from "../text.js";
import { ThreadGrid } from "../thread_grid.js";

export const title = "Overview";
export const key = "1";
export const wants = ["threads", "losses", "log"];

export function show(box, page) {
  const sentence = element("section", { class: "card sentence", "aria-label": "Verdict" });
  const culprits = element("section", { class: "card culprits", "aria-label": "Culprits" });
  const grid = new ThreadGrid(page);
  const detail = element("section", { class: "card detail", "aria-label": "Selected thread" });
  const figures = make_figures(page.is_report);
  const log = element("ol", { class: "log", tabindex: "0", "aria-label": "What has happened" });
  const losses = element("section", { class: "card", "aria-label": "Losses" });
  box.append(
    element("div", { class: "stack" }, sentence,
      element("div", { class: "columns" },
        element("div", { class: "stack" }, grid.box, figures.box, element("section", { class: "card" }, element("h2", {}, "What has happened"), log)),
        element("div", { class: "stack" }, culprits, detail, losses))),
  );
  return (changed) => {
    const { store } = page;
    if (changed.has("verdict")) show_verdict(sentence, culprits, store.get("verdict"));
    if (has_any(changed, ["threads", "names", "about", "verdict", "theme", "address"])) grid.update();
    if (has_any(changed, ["threads", "names", "address"])) show_detail(detail, page);
    if (has_any(changed, ["rates", "cost", "losses"])) figures.update(store, page.history);
    if (changed.has("log")) show_log(log, store.get("log"));
    if (changed.has("losses")) show_losses(losses, store.get("losses"));
  };
}

const has_any = (changed, names) => names.some((name) => changed.has(name));

function show_verdict(sentence, culprits, verdict) {
  if (!verdict) return;
  const severity = severities[verdict.severity] ? verdict.severity : "unknown";
  sentence.dataset.severity = severity;
  fill(sentence,
    element("span", { class: "mark", "aria-hidden": "true" }, severities[severity].mark),
    element("div", {}, element("h1", { dir: "auto" }, verdict.sentence), element("p", { class: "faint" }, tally_of(verdict)),
      verdict.warning ? element("p", { class: "warning" }, verdict.warning) : null),
  );
  const list = verdict.culprits ?? [];
  fill(culprits,
    element("h2", {}, "Held up by"),
    list.length === 0 ? element("p", { class: "faint" }, "No thread is blamed.") : null,
    ...list.slice(0, 8).map(culprit_card),
    list.length > 8 ? element("p", { class: "faint" }, `and ${list.length - 8} more`) : null,
    element("details", {}, element("summary", {}, "As `eventspace heartbeat` prints it"),
      element("pre", { class: "lines" }, (verdict.text ?? []).join("\n"))),
  );
}

function tally_of(verdict) {
  return Object.entries(verdict.tally ?? {}).filter(([, count]) => count > 0).map(([words, count]) => `${count} ${words}`).join(", ");
}

function culprit_card(culprit) {
  const who = culprit.rank === undefined ? culprit.thread : `Rank ${culprit.rank}`;
  const waits_for = Array.isArray(culprit.waits_for) ? culprit.waits_for.join(", ") : culprit.waits_for;
  const stack = (culprit.stack ?? []).map((line) => element("li", { class: "mono" }, line));
  return element("article", { class: "culprit" },
    element("h3", {}, element("bdi", {}, who), `: ${culprit.what}`),
    terms([
      [culprit.what === "computing" ? "Last call" : "Call", culprit.call],
      ["For", duration(culprit.since_s)],
      ["Absent from", waits_for],
      ["Waiting for it", culprit.waiting ? counted(culprit.waiting, "thread") : ""],
    ]),
    stack.length > 0 ? element("ol", { "aria-label": `Call stack of ${who}` }, ...stack) : null);
}

function show_detail(detail, page) {
  const selected = page.address.get("select") ?? "";
  const thread = selected.startsWith("thread:") ? thread_of(page.store, Number(selected.slice(7))) : null;
  if (!thread) {
    fill(detail, element("h2", {}, "Thread"), element("p", { class: "faint" }, "Select a thread in the grid to see what it does."));
    return;
  }
  const about = page.store.get("about");
  fill(detail,
    element("h2", {}, element("bdi", {}, thread.name)),
    terms([
      ["State", words_of(about, thread.state)],
      [thread.in_flight ? "In" : "Last", thread.call],
      [thread.in_flight ? "For" : "Since", duration(thread.for_s)],
      ["Operations", thread.rate === null ? "" : `${amount(thread.rate)}/s`],
      ["Processor", thread.cpu === null ? "" : percent(thread.cpu)],
      ["Waiting for it", thread.waiting ? counted(thread.waiting, "thread") : ""],
      ["Process", thread.rank === null ? thread.process : `${thread.process} (rank ${thread.rank})`],
      ["Node", thread.node],
    ]),
  );
}

function make_figures(is_report) {
  const box = element("section", { class: "card figures", "aria-label": "Rates and cost" });
  const make = (name, curve) => {
    const value = element("div", { class: "value" }, "–");
    const more = element("div", { class: "more", dir: "auto" }, " ");
    const svg = curve ? curve_box(`${name}, recent past`) : null;
    box.append(element("div", { class: "figure" }, element("div", { class: "name" }, name), value, more, svg));
    return { set: (text, words = "") => { value.textContent = text; more.textContent = words || " "; more.title = words; }, svg };
  };
  const events = make("Operations a second", !is_report);
  const kept = make("Kept in memory", false);
  const cost = is_report ? null : make("Cost of watching", true); // recordings do not have it
  const lost = make("Views", false);
  const update = (store, history) => {
    const rates = store.get("rates");
    const costs = store.get("cost");
    const losses = store.get("losses");
    events.set(rates?.events_per_second === null ? "–" : amount(rates?.events_per_second));
    if (events.svg) history.draw("events", events.svg);
    kept.set(rates?.kept_for_s ? duration(rates.kept_for_s) : "–", rates?.kept_by ?? "");
    cost?.set(costs ? percent(costs.cpu_share) : "–",
      costs ? `${duration(costs.pull_s)} a pull, ${amount(costs.bytes_per_second)}B/s` : "");
    if (cost) history.draw("cost", cost.svg);
    lost.set(losses ? amount(losses.pulls) : "–", losses ? `${losses.partial} partial` : "");
  };
  return { box, update };
}

function show_log(list, entries) {
  const newest_first = [...(entries ?? [])].reverse();
  fill(list, ...newest_first.map((entry) =>
    element("li", {}, element("span", { class: "faint" }, duration(entry.at_s)),
      element("span", { class: "kind", "data-kind": entry.kind }, entry.kind), element("span", { class: "text", dir: "auto" }, entry.text))));
}

function show_losses(box, losses) {
  if (!losses) return;
  const missing = (losses.missing ?? []).map((part) => element("li", {}, element("bdi", {}, part.what), `: ${part.detail || part.cause}`));
  fill(box,
    element("h2", {}, "Losses"),
    terms([
      ["Discarded before read", amount(losses.discarded)],
      ["Damaged", losses.torn ? amount(losses.torn) : ""],
      ["Dropped by a wrapper", losses.failed ? amount(losses.failed) : ""],
      ["Servers silent", losses.servers_silent ? `${losses.servers_silent} of ${losses.servers}` : ""],
    ]),
    missing.length > 0 ? element("ul", {}, ...missing) : element("p", { class: "faint" }, "All parts of the last view came."),
  );
}
