"""Runs of the wind tunnel through `eventspace run`."""

import json
import math
import os
import re
import signal
import subprocess
from pathlib import Path

from measuring import Missing
from pairs import Failed
from ports import free_port

EXAMPLES = Path(__file__).resolve().parents[1] / "pathmaps" / "examples"
LEAST_N = 160  # the smallest tunnel that 140 threads can share

# Each thread in each step sends six rows, receives six, and writes its progress, recorded at both ends of the path.
THREADS = 140
EVENTS_A_STEP = 14 * THREADS

RUN_LIMIT = 300  # seconds
STOP_LIMIT = 20


class Tunnel:
    """The wind tunnel as a pathmap describes it, on free ports, so that it can run anywhere. `words` are more options of
    the program."""

    def __init__(self, build, pathmap, work, session, words=()):
        self.build = build.resolve()
        self.eventspace = self.build / "bin" / "eventspace"
        if not self.eventspace.exists():
            raise Missing(f"{self.eventspace} is not there; build the target bench_{session}")
        self.pathmap = work / pathmap.name
        self.summary = work / "summary.json"
        self.session = f"bench-{session}-{os.getpid()}"
        self.words = list(words)
        self.pathmap.write_text(on_free_ports(pathmap))

    def run(self, n, steps, collecting):
        """Returns the summary of one run; raises Failed."""
        self.summary.unlink(missing_ok=True)
        command = [self.eventspace, "run", self.pathmap, "--session", self.session, "--kill-on-failure"]
        command += [] if collecting else ["--no-collect"]
        command += ["--", "windtunnel", "--n", n, "--steps", steps, *self.words, "--summary", self.summary]
        status, said, _ = finish([str(word) for word in command])
        if status != 0:
            raise Failed(f"a run ended with status {status}: {' | '.join(said.splitlines()[-3:])}")
        return json.loads(self.summary.read_text())


def on_free_ports(pathmap):
    """Returns a pathmap's text with other ports, and an include that works from another directory."""
    text = re.sub(r"port: \d+", lambda _: f"port: {free_port()}", pathmap.read_text())
    return re.sub(r"^include: ", f"include: {pathmap.resolve().parent}/", text, flags=re.MULTILINE)


def finish(command):
    """Runs a command and returns its exit status, messages and output. Ends the command, with all that it started, if it
    takes too long or this program is interrupted."""
    environment = {name: value for name, value in os.environ.items() if name != "EVENTSPACE_COLLECT"}
    # The command has a session of its own: Ctrl-C reaches this program, which then ends the command.
    running = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True)
    try:
        printed, said = running.communicate(timeout=RUN_LIMIT)
        return running.returncode, said, printed
    except subprocess.TimeoutExpired:
        raise Failed(f"a run took longer than {RUN_LIMIT} s") from None
    finally:
        end(running)


def end(running):
    """Ends the command. The first SIGTERM asks `eventspace run` to end its processes, the second to kill them."""
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        if running.poll() is not None:
            return
        running.send_signal(number)
        try:
            running.communicate(timeout=STOP_LIMIT)
        except subprocess.TimeoutExpired:
            pass


class TunnelRuns:
    """Runs of one size, of as many steps as take `seconds` on this machine without collectors, all with the same result."""

    def __init__(self, tunnel, n, seconds, steps=None):
        self.tunnel, self.n, self.seconds, self.steps = tunnel, n, seconds, steps
        self.checksum = None
        self.rates = []  # events a second, of the runs with collectors

    def __call__(self, collecting):
        """Returns seconds a step; raises Failed."""
        self.find_steps()
        summary = self.tunnel.run(self.n, self.steps, collecting)
        self.check(summary, collecting)
        if collecting:
            self.rates.append(summary["events_recorded"] / summary["seconds"])
        return summary["seconds"] / self.steps

    def description(self):
        return f"{self.steps} steps a run"

    def find_steps(self):
        if self.steps is None:
            self.steps = self.steps_that_take(self.seconds)

    def steps_that_take(self, seconds):
        """Tries more and more steps, which also warms up the machine's caches."""
        steps = 4
        while True:
            took = max(self.tunnel.run(self.n, steps, collecting=False)["seconds"], 1e-6)
            wanted = max(4, math.ceil(steps * seconds / took))
            if took >= seconds / 4:
                return wanted
            steps = min(wanted, 20 * steps)

    def check(self, summary, collecting):
        recorded, expected = summary["events_recorded"], EVENTS_A_STEP * self.steps
        if collecting and recorded < expected:
            raise Failed(f"a run with collectors recorded {recorded} events; there must be {expected} or more")
        if not collecting and recorded != 0:
            raise Failed(f"a run without collectors recorded {recorded} events")
        self.checksum = self.checksum or summary["checksum"]
        if summary["checksum"] != self.checksum:
            raise Failed(f"the results differ: checksum {self.checksum}, and {summary['checksum']} in a run "
                         f"{'with' if collecting else 'without'} collectors")
