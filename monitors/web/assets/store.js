// The newest value of each part of the session's document, and who wants to know of changes.
//
// Parts come in bursts: one look of the server changes several. Subscribers are called once for a burst, in the next frame,
// so that a view is drawn at most once a frame however fast the parts come.

export class Store {
  constructor() {
    this.parts = new Map();
    this.changed = new Set();
    this.subscribers = new Set();
    this.is_due = false;
    this.blocks = 0;
  }

  /** Takes a part from the server. */
  put(name, value) {
    this.parts.set(name, value);
    this.changed.add(name.split("/")[0]);
    if (name.startsWith("threads/")) this.blocks = Math.max(this.blocks, Number(name.slice(8)) + 1);
    this.notify();
  }

  /** Forgets all parts: another session is shown. */
  clear() {
    this.parts.clear();
    this.blocks = 0;
    this.changed.clear();
  }

  get(name) {
    return this.parts.get(name) ?? null;
  }

  /** The blocks of threads, in order, without gaps. */
  thread_blocks() {
    const blocks = [];
    const count = this.get("about")?.threads ?? Infinity;
    for (let k = 0; k < this.blocks && k * 64 < count; ++k) {
      const block = this.parts.get(`threads/${k}`);
      if (block) blocks.push(block);
    }
    return blocks;
  }

  /** `on_change` gets the set of the names of changed parts, without what follows a slash. Returns a function that ends it. */
  subscribe(on_change) {
    this.subscribers.add(on_change);
    return () => this.subscribers.delete(on_change);
  }

  notify() {
    if (this.is_due) return;
    this.is_due = true;
    const tell = () => {
      if (!this.is_due) return;
      this.is_due = false;
      const changed = this.changed;
      this.changed = new Set();
      for (const subscriber of [...this.subscribers]) subscriber(changed);
    };
    // A page that is hidden has no frames; its stream ends soon (see Page.on_visibility), and what has come is taken all the same.
    if (document.hidden) setTimeout(tell, 250);
    else requestAnimationFrame(tell);
  }
}

/** The name of the thread that the address selects; null if none is selected. */
export function selected_name(page) {
  const selected = page.address.get("select") ?? "";
  return selected.startsWith("thread:") ? page.store.get("names")?.threads[Number(selected.slice(7))] ?? null : null;
}

/** How the address selects the thread of this name; null if there is none. */
export function selection(store, name) {
  const index = store.get("names")?.threads.indexOf(name) ?? -1;
  return index < 0 ? null : `thread:${index}`;
}

/** One thread of the blocks, as an object; null if there is none with this number. */
export function thread_of(store, index) {
  const block = store.get(`threads/${Math.floor(index / 64)}`);
  const at = index % 64;
  if (!block || at >= block.state.length) return null;
  const names = store.get("names");
  const process = names?.process_of_thread[index] ?? null;
  const node = process === null ? null : names.node_of_process[process];
  return {
    index,
    name: names?.threads[index] ?? `thread ${index}`,
    process: process === null ? null : names.processes[process],
    rank: process === null ? null : names.rank_of_process[process],
    node: node === null ? null : names.nodes[node],
    state: block.state[at],
    for_s: block.for_s[at],
    call: block.call[at] === null ? null : block.texts[block.call[at]],
    in_flight: block.in_flight[at] === "1",
    rate: block.rate[at],
    cpu: block.cpu[at],
    waiting: block.waiting[at],
  };
}
