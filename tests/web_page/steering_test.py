#!/usr/bin/env python3
"""steering_test.py EVENTSPACE QUEUE_APP DYNAMIC_APP ASSETS D3 CHROMEDRIVER [TEST...]: owners steer a session from its page."""

import sys
import unittest

from browser import Keys
from page_case import MarketPage, PageTest
from stand_in import Session


class Steering(MarketPage):
    def enabled(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((node) => !node.disabled)", selector)

    def press_button(self, words):
        """Presses the button of the panel with this name, once it can be pressed."""
        script = "const found = [...document.querySelectorAll('.steering button')].find((node) => (node.ariaLabel ?? node.textContent) === arguments[0] && node.ariaDisabled !== 'true'); found?.click(); return !!found;"
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

    def focus(self, selector):
        self.browser.run("document.querySelector(arguments[0]).focus()", selector)

    def has_focus(self, selector):
        return self.browser.run("return document.activeElement.matches(arguments[0])", selector)

    def test_an_order_leaves_the_focus_of_the_keyboard(self):
        self.open(self.web, "servers")
        self.wait_for(".steering", "now every")
        self.focus("[aria-label='Record nothing of everything']")
        self.browser.press(Keys.ENTER)
        self.wait_for(".steering-message", "Carried out: collecting off")
        self.assertTrue(self.has_focus("[aria-label='Record nothing of everything']"))
        self.browser.press_with(Keys.SHIFT, Keys.TAB, Keys.TAB)
        self.assertTrue(self.has_focus("[aria-label='Record everything of everything']"))
        self.browser.press(Keys.ENTER)
        self.wait_for(".steering-message", "Carried out: collecting on")

    def test_the_slider_is_moved_step_by_step_while_its_orders_are_carried_out(self):
        self.open(self.web, "servers")
        self.choose("Scope to try", "heartbeat")
        self.press_button("Try")
        self.wait_for(".steering-figures", "asked:")
        self.focus(".steering [type=range]")
        before = self.browser.text(".steering-rate")
        self.browser.press(*[Keys.ARROW_RIGHT] * 7)
        rate = self.browser.text(".steering-rate")
        self.assertNotEqual(rate, before)
        self.wait_for(".steering-figures", f"asked: {rate}")  # the last order has the last position
        self.wait_for_parts()
        self.assertEqual(self.browser.text(".steering-rate"), rate)
        self.assertTrue(self.has_focus(".steering [type=range]"))
        self.wait_until(lambda: self.browser.run("return document.querySelector('[aria-label=\"Stop the trial\"]').ariaDisabled") == "false")
        self.focus("[aria-label='Stop the trial']")
        self.browser.press(Keys.ENTER)
        self.wait_for(".steering-figures", "No trial runs")
        self.assertTrue(self.has_focus("[aria-label='Stop the trial']"))
        self.browser.press(Keys.ENTER)
        self.wait_for(".steering-message", "No trial runs")

    def test_a_refused_interval_stays_as_it_was_typed(self):
        self.may_complain = True  # the status 400
        self.open(self.web, "servers")
        self.wait_for(".steering", "now every")
        value = "return document.querySelector('.steering [type=number]').value"
        field = self.browser.find(".steering [type=number]")
        field.send_keys(Keys.CONTROL, "a", Keys.NULL, "1e12", Keys.ENTER)
        self.wait_for(".steering-message", "Refused: ")
        self.wait_for_parts()
        self.assertEqual(self.browser.run(value), "1e12")
        self.assertTrue(self.has_focus(".steering [type=number]"))
        field.send_keys(Keys.CONTROL, "a", Keys.NULL, "0.10", Keys.ENTER)
        self.wait_for(".steering-message", "Carried out: interval 100ms")
        self.wait_until(lambda: self.browser.run(value) == "0.1", lambda: self.browser.run(value))

    def test_the_overview_warns_of_a_long_interval(self):
        self.open(self.web, "servers")
        self.wait_for(".steering", "now every")
        self.choose("Interval between looks, in seconds", "0.4")
        self.press_button("Set")
        self.wait_for(".steering-message", "Carried out: interval 400ms")
        self.browser.press("1")
        self.wait_for(".sentence .warning", "with one pull every 400ms, a stall may be reported more than 400ms after it began")
        self.browser.press("4")
        self.choose("Interval between looks, in seconds", "0.1")
        self.press_button("Set")
        self.wait_for(".steering-message", "Carried out: interval 100ms")
        self.browser.press("1")
        self.wait_for(".sentence h1", "STALL")
        self.wait_until(lambda: self.count(".sentence .warning") == 0)


class Blinking(Session):
    """Each second look knows less than the other."""

    def changing_parts(self, wants):
        for name, value in super().changing_parts(wants):
            if name == "steering/paths":
                value[0]["name"] = "put of r1"
            if self.steps % 2 == 0:
                self.forget(name, value)
            yield name, value

    def forget(self, name, value):
        if name.startswith("threads/"):
            count = len(value["call"])
            value.update(call=[None] * count, rate=[None] * count, cpu=[None] * count, waiting=[0] * count)
        elif name == "map_rates":
            for rows, columns in (("paths", ("per_second", "bytes_per_second", "waits_s")), ("elements", ("kept", "written_per_second"))):
                for column in columns:
                    value[rows][column] = [None] * len(value[rows][column])
        elif name == "steering/paths":
            value[0].update(events="", processes="", also=[], setting=None)
        elif name == "steering":
            value["collecting"].append(value["collecting"][0])


class SteeringOfStandIn(PageTest):
    def test_no_button_moves_when_rows_of_the_inspector_come_and_go(self):
        server = self.start(Blinking(8, 3, name_of=lambda i: f"r{i}"))
        for selected in ("element:0", "thread:3", "path:1", "process:r2", "node:node0"):
            self.open(server, f"map?select={selected}")
            self.wait_for(".inspector dl", "")
            self.wait_for_parts()
            places = self.browser.driver.execute_async_script("""const [done] = arguments; const places = new Set(), texts = new Set();
                const end = performance.now() + 1000;
                const look = () => {
                  places.add([...document.querySelectorAll('.steering button')].map((node) => Math.round(node.getBoundingClientRect().top)).join(' '));
                  texts.add(document.querySelector('.inspector').textContent);
                  if (performance.now() < end) requestAnimationFrame(look);
                  else done({ places: [...places], texts: [...texts] });
                };
                look();""")
            self.assertGreater(len(places["texts"]), 1, selected)
            self.assertEqual(len(places["places"]), 1, (selected, places))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
