// What the reader can jump to by name, and the address of each: views, threads, processes, nodes, paths, elements and scopes of the
// map, calls of the program, and metrics. The names are those of the parts that the page has.

import { call_name } from "./text.js";

const views_of_threads = ["overview", "profile", "timeline", "map"];

/** All places: {kind, name, note, view, changes}, where `changes` are parameters of the address. */
export function places_of(page, views) {
  const has = (view) => Object.hasOwn(views, view);
  return [...views_in(views), ...threads_in(page), ...members_in(page), ...(page.shown === "map" ? paths_on_map(page) : has("timeline") ? paths_in(page) : []),
    ...(has("map") ? parts_of_map(page) : []), ...calls_in(page), ...(has("metrics") ? metrics_in(page) : [])];
}

function views_in(views) {
  return Object.entries(views).map(([view, { title, key }]) => ({ kind: "view", name: title, note: `key ${key}`, view, changes: {} }));
}

/** The view that shows a selected thread: this one, if it does. */
const view_of_thread = (page) => (views_of_threads.includes(page.shown) ? page.shown : "overview");

function threads_in(page) {
  const { threads, processes, process_of_thread } = names_of(page);
  return threads.map((name, i) => ({
    kind: "thread", name, note: processes[process_of_thread[i]] ?? "", view: view_of_thread(page), changes: { select: `thread:${i}` },
  }));
}

/** Processes and nodes stand for their first thread, but on the map for themselves. */
function members_in(page) {
  const { threads, processes, nodes, process_of_thread, node_of_process } = names_of(page);
  const is_on_map = page.shown === "map";
  const member = (kind, name, first) => (is_on_map ? on_map(kind, name, name) : {
    kind, name, note: first === undefined ? "without threads" : `first thread: ${threads[first]}`, view: view_of_thread(page),
    changes: first === undefined ? {} : { select: `thread:${first}` },
  });
  const of_process = first_of_each(process_of_thread);
  const of_node = first_of_each(process_of_thread.map((process) => node_of_process[process]));
  return [...processes.map((name, i) => member("process", name, of_process.get(i))), ...nodes.map((name, i) => member("node", name, of_node.get(i)))];
}

const on_map = (kind, name, id, note = "") => ({ kind, name, note, view: "map", changes: { select: `${kind}:${id}` } });

function paths_on_map(page) {
  return [...first_of_each(names_of(page).paths)].filter(([name]) => name !== "").map(([name, i]) => on_map("path", name, i));
}

function parts_of_map(page) {
  const map = page.store.get("map");
  return [...(map?.elements ?? []).map(({ name, host }, i) => on_map("element", name, i, host)),
    ...(map?.scopes ?? []).map(({ name, reads }) => on_map("scope", name, name, reads))];
}

/** The first index of each value. */
function first_of_each(values) {
  const first = new Map();
  values.forEach((value, i) => first.has(value) || first.set(value, i));
  return first;
}

function names_of(page) {
  return page.store.get("names") ?? { threads: [], processes: [], nodes: [], paths: [], process_of_thread: [], node_of_process: [] };
}

/** A path that messages went over has a matrix. The operations of another are found in the timeline. */
function paths_in(page) {
  const over = page.store.get("communication")?.over?.name ?? [];
  const can_search = !page.is_report;
  return [...new Set(names_of(page).paths)].filter((name) => name !== "" && (can_search || over.includes(name))).map((name) => {
    const quote = name.includes("'") ? '"' : "'";
    return over.includes(name)
      ? { kind: "path", name, note: "communication over it", view: "communication", changes: { over: name } }
      : { kind: "path", name, note: "its operations", view: "timeline", changes: {}, where: `path == ${quote}${name}${quote}` };
  });
}

function calls_in(page) {
  const part = page.store.get("call_sites");
  return (part?.call ?? []).map((call, i) => ({
    kind: "call", name: call_name(call, part.site[i]), note: "", view: "profile", changes: { call: call_name(call, part.site[i]), select: null },
  }));
}

function metrics_in(page) {
  return (page.store.get("metrics")?.metrics ?? []).map(({ name, unit }) => ({
    kind: "metric", name, note: unit, view: "metrics", changes: { metrics: name },
  }));
}
