#!/usr/bin/env python3
"""page_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: the page of `eventspace web` in a browser."""

import signal
import sys
import unittest

from browser import Browser, Keys
from market import Market, Web, eventually
from stand_in import Session, StandIn

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


class RealSession(PageTest):
    """A session whose writers wait at a full queue, which its ended readers do not empty."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.market = Market(program, application)
        cls.addClassCleanup(cls.market.close)
        cls.web = Web(cls.market, cls.market.pathmap, "--stall", "200ms")
        cls.addClassCleanup(cls.web.end)

    def setUp(self):
        super().setUp()
        self.sign_in(self.web.owner)

    def sign_in(self, address):
        self.browser.open(address)
        self.wait_until(lambda: self.browser.address().endswith("/"), self.browser.address)

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

    def enabled(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((node) => !node.disabled)", selector)

    def press_button(self, words):
        """Presses the button of the panel with this name, once it can be pressed."""
        script = "const found = [...document.querySelectorAll('.steering button')].find((node) => (node.ariaLabel ?? node.textContent) === arguments[0] && !node.disabled); found?.click(); return !!found;"
        self.wait_until(lambda: self.browser.run(script, words), lambda: self.browser.text(".steering"))

    def choose(self, label, value):
        """Chooses in a select, or fills an input, as a reader does."""
        script = """const node = document.querySelector(`.steering [aria-label="${arguments[0]}"]`);
            if (!node) return null;
            node.value = arguments[1];
            for (const name of ['input', 'change']) node.dispatchEvent(new Event(name, { bubbles: true }));
            return node.value;"""
        self.wait_until(lambda: self.browser.run(script, label, str(value)) == str(value), lambda: self.browser.text(".steering"))

    def test_the_owner_switches_a_path_off_and_on(self):
        self.open(self.web, "servers")
        self.choose("Path", "queue")
        self.wait_for(".steering-chosen", "operation write, operation read, operation take")
        self.press_button("Record nothing of path queue")
        self.wait_for(".steering-message", "Carried out: collecting off")
        self.wait_for(".steering-chosen", "Nowoff")
        self.assertIn("but operation write off", self.market.call("switch", self.market.pathmap))
        self.press_button("Record everything of path queue")
        self.wait_for(".steering-message", "Carried out: collecting on")
        self.wait_for(".steering-chosen", "Nowon")
        self.assertNotIn("off", self.market.call("switch", self.market.pathmap))
        self.browser.press("1")
        self.wait_for(".log", "collecting off: operation write")

    def test_an_observer_sees_the_state_and_steers_nothing(self):
        self.may_complain = True  # requests of the page that lost its cookie
        self.browser.driver.delete_all_cookies()
        self.sign_in(self.web.observer)
        self.open(self.web, "servers")
        self.wait_for(".steering", "Only the owner's page steers")
        self.wait_for(".steering-now", "writers")
        self.assertFalse(any(self.enabled(".steering .controls button, .steering input[type=number], .steering input[type=range]")))

    def test_the_second_of_two_owners_is_told_what_the_first_did(self):
        self.may_complain = True  # the status 409
        self.open(self.web, "servers")
        self.wait_for(".steering", "now every")
        first = self.browser.driver.current_window_handle
        self.browser.new_tab(f"{self.web.origin}/#/servers")
        self.choose("Interval between looks, in seconds", "0.25")
        self.press_button("Set")
        self.wait_for(".steering-message", "Carried out: interval 250ms")
        self.browser.driver.switch_to.window(first)
        self.wait_for(".steering-message", "Another page of the owner has steered: interval 250ms")
        self.wait_for(".steering", "now every 250ms")
        # At once: another page's order comes before this page has heard of it. A synchronous request keeps it from hearing.
        self.browser.run("""
            const send = (method, path, token, body) => {
              const request = new XMLHttpRequest();
              request.open(method, path, false);
              if (token) request.setRequestHeader('X-EventSpace-Token', token);
              request.send(body);
              return JSON.parse(request.responseText);
            };
            const { token } = send('GET', '/api/me');
            const { version } = send('GET', '/api/s/0/parts').steering.value;
            document.querySelector('.steering input[type=number]').value = 7;
            send('POST', '/api/s/0/do/interval', token, JSON.stringify({ version, seconds: 0.5 }));
            [...document.querySelectorAll('.steering button')].find((node) => node.textContent === 'Set').click();""")
        self.wait_for(".steering-message", "Refused: another page of the owner has steered since")
        self.wait_for(".steering-message", "interval 500ms")
        self.wait_for(".steering", "now every 500ms")
        self.choose("Interval between looks, in seconds", "0.1")
        self.press_button("Set")
        self.wait_for(".steering-message", "Carried out: interval 100ms")

    def test_the_slider_changes_the_rate_of_a_trial(self):
        self.open(self.web, "servers")
        self.choose("Scope to try", "heartbeat")
        self.wait_until(lambda: self.browser.run("return document.querySelector('.steering [aria-label^=Variant]').options.length") > 1)
        self.choose("Observe rate", 50)
        self.assertEqual(self.browser.text(".steering-rate"), "10 pulls a second")
        self.press_button("Try")
        self.wait_for(".steering-figures", "asked: 10 pulls a second")
        self.wait_for(".steering-figures", "no paths of the application's steps are known")
        self.wait_for(".steering-levels", "all ")
        self.choose("Observe rate", 100)
        self.wait_for(".steering-figures", "asked: as fast as possible")
        self.wait_until(lambda: self.browser.run("return document.querySelectorAll('.steering-plot .mark').length") == 2)
        self.wait_for(".steering tbody", "fastest")
        self.press_button("Stop the trial")
        self.wait_for(".steering-figures", "No trial runs")

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


class StandInSession(PageTest):
    @staticmethod
    def word_in(view):
        return {"servers": "node3", "profile": "rank15", "communication": "rank50", "metrics": "rank50"}.get(view.split("?")[0], "rank17")

    def test_four_thousand_threads_have_a_cell_each(self):
        server = self.start(Session(4096, 2741, nodes=256))
        self.open(server)
        self.wait_for(".legend", "stuck in operation 1")
        self.wait_for(".legend", "waiting in call 4095")
        self.wait_for(".card h2 small", "4096 threads")
        self.browser.open(f"{server.origin}/#/overview?select=thread:2740")
        self.wait_for(".detail h2", "rank2740")
        self.browser.run("document.querySelector('canvas').focus()")
        self.browser.press(Keys.ARROW_RIGHT)
        self.wait_for(".detail h2", "rank2741")
        self.wait_for(".detail", "stuck in operation")
        # Cells of two colours: the stuck one's and the others'.
        has_colour = """const canvas = document.querySelector('canvas');
            const wanted = getComputedStyle(document.documentElement).getPropertyValue('--state-stuck').trim();
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < pixels.length; i += 4) {
              const colour = '#' + [...pixels.slice(i, i + 3)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
              count += colour === wanted;
            }
            return count;"""
        self.wait_until(lambda: 0 < self.browser.run(has_colour) < 200)

    def test_four_thousand_threads_leave_the_page_at_hand(self):
        self.open(self.start(Session(4096, 17, nodes=256), interval=0.5))
        self.wait_for(".legend", "waiting in call 4095")
        long_tasks = """const [done] = arguments; const long = [];
            new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
            setTimeout(() => done(long), 2000);"""
        # Generous, as machines of tests are slow: a page that drew each part by itself would take seconds.
        self.assertLess(max(self.browser.driver.execute_async_script(long_tasks), default=0), 500)

    def test_the_calls_of_a_selected_thread_are_shown(self):
        server = self.start(Session(64, 17))
        self.open(server, "profile")
        self.wait_for(".totals", "Waiting")
        self.wait_for("main tbody", "rank0")
        self.assertIn("and 48 more", self.browser.text("main"))
        self.browser.run("document.querySelector('canvas').focus()")
        self.browser.press(*[Keys.ARROW_RIGHT] * 18)
        self.wait_for("main", "By call of rank17")
        self.wait_for("main", "call of the stuck thread")
        self.assertIn("select=thread%3A17", self.browser.address())
        self.assertIn("rank17: compute", self.browser.text(".hint"))
        self.browser.run("[...document.querySelectorAll('th button')].find((head) => head.textContent === 'Compute').click()")
        self.wait_until(lambda: self.browser.run("return document.querySelector('main tbody a').textContent") == "rank17")
        self.browser.press(Keys.ESCAPE)
        self.wait_for("main", "By call, all threads")

    def test_metrics_are_chosen_and_drawn_in_five_forms(self):
        server = self.start(Session(8, 1))
        self.open(server, "metrics")
        self.wait_for("main", "Load > 0.9 at rank0")
        self.browser.run("const add = document.querySelector('main select'); add.value = 'Load'; add.dispatchEvent(new Event('change'))")
        self.wait_for(".chart .legend", "8rank7")
        self.assertIn("metrics=Load", self.browser.address())
        for form, mark in (("bars", "rect"), ("pie", ".on-colour"), ("histogram", "rect"), ("curves", "path[fill=none]")):
            self.browser.open(f"{server.origin}/#/metrics?metrics=Load&form={form}")
            self.wait_until(lambda mark=mark: self.browser.run("return document.querySelectorAll('.chart ' + arguments[0]).length", mark) > 0)
        self.browser.open(f"{server.origin}/#/metrics?metrics=Load&objects=*3")
        self.wait_until(lambda: self.browser.text(".chart .legend") == "1rank3", lambda: self.browser.text(".chart .legend"))
        self.browser.open(f"{server.origin}/#/metrics?metrics=Volume&form=matrix")
        self.wait_for("main h2 small", "2 events lost")
        self.wait_until(lambda: self.browser.run("return document.querySelector('.matrix canvas[aria-label^=\"Matrix of \"]') !== null"))
        right = "document.querySelector('.matrix canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))"
        self.browser.run(f"{right}; {right}")
        self.wait_for(".matrix .hint", "rank0, rank1: 2000 B")
        self.browser.run("document.querySelector('main button').click()")
        self.wait_until(lambda: "metrics=" not in self.browser.address())

    def test_the_matrix_is_described_and_binned(self):
        server = self.start(Session(4, 1))
        self.open(server, "communication")
        self.wait_for("main tbody", "rank3")
        self.browser.run("document.querySelector('canvas').focus()")
        self.browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)  # from the first square to the next
        self.wait_for(".matrix .hint", "rank0 to rank1: 100B in 1 message, 500ms late")
        self.browser.press(Keys.ARROW_DOWN)
        self.wait_for(".matrix .hint", "rank1 to rank1: nothing")
        self.browser.open(f"{server.origin}/#/communication?over=world&measure=messages")
        self.wait_for("main tbody", "77B")
        self.assertEqual(self.browser.text(".scale-box"), "33")

    def test_neighbours_share_rows_of_the_matrix(self):
        self.open(self.start(Session(4096, 1, nodes=256)), "communication")
        self.wait_for(".hint", "4096 participants: 32 neighbours share a row and a column")

    def test_focus_and_selected_text_stay_while_numbers_change(self):
        self.open(self.start(Session(64, 17)))
        self.wait_for(".culprit h3", "rank17")
        self.browser.find(".culprits summary").send_keys(Keys.ENTER)
        self.browser.run("getSelection().selectAllChildren(document.querySelector('.culprit li'))")
        before = self.browser.text(".culprit dl")
        self.wait_until(lambda: self.browser.text(".culprit dl") != before)
        self.assertEqual(self.browser.run("return document.activeElement.tagName"), "SUMMARY")
        self.assertTrue(self.browser.run("return document.querySelector('.culprits details').open"))
        self.assertEqual(self.browser.run("return String(getSelection())"), "main of rank17")

    def test_hostile_names_are_text(self):
        server = self.start(Session(8, 3, name_of=lambda i: HOSTILE, node_of=lambda i: HOSTILE))
        self.open(server)
        self.wait_for(".sentence h1", SHOWN)
        self.browser.press("1")
        self.browser.open(f"{server.origin}/#/overview?select=thread:3")
        self.wait_for(".detail h2", SHOWN)
        self.wait_for(".culprit h3", SHOWN)
        for view in list(VIEWS)[1:]:
            self.browser.open(f"{server.origin}/#/{view}")
            self.wait_for("main tbody", SHOWN)
        self.assertEqual(self.browser.text("#session option"), SHOWN)
        self.assertEqual(self.browser.driver.title, f"{SHOWN} – EventSpace")
        self.assertEqual(self.browser.run("return document.querySelectorAll('main b, body script').length"), 0)

    def test_a_name_from_right_to_left_turns_only_itself(self):
        # Without isolation, a number that follows would stand before the name.
        server = self.start(Session(4, 1, name_of=lambda i: f"{HEBREW}{i}", what="3 times stuck"))
        self.open(server)
        self.wait_for(".culprit h3", HEBREW)
        box_of = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.left, box.right];"
        heading = self.browser.run(box_of, ".culprit h3")
        name = self.browser.run(box_of, ".culprit h3 bdi")
        self.assertAlmostEqual(heading[0], name[0], delta=1)  # the name is first, then what it does
        self.assertLess(name[1], heading[1])

    def test_nothing_moves_while_numbers_change(self):
        server = self.start(Session(64, 17))
        for view in VIEWS:
            self.open(server, view)
            self.wait_for(".chip .words", "1 stalled")
            self.wait_for("main", self.word_in(view))
            self.wait_until(lambda: "–" not in self.browser.text(".figures"))  # all parts have come
            shifts = """const [done] = arguments; let sum = 0;
                new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: 'layout-shift' });
                setTimeout(() => done(sum), 800);"""
            self.assertLess(self.browser.driver.execute_async_script(shifts), 0.001, view)

    def test_views_fit_phones_and_wide_screens(self):
        server = self.start(Session(64, 17))
        self.addCleanup(lambda: self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {}))
        for width in (390, 1280, 1920):
            self.browser.set_size(width, 900)
            for view in VIEWS:
                self.open(server, view)
                self.wait_for("main", self.word_in(view))
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width, (view, width))

    def test_texts_stand_out_from_their_background_in_both_themes(self):
        server = self.start(Session(64, 17))
        for theme in ("light", "dark"):
            for view in VIEWS:
                self.open(server, view)
                self.browser.run("localStorage.setItem('theme', arguments[0]); location.reload()", theme)
                self.wait_until(lambda: self.browser.run("return document.documentElement.dataset.theme") == theme)
                self.wait_for("main", self.word_in(view))
                self.assertEqual(self.browser.faint_texts(), [], (theme, view))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
