// The view, the selection and the time range in the address bar, so that an address can be sent to somebody:
//
//     #/overview?session=lattice&select=thread:17
//
// Views read the address by `current()` and change it by `go()`. The keys of the parameters are up to the views. An unknown
// view becomes the first one.

/** Parses a location hash. Returns {view, parameters: Map}. */
export function parse(hash, views) {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const name = mark < 0 ? text : text.slice(0, mark);
  const parameters = new Map(new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)));
  return { view: views.includes(name) ? name : views[0], parameters };
}

/** The hash of an address; parameters that are null or empty are left out. */
export function format({ view, parameters }) {
  const search = new URLSearchParams();
  for (const [key, value] of parameters) if (value !== null && value !== "") search.set(key, value);
  const text = search.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** The address of this page. `on_change` is called with the new address, after each change. */
export class Address {
  constructor(views, on_change) {
    this.views = views;
    this.on_change = on_change;
    window.addEventListener("hashchange", () => this.on_change(this.current()));
  }

  current() {
    return parse(window.location.hash, this.views);
  }

  get(key) {
    return this.current().parameters.get(key) ?? null;
  }

  /** Changes the view, as a new entry of the history. Keeps the parameters but for `changes`: {name: value or null}. */
  go(view, changes = {}) {
    const { parameters } = this.current();
    for (const [key, value] of Object.entries(changes)) parameters.set(key, value);
    window.location.hash = format({ view, parameters });
  }

  /** The address of a view with the parameters of now. */
  of(view) {
    return format({ view, parameters: this.current().parameters });
  }

  /** The address of this view with another value of a parameter. */
  with(key, value) {
    const { view, parameters } = this.current();
    return format({ view, parameters: new Map(parameters).set(key, value) });
  }

  /** Sets a parameter without a new entry of the history; null removes it. */
  set(key, value) {
    const now = this.current();
    if ((now.parameters.get(key) ?? null) === value) return;
    if (value === null) now.parameters.delete(key);
    else now.parameters.set(key, value);
    window.history.replaceState(null, "", format(now));
    this.on_change(this.current());
  }
}
