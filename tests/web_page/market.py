"""A real session for tests of the page: an application whose writers wait at a full queue, its servers, and `eventspace web`."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

LIMIT = 60  # seconds for each wait

PATHMAP = """\
pathmap: 1
name: market
cluster: {nodes: {n1: {}, n2: {}}}
application:
  threads: [w0, w1, r0, r1]
  elements: [{name: queue, tuple: [int], threshold: 50, when_full: wait}]
  paths:
    - {thread: "w*", name: queue, element: queue, use: write}
    - {thread: "r*", name: queue, element: queue, use: read}
placement:
  processes:
    writers: {node: n1, threads: [w0, w1]}
    readers: {node: n2, threads: [r0, r1]}
  elements: [{elements: queue, process: readers}]
collect: {points: [{at: thread}]}
scopes:
  heartbeat:
    timeout: 5s
    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather},
             {group: thread, wrapper: {reduce: {keep: latest}}}]
"""


def eventually(condition, limit=LIMIT):
    """The value of `condition` once it is true; its last value if it does not become true within the limit."""
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.02)


def read_text(file):
    with open(file, encoding="utf-8") as opened:
        return opened.read()


class Web:
    """A running `eventspace web` and the addresses that it printed."""

    def __init__(self, market, *words, verb=("web",)):
        self.printed = market.file("printed")  # `run` leaves its standard output to the application
        self.process = market.start(*verb, *words, output=self.printed)
        eventually(lambda: "observer" in (text := read_text(self.printed)) and text.endswith("\n") or self.process.poll())
        text = read_text(self.printed)
        self.owner, self.observer = re.findall(r"http://\S+", text)
        self.origin = self.owner[: self.owner.index("/open")]
        self.port = self.origin.rsplit(":", 1)[1]

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait(LIMIT)

    def kill_application(self):
        """Kills the application of `run`, which prints its pid."""
        eventually(lambda: re.search(r"ready", read_text(self.printed)))
        os.kill(int(re.search(r"pid (\d+)", read_text(self.printed))[1]), signal.SIGKILL)


class Market:
    """The session in a folder of its own; leave with close()."""

    def __init__(self, program, application):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="eventspace-page-")
        os.mkdir(self.file("shm"))
        self.pathmap = self.file("market.yaml")
        with open(self.pathmap, "w", encoding="utf-8") as file:
            file.write(PATHMAP)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("EVENTSPACE_")}
        self.environment.update(EVENTSPACE_SHM_DIR=self.file("shm"), XDG_RUNTIME_DIR=self.folder)
        self.application = None
        try:
            self.call("up", self.pathmap)
            self.application = self.start("run", self.pathmap, "--", application, "nothing")
            ready = "".join(self.application.stdout.readline() for _ in range(2))
            if "ready writers" not in ready or "ready readers" not in ready:
                with open(self.file("errors"), encoding="utf-8") as errors:
                    raise RuntimeError(f"the application is not ready: {ready}{errors.read()}")
        except BaseException:
            self.close()
            raise

    def file(self, name):
        return os.path.join(self.folder, name)

    def start(self, *words, output=None):
        if output:
            with open(output, "w", encoding="utf-8") as both:
                return subprocess.Popen([self.program, *words], env=self.environment, stdout=both, stderr=both)
        with open(self.file("errors"), "a", encoding="utf-8") as errors:
            return subprocess.Popen([self.program, *words], env=self.environment, stdout=subprocess.PIPE, stderr=errors, text=True)

    def call(self, *words):
        done = subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def record(self, name="run.evs"):
        """A recording of half a second of the stall."""
        self.call("record", self.pathmap, "-o", self.file(name), "--for", "500ms")
        return self.file(name)

    def close(self):
        if self.application:
            self.application.send_signal(signal.SIGTERM)
            self.application.wait(LIMIT)
            self.application.stdout.close()
        self.call("down", self.pathmap)
        shutil.rmtree(self.folder)
