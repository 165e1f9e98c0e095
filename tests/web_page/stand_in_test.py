#!/usr/bin/env python3
"""stand_in_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: the page at a server that stands in."""

import sys
import unittest

from browser import Keys
from page_case import HEBREW, HOSTILE, SHOWN, VIEWS, PageTest
from stand_in import Session


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
        # Generous, as machines of tests are slow: a page that drew each part by itself would take seconds.
        self.wait_until_quick(500)

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
            self.wait_for_parts()
            self.assertNotIn("–", self.browser.text(".figures"))
            shifts = """const [done] = arguments; let sum = 0;
                new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: 'layout-shift' });
                setTimeout(() => done(sum), 800);"""
            self.assertLess(self.browser.driver.execute_async_script(shifts), 0.001, view)

    def test_views_fit_phones_and_wide_screens(self):
        server = self.start(Session(64, 17))
        for width in (390, 1280, 1920):
            self.set_size(width, 900)
            for view in VIEWS:
                self.open(server, view)
                self.wait_for("main", self.word_in(view))
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width, (view, width))

    def test_texts_stand_out_from_their_background_in_both_themes(self):
        server = self.start(Session(64, 17))
        for theme in ("light", "dark"):
            for view in VIEWS:
                self.open(server, view)
                self.use_theme(theme)
                self.wait_for("main", self.word_in(view))
                self.assertEqual(self.browser.faint_texts(), [], (theme, view))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
