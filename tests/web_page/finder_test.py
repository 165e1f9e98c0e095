#!/usr/bin/env python3
"""finder_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: the box that finds by name."""

import sys
import unittest

from browser import Keys
from page_test import HOSTILE, SHOWN, PageTest
from stand_in import Session


class Finder(PageTest):
    def found(self):
        return self.browser.run("return [...document.querySelectorAll('#found li bdi')].map((name) => name.textContent)")

    def type(self, text, found):
        """Replaces the text in the box, and waits until these names are found."""
        self.browser.press("/")
        self.browser.run("const box = document.querySelector('#finder input'); box.value = ''; box.focus();")
        self.browser.press(text)
        self.wait_until(lambda: self.found() == found, self.found)

    def test_names_are_found_and_lead_to_their_views(self):
        server = self.start(Session(64, 17, name_of=lambda i: f"rank{i}", nodes=4))
        self.open(server)
        self.wait_for(".legend", "waiting in call 63")
        self.type("rank17", ["rank17", "rank17"])  # a thread, and its process
        self.browser.press(Keys.ENTER)
        self.wait_for(".detail h2", "rank17")
        self.type("node2", ["node2"])
        self.browser.press(Keys.ENTER)
        self.wait_for(".detail h2", "rank32")  # the first of the node
        self.type("*nk?3", [])
        self.browser.press(Keys.ESCAPE)
        self.wait_until(lambda: not self.browser.run("return document.getElementById('finder').open"))
        self.wait_for(".detail h2", "rank32")  # Escape has left only the box
        self.type("r*k63", ["rank63", "rank63"])
        self.browser.press(Keys.ESCAPE)
        self.type("METRICS", ["Metrics"])
        self.browser.press(Keys.ENTER)
        self.wait_until(lambda: "#/metrics" in self.browser.address())
        self.type("volume", ["Volume"])
        self.browser.press(Keys.ENTER)
        self.wait_for("main h2", "Metrics")
        self.wait_until(lambda: "metrics=Volume" in self.browser.address())
        self.type("rece", ["receive at rank0.c:1"])
        self.browser.press(Keys.ENTER)
        self.wait_for(".by-call h2", "only receive at rank0.c:1")

    def test_arrows_choose_among_what_is_found_and_the_list_is_bounded(self):
        self.open(self.start(Session(4096, 17, nodes=256)))
        self.wait_for(".legend", "waiting in call 4095")
        self.browser.press("/")
        self.wait_for("#found li", "Overview")  # without a text, the views
        self.browser.press("rank")
        self.wait_for("#finder .hint", "The first 20 of 8193")
        self.browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
        chosen = self.browser.run("return document.querySelector('#found [aria-selected=true] bdi').textContent")
        self.assertEqual(chosen, "rank2")
        self.assertEqual(self.browser.run("const box = document.querySelector('#finder input');"
                                          "return document.getElementById(box.getAttribute('aria-activedescendant')).textContent"), "threadrank2rank2")
        self.browser.press(Keys.ENTER)
        self.wait_for(".detail h2", "rank2")

    def test_the_box_is_readable_and_fits_a_phone(self):
        self.addCleanup(lambda: self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {}))
        server = self.start(Session(64, 17, name_of=lambda i: HOSTILE if i == 5 else f"rank{i}"))
        for theme in ("light", "dark"):
            self.browser.set_size(390, 900)
            self.open(server)
            self.browser.run("localStorage.setItem('theme', arguments[0]); location.reload()", theme)
            self.wait_for(".legend", "waiting in call 63")
            self.type("script>", [SHOWN, SHOWN])
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 390)
            self.assertEqual(self.browser.faint_texts(), [])
            self.assertIn("Find by name", self.browser.find("#finder input").accessible_name)
            self.browser.press(Keys.ESCAPE)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
