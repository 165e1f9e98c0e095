#!/usr/bin/env python3
"""finder_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: the box that finds by name."""

import sys
import unittest

from selenium.webdriver import ActionChains

from browser import Keys
from page_case import HOSTILE, SHOWN, PageTest
from stand_in import Session

MORE = "search the calls of the program, too"  # the offer after what is found


class Finder(PageTest):
    def found(self):
        return self.browser.run("return [...document.querySelectorAll('#found li bdi')].map((name) => name.textContent)")

    def chosen(self):
        return self.browser.text("#found [aria-selected=true] bdi")

    def is_open(self):
        return self.browser.run("return document.getElementById('finder').open")

    def type(self, text, found):
        """Opens the box, replaces its text, and waits until these names are found."""
        self.browser.press("/")
        self.wait_until(self.is_open)
        self.browser.run("const box = document.querySelector('#finder input'); box.value = ''; box.focus();")
        self.browser.press(text)
        self.wait_until(lambda: self.found() == [*found, MORE], self.found)

    def enter(self):
        self.browser.press(Keys.ENTER)
        self.wait_until(lambda: not self.is_open())

    def test_names_are_found_and_lead_to_their_views(self):
        server = self.start(Session(64, 17, name_of=lambda i: f"rank{i}", nodes=4))
        self.open(server)
        self.wait_for(".legend", "waiting in call 63")
        self.type("rank17", ["rank17", "rank17"])  # a thread, and its process
        self.enter()
        self.wait_for(".detail h2", "rank17")
        self.type("node2", ["node2"])
        self.enter()
        self.wait_for(".detail h2", "rank32")  # the first of the node
        self.type("*nk?3", [])
        self.browser.press(Keys.ESCAPE)
        self.wait_until(lambda: not self.is_open())
        self.wait_for(".detail h2", "rank32")  # Escape has left only the box
        self.type("r*k63", ["rank63", "rank63"])
        self.browser.press(Keys.ESCAPE)
        self.type("METRICS", ["Metrics"])
        self.enter()
        self.wait_until(lambda: "#/metrics" in self.browser.address())
        self.type("volume", ["Volume"])
        self.enter()
        self.wait_for("main h2", "Metrics")
        self.wait_until(lambda: "metrics=Volume" in self.browser.address())
        self.type("rece", [])
        self.browser.press(Keys.ENTER)  # reads the calls
        self.wait_until(lambda: self.found() == ["receive at rank0.c:1"], self.found)
        self.enter()
        self.wait_for(".by-call h2", "only receive at rank0.c:1")

    def test_arrows_choose_among_what_is_found_and_the_list_is_bounded(self):
        self.open(self.start(Session(4096, 17, nodes=256), interval=0.5))
        self.wait_for(".legend", "waiting in call 4095")
        self.browser.press("/")
        self.wait_for("#found li", "Overview")  # without a text, the views
        self.browser.press("rank")
        self.wait_for("#finder .hint", "The first 20 of 8200")  # 4096 threads, as many processes, 8 paths
        self.browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
        self.wait_until(lambda: self.chosen() == "rank2", self.chosen)
        self.assertEqual(self.browser.run("const box = document.querySelector('#finder input');"
                                          "return document.getElementById(box.getAttribute('aria-activedescendant')).textContent"), "threadrank2rank2")
        self.enter()
        self.wait_for(".detail h2", "rank2")

    def test_parts_that_come_lose_no_click_and_leave_the_list_where_it_is(self):
        self.open(self.start(Session(64, 17)))
        self.wait_for(".legend", "waiting in call 63")
        self.set_size(1280, 400)  # so that the list is scrolled
        self.browser.press("/")
        self.browser.press("rank")
        self.wait_for("#finder .hint", "The first 20 of")
        self.browser.run("document.getElementById('found').scrollTop = 1e6")
        scrolled = self.browser.run("return document.getElementById('found').scrollTop")
        self.assertGreater(scrolled, 0)
        self.wait_for_parts()
        self.assertEqual(self.browser.run("return document.getElementById('found').scrollTop"), scrolled)
        self.assertEqual(self.chosen(), "rank0")
        ActionChains(self.browser.driver).move_to_element(self.browser.find("#found-19 bdi")).click_and_hold().perform()
        name = self.browser.text("#found-19 bdi")
        self.wait_for_parts()
        ActionChains(self.browser.driver).release().perform()
        self.wait_for(".detail h2", name)

    def test_the_calls_of_another_session_are_not_read_unasked(self):
        server = self.start(Session(8, 3), other_names=["other"])
        self.open(server)
        self.wait_for(".legend", "waiting in call 7")
        self.type("rece", [])
        self.browser.press(Keys.ENTER)
        self.wait_until(lambda: self.found() == ["receive at rank0.c:1"], self.found)
        self.assertIn("call_sites", server.streams[-1])
        self.browser.run("location.hash = '#/overview?session=other'")
        self.wait_until(lambda: server.streams[-1].startswith("/api/s/1/"), lambda: server.streams)
        self.wait_until(lambda: self.found() == [MORE], self.found)
        self.assertNotIn("call_sites", server.streams[-1])

    def test_the_box_is_readable_and_fits_a_phone(self):
        server = self.start(Session(64, 17, name_of=lambda i: HOSTILE if i == 5 else f"rank{i}"))
        for theme in ("light", "dark"):
            self.set_size(390, 900)
            self.open(server)
            self.use_theme(theme)
            self.wait_for(".legend", "waiting in call 63")
            self.type("script>", [SHOWN, SHOWN, f"put of {SHOWN}"])
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 390)
            self.assertEqual(self.browser.faint_texts(), [])
            self.assertIn("Find by name", self.browser.find("#finder input").accessible_name)
            self.browser.press(Keys.ESCAPE)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
