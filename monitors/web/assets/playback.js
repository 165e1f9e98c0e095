// The bar that plays a recording: play, pause, speed, and a position to seek to. Hidden for running sessions.
//
// While the user drags the position, the server's clock does not move it.

import { duration, element } from "./text.js";

const speeds = [0.0625, 0.25, 0.5, 1, 2, 4, 16, 64, 1024];

export class Playback {
  constructor(box, page) {
    this.box = box;
    this.page = page;
    this.is_dragged = false;
    this.play = element("button", { type: "button", onclick: () => this.toggle() }, "Pause");
    this.position = element("input", { type: "range", min: 0, step: "any", "aria-label": "Position in the recording" });
    this.speed = element("select", { "aria-label": "Speed" }, ...speeds.map((speed) => element("option", { value: speed }, `×${speed}`)));
    this.words = element("span", { class: "faint" });
    this.position.addEventListener("input", () => this.drag());
    this.position.addEventListener("change", () => this.seek());
    this.speed.addEventListener("change", () => page.order("speed", { speed: Number(this.speed.value) }));
    box.append(this.play, this.position, this.words, this.speed);
    document.addEventListener("keydown", (event) => {
      if (event.key !== " " || box.hidden || event.target.matches("input, select, button, a")) return;
      event.preventDefault();
      this.toggle();
    });
  }

  update(about, clock) {
    this.box.hidden = !about?.recording || !clock || clock.plays === undefined;
    if (this.box.hidden || !clock) return;
    this.plays = clock.plays;
    this.length = about.recording.length;
    this.play.textContent = clock.plays ? "Pause" : "Play";
    this.position.max = this.length;
    this.speed.value = String(clock.speed);
    for (const control of [this.play, this.position, this.speed]) control.disabled = this.page.source.role !== "owner";
    if (this.is_dragged) return;
    this.position.value = clock.position;
    this.show_words(clock.position);
  }

  toggle() {
    this.page.order(this.plays ? "pause" : "play");
  }

  drag() {
    this.is_dragged = true;
    this.show_words(Number(this.position.value));
  }

  async seek() {
    await this.page.order("seek", { position: Number(this.position.value) });
    this.is_dragged = false;
  }

  show_words(position) {
    this.words.textContent = `${duration(position)} of ${duration(this.length)}`;
    this.position.setAttribute("aria-valuetext", this.words.textContent);
  }
}
