#!/usr/bin/env python3
"""map_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: the map of the page in a browser."""

import contextlib
import os
import shutil
import sys
import unittest

from browser import Keys
from market import Market, Web
from page_case import MarketPage, PageTest, application, dynamic, program
from stand_in import Session

HERE = os.path.dirname(os.path.abspath(__file__))
WIND_TUNNEL = os.path.join(HERE, "../../pathmaps/examples/windtunnel-four-nodes.yaml")


class MapOfMarket(MarketPage):
    def test_the_map_is_the_pathmap_and_a_click_inspects(self):
        self.open(self.web, "map")
        self.wait_for(".map-drawing", "queue")
        if shutil.which("dot"):
            self.assertEqual(self.count(".map-drawing .box"), 5)  # four threads and the queue
            self.wait_for(".map-drawing .box.element .live", "50 of 50, 2 wait")
            self.assertEqual(self.count(".map-drawing .arrow.waits"), 2)
            self.browser.find(".map-drawing .box.element").click()
            self.assertIn("select=element%3A0", self.browser.address())
        self.open(self.web, "map?select=element:0")
        self.wait_for(".inspector h2", "queue")
        self.wait_for(".inspector", "50 of 50 tuples")
        self.wait_for(".inspector", "Capacity50")
        self.wait_for(".inspector", "When fullwriters wait")
        self.wait_for(".inspector tbody", "w1")
        self.open(self.web, "map?select=thread:1")
        self.wait_for(".inspector h2", "w1")
        self.wait_for(".inspector", "stuck in operation")
        self.assertIn("select=thread%3A1", self.browser.run("return document.querySelector('.inspector .links a').href"))

    def test_scopes_of_the_map_have_the_times_of_their_levels(self):
        self.open(self.web, "map")
        self.wait_for(".scopes", "heartbeat")
        self.browser.find(".scopes a").click()
        self.wait_for(".inspector tbody", "gather")
        self.assertIn("select=scope%3Aheartbeat", self.browser.address())
        last = "return document.querySelector('.inspector tbody .number').textContent"
        self.wait_until(lambda: self.browser.run(last).endswith("s"))

    def test_the_map_is_walked_by_arrow_keys(self):
        self.open(self.web, "map")
        self.wait_for(".map-drawing .box .live", "S")
        self.browser.run("document.querySelector('.map-drawing [tabindex=\"0\"]').focus()")
        self.browser.press(Keys.ENTER)
        self.wait_until(lambda: "select=" in self.browser.address())
        first = self.browser.address()
        for way in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP):
            self.browser.press(way, Keys.ENTER)
        seen = {first}
        for way in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP):
            self.browser.press(way, Keys.ENTER)
            seen.add(self.browser.address())
        self.assertGreater(len(seen), 1)
        self.assertEqual(self.count(".map-drawing .selected"), 1)
        self.browser.press(Keys.ESCAPE)
        self.wait_for(".inspector", "Select a box")


class MapsOfOthers(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.market = Market(program, application)
        cls.addClassCleanup(cls.market.close)

    def test_the_map_of_a_recording_has_rates_but_no_fills(self):
        web = Web(self.market, self.market.record("map.evs"), "--stall", "200ms")
        self.addCleanup(web.end)
        self.browser.open(web.owner)
        self.open(web, "map?select=element:0")
        self.wait_for(".map-drawing", "queue")
        self.wait_for(".inspector h2", "queue")
        self.wait_for(".inspector", "Fillnot known")
        self.wait_for(".inspector tbody", "w0")

    def test_the_wind_tunnel_is_drawn_before_it_runs(self):
        web = Web(self.market, WIND_TUNNEL)
        self.addCleanup(web.end)
        self.browser.open(web.owner)
        self.open(web, "map")
        self.wait_until(lambda: self.count(".map-drawing .box") > 0)
        self.wait_for(".map-drawing", "t1")
        self.browser.run("[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Show all').click()")
        self.browser.find(".map-drawing .box").click()
        self.wait_until(lambda: "select=" in self.browser.address())
        self.wait_for(".inspector tbody", "t")

    @staticmethod
    def kill_application_of(run):
        with contextlib.suppress(ProcessLookupError):
            run.kill_application()

    def test_the_map_of_a_session_without_a_pathmap_has_its_processes(self):
        run = Web(self.market, "--session", "s2", "--", "sh", "-c", f"echo pid $$; exec {dynamic}", verb=("run", "--web"))
        self.addCleanup(run.end)
        self.addCleanup(self.kill_application_of, run)
        self.browser.open(run.owner)
        self.open(run, "map")
        self.wait_for(".map-drawing", "sleeper")
        self.browser.find(".map-drawing .box").click()
        self.wait_for(".inspector h2", "thread")
        # Such a session is switched by process.
        self.wait_until(lambda: self.count("button[aria-label^='Record nothing of process ']") > 0)
        self.browser.run("document.querySelector('.map-drawing .frame.process').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        self.wait_for(".inspector h2", "process")
        self.wait_for(".inspector tbody", "main")
        run.kill_application()
        self.wait_for("#banner", "The session has ended")
        run.end()
        self.may_complain = True  # of the stream that ended


class MapOfStandIn(PageTest):
    def test_the_map_of_four_thousand_threads_is_legible_and_quick(self):
        self.open(self.start(Session(4096, 17, nodes=256), interval=0.5), "map")
        self.wait_until(lambda: self.count(".map-drawing .box") == 256)
        self.wait_for(".map-drawing .box:nth-child(2) .live", "S 1  W 15")
        self.assertGreater(self.browser.run("return document.querySelector('.map-drawing .box').getBoundingClientRect().width"), 60)
        self.wait_until_quick(1500)  # generous; the browser also paints 256 boxes

    def focused(self):
        """The label of what has the focus, without its numbers."""
        return self.browser.run("return document.activeElement.getAttribute('aria-label').split(':')[0]")

    def test_the_arrows_of_a_box_are_reached_by_keyboard(self):
        self.open(self.start(Session(8, 3)), "map")
        self.wait_for(".map-drawing .arrow .live", "/s")
        self.browser.run("document.querySelector('.map-drawing [tabindex=\"0\"]').focus()")
        self.assertEqual(self.focused(), "rank0")
        self.browser.press("a")
        self.assertEqual(self.focused(), "arrow from rank0 to queue of rank0, put of rank0")
        self.assertNotIn("(0, 0, 0, 0)", self.browser.run("return getComputedStyle(document.activeElement.querySelector('.reach')).stroke.replace('transparent', '(0, 0, 0, 0)')"))
        self.browser.press(Keys.ENTER)
        self.wait_for(".inspector h2", "put of rank0path")
        self.assertIn("select=path%3A0", self.browser.address())
        self.browser.press("a")
        self.assertEqual(self.focused(), "rank0")  # it has no other arrow
        self.browser.press("a", Keys.ARROW_RIGHT)
        self.wait_until(lambda: not self.focused().startswith("arrow"), self.focused)
        self.browser.run("document.querySelector('.map-drawing .box.element').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        self.browser.run("document.querySelector('.map-drawing [tabindex=\"0\"]').focus()")
        seen = []
        for _ in range(9):
            seen.append(self.focused())
            self.browser.press("a")
        self.assertEqual(seen, ["queue of rank0", *(f"arrow from rank{i} to queue of rank0, put of rank{i}" for i in range(8))])
        self.browser.press("A")
        self.assertEqual(self.focused(), seen[-1])

    def test_the_map_keeps_its_focus_and_scale_while_numbers_change(self):
        self.open(self.start(Session(8, 3)), "map")
        self.wait_for(".map-drawing .box.element .live", "of 50, 7 wait")
        self.browser.run("document.querySelector('.map-drawing [tabindex=\"0\"]').focus()")
        self.browser.press("+", Keys.ENTER)
        scale = "return document.querySelector('.map-drawing > g').getAttribute('transform')"
        before = self.browser.run(scale)
        self.assertIn("1.4", before)
        label = self.browser.text(".map-drawing .arrow .live")
        self.wait_until(lambda: self.browser.text(".map-drawing .arrow .live") != label)
        self.assertEqual(self.browser.run(scale), before)
        self.assertTrue(self.browser.run("return document.activeElement.matches('.map-drawing .box')"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
