// The dialog with the keys.

import { element } from "./text.js";

const others = [
  ["/", "find a thread, process, node, path, element, scope, call, metric or view by name; * stands for any text"],
  ["arrows", "move the selection among the threads, or from box to box"],
  ["a", "on the map: go to the next arrow of a box; A goes to the one before"],
  ["Escape", "end the selection"],
  ["space", "play or pause a recording"],
  ["t", "light or dark"],
  ["?", "this help"],
];

export function show_help(dialog, views) {
  const list = element("dl");
  const keys = [...Object.values(views).map((view) => [view.key, view.title]), ...others];
  for (const [key, what] of keys) list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, what));
  dialog.replaceChildren(
    element("h2", { id: "help-title" }, "Keys"),
    list,
    element("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  if (!dialog.open) dialog.showModal();
}
