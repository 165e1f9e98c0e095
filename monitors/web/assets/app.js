// The page: header, views and keys around the store of parts. A view is a module with `title`, `key`, `wants` (names of
// parts) and `show(box, page)`, which fills the box and returns a function that is called with the names of changed parts.

import { Address } from "./address.js";
import { show_help } from "./help.js";
import { Playback } from "./playback.js";
import { LiveSource } from "./source.js";
import { severities } from "./states.js";
import { Store } from "./store.js";
import { duration, element } from "./text.js";
import { RateHistory } from "./rate_history.js";
import * as overview from "./views/overview.js";
import * as waits from "./views/waits.js";
import * as collectives from "./views/collectives.js";
import * as servers from "./views/servers.js";

const views = { overview, waits, collectives, servers };
const by_id = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.source = new LiveSource();
    this.store = new Store();
    this.history = new RateHistory(this.store);
    this.address = new Address(Object.keys(views), () => this.on_address());
    this.playback = new Playback(by_id("playback"), this);
    this.update = () => {};
    this.shown = null;
    this.session = null;
    this.store.subscribe((changed) => this.on_parts(changed));
  }

  async begin() {
    this.make_navigation();
    this.set_theme(localStorage.getItem("theme") ?? preferred_theme());
    by_id("theme").addEventListener("click", () => this.switch_theme());
    by_id("help-button").addEventListener("click", () => show_help(by_id("help"), views));
    by_id("session").addEventListener("change", (event) => this.address.set("session", event.target.value));
    document.addEventListener("keydown", (event) => this.on_key(event));
    try {
      await this.source.begin();
      await this.choose_session();
    } catch (error) {
      this.warn(error.message);
    }
  }

  /** Shows a line above the view; null removes it. */
  warn(text) {
    const banner = by_id("banner");
    banner.hidden = !text;
    banner.textContent = text ?? "";
  }

  /** Gives an order to the server, and says so if it is refused. */
  async order(name, body = {}) {
    try {
      await this.source.order(name, body);
    } catch (error) {
      this.warn(error.message);
    }
  }

  async choose_session() {
    const sessions = await this.source.sessions();
    const select = by_id("session");
    select.replaceChildren(...sessions.map((session) => element("option", { value: session.id }, session.name)));
    select.disabled = sessions.length < 2;
    if (sessions.length === 0) {
      this.warn("No session of this user runs now. Start one with `eventspace run`; it appears here by itself.");
      setTimeout(() => this.choose_session().catch((error) => this.warn(error.message)), 2000);
      return;
    }
    this.warn(null);
    this.sessions = sessions;
    this.on_address();
  }

  on_address() {
    if (!this.sessions) return;
    const { view } = this.address.current();
    const wanted = this.address.get("session");
    const session = this.sessions.find((entry) => entry.id === wanted) ?? this.sessions[0];
    if (session.id !== this.session) this.open(session);
    if (view !== this.shown) this.show(view);
    else this.update(new Set(["address"]));
  }

  open(session) {
    this.session = session.id;
    by_id("session").value = session.id;
    this.store.clear();
    this.history.clear();
    this.shown = null;
    document.title = `${session.name} – EventSpace`;
    this.source.open(session.id, {
      on_part: (name, value) => {
        this.warn(null);
        this.store.put(name, value);
      },
      on_state: (state) =>
        state === "lost" ? this.warn("The server of this page does not answer. What is shown is old.") : this.warn(null),
      on_gone: (reason) => this.warn(`The session has ended${reason ? `: ${reason}` : ""}. What is shown is its last state.`),
    });
  }

  show(name) {
    this.shown = name;
    for (const link of by_id("views").children) {
      if (link.dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      link.href = this.address.of(link.dataset.view);
    }
    const main = by_id("main");
    main.replaceChildren();
    this.update = views[name].show(main, this);
    this.update(new Set([...this.store.parts.keys()].map((part) => part.split("/")[0])));
  }

  on_parts(changed) {
    if (changed.has("verdict")) show_chip(this.store.get("verdict"));
    if (changed.has("clock") || changed.has("about")) this.show_clock();
    this.update(changed);
  }

  show_clock() {
    const clock = this.store.get("clock");
    const about = this.store.get("about");
    this.playback.update(about, clock);
    by_id("clock").textContent = clock ? `${duration(clock.at)} ${about?.recording ? "of the recording" : "watched"}` : "";
  }

  make_navigation() {
    const links = Object.entries(views).map(([name, view]) =>
      element("a", { href: `#/${name}`, "data-view": name }, view.title, element("kbd", { "aria-hidden": "true" }, view.key)),
    );
    by_id("views").replaceChildren(...links);
  }

  on_key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea") || by_id("help").open) return;
    const found = Object.entries(views).find(([, view]) => view.key === event.key);
    if (found) this.address.go(found[0]);
    else if (event.key === "?") show_help(by_id("help"), views);
    else if (event.key === "t") this.switch_theme();
    else if (event.key === "Escape") this.address.set("select", null);
  }

  switch_theme() {
    this.set_theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    localStorage.setItem("theme", document.documentElement.dataset.theme);
  }

  set_theme(theme) {
    document.documentElement.dataset.theme = theme;
    this.update(new Set(["theme"]));
  }
}

function preferred_theme() {
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function show_chip(verdict) {
  const { mark, words } = severities[verdict?.severity] ?? severities.unknown;
  const chip = by_id("chip");
  chip.dataset.severity = verdict?.severity ?? "unknown";
  chip.querySelector(".mark").textContent = mark;
  chip.querySelector(".words").textContent = verdict?.stalled ? `${verdict.stalled} ${words}` : words;
}

new Page().begin();
