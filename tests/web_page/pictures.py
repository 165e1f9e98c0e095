#!/usr/bin/env python3
"""pictures.py PROGRAMS FOLDER: makes the pictures of docs/web.md and README.md, as PNG files of at most 256 colours.

PROGRAMS is the folder with `eventspace` and `windtunnel`. The wind tunnel runs on four servers; thread t17 stops.
"""

import base64
import json
import os
import shutil
import struct
import sys
import tempfile
import time
import zlib

from browser import Browser
from market import Market, Web, eventually

PATHMAP = "pathmaps/examples/windtunnel-four-nodes.yaml"
WIDTH, HEIGHT = 1280, 800

# Draws the PNG and gives its size, a palette of at most 256 colours as r, g, b, ..., and the pixels as its indices, in base64. The
# palette has the most frequent colours that differ by some distance, the smallest that suffices; a pixel becomes the nearest one.
REDUCE = """
const [png, done] = arguments;
const image = new Image();
image.onload = () => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colours = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const parts = (colour) => [colour & 255, colour >> 8 & 255, colour >> 16 & 255];
  const apart = (a, b) => a.reduce((sum, part, i) => sum + (part - b[i]) ** 2, 0);
  let palette = [];
  for (let distance = 1; palette.length === 0 || palette.length > 256; distance *= 1.5) {
    palette = [];
    for (const colour of colours) {
      if (palette.every((other) => apart(parts(colour), other) >= distance)) palette.push(parts(colour));
      if (palette.length > 256) break;
    }
  }
  const nearest = (colour) => palette.reduce((best, other, i) => (apart(parts(colour), other) < apart(parts(colour), palette[best]) ? i : best), 0);
  const index = new Map(colours.map((colour) => [colour, nearest(colour)]));
  let text = "";
  for (const pixel of pixels) text += String.fromCharCode(index.get(pixel));
  done([image.width, image.height, palette.flat(), btoa(text)]);
};
image.src = `data:image/png;base64,${png}`;
"""


# The rows and times of a report's timeline.
HEADER = """const [done] = arguments;
const bytes = Uint8Array.from(atob(document.getElementById("report-timeline").textContent), (letter) => letter.charCodeAt(0));
new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json().then(done);"""


class Tunnel(Market):
    """The wind tunnel in a folder of its own, with four servers; leave with close()."""

    def __init__(self, programs):
        self.program, self.tunnel = os.path.join(programs, "eventspace"), os.path.join(programs, "windtunnel")
        self.pathmap = os.path.abspath(PATHMAP)
        self.folder = tempfile.mkdtemp(prefix="eventspace-pictures-")
        os.mkdir(self.file("shm"))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("EVENTSPACE_")}
        self.environment.update(EVENTSPACE_SHM_DIR=self.file("shm"), XDG_RUNTIME_DIR=self.folder)
        self.call("up", self.pathmap)
        self.application = None

    def run_until_stall(self, step):
        """Starts it; thread t17 computes without end from this step on."""
        self.application = self.start("run", self.pathmap, "--", self.tunnel, "--size", "small", "--steps", "1000000",
                                      "--stall", f"t17@{step}:spin", output=self.file("tunnel"))

    def end_run(self):
        self.application.terminate()
        self.application.wait()
        self.application = None

    def report_of_stall(self):
        """A page in one file of a run from its beginning until it has stalled; and when t17 began its last operation, in ns."""
        recording, report = self.file("stall.evs"), self.file("stall.html")
        self.run_until_stall(60)
        self.call("record", self.pathmap, "-o", recording, "--for", "8s")
        self.end_run()
        self.call("report", recording, "-o", report)
        last = json.loads(self.call("events", recording, "--threads", "t17", "--where", "point == 'thread'", "--format", "json").splitlines()[-1])
        return report, last["start_ns"]

    def close(self):
        if self.application:
            self.end_run()
        self.call("down", self.pathmap, "--clean")
        shutil.rmtree(self.folder)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(file, width, height, palette, indices):
    rows = b"".join(b"\0" + indices[row * width:(row + 1) * width] for row in range(height))
    with open(file, "wb") as png:
        png.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) + chunk(b"PLTE", bytes(palette)) +
                  chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


class Camera:
    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder
        browser.driver.set_script_timeout(60)

    def show(self, address, selector, words, height):
        """Opens a view, and waits until an element has these words."""
        self.browser.set_size(WIDTH, height)
        self.browser.open(address)
        assert self.browser.shows(selector, words), (address, self.browser.text("main"))

    def take(self, name):
        self.browser.run("document.activeElement.blur()")
        png = self.browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        width, height, palette, indices = self.browser.driver.execute_async_script(REDUCE, png)
        file = os.path.join(self.folder, f"{name}.png")
        write_png(file, width, height, palette, base64.b64decode(indices))
        print(f"{file}: {os.path.getsize(file)} bytes")


def take_live(camera, tunnel):
    """The page of a running program: it has curves, and what watching costs."""
    tunnel.run_until_stall(3000)
    web = Web(tunnel, tunnel.pathmap)
    try:
        take_pages(camera, web)
    finally:
        web.end()
    tunnel.end_run()


def take_pages(camera, web):
    camera.browser.open(web.owner)
    assert eventually(lambda: camera.browser.address().endswith("/"))
    camera.show(f"{web.origin}/#/overview", ".sentence h1", "no thread is stalled", HEIGHT)
    camera.show(f"{web.origin}/#/overview", ".sentence h1", "STALL at t17", HEIGHT)
    time.sleep(6)
    camera.take("overview")
    camera.browser.press("t")
    camera.take("overview-dark")
    camera.browser.press("t")
    camera.show(f"{web.origin}/#/waits", "main tbody", "t17", 390)
    camera.take("waits")
    camera.show(f"{web.origin}/#/map?select=thread:17", ".inspector h2", "t17", 900)
    assert camera.browser.shows(".map-drawing .box .live", "S")
    time.sleep(2)
    camera.take("map")


def take_report(camera, tunnel):
    """A report has all of a run."""
    report, last = tunnel.report_of_stall()
    camera.show(f"file://{report}#/communication", "main h2", "Who sends to whom", 900)
    time.sleep(1)
    camera.take("communication")
    header = camera.browser.driver.execute_async_script(HEADER)
    seconds = (last - header["realtime_ns"] - header["origin_ns"] - header["began_ns"]) / 1e9
    camera.show("about:blank", "body", "", 690)
    camera.show(f"file://{report}#/timeline?from={seconds - 0.02}&to={seconds + 0.01}&select=thread:17", ".state", "operations of", 690)
    assert eventually(lambda: camera.browser.run("return document.querySelector('.timeline-box canvas')?.dataset.whole") == "true")
    camera.take("timeline")


def main():
    programs, folder = (os.path.abspath(name) for name in sys.argv[1:])
    os.makedirs(folder, exist_ok=True)
    tunnel = Tunnel(programs)
    try:
        browser = Browser(shutil.which("chromedriver"))
        try:
            camera = Camera(browser, folder)
            take_live(camera, tunnel)
            take_report(camera, tunnel)
        finally:
            browser.close()
    finally:
        tunnel.close()


if __name__ == "__main__":
    main()
