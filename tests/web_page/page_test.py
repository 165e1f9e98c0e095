#!/usr/bin/env python3
"""page_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: the page of `eventspace web` in a browser."""

import signal
import sys
import unittest

from browser import Keys
from market import Market, Web
from page_case import VIEWS, MarketPage, PageTest, application, dynamic, program


class RealSession(MarketPage):
    def test_a_stall_and_its_culprits_are_named(self):
        self.origin = self.web.origin
        self.wait_for(".sentence h1", "STALL at r0: ended")
        self.wait_for(".sentence h1", "2 threads wait for it")
        self.wait_for(".chip .words", "2 stalled")
        self.wait_for(".culprits", "r1: ended")
        self.wait_for(".legend", "stuck in operation 2")
        self.wait_for(".legend", "ended 2")
        self.wait_for(".legend", "holds up others")
        self.wait_for(".log", "STALL at r0")
        self.wait_for(".culprits pre", "WAIT at queue: 50 of 50 tuples; w0, w1 wait to write")
        self.assertNotIn("key=", self.browser.address())
        self.assertIn("market", self.browser.driver.title)

    def test_who_waits_for_whom_is_a_graph_and_a_table(self):
        self.open(self.web, "waits")
        self.wait_for(".graph .culprit", "r0: ended")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.graph .edge').length"), 2)
        self.wait_for("main tbody tr", "write queue")
        self.wait_for("main tbody tr", "r0: ended")

    def test_servers_are_asked_while_they_are_shown(self):
        self.open(self.web, "servers")
        self.wait_for("main tbody", "n1answered")
        self.wait_for("main tbody", "n2answered")
        self.browser.press("3")
        self.wait_for("main", "no pathmap with collectives")

    def test_a_selection_is_in_the_address_and_the_address_selects(self):
        self.open(self.web)
        self.wait_for(".legend", "stuck in operation 2")
        self.browser.click_at(".grid-box canvas", 32 + 2 + 30 + 14, 2 + 14)  # the second thread of the first node
        self.wait_for(".detail h2", "w1")
        self.wait_for(".detail", "write queue")
        self.assertIn("select=thread%3A1", self.browser.address())
        address = self.browser.address()
        self.browser.press("2")  # another view keeps it
        self.wait_for("main h2", "Who waits for whom")
        self.assertIn("select=thread%3A1", self.browser.address())
        self.browser.driver.back()
        self.wait_for(".detail h2", "w1")
        self.browser.new_tab(address)
        self.wait_for(".detail h2", "w1")
        self.browser.press(Keys.ESCAPE)
        self.wait_for(".detail", "Select a thread")
        self.assertNotIn("select", self.browser.address())

    def test_ten_tabs_are_more_than_a_browser_has_connections(self):
        for _ in range(10):
            self.browser.new_tab(f"{self.web.origin}/")
            self.origin = self.web.origin
            self.wait_for(".sentence h1", "STALL")
        self.browser.driver.switch_to.window(self.browser.driver.window_handles[1])
        clock = self.browser.text("#clock")
        self.wait_until(lambda: self.browser.text("#clock") != clock)

    def test_the_address_of_another_session_is_not_mistaken_for_this_one(self):
        self.open(self.web, "overview?session=other")
        self.wait_for("#banner", "There is no session 'other' here")
        self.wait_for(".sentence h1", "STALL")

    def test_keys_reach_all_views_and_all_threads(self):
        self.open(self.web)
        self.wait_for(".legend", "stuck in operation 2")
        self.browser.run("document.querySelector('canvas').focus()")
        self.browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.wait_for(".detail h2", "r1")
        self.wait_for(".detail", "2 threads")
        self.browser.press(Keys.ARROW_UP)  # above the second thread of a node is that of the other node
        self.wait_for(".detail h2", "w1")
        for view, key in VIEWS.items():
            self.browser.press(key)
            self.wait_until(lambda name=view.split("?")[0]: f"#/{name}" in self.browser.address())
        self.browser.press("?")
        self.wait_until(lambda: self.browser.run("return document.getElementById('help').open"))
        self.assertIn("Collectives", self.browser.text("#help"))
        self.browser.press(Keys.ESCAPE)
        self.wait_until(lambda: not self.browser.run("return document.getElementById('help').open"))
        before = self.browser.run("return document.documentElement.dataset.theme")
        self.browser.press("t")
        self.wait_until(lambda: self.browser.run("return document.documentElement.dataset.theme") != before)

    def find(self, text, words):
        """Opens the box, types, and waits until the first entry has these words."""
        self.browser.press("/")
        self.browser.press(text)
        self.wait_for("#found li", words)

    def test_calls_of_the_program_are_found_when_the_reader_wants_that(self):
        self.open(self.web)
        self.wait_for(".legend", "stuck in operation 2")
        self.find("write q", "search the calls of the program, too")
        self.browser.press(Keys.ENTER)
        self.wait_for("#found li", "write queue")
        self.browser.press(Keys.ENTER)
        self.wait_for(".by-call h2", "only write queue")
        self.assertIn("#/profile", self.browser.address())
        self.wait_until(lambda: self.browser.run("return document.querySelectorAll('.by-call tbody tr').length") == 1)

    def test_a_path_is_found_and_its_operations_are_shown(self):
        self.open(self.web)
        self.wait_for(".legend", "stuck in operation 2")
        self.may_complain = True  # the status 409, if the session is read again meanwhile
        self.find("queue", "its operations")
        self.browser.press(Keys.ENTER)
        self.wait_for(".operation h2", "queue")
        self.assertIn("where=path", self.browser.address())

    def test_each_control_has_a_name_and_is_reached_by_tab(self):
        for view in VIEWS:
            self.open(self.web, view)
            self.wait_for(".chip .words", "2 stalled")
            self.wait_until(lambda: self.browser.text("main"))
            self.assertEqual(self.browser.unnamed_controls(), [], view)
            # Again, as controls come with the parts of the view.
            self.wait_until(lambda: not self.browser.controls_out_of_reach())

    def test_without_a_cookie_nothing_is_shown(self):
        self.browser.driver.delete_all_cookies()
        self.browser.open(self.web.origin)
        self.assertNotIn("STALL", self.browser.text("body"))
        self.assertIn("eventspace web", self.browser.text("body"))
        self.may_complain = True  # the status 403

    def test_where_time_goes_and_who_sends_to_whom(self):
        self.open(self.web, "profile")
        self.wait_for("main tbody", "w0")
        self.wait_for("main", "write queue")
        self.browser.press("7")
        self.wait_for("main", "No message and no tuple for another thread")  # the queue has two users at each end

class OtherServers(PageTest):
    """Servers that a test starts by itself."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.market = Market(program, application)
        cls.addClassCleanup(cls.market.close)

    def position(self):
        return float(self.browser.run("return document.querySelector('#playback input').value"))

    def test_a_recording_is_played_and_its_observer_only_looks(self):
        web = Web(self.market, self.market.record(), "--stall", "200ms")
        self.addCleanup(web.end)
        self.origin = web.origin
        self.browser.open(web.owner)
        self.wait_until(lambda: self.browser.run("return !document.getElementById('playback').hidden"))
        self.wait_for("#playback button", "Pause")
        self.browser.press(" ")
        self.wait_for("#playback button", "Play")
        slider = "const slider = document.querySelector('#playback input');"
        self.browser.run(f"{slider} slider.value = slider.max; for (const name of ['input', 'change']) slider.dispatchEvent(new Event(name));")
        self.wait_for(".sentence h1", "STALL at r0")
        self.assertGreater(self.position(), 0.3)
        self.browser.find("#playback input").send_keys(Keys.HOME)
        self.wait_until(lambda: self.browser.text("#clock").startswith("0"), lambda: self.browser.text("#clock"))
        self.assertEqual(self.position(), 0)
        self.browser.open(web.observer)
        self.wait_for("#playback button", "Play")
        self.wait_until(lambda: self.browser.run("return document.querySelector('#playback button').disabled"))
        self.assertTrue(self.browser.run("return document.querySelector('#playback input').disabled"))

    def test_a_page_says_that_its_server_died_and_goes_on_with_the_next(self):
        self.may_complain = True  # of connections that are refused
        web = Web(self.market, self.market.pathmap, "--stall", "200ms")
        self.origin = web.origin
        self.browser.open(web.owner)
        self.wait_for(".sentence h1", "STALL")
        web.end(signal.SIGKILL)
        self.wait_for("#banner", "What is shown is old")
        self.assertIn("STALL", self.browser.text(".sentence h1"))
        web = Web(self.market, self.market.pathmap, "--stall", "200ms", "--port", web.port)
        self.addCleanup(web.end)
        first = self.browser.driver.current_window_handle
        self.wait_for("#banner", "Open that address once")  # the new server does not know the cookie
        self.browser.new_tab(web.owner)
        self.wait_for(".sentence h1", "STALL")
        self.browser.driver.switch_to.window(first)
        self.wait_until(lambda: self.browser.run("return document.getElementById('banner').hidden"), lambda: self.browser.text("#banner"))

    def test_a_run_has_a_page_that_stays_until_its_end(self):
        run = Web(self.market, "--session", "s1", "--", "sh", "-c", f"echo pid $$; exec {dynamic}", verb=("run", "--web"))
        self.origin = run.origin
        self.browser.open(run.owner)
        self.wait_for(".sentence h1", "no thread is stalled")
        run.kill_application()
        self.wait_for(".chip .words", "stalled")
        self.wait_for(".culprits", "dead")
        self.wait_for("#banner", "The session has ended")
        self.browser.press("6")
        self.wait_for("main", "No call and no operation has been seen")  # it only passes probes
        run.end()
        self.may_complain = True  # of the stream that ended
        self.wait_for("#banner", "does not answer")

    def test_sessions_are_chosen_from_all_of_this_user(self):
        web = Web(self.market, "--stall", "200ms")
        self.addCleanup(web.end)
        self.origin = web.origin
        self.browser.open(web.owner)
        self.wait_for("#session option", "market")
        self.wait_for(".sentence h1", "STALL at r0")

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
