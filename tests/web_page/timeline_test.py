#!/usr/bin/env python3
"""timeline_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER WINDTUNNEL PATHMAP [TEST...]: the timeline, and reports."""

import base64
import json
import os
import re
import subprocess
import sys
import unittest
import zlib

from selenium.webdriver import ActionChains

from browser import Keys
from market import LIMIT, Market, Web
from page_case import HOSTILE, SHOWN, PageTest, application, program
from stand_in import Session

windtunnel, tunnel_pathmap = sys.argv[7:9]
CANVAS = ".timeline-box canvas"
# The value in an element of a report.
UNPACK = """const [id, done] = arguments;
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json().then(done);"""
RANGE = f"return document.querySelector('{CANVAS}').dataset.range"


class TimelinePage(PageTest):
    """What the tests of live pages and of reports share."""

    def wait_for_bars(self):
        self.wait_until(lambda: self.browser.run(f"return document.querySelector('{CANVAS}')?.dataset.whole") == "true", lambda: self.browser.text(".state"))

    def range(self):
        return [float(time) for time in self.browser.run(RANGE).split()]

    def in_address(self, key):
        found = re.search(rf"[?&]{key}=([^&]*)", self.browser.address())
        return found[1] if found else None

    def click_in_canvas(self, x, y):
        # WebDriver counts from the middle of what is in view, so all of the canvas must be.
        self.browser.run("window.scrollTo(0, 0)")
        self.browser.click_at(CANVAS, x, y)

    def press_in_canvas(self, *keys):
        self.browser.run(f"document.querySelector('{CANVAS}').focus()")
        self.browser.press(*keys)

    def check_zoom_and_address(self):
        """Zooms by keys; the address has the range; the same address shows the same again."""
        self.wait_for_bars()
        whole = self.range()
        self.press_in_canvas("+", "+", "+", Keys.ARROW_RIGHT)
        self.wait_until(lambda: self.in_address("from"))
        self.wait_for_bars()
        seen = self.range()
        self.assertAlmostEqual((seen[1] - seen[0]) / (whole[1] - whole[0]), 1 / 1.5**3, delta=0.02)
        address = self.browser.address()
        self.browser.new_tab(address)
        self.wait_for_bars()
        again = self.range()
        for one, other in zip(seen, again):
            self.assertAlmostEqual(one, other, delta=2)  # nanoseconds
        self.press_in_canvas(Keys.HOME)
        self.wait_until(lambda: self.range() == whole)

    def inked(self, *colours):
        """How many pixels of the canvas have the colour of each of these names."""
        return self.browser.run("""const [selector, colours] = arguments;
            const canvas = document.querySelector(selector);
            const style = getComputedStyle(document.documentElement);
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return colours.map((name) => {
              const wanted = style.getPropertyValue(name).trim();
              const [red, green, blue] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
              let count = 0;
              for (let i = 0; i < pixels.length; i += 4) count += pixels[i] === red && pixels[i + 1] === green && pixels[i + 2] === blue;
              return count;
            });""", CANVAS, colours)


class Timeline(TimelinePage):
    """A recording of the wind tunnel."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.market = Market(program, application)
        cls.addClassCleanup(cls.market.close)
        cls.recording = record_tunnel(cls.market)
        cls.web = Web(cls.market, cls.recording)
        cls.addClassCleanup(cls.web.end)

    def setUp(self):
        super().setUp()
        self.browser.open(self.web.owner)
        self.wait_until(lambda: self.browser.address().endswith("/"), self.browser.address)

    def find(self, where):
        field = self.browser.find(".find input")
        field.clear()
        field.send_keys(where, Keys.ENTER)

    def test_zoom_is_in_the_address_and_a_reload_shows_the_same(self):
        self.open(self.web, "timeline")
        self.check_zoom_and_address()

    def test_all_operations_are_there_and_drawn(self):
        self.open(self.web, "timeline")
        self.wait_for_bars()
        events = self.market.call("info", self.recording, "--format", "json")
        count = json.loads(events.splitlines()[0]).get("events")
        self.wait_for(".state", "operations of")
        shown = int(re.match(r"\d+", self.browser.text(".state"))[0])
        self.assertGreaterEqual(shown, count)  # and those in flight at the end
        self.assertGreater(sum(self.inked("--class-send", "--class-receive", "--class-collective")), 1000)

    def test_a_search_selects_the_operation_and_shows_all_its_fields(self):
        self.open(self.web, "timeline")
        self.wait_for_bars()
        self.find("verb == 'exchange'")
        self.wait_for(".operation h2", "exchange")
        self.wait_for(".operation", "statusok")
        self.wait_for(".operation", "kindoperation")
        self.wait_until(lambda: self.in_address("op"))
        first = self.in_address("op")
        self.assertIn("where=", self.browser.address())
        self.find("verb == 'exchange'")  # the next one
        self.wait_until(lambda: self.in_address("op") != first)
        address, heading = self.browser.address(), self.browser.text(".operation h2")
        self.browser.new_tab(address)
        self.wait_for(".operation h2", heading)
        self.wait_for(".operation", "statusok")
        self.browser.press(Keys.ESCAPE)

    def test_a_click_selects_and_a_click_beside_ends_it(self):
        self.open(self.web, "timeline")
        self.wait_for_bars()
        self.find("verb == 'write' and point == 'element' and duration < 300us")
        self.wait_for(".operation", "statusok")
        heading, place = self.browser.text(".operation h2"), self.in_address("op")
        self.wait_for_bars()
        spot = self.browser.run(f"return document.querySelector('{CANVAS}').dataset.selected")
        x, y = (int(float(part)) for part in spot.split())
        self.click_in_canvas(20, y)  # the names
        self.wait_for(".operation", "Select an operation")
        self.assertIsNone(self.in_address("op"))
        self.wait_for_bars()
        self.click_in_canvas(x, y)
        self.wait_for(".operation h2", heading)
        self.wait_for(".operation", "statusok")
        self.assertEqual(self.in_address("op"), place)

    def test_a_wrong_condition_is_explained_and_one_that_never_holds_too(self):
        self.open(self.web, "timeline")
        self.wait_for_bars()
        self.may_complain = True  # the status 400
        self.find("verb == 5")
        self.wait_for(".find span", "compares values of one type")
        self.find("duration > 1h")
        self.wait_for(".find span", "No later operation")

    def test_wheel_and_drag_move_the_window(self):
        self.open(self.web, "timeline")
        self.wait_for_bars()
        before = self.range()
        canvas = self.browser.find(CANVAS)
        self.browser.run("""const box = arguments[0].getBoundingClientRect();
            arguments[0].dispatchEvent(new WheelEvent('wheel', { deltaY: -600, clientX: box.left + 400, clientY: box.top + 40, bubbles: true, cancelable: true }));""", canvas)
        self.wait_until(lambda: self.range() != before)
        zoomed = self.range()
        self.assertLess(zoomed[1] - zoomed[0], 0.5 * (before[1] - before[0]))
        ActionChains(self.browser.driver).move_to_element(canvas).click_and_hold().move_by_offset(-150, 0).release().perform()
        self.wait_until(lambda: self.range()[0] > zoomed[0])
        self.assertAlmostEqual(self.range()[1] - self.range()[0], zoomed[1] - zoomed[0], delta=10)

    def test_slash_finds_by_a_condition_and_by_a_thread(self):
        self.open(self.web, "timeline")
        self.wait_for_bars()
        self.browser.press("/")
        self.browser.press("verb == 'exchange'")
        self.wait_for("#found li", "next operation for which it holds")
        self.browser.press(Keys.ENTER)
        self.wait_for(".operation h2", "exchange")
        self.browser.press("/")
        self.browser.press("t120", Keys.ENTER)
        self.wait_until(lambda: self.in_address("select"))
        self.assertIn("#/timeline", self.browser.address())

    def test_controls_have_names_and_texts_stand_out(self):
        for theme in ("light", "dark"):
            self.open(self.web, "timeline")
            self.use_theme(theme)
            self.wait_for_bars()
            self.assertEqual(self.browser.faint_texts(), [], theme)
        self.assertEqual(self.browser.unnamed_controls(), [])
        self.assertEqual(self.browser.controls_out_of_reach(), [])

    def test_phones_and_wide_screens_fit(self):
        for width in (390, 1280, 1920):
            self.set_size(width, 900)
            self.open(self.web, "timeline")
            self.wait_for_bars()
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)

    def test_a_running_session_is_followed(self):
        self.may_complain = True  # the status 409, if the session is read again before a tile is asked for
        self.browser.end_tabs()  # what the other server was asked does not count
        web = Web(self.market, self.market.pathmap, "--stall", "200ms")
        self.addCleanup(web.end)
        self.origin = web.origin
        self.browser.open(web.owner)
        self.wait_until(lambda: self.browser.address().endswith("/"), self.browser.address)
        self.open(web, "timeline")
        self.wait_for_bars()
        self.wait_for(".state", "what the trace elements keep now")
        first = self.range()
        self.wait_until(lambda: self.browser.run(f"return Number(document.querySelector('{CANVAS}').dataset.generation)") > 2)
        self.assertNotEqual(self.range(), first)
        self.browser.find(".controls button[aria-pressed]").click()
        self.assertEqual(self.browser.find(".controls button[aria-pressed]").get_attribute("aria-pressed"), "false")


class HostileTimeline(TimelinePage):
    """A server that stands in, with names that no test can give threads."""

    def test_hostile_names_are_text(self):
        server = self.start(Session(8, 3, name_of=lambda i: HOSTILE))
        self.open(server, "timeline")
        self.wait_for_bars()
        self.click_in_canvas(500, 12)
        self.wait_for(".operation h2", SHOWN)
        self.wait_for(".operation dd", SHOWN)
        self.assertEqual(self.browser.run("return document.querySelectorAll('main b, body script').length"), 0)

    def test_an_operation_that_has_not_ended_is_open_at_its_end_only(self):
        server = self.start(Session(8, 3))
        self.open(server, "timeline")
        self.wait_for_bars()
        colours = """const canvas = document.querySelector(arguments[0]);
            const line = canvas.getContext('2d').getImageData(160, 28, canvas.width - 160, 1).data;
            return new Set(new Uint32Array(line.buffer)).size;"""
        self.press_in_canvas(*["+"] * 4)  # the end is outside now; there are several tiles
        self.wait_for_bars()
        self.assertEqual(self.browser.run(colours, CANVAS), 1)

    def test_four_thousand_rows_are_scrolled(self):
        server = self.start(Session(4096, 3))
        self.open(server, "timeline")
        self.wait_for_bars()
        self.press_in_canvas(*[Keys.ARROW_DOWN] * 60)
        self.wait_for_bars()
        self.press_in_canvas(Keys.ENTER)
        self.wait_for(".operation", "rank60")


class Report(TimelinePage):
    """Pages in one file, opened from the disk."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.market = Market(program, application)
        cls.addClassCleanup(cls.market.close)
        cls.recording = record_tunnel(cls.market)
        cls.report = cls.market.file("run.html")
        cls.market.call("report", cls.recording, "-o", cls.report)

    def open_report(self, view, file=None):
        self.origin = f"file://{self.market.folder}"
        self.browser.open(f"file://{file or self.report}#/{view}")

    def lines(self, *words):
        return [json.loads(line) for line in self.market.call(*words, "--format", "json").splitlines()]

    def cells(self, heading):
        """The rows of the table under this heading, each as a list of texts."""
        script = """const card = [...document.querySelectorAll('section.card')].find((one) => one.querySelector('h2')?.textContent === arguments[0]);
            return [...(card?.querySelectorAll('tbody tr') ?? [])].map((row) => [...row.children].map((cell) => cell.textContent));"""
        return self.browser.run(script, heading)

    def cells_of(self, selector):
        """The same of the table in an element."""
        return self.browser.run("""return [...document.querySelectorAll(`${arguments[0]} tbody tr`)].map((row) =>
            [...row.children].map((cell) => cell.textContent));""", selector)

    def part(self, name):
        """A part that the report always has."""
        return self.browser.driver.execute_async_script(UNPACK, "report-parts").get(name)

    def blocks(self, name):
        """The rows of the blocks NAME/0, NAME/1, ... of columns."""
        rows = []
        for number in range(len(self.part("about"))):
            block = self.part(f"{name}/{number}")
            if block is None:
                break
            columns = {column: values for column, values in block.items() if column != "first"}
            rows += [dict(zip(columns, values)) for values in zip(*columns.values())]
        return rows

    def test_its_profile_is_that_of_the_command(self):
        self.open_report("profile")
        expected = {row["thread"]: row for row in self.lines("profile", self.recording) if row["table"] == "threads"}
        self.wait_until(lambda: self.cells("By thread"))
        rows = self.blocks("profile")
        self.assertEqual({row["names"] for row in rows}, set(expected))
        for row in rows:
            own = expected[row["names"]]
            self.assertEqual((row["nodes"], row["calls"]), (own["node"], own["calls"]))
            for time in ("span_s", "compute_s", "transfer_s", "waiting_s", "late_s"):
                self.assertAlmostEqual(row[time], own[time], delta=1e-6)
        for thread, node, *_, calls in self.cells("By thread"):
            self.assertEqual((node, calls), (expected[thread]["node"], str(expected[thread]["calls"])))

    def test_its_calls_and_messages_are_those_of_the_command(self):
        self.open_report("profile")
        self.wait_until(lambda: self.cells("By thread"))
        expected = self.lines("profile", self.recording)
        sites = self.part("call_sites")
        calls = [row for row in expected if row["table"] == "calls"]
        self.assertGreater(len(calls), 2)
        self.assertEqual(list(zip(sites["call"], sites["site"], sites["calls"], sites["bytes"])),
                         [(row["call"], row["site"] or "", row["calls"], row["bytes"]) for row in calls[:200]])
        flows, matrix = self.part("flows/0"), [row for row in expected if row["table"] == "matrix"]
        self.assertGreater(len(matrix), 100)
        for figure in ("messages", "bytes"):
            self.assertEqual(sum(flows[figure]), sum(row[figure] for row in matrix))
        over = self.part("communication")["over"]
        self.assertEqual(dict(zip(over["name"], over["bytes"])),
                         {name: sum(row["bytes"] for row in matrix if row["over"] == name) for name in {row["over"] for row in matrix}})

    def test_the_calls_of_one_thread_and_the_matrix_of_one_path_come_when_they_are_shown(self):
        self.open_report("profile?select=thread:3")
        self.wait_until(lambda: self.cells("By thread"))
        name = self.part("names")["threads"][3]
        self.wait_for("main", f"By call of {name}")
        self.wait_for(".by-call h2", "call site")
        shown = [int(row[2]) for row in self.cells_of(".by-call")]
        self.assertEqual(sum(shown), next(row["calls"] for row in self.blocks("profile") if row["names"] == name))
        over = self.part("communication")["over"]
        self.open_report(f"communication?over={over['name'][0]}")
        messages = sum(row["messages"] for row in self.lines("profile", self.recording) if row["table"] == "matrix" and row["over"] == over["name"][0])
        self.wait_for(".scale-box", "B")
        self.assertEqual(sum(self.browser.driver.execute_async_script(UNPACK, "part/flows/1")["messages"]), messages)

    def test_a_report_says_which_tables_it_left_out(self):
        with open(self.report, encoding="utf-8") as whole:
            page = whole.read()
        self.open_report("profile")
        self.wait_until(lambda: self.cells("By thread"))
        parts = self.browser.driver.execute_async_script(UNPACK, "report-parts")
        parts["left_out"] = {"calls_of": 140, "flows": 2}
        held = base64.b64encode(zlib.compress(json.dumps(parts).encode())).decode()
        page = re.sub(r'(id="report-parts">)[^<]*', lambda found: found[1] + held, page)
        page = re.sub(r'<script type="text/plain" id="part/[^<]*</script>\n', "", page)
        fewer = self.market.file("fewer.html")
        with open(fewer, "w", encoding="utf-8") as file:
            file.write(page)
        self.open_report("profile?select=thread:3", fewer)
        self.wait_for(".by-call h2", "left out of this file to keep it small")
        self.open_report("communication", fewer)
        self.wait_for(".hint", "2 communicators only in the sum, to keep this file small")

    def test_its_collectives_are_those_of_the_command(self):
        self.open_report("collectives")
        expected = self.lines("collectives", self.recording, "--total")
        self.wait_until(lambda: self.cells("Who made the others wait"))
        self.assertEqual(self.part("collective_totals"), expected)
        complete = {row["collective"]: row["count"] for row in expected if row["kind"] == "operations" and row["figure"] == "complete"}
        self.assertGreater(max(complete.values()), 5)
        self.assertEqual({row[0]: row[1] for row in self.cells("Outcomes")}, {name: str(count) for name, count in complete.items()})
        self.assertEqual({row["operation"]: row["count"] - row["incomplete"] for row in self.part("collectives")["rows"]}, complete)
        self.assertEqual({row[0] for row in self.cells("Collective operations")}, set(complete))

    def test_names_are_found_in_a_report(self):
        self.open_report("overview")
        self.wait_for(".legend", "ended")
        self.browser.press("/")
        self.browser.press("t17")
        self.wait_for("#found li", "t17")
        self.browser.press(Keys.ENTER)
        self.wait_for(".detail h2", "t17")
        self.browser.press("/")
        self.browser.press("write*", Keys.ENTER)
        self.wait_for(".by-call h2", "only write")
        self.assertIn("#/profile", self.browser.address())
        self.assertGreater(len(self.cells_of(".by-call")), 0)

    def test_its_timeline_needs_no_server(self):
        self.open_report("timeline")
        self.check_zoom_and_address()
        self.press_in_canvas(*["+"] * 12)
        self.wait_for_bars()
        self.browser.find(".find input").send_keys("verb == 'take'", Keys.ENTER)
        self.wait_for(".find span", "eventspace web")

    def test_all_views_open_and_the_file_has_the_size_asked_for(self):
        for view in ("overview", "waits", "collectives", "profile", "communication", "timeline"):
            self.open_report(view)
            self.wait_until(lambda: self.browser.text("main"))
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth > innerWidth"), False, view)
        self.wait_for(".chip .words", "ended")
        self.assertLessEqual(os.path.getsize(self.report), 10 * 2**20)

    def test_a_smaller_file_says_what_it_leaves_out(self):
        small = self.market.file("small.html")
        self.market.call("report", self.recording, "-o", small, "--limit-size", "1")
        self.assertLessEqual(os.path.getsize(small), 2**20)
        self.open_report("timeline", small)
        self.wait_for_bars()
        self.wait_for(".state", "to keep this file at 1 MiB")

    def test_faulty_recordings_and_places_are_refused_and_torn_ones_are_read(self):
        def report(*words):
            return subprocess.run([program, "report", *words], env=self.market.environment, capture_output=True, text=True, timeout=LIMIT, check=False)

        missing = report(self.market.file("missing.evs"))
        self.assertEqual(missing.returncode, 3)
        self.assertIn("missing.evs", missing.stderr)
        again = report(self.recording, "-o", self.report)
        self.assertEqual(again.returncode, 3)
        self.assertIn("exists", again.stderr)
        torn, page = self.market.file("torn.evs"), self.market.file("torn.html")
        with open(self.recording, "rb") as whole, open(torn, "wb") as part:
            part.write(whole.read()[: os.path.getsize(self.recording) * 2 // 3])
        done = report(torn, "-o", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("torn.evs", done.stderr)
        self.open_report("timeline", page)
        self.wait_for_bars()

    def test_the_report_of_a_stall_says_who_is_blamed(self):
        file = self.market.file("hang.html")
        done = subprocess.run([program, "heartbeat", self.market.pathmap, "--until-stall", "--stall", "200ms", "--report", file],
                              env=self.market.environment, capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.open_report("overview", file)
        self.wait_for(".sentence h1", "STALL at r0")
        self.open_report("waits", file)
        self.wait_for("main tbody tr", "write queue")
        self.open_report("timeline", file)
        self.wait_for_bars()


def record_tunnel(market):
    """A recording of some steps of the wind tunnel."""
    file = market.file("tunnel.evs")
    market.call("run", tunnel_pathmap, "--server-up", "--record", file, "--", windtunnel, "--size", "small", "--reduce-every", "10", "--steps", "80")
    return file


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[9:]])
