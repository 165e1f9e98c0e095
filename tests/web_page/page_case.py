"""What all tests of the page share: the programs of the command line, views, hostile names, and a browser for each class."""

import sys
import unittest

from browser import Browser
from market import Market, Web, eventually
from stand_in import StandIn

VIEWS = {"overview": "1", "waits": "2", "collectives": "3", "servers": "4", "profile": "6", "communication": "7",
         "metrics?metrics=Load": "8", "map?select=element:0": "9"}  # and their keys
HOSTILE = "<script>document.title='taken'</script><b>\"'&amp;\u202eabc"
SHOWN = HOSTILE.replace("\u202e", "[U+202E]")
HEBREW = "\u05d0\u05d1\u05d2"
program, application, dynamic, assets, d3, driver = sys.argv[1:7]


class PageTest(unittest.TestCase):
    """Each test has a page; at its end the page must have been silent, and must have asked only its own server."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(driver)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.addCleanup(self.browser.end_tabs)
        self.may_complain = False
        self.origin = None

    def tearDown(self):
        messages = self.browser.messages()
        if not self.may_complain:
            self.assertEqual(messages, [])
        if self.origin:
            requests = [url for url in self.browser.requests() if not url.startswith(("about:", "data:"))]
            self.assertGreater(len(requests), 0)
            self.assertEqual([url for url in requests if not url.startswith(self.origin + "/")], [])

    def open(self, server, view="overview"):
        self.origin = server.origin
        self.browser.open(f"{server.origin}/#/{view}")

    def start(self, session, **options):
        server = StandIn(session, assets, d3, **options)
        self.addCleanup(server.close)
        return server

    def wait_for(self, selector, words):
        self.assertTrue(self.browser.shows(selector, words), f"'{words}' is not in: {self.browser.text(selector)}")

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def wait_until(self, condition, explain=lambda: ""):
        self.assertTrue(eventually(condition), explain())

    def wait_for_parts(self, times=3):
        """Waits until all parts have come some times: the clock is one."""
        for _ in range(times):
            clock = self.browser.text("#clock")
            self.wait_until(lambda clock=clock: self.browser.text("#clock") != clock)

    def wait_until_quick(self, limit_ms):
        """Waits until the page was never busy for so long, during two seconds: other programs may keep the machine busy for a time."""
        long_tasks = """const [done] = arguments; const long = [];
            new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
            setTimeout(() => done(long), 2000);"""
        seen = []

        def is_quick():
            seen.append(max(self.browser.driver.execute_async_script(long_tasks), default=0))
            return seen[-1] < limit_ms

        self.wait_until(is_quick, lambda: f"milliseconds of the longest tasks: {seen}")

    def use_theme(self, theme):
        """Loads the page again in this theme."""
        self.browser.run("localStorage.setItem('theme', arguments[0]); window.is_left = true; location.reload()", theme)
        theme_of_new = "return window.is_left ? '' : document.documentElement.dataset.theme ?? ''"
        self.wait_until(lambda: self.browser.run(theme_of_new) == theme, lambda: self.browser.run(theme_of_new))

    def set_size(self, width, height):
        """The size of the view until the test ends."""
        self.browser.set_size(width, height)
        self.addCleanup(lambda: self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {}))


class MarketPage(PageTest):
    """The page of a session whose writers wait at a full queue, which its ended readers do not empty."""

    options = ("--stall", "200ms")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.market = Market(program, application)
        cls.addClassCleanup(cls.market.close)
        cls.web = Web(cls.market, cls.market.pathmap, *cls.options)
        cls.addClassCleanup(cls.web.end)

    def setUp(self):
        super().setUp()
        self.sign_in(self.web.owner)

    def sign_in(self, address):
        self.browser.open(address)
        self.wait_until(lambda: self.browser.address().endswith("/"), self.browser.address)
