"""Chromium without a window, through its driver's protocol (W3C WebDriver, JSON over HTTP)."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import closing, suppress

from pairs import Failed
from ports import free_port

LIMIT = 120  # seconds, for each order
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--hide-scrollbars",
           "--disable-dev-shm-usage", "--disable-breakpad", "--no-first-run")
PROGRAMS = ("chromium", "chromedriver")


def why_not():
    """Returns why there is no browser; None if there is one."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    return f"{' and '.join(missing)} not installed (Debian: chromium chromium-driver)" if missing else None


class Browser:
    """One tab. All files of the browser are in `folder`. Leave with close()."""

    def __init__(self, folder):
        self.port, self.session = free_port(), None
        # The browser stays in the process group of its driver.
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), f"--port={self.port}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env=dict(os.environ, HOME=str(folder), TMPDIR=str(folder), XDG_CONFIG_HOME=str(folder), XDG_CACHE_HOME=str(folder)))
        try:
            self.wait_for_driver()
            arguments = [*OPTIONS, f"--user-data-dir={folder / 'profile'}"]
            wanted = {"goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")}}
            self.session = self.order("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            limits = {"script": 1000 * LIMIT, "pageLoad": 1000 * LIMIT}
            self.order("POST", f"/session/{self.session}/timeouts", limits)
            self.devtools("Network.enable")
            self.devtools("Network.setCacheDisabled", cacheDisabled=True)  # each page is opened for the first time
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.session is not None:
            with suppress(Failed, OSError):
                self.order("DELETE", f"/session/{self.session}")
        with suppress(ProcessLookupError):
            os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()

    def wait_for_driver(self):
        limit = time.monotonic() + LIMIT
        while True:
            with suppress(OSError):
                return self.order("GET", "/status")
            if self.driver.poll() is not None or time.monotonic() > limit:
                raise Failed("chromedriver does not answer")
            time.sleep(0.05)

    def order(self, method, path, body=None):
        """Returns the value of the answer; raises Failed."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT + 10)) as asked:
            asked.request(method, path, None if method != "POST" else json.dumps(body or {}), {"Content-Type": "application/json"})
            value = json.loads(asked.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise Failed(f"the browser: {value['error']}: {value['message'].splitlines()[0]}")
        return value

    def devtools(self, command, **parameters):
        return self.order("POST", f"/session/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.order("POST", f"/session/{self.session}/url", {"url": address})

    def address(self):
        return self.order("GET", f"/session/{self.session}/url")

    def run(self, script, *arguments):
        """Runs the body of a function, which calls its last argument with the result."""
        return self.order("POST", f"/session/{self.session}/execute/async", {"script": script, "args": arguments})

    def wait_until(self, condition):
        """Waits for an expression to hold in the page; raises Failed."""
        if not self.run(f"const [limit, done] = arguments; const end = performance.now() + limit;"
                        f"const look = () => {condition} ? done(true) : performance.now() > end ? done(false)"
                        f" : setTimeout(look, 20); look();", 1000 * (LIMIT - 10)):
            raise Failed(f"the page does not reach: {condition}")
