"""A browser without a window, and what tests ask of each page: silence of the console, no request to elsewhere, names, contrast."""

import json

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from market import eventually

# Texts with less contrast to their background than 4.5 to 1 (WCAG 2, AA).
FAINT_TEXTS = """
const channel = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
const back_of = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const faint = [];
for (const node of document.querySelectorAll("body *")) {
  if (node.closest("svg, select, noscript, [hidden], .visually-hidden, .skip, [disabled], [aria-disabled='true']") || node.getClientRects().length === 0) continue;
  const text = [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.textContent.trim()).join("");
  if (!text) continue;
  const [one, other] = [light(parse(getComputedStyle(node).color)), light(back_of(node))];
  const opacity = Number(getComputedStyle(node).opacity);
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  if (ratio < 4.5 || opacity < 1) faint.push(`${text}: ${ratio.toFixed(2)}, opacity ${opacity}`);
}
return faint;
"""

VISIBLE_CONTROLS = """
return [...document.querySelectorAll("a[href], button, select, input, summary, canvas, [tabindex='0']")].filter((node) =>
  !node.disabled && node.getClientRects().length > 0 && !node.closest("[hidden], details:not([open]) > :not(summary)"));
"""


class Browser:
    def __init__(self, driver):
        options = Options()
        for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--hide-scrollbars",
                       "--disable-dev-shm-usage"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)

    def close(self):
        self.driver.quit()

    def open(self, address):
        self.driver.get(address)

    def new_tab(self, address):
        self.driver.switch_to.new_window("tab")
        self.open(address)

    def end_tabs(self):
        """Leaves one empty tab."""
        for tab in self.driver.window_handles[1:]:
            self.driver.switch_to.window(tab)
            self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[0])
        self.driver.get("about:blank")
        self.messages()
        self.requests()

    def set_size(self, width, height):
        """Sets the size of the view; a window cannot be narrower than 500 pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text of the first element as the page has it; "" without one."""
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def shows(self, selector, words):
        return eventually(lambda: words in self.text(selector))

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def press_with(self, modifier, *keys):
        """Presses keys while another one is held."""
        webdriver.ActionChains(self.driver).key_down(modifier).send_keys(*keys).key_up(modifier).perform()

    def click_at(self, selector, x, y):
        """Clicks at a point of an element, from its upper left corner."""
        found = self.find(selector)
        size = found.size
        actions = webdriver.ActionChains(self.driver)
        actions.move_to_element_with_offset(found, x - size["width"] // 2, y - size["height"] // 2).click().perform()

    def address(self):
        return self.driver.current_url

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """The addresses that pages have asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def faint_texts(self):
        return self.run(FAINT_TEXTS)

    def unnamed_controls(self):
        return [node.get_attribute("outerHTML") for node in self.run(VISIBLE_CONTROLS) if not node.accessible_name.strip()]

    def controls_out_of_reach(self):
        """The visible controls that the Tab key does not reach."""
        self.run("""
            window.reached = new Set();
            document.addEventListener("focusin", (event) => window.reached.add(event.target));
            document.activeElement.blur();
            getSelection().collapse(document.body, 0);""")
        self.press(*[Keys.TAB] * (len(self.run(VISIBLE_CONTROLS)) + 5))
        return [node.get_attribute("outerHTML") for node in self.run(f"""
            const controls = () => {{ {VISIBLE_CONTROLS} }};
            return controls().filter((node) => !window.reached.has(node));""")]
