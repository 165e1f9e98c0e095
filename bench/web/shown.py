"""How soon a browser shows the overview and a report, and how smoothly a timeline moves.

*First paint* is Chromium's first contentful paint. The times until the verdict and the threads, or all bars of the timeline,
are there, count to the frame after the one with all of them. All count from the beginning of the navigation, with an empty
cache. A frame is the time between two calls of requestAnimationFrame while the wheel moves the timeline by some pixels in
each: 16.7 ms if none is late.
"""

import contextlib
import os
import re
import statistics
import tempfile
import time
from pathlib import Path

import measuring
from browser import LIMIT, Browser, why_not
from pages import Pages, Web
from pairs import Failed
from rows import make_row, median, spread_of
from tunnel import EXAMPLES, LEAST_N, finish, on_free_ports
from watching import application, servers

SHARE = 0
PATHMAP = EXAMPLES / "windtunnel-collectives.yaml"
OPERATIONS = 1_000_000  # of the report, at least
N = 3840
STEPS = 445  # that have about so many, if none is lost
MOST_TRIES = 4
FRAMES = 300
PIXELS = 8  # that the timeline moves in a frame
CANVAS = 'document.querySelector(".timeline-box canvas")'
BARS = f'{CANVAS}?.dataset.whole === "true"'
VERDICT = ('document.querySelector(".sentence h1")?.textContent && '
           'document.querySelector(".legend")?.children.length > 0')
# Zooms of 1.5 each: then a window has shares of bins, or operations one by one.
ZOOMS = {"shares of time": 3, "operations": 10}

WATCH = """
const watch = () => (%s) ? requestAnimationFrame(() => { window.shown_after = performance.now(); }) : requestAnimationFrame(watch);
requestAnimationFrame(watch);
"""
PAINTED = """
const [done] = arguments;
const look = () => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  if (paint && window.shown_after) done([paint.startTime, window.shown_after]);
  else setTimeout(look, 20);
};
look();
"""
# At the end of the timeline, the wheel turns back.
MOVE = """
const [frames, pixels, done] = arguments;
const canvas = document.querySelector(".timeline-box canvas");
const times = [], ranges = [];
let direction = 1;
const step = (time) => {
  times.push(time);
  ranges.push(canvas.dataset.range);
  if (times.length > frames) return done(times);
  if (ranges.length > 4 && ranges.at(-1) === ranges.at(-4)) direction = -direction, ranges.length = 0;
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaX: direction * pixels, bubbles: true, cancelable: true }));
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
"""
ZOOM = """
const [times, done] = arguments;
const canvas = document.querySelector(".timeline-box canvas");
const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
press("Home");
for (let i = 0; i < times; ++i) press("+");
setTimeout(() => done(null), 500);
"""


class Size:
    """How much is measured."""

    def __init__(self, arguments):
        self.is_smoke = arguments.smoke
        self.rounds = 1 if arguments.smoke else arguments.rounds
        self.frames = 20 if arguments.smoke else FRAMES
        self.operations = 1000 if arguments.smoke else OPERATIONS
        self.n, self.steps = (LEAST_N, 40) if arguments.smoke else (N, STEPS)


def painted(browser, address, condition, size):
    """Opens the address in each round. Returns milliseconds until the first paint, and until the condition holds."""
    watching_it = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH % condition)["identifier"]
    paints = []
    for _ in range(size.rounds):
        browser.open("about:blank")
        browser.open(address)
        paints.append(browser.run(PAINTED))
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=watching_it)
    return paints


def paint_rows(what, shown, paints):
    for name, values in zip(("first paint", shown), zip(*paints)):
        yield make_row(figure=f"{what}: {name}", unit="ms", ours=median(values), spread=spread_of(values), runs=len(values))


def frame_rows(browser, what, size):
    """Moves the timeline that the browser shows."""
    for name, zoom in ZOOMS.items():
        rounds = []
        for i in range(size.rounds):
            measuring.say(f"{what}, {name}: round {i + 1} of {size.rounds}")
            browser.run(ZOOM, zoom)
            browser.wait_until(BARS)
            times = browser.run(MOVE, size.frames, PIXELS)
            frames = sorted(b - a for a, b in zip(times, times[1:]))
            rounds.append((statistics.median(frames), frames[int(0.99 * len(frames))]))
        for percentile, values in zip(("median", "99th percentile"), zip(*rounds)):
            yield make_row(figure=f"{what}, {name}: {percentile} of frames", unit="ms", ours=median(values),
                           spread=spread_of(values), runs=len(values), note=f"{size.frames} frames in each round")


def tunnel_words(size, steps):
    return ["windtunnel", "--n", str(size.n), "--reduce-every", "10", "--steps", str(steps)]


class Places:
    """The session of the wind tunnel, and the files of this part."""

    def __init__(self, programs, work):
        self.programs, self.session = programs, f"bench-web-{os.getpid()}"
        self.pathmap, self.recording, self.report = (work / f"tunnel{end}" for end in (".yaml", ".evs", ".html"))
        self.pathmap.write_text(on_free_ports(PATHMAP))

    def call(self, *words):
        """Runs `eventspace` and returns what it prints; raises Failed."""
        status, said, printed = finish(self.programs.command("eventspace", *words))
        if status != 0:
            raise Failed(f"{words[0]} ended with status {status}: {' | '.join(said.splitlines()[-3:])}")
        return said + printed

    def make_report(self, size):
        """Records the wind tunnel until a recording has enough operations. Returns how many."""
        steps = size.steps
        for _ in range(MOST_TRIES):
            self.call("run", self.pathmap, "--session", self.session, "--server-up", "--force", "--record", self.recording,
                      "--", *tunnel_words(size, steps))
            said = self.call("report", self.recording, "--force", "-o", self.report)
            operations = int(re.search(r"(\d+) operations? in", said)[1])
            measuring.say(f"a report of {operations} operations of {steps} steps")
            if operations >= size.operations:
                return operations
            steps = int(steps * 1.05 * size.operations / max(operations, 1))
        raise Failed(f"the recording of {steps} steps has only {operations} operations")


def size_row(places, operations, browser):
    """The size of the report, and what its timeline says of operations that had no room."""
    note = browser.run("arguments[0](document.querySelector('.state')?.textContent)")
    size = places.report.stat().st_size
    return make_row(figure="report: its size for 1e6 operations", unit="MB", ours=size / 1e6 * OPERATIONS / operations, runs=1,
                    note=f"{size / 1e6:.2f} MB; {note}")


def report_rows(browser, places, size):
    """report"""
    operations = places.make_report(size)
    address = f"file://{places.report}#"
    yield from paint_rows("report", "verdict and threads", painted(browser, f"{address}/overview", VERDICT, size))
    yield from paint_rows("timeline of a report", "all bars", painted(browser, f"{address}/timeline", BARS, size))
    yield size_row(places, operations, browser)
    yield from frame_rows(browser, "timeline of a report", size)


def sign_in(browser, web):
    """Exchanges the key for a cookie."""
    browser.open(web.origin + web.opening)
    limit = time.monotonic() + LIMIT
    while "/open" in browser.address():  # it leads to the page by itself
        if time.monotonic() > limit:
            raise Failed("the page cannot be opened")
        time.sleep(0.05)


def recording_rows(browser, places, size):
    """timeline of a recording"""
    if not places.recording.exists():
        raise Failed("there is no recording")
    with contextlib.closing(Web(places.programs, places.recording)) as web:
        sign_in(browser, web)
        browser.open("about:blank")
        browser.open(f"{web.origin}/#/timeline")
        browser.wait_until(BARS)
        yield from frame_rows(browser, "timeline of a recording", size)


def live_rows(browser, places, size):
    """overview of a running session"""
    endless = 10**8
    with contextlib.ExitStack() as stack:
        stack.enter_context(servers(places.programs, places.pathmap, places.session))
        stack.enter_context(application(places.programs, places.pathmap, places.session, *tunnel_words(size, endless)))
        web = Web(places.programs, places.pathmap, "--session", places.session)
        stack.callback(web.close)
        with contextlib.closing(Pages(web, 1, "overview")) as pages:
            pages.wait_for_looks(2)  # the tunnel has begun
        sign_in(browser, web)
        yield from paint_rows("overview of a running session", "verdict and threads",
                              painted(browser, f"{web.origin}/#/overview", VERDICT, size))


def rows(arguments, programs, work, measure):
    made, size, missing = [], Size(arguments), why_not()
    if missing is not None:
        return [make_row(figure="a page in a browser", runs=0, note=missing)]
    places = Places(programs, work)
    with tempfile.TemporaryDirectory(dir=work, ignore_cleanup_errors=True) as folder:
        for part in (report_rows, recording_rows, live_rows):
            if arguments.figures not in part.__doc__:
                continue
            try:
                with contextlib.closing(Browser(Path(tempfile.mkdtemp(dir=folder)))) as browser:
                    made += part(browser, places, size)
            except (Failed, OSError) as failed:
                measuring.say(str(failed))
                made.append(make_row(figure=part.__doc__, runs=0, note=str(failed)))
    return made
