// What the map selects, in the address as "KIND:ID": threads, elements and paths by their numbers, as in the parts; processes,
// nodes and scopes by their names; an arrow of several paths by its position.

import { format } from "../address.js";

const by_number = ["thread", "element", "path", "arrow", "group"];

/** The selection of the address: {kind, id}; null if the map has none of that. */
export function selected_in(page, map) {
  const text = page.address.get("select") ?? "";
  const mark = text.indexOf(":");
  const kind = text.slice(0, mark);
  const id = by_number.includes(kind) ? Number(text.slice(mark + 1)) : text.slice(mark + 1);
  return mark > 0 && exists(kind, id, page.store.get("names"), map) ? { kind, id } : null;
}

function exists(kind, id, names, map) {
  if (kind === "thread") return names?.threads[id] !== undefined;
  if (kind === "element") return map.elements[id] !== undefined;
  if (kind === "path") return names?.paths[id] !== undefined;
  if (kind === "arrow") return map.arrows[id] !== undefined;
  if (kind === "group") return map.boxes[id]?.kind === "group";
  if (kind === "process") return processes_of(names, map).includes(id);
  if (kind === "node") return nodes_of(names, map).includes(id);
  return kind === "scope" && map.scopes.some((scope) => scope.name === id);
}

const names_in = (map, kinds) => [...map.boxes, ...map.frames].filter((part) => kinds.includes(part.kind)).map((part) => part.name);

/** The names of processes: those with threads, and those that are only drawn. */
function processes_of(names, map) {
  return [...(names?.processes ?? []), ...names_in(map, ["process"])];
}

function nodes_of(names, map) {
  return [...(names?.nodes ?? []), ...names_in(map, ["node", "server"])];
}

/** The text of the selection of a box, as in the address. */
export function text_of_box(box, index) {
  if (box.kind === "thread" && box.threads.length === 1) return `thread:${box.threads[0]}`;
  if (box.kind === "element" || box.kind === "joint") return `element:${box.elements[0]}`;
  if (box.kind === "process" || box.kind === "node") return `${box.kind}:${box.name}`;
  return box.kind === "server" ? `node:${box.name}` : `group:${index}`;
}

export function text_of_arrow(arrow, index) {
  return arrow.paths.length === 1 ? `path:${arrow.paths[0]}` : `arrow:${index}`;
}

/** The selection in the words of other parts of the page: {kind, name}; kind is null for what they do not know. */
export function named(selection, names, map) {
  if (!selection) return { kind: null, name: null };
  const { kind, id } = selection;
  if (kind === "thread") return { kind, name: names.threads[id] };
  if (kind === "path") return { kind, name: names.paths[id] };
  if (kind === "element") return { kind, name: map.elements[id].name };
  return kind === "arrow" || kind === "group" ? { kind: null, name: null } : { kind, name: id };
}

/** The address of a view with this selection. */
export function link_to(page, view, select) {
  return format({ view, parameters: new Map(page.address.current().parameters).set("select", select) });
}
