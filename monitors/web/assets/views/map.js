// The map: nodes, processes, threads, elements and paths as `eventspace draw` draws them, with live numbers; an inspector of what
// is selected; and the scopes, whose trees the inspector shows.

import { fill } from "../fill.js";
import { MapDrawing } from "../map/drawing.js";
import { Inspector } from "../map/inspector.js";
import { MapNumbers } from "../map/numbers.js";
import { link_to, selected_in } from "../map/selection.js";
import { words_of } from "../states.js";
import { element } from "../text.js";

export const title = "Map";
export const key = "9";
export const wants = ["map", "map_rates", "threads", "steering"];

const details = {
  threads: "A box for each thread and element.",
  groups: "Threads with the same paths share a box, and so do elements that are used alike.",
  processes: "A box for each process.",
  nodes: "A box for each node.",
};

export function show(box, page) {
  const reason = element("p", { class: "faint" });
  const drawing = new MapDrawing((select) => page.address.set("select", select));
  const note = element("p", { class: "faint hint" });
  const key_lines = element("p", { class: "faint" });
  const legend = element("div", { class: "legend" });
  const scopes = element("p", { class: "links scopes" });
  const controls = element("div", { class: "controls" },
    element("button", { type: "button", onclick: () => drawing.scale_by(1.4), "aria-label": "Larger" }, "+"),
    element("button", { type: "button", onclick: () => drawing.scale_by(1 / 1.4), "aria-label": "Smaller" }, "−"),
    element("button", { type: "button", onclick: () => drawing.show_all() }, "Show all"), scopes);
  const inspector = new Inspector(page);
  const picture = element("div", { class: "map-box" }, drawing.node());
  box.append(element("div", { class: "columns map-columns" },
    element("section", { class: "card map", "aria-label": "Map" }, element("h2", {}, "Map", reason), controls, picture, note, key_lines, legend), inspector.box));
  const numbers = new MapNumbers(page.store);
  let drawn = "";
  return (changed) => {
    if (!["map", "map_rates", "threads", "names", "about", "address"].some((part) => changed.has(part))) return;
    const map = map_of(page, reason);
    picture.hidden = map === null;
    if (map === null) {
      fill(inspector.facts);
      return;
    }
    if ((drawing.map === null || changed.has("map")) && drawn !== JSON.stringify(map)) { // after a loss of the connection, it comes again
      drawn = JSON.stringify(map);
      drawing.draw(map);
      show_texts(map, note, key_lines);
    }
    numbers.update();
    drawing.update(numbers);
    const chosen = selected_in(page, map);
    drawing.select(chosen ? `${chosen.kind}:${chosen.id}` : "");
    inspector.update(chosen, map, numbers);
    show_legend(legend, page, numbers);
    fill(scopes, "Scopes: ", ...map.scopes.map(({ name }) => scope_link(page, name, chosen)));
  };
}

/** The map; null, with a reason, if there is none. */
function map_of(page, reason) {
  const map = page.store.get("map");
  const is_ready = map !== null && map.reason === undefined && page.store.get("names") !== null;
  reason.textContent = is_ready ? "" : (map?.reason ?? "The map is being drawn.");
  return is_ready ? map : null;
}

function show_texts(map, note, key_lines) {
  const has_bundles = ["processes", "nodes"].includes(map.detail) && map.arrows.length > 0;
  note.textContent = [details[map.detail], has_bundles ? "An arrow is all paths between two." : "", map.note && `${map.note}.`].filter((text) => text).join(" ");
  note.title = note.textContent;
  key_lines.textContent = map.key.join("    ");
  key_lines.hidden = map.key.length === 0;
}

function scope_link(page, name, chosen) {
  const is_chosen = chosen?.kind === "scope" && chosen.id === name;
  return element("a", { href: link_to(page, "map", `scope:${name}`), "aria-current": is_chosen ? "true" : null, dir: "auto" }, name);
}

function show_legend(legend, page, numbers) {
  const about = page.store.get("about");
  const threads = page.store.get("names").threads;
  fill(legend, ...numbers.states_of(threads.keys()).map(([letter, count]) =>
    element("span", {}, element("strong", {}, letter), `${words_of(about, letter)} ${count}`)));
}
