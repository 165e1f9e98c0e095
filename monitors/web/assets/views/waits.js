// Who waits for whom: the graph of a stall, culprits first. Nodes are groups of threads that do the same; an edge leads from
// those that wait to those they wait for. A table below says the same in words.

import { fill } from "../fill.js";
import { duration, element } from "../text.js";

export const title = "Who waits";
export const key = "2";
export const wants = ["waits"];

const box_width = 310;
const line_height = 17;
const layer_gap = 190;
const row_gap = 22;
const max_nodes = 60;

export function show(box, page) {
  const heading = element("h2", {}, "Who waits for whom");
  const empty = element("p", { class: "faint" }, "No thread is stalled: nothing to show.");
  const graph = element("div", { class: "graph", role: "img" });
  const table = element("div", { class: "table-box" });
  box.append(element("section", { class: "card" }, heading, empty, graph, table));
  return (changed) => {
    if (!changed.has("waits")) return;
    const waits = page.store.get("waits");
    const nodes = waits?.nodes ?? [];
    empty.hidden = nodes.length > 0;
    empty.textContent = waits?.reason ?? "No thread is stalled: nothing to show.";
    if (nodes.length === 0) {
      graph.replaceChildren();
      table.replaceChildren();
      return;
    }
    const edges = waits.edges ?? [];
    graph.setAttribute("aria-label", `Graph of ${nodes.length} groups of threads; the table below has the same`);
    fill(graph, drawing_of(nodes.slice(0, max_nodes), edges));
    fill(table, table_of(nodes, edges));
  };
}

/** The layer of each node: culprits that wait for nobody are in layer 0, those that wait for them in layer 1, and so on. */
export function layers_of(nodes, edges) {
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  // Longest path to a node that waits for nobody; a cycle ends at the number of nodes.
  for (let round = 0; round < nodes.length; ++round) {
    let has_moved = false;
    for (const { from, to } of edges) {
      if (!layer.has(from) || !layer.has(to) || layer.get(from) > layer.get(to)) continue;
      if (layer.get(to) + 1 >= nodes.length) continue;
      layer.set(from, layer.get(to) + 1);
      has_moved = true;
    }
    if (!has_moved) break;
  }
  return layer;
}

/** What a group does; of a single thread also its name. */
function words_of({ label, threads }) {
  return threads.length === 1 && !label.startsWith(threads[0]) ? `${threads[0]}: ${label}` : label;
}

function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.slice(0, 4).map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line));
}

function place(nodes, edges) {
  const layer = layers_of(nodes, edges);
  const bottoms = new Map();
  return nodes.map((node) => {
    const lines = wrapped(words_of(node), 36);
    const more = node.threads.length > 1 ? [`${node.threads.length} threads: ${node.threads.slice(0, 3).join(", ")}${node.threads.length > 3 ? ", …" : ""}`] : [];
    const all = [...lines, ...more.flatMap((line) => wrapped(line, 40).slice(0, 1))];
    const column = layer.get(node.id);
    const y = bottoms.get(column) ?? 8;
    const height = all.length * line_height + 14;
    bottoms.set(column, y + height + row_gap);
    return { node, lines: all, x: 8 + column * (box_width + layer_gap), y, height };
  });
}

function drawing_of(nodes, edges) {
  const spots = place(nodes, edges);
  const by_id = new Map(spots.map((spot) => [spot.node.id, spot]));
  const width = d3.max(spots, (spot) => spot.x) + box_width + 16;
  const height = d3.max(spots, (spot) => spot.y + spot.height) + 16;
  const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).style("max-width", `${width}px`);
  svg.append("defs").append("marker").attr("id", "arrow").attr("viewBox", "0 0 8 8").attr("refX", 8).attr("refY", 4)
    .attr("markerWidth", 8).attr("markerHeight", 8).attr("orient", "auto").append("path").attr("d", "M0,0L8,4L0,8Z").attr("fill", "var(--faint)");
  const shown = edges.filter((edge) => by_id.has(edge.from) && by_id.has(edge.to));
  const edge = svg.append("g").selectAll("g").data(shown).join("g").attr("class", "edge");
  edge.append("path").attr("d", ({ from, to }) => curve(by_id.get(from), by_id.get(to))).attr("marker-end", "url(#arrow)");
  edge.append("text").attr("text-anchor", "middle")
    .attr("x", ({ from, to }) => (by_id.get(from).x + by_id.get(to).x + box_width) / 2)
    .attr("y", ({ from, to }) => (middle(by_id.get(from)) + middle(by_id.get(to))) / 2 - 8)
    .text(({ since_s }) => (since_s === null ? "" : `waits ${duration(since_s)}`));
  const node = svg.append("g").selectAll("g").data(spots).join("g").attr("class", (spot) => `node${spot.node.culprit ? " culprit" : ""}`)
    .attr("transform", (spot) => `translate(${spot.x},${spot.y})`);
  node.append("rect").attr("width", box_width).attr("height", (spot) => spot.height).attr("rx", 8);
  node.append("text").selectAll("tspan").data((spot) => spot.lines.map((line, i) => ({ line, i }))).join("tspan")
    .attr("x", 12).attr("y", ({ i }) => 20 + i * line_height).text(({ line }) => line);
  return svg.node();
}

const middle = (spot) => spot.y + spot.height / 2;

function curve(from, to) {
  const start = [from.x, middle(from)];
  const end = [to.x + box_width, middle(to)];
  if (from.x > to.x) return d3.linkHorizontal()({ source: start, target: end });
  const side = [from.x + box_width, middle(from)]; // within a cycle: around on the right
  const out = side[0] + 60;
  return `M${side}C${out},${side[1]} ${out},${end[1]} ${end}`;
}

function table_of(nodes, edges) {
  const label = new Map(nodes.map((node) => [node.id, words_of(node)]));
  const rows = edges.map((edge) =>
    element("tr", {}, element("td", {}, label.get(edge.from) ?? ""), element("td", { class: "number" }, duration(edge.since_s)), element("td", {}, label.get(edge.to) ?? "")));
  const alone = nodes.filter((node) => !edges.some((edge) => edge.from === node.id || edge.to === node.id));
  rows.push(...alone.map((node) => element("tr", {}, element("td", {}, words_of(node)), element("td"), element("td", { class: "faint" }, "waits for nobody"))));
  return element("table", {}, element("caption", { class: "visually-hidden" }, "Who waits for whom"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Waiting"), element("th", { scope: "col", class: "number" }, "For"), element("th", { scope: "col" }, "Waits for"))),
    element("tbody", {}, ...rows));
}
