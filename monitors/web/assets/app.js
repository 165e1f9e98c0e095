// The page: header, views and keys around the store of parts. A view is a module with `title`, `key`, `wants` (names of
// parts beside those that each view gets, or a function that returns them) and `show(box, page)`, which fills the box and returns a function that is called with
// the names of changed parts. The server is asked only for the parts of the shown view, as it pays for some of them.

import { Address } from "./address.js";
import { Finder } from "./finder.js";
import { show_help } from "./help.js";
import { Playback } from "./playback.js";
import { is_report, ReportSource } from "./report_source.js";
import { LiveSource } from "./source.js";
import { severities } from "./states.js";
import { Store } from "./store.js";
import { duration, element } from "./text.js";
import { RateHistory } from "./rate_history.js";
import * as overview from "./views/overview.js";
import * as waits from "./views/waits.js";
import * as collectives from "./views/collectives.js";
import * as servers from "./views/servers.js";
import * as profile from "./views/profile.js";
import * as communication from "./views/communication.js";
import * as metrics from "./views/metrics.js";
import * as timeline from "./views/timeline.js";
import * as map from "./views/map.js";

const parts_of_all_views = ["about", "names", "clock", "verdict", "rates", "cost"];
const between_lists_ms = 4000;
const live_views = { overview, waits, collectives, servers, timeline, profile, communication, metrics, map };
const report_views = { overview, waits, collectives, timeline, profile, communication };
const views = is_report() ? report_views : live_views;
const by_id = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.source = is_report() ? new ReportSource() : new LiveSource();
    this.store = new Store();
    this.history = new RateHistory(this.store);
    this.address = new Address(Object.keys(views), () => this.on_address());
    this.playback = new Playback(by_id("playback"), this);
    this.finder = new Finder(by_id("finder"), this, views);
    this.update = () => {};
    this.shown = null;
    this.session = null;
    this.wanted = "";
    this.sessions = [];
    this.warnings = new Map();
    this.store.subscribe((changed) => this.on_parts(changed));
  }

  get is_report() {
    return is_report();
  }

  /** Searches by a condition, where the shown view can. */
  get search() {
    return this.update.search;
  }

  async begin() {
    this.make_navigation();
    this.set_theme(localStorage.getItem("theme") ?? preferred_theme());
    by_id("theme").addEventListener("click", () => this.switch_theme());
    by_id("help-button").addEventListener("click", () => show_help(by_id("help"), views));
    by_id("find-button").addEventListener("click", () => this.finder.open());
    by_id("session").addEventListener("change", (event) => this.choose(event.target.value));
    document.addEventListener("keydown", (event) => this.on_key(event));
    document.addEventListener("visibilitychange", () => this.on_visibility());
    try {
      await this.source.begin();
      await this.list_sessions();
    } catch (error) {
      this.warn("start", error.message);
    }
  }

  /** Shows a line over the view, one for each `kind` of warning; null removes it. */
  warn(kind, text) {
    if (text) this.warnings.set(kind, text);
    else if (!this.warnings.delete(kind)) return;
    const banner = by_id("banner");
    banner.hidden = this.warnings.size === 0;
    banner.textContent = [...this.warnings.values()].join(" ");
  }

  /** Gives an order to the server, and says so if it is refused. */
  async order(name, body = {}) {
    try {
      await this.source.order(name, body);
      this.warn("order", null);
    } catch (error) {
      this.warn("order", error.message);
    }
  }

  /** Reads the list of sessions, now and from time to time: others begin and end. */
  async list_sessions() {
    setTimeout(() => this.list_sessions().catch(() => {}), between_lists_ms);
    if (document.hidden) return;
    const sessions = await this.source.sessions();
    const is_new = JSON.stringify(sessions) !== JSON.stringify(this.sessions);
    this.sessions = sessions;
    this.warn("start", sessions.length > 0 ? null : "No session of this user runs now. Start one with `eventspace run`; it appears here by itself.");
    if (!is_new) return;
    const select = by_id("session");
    select.replaceChildren(...sessions.map((session) =>
      element("option", { value: session.id, dir: "auto" }, session.state === "gone" ? `${session.name} (ended)` : session.name)));
    select.disabled = sessions.length < 2;
    if (this.session !== null) select.value = this.session;
    this.on_address();
  }

  choose(id) {
    const chosen = this.sessions.find((session) => session.id === id);
    this.address.set("select", null);
    if (chosen) this.address.set("session", chosen.name);
  }

  on_address() {
    if (this.sessions.length === 0) return;
    const { view } = this.address.current();
    const wanted = this.address.get("session");
    const session = this.sessions.find((entry) => entry.name === wanted) ?? this.sessions[0];
    this.warn("address", wanted !== null && session.name !== wanted ? `There is no session '${wanted}' here; this is '${session.name}'.` : null);
    const is_other_session = session.id !== this.session;
    const is_other_view = view !== this.shown;
    if (is_other_session) this.begin_session(session);
    this.open(session.id, view);
    if (is_other_session || is_other_view) this.show(view);
    else this.update(new Set(["address"]));
    for (const link of by_id("views").children) link.href = this.address.of(link.dataset.view);
  }

  // A browser has six connections to a server, for all its tabs, and pages that were left may keep theirs. Hidden pages
  // give theirs back.
  on_visibility() {
    this.wanted = "";
    if (document.hidden) this.source.close();
    else if (this.session !== null) this.open(this.session, this.shown);
  }

  begin_session(session) {
    this.session = session.id;
    this.wanted = "";
    by_id("session").value = session.id;
    this.store.clear();
    this.history.clear();
    this.finder.forget();
    this.warn("session", null);
    document.title = `${session.name} – EventSpace`;
  }

  /** Asks for the parts of a view, unless they are those that come. */
  open(session, view) {
    const { wants } = views[view];
    const parts = [...new Set([...parts_of_all_views, ...(typeof wants === "function" ? wants(this) : wants), ...this.finder.wants()])];
    if (parts.join() === this.wanted) return;
    this.wanted = parts.join();
    this.source.open(session, parts, {
      on_part: (name, value) => {
        this.warn("session", null);
        this.store.put(name, value);
      },
      on_lost: (reason) => this.warn("session", `${reason} What is shown is old.`),
      on_gone: (reason) => this.warn("session", `The session has ended${reason ? `: ${reason}` : ""}. What is shown is its last state.`),
    });
  }

  want_more() {
    if (this.session !== null && !document.hidden) this.open(this.session, this.shown);
  }

  /** Goes to what the finder has found (places.js). */
  go_to({ view, changes, where }) {
    this.address.go(view, where === undefined ? changes : { ...changes, where, op: null });
    if (where === undefined) return;
    if (view !== this.shown) this.on_address(); // the address tells later that it has changed
    this.search?.(where);
  }

  show(name) {
    this.shown = name;
    for (const link of by_id("views").children) {
      if (link.dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const main = by_id("main");
    main.replaceChildren();
    this.update = views[name].show(main, this);
    this.update(new Set([...this.store.parts.keys()].map((part) => part.split("/")[0])));
  }

  on_parts(changed) {
    if (changed.has("verdict")) show_chip(this.store.get("verdict"));
    if (changed.has("clock") || changed.has("about")) this.show_clock();
    this.want_more(); // what a view wants may depend on parts
    this.update(changed);
    this.finder.update(changed);
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
    if (is_typing(event.target) || by_id("help").open || this.finder.is_open) return;
    const found = Object.entries(views).find(([, view]) => view.key === event.key);
    if (found) this.address.go(found[0]);
    else if (event.key === "/") this.open_finder(event);
    else if (event.key === "?") show_help(by_id("help"), views);
    else if (event.key === "t") this.switch_theme();
    else if (event.key === "Escape") this.address.set("select", null);
  }

  open_finder(event) {
    event.preventDefault(); // the key is not a letter of the name
    this.finder.open();
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

/** The box of the finder keeps the focus for a moment after it has been closed. */
function is_typing(target) {
  return target.matches("input, select, textarea") && target.closest("dialog:not([open])") === null;
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
