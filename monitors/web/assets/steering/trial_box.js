// Trials of scope trees: the reader chooses a scope, a variant of its tree and the rate of pulls with a slider; the server pulls so and
// measures what that yields and costs. The plot has all trials so far: the trade-off between observe rate and cost.

import { fill } from "../fill.js";
import { SortedTable } from "../table.js";
import { amount, duration, element, percent, terms } from "../text.js";
import { set_options } from "./collecting_box.js";
import { draw_trade_off, processors_of } from "./trade_off.js";

const between_questions_ms = 300;
const after_fault_ms = 3000;
const fastest = 100; // the last position of the slider: as fast as possible
const decades = 4; // of rates, over all other positions

/** The rate at a position of the slider, in pulls a second; null: as fast as possible. */
export function rate_at(position, least = 0.1) {
  return position >= fastest ? null : Number((least * 10 ** ((position / (fastest - 1)) * decades)).toPrecision(2));
}

export function position_of(rate, least = 0.1) {
  return rate === null || rate === undefined ? fastest : Math.round((Math.log10(rate / least) / decades) * (fastest - 1));
}

const words_of_rate = (rate) => (rate === null ? "as fast as possible" : `${amount(rate)} pulls a second`);

export class TrialBox {
  constructor(panel) {
    this.panel = panel;
    this.asked = null; // the scope whose variants are shown
    this.is_moved = false; // the slider, which the reader holds
    this.has_newer_rate = false; // than the order under way
    this.scope = element("select", { "aria-label": "Scope to try", onchange: () => this.panel.update() });
    this.variant = element("select", { "aria-label": "Variant of the scope's tree" });
    this.slider = element("input", { type: "range", min: 0, max: fastest, value: position_of(1), "aria-label": "Observe rate", oninput: () => this.on_move(), onchange: () => this.on_rate() });
    this.rate = element("span", { class: "steering-rate" });
    this.begin = element("button", { type: "button", onclick: () => this.order() }, "Try");
    this.end = element("button", { type: "button", "aria-label": "Stop the trial", onclick: () => this.stop() }, "Stop");
    this.figures = element("div", { class: "steering-figures" });
    this.levels = element("div", { class: "steering-levels faint", dir: "auto" });
    this.plot = element("div", { class: "steering-plot" });
    this.table = new SortedTable("Trials", [
      { name: "Trial", value: (row) => row.number, is_number: true, is_first: true },
      { name: "Tree", value: (row) => `${row.scope}: ${row.tree}` },
      { name: "Asked", value: (row) => row.asked_rate ?? Infinity, text: (row) => (row.asked_rate === null ? "fastest" : amount(row.asked_rate)), is_number: true },
      { name: "Rate", value: (row) => row.rate, text: (row) => amount(row.rate), is_number: true },
      { name: "Processors", value: processors_of, text: (row) => percent(processors_of(row)), is_number: true },
      { name: "Slowdown", value: (row) => row.slowdown.ratio ?? null, text: (row) => slowdown_text(row.slowdown) || "–", is_number: true, is_wide: true },
    ], 8);
    this.variants_fault = element("p", { class: "steering-fault" });
    this.controls = element("div", { class: "controls" }, element("label", {}, "Scope ", this.scope), element("label", {}, "tree ", this.variant),
      element("label", { class: "steering-slider" }, this.slider), this.rate, this.begin, this.end);
    this.none = element("p", { class: "faint" }, "There is no pathmap with scopes to try.");
    this.results = element("div", {}, this.figures, this.levels, this.plot, this.table.box);
    this.box = element("div", { role: "group", "aria-label": "Trial of a scope tree" }, element("h3", {}, "Observe rate against cost"), this.none, this.controls, this.variants_fault, this.results);
    this.show_rate();
  }

  get wanted_rate() {
    return rate_at(Number(this.slider.value));
  }

  show_rate() {
    const words = words_of_rate(this.wanted_rate);
    this.rate.textContent = words;
    this.slider.setAttribute("aria-valuetext", words);
  }

  on_move() {
    this.is_moved = true;
    this.show_rate();
  }

  /** While a trial runs, the slider changes its rate: at once, or when the order under way has been carried out. */
  on_rate() {
    this.is_moved = false;
    this.show_rate();
    const trial = this.panel.state?.trial;
    this.has_newer_rate = this.panel.must_wait;
    if (trial && !this.has_newer_rate) this.panel.order("scope", { scope: trial.scope, variant: trial.variant, rate: this.wanted_rate });
  }

  order() {
    if (this.can_begin) this.panel.order("scope", { scope: this.scope.value, variant: Number(this.variant.value), rate: this.wanted_rate });
    else this.panel.say(["Choose a scope and a tree first."], true);
  }

  stop() {
    if (this.panel.state?.trial) this.panel.order("scope", { scope: null });
    else this.panel.say(["No trial runs."]);
  }

  get can_begin() {
    return this.scope.value !== "" && this.variant.value !== "";
  }

  show(selection) {
    const scopes = this.panel.store.get("steering/choices")?.scopes ?? [];
    if (selection.kind === "scope" && scopes.includes(selection.name)) this.scope.value = selection.name;
  }

  update() {
    const { state, store, hindrance } = this.panel;
    const scopes = store.get("steering/choices")?.scopes ?? [];
    set_options(this.scope, "choose a scope", scopes);
    this.none.hidden = scopes.length > 0;
    this.controls.hidden = this.results.hidden = scopes.length === 0;
    const trial = state?.trial ?? null;
    this.follow(trial);
    this.ask_variants(this.scope.value);
    this.scope.disabled = this.variant.disabled = this.slider.disabled = hindrance !== "";
    this.panel.allow(this.begin, this.can_begin);
    this.panel.allow(this.end, trial !== null);
    this.show_figures(trial);
    const trials = [...(store.get("steering/trials") ?? []), ...(trial ? [trial] : [])];
    this.table.update(trials);
    draw_trade_off(this.plot, trials, trial !== null);
    if (this.has_newer_rate && !this.panel.must_wait) this.on_rate();
  }

  /** The controls show the trial that the server has begun, whichever page ordered it. */
  follow(trial) {
    const key = trial && JSON.stringify([trial.scope, trial.variant, trial.asked_rate]);
    if (key === this.followed) return;
    this.followed = key;
    if (!trial) return;
    this.scope.value = trial.scope;
    this.wanted_variant = trial.variant;
    if (this.asked === trial.scope) this.variant.value = trial.variant;
    if (!this.is_moved && !this.has_newer_rate) this.slider.value = position_of(trial.asked_rate);
    this.show_rate();
  }

  async ask_variants(scope) {
    if (scope === this.asked) return;
    this.asked = scope;
    this.variant.replaceChildren();
    this.variants_fault.textContent = "";
    try {
      let answer = null;
      while (scope !== "" && this.asked === scope && !answer?.variants && !this.panel.is_closed) {
        if (answer) await new Promise((wake) => setTimeout(wake, between_questions_ms));
        answer = await this.panel.source.question("variants", { scope });
      }
      if (this.asked === scope && answer?.variants) this.show_variants(answer);
    } catch (error) {
      if (this.asked !== scope) return;
      this.variants_fault.textContent = error.message;
      await new Promise((wake) => setTimeout(wake, after_fault_ms));
      if (this.asked === scope) this.asked = null; // asks again with the next parts
    }
  }

  show_variants({ variants, left_out, reason }) {
    this.variants_fault.textContent = reason;
    this.variant.replaceChildren(...variants.map((words, i) => element("option", { value: i }, i === 0 ? `${words} (as it is)` : words)));
    this.variant.title = left_out > 0 ? `${left_out} or more further variants are left out` : "";
    if (this.wanted_variant < variants.length) this.variant.value = this.wanted_variant;
    this.wanted_variant = undefined;
    this.panel.update();
  }

  show_figures(trial) {
    if (!trial) {
      fill(this.figures, element("p", { class: "faint" }, "No trial runs. Try a tree to see how fast it can be pulled, and what that costs."));
      fill(this.levels);
      return;
    }
    fill(this.figures, terms([
      ["Tree", `${trial.scope}: ${trial.tree}`],
      ["Observe rate", trial.pulls === 0 ? "being measured" : `${amount(trial.rate)} pulls a second (asked: ${words_of_rate(trial.asked_rate)})`],
      ["A pull takes", trial.pulls === 0 ? "–" : duration(trial.pull_s)],
      ["Processors", trial.pulls === 0 ? "–" : `${percent(trial.page_cpu_share)} page, ${percent(trial.servers_cpu_share)} servers (${trial.servers_here} of ${trial.servers} run here)`],
      ["Slowdown", slowdown_text(trial.slowdown) || trial.slowdown.reason || "being measured"],
      ["Missing", trial.missing || "nothing"],
    ]));
    fill(this.levels, trial.levels.map(({ level, parts, slowest, time_s }) => `${level} ${duration(time_s)}${parts > 1 ? ` (slowest of ${parts}: ${slowest})` : ""}`).join(" > "));
  }
}

function slowdown_text({ ratio, low, high, pairs }) {
  return ratio === undefined ? "" : `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}, ${pairs} pairs)`;
}
