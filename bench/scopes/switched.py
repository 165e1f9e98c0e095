"""The cost of a monitor at a set rate for the wind tunnel, measured within one run: it pulls and pauses by turns.

Two runs of a program differ by more than the cost of such a monitor (bench/slowdown/switching.py). A stopped monitor
(SIGSTOP) pulls nothing. When it continues it has nothing to catch up with, because its views are of the newest events.
"""

import contextlib
import json
import subprocess
import time

import pairs
from idle import BY_GATEWAY
from plain import plain_tree
from tunnel import EVENTS_A_STEP, LEAST_N, Tunnel
from watched import PATHMAP, SIZES
from watched_runs import slowdown_row
from watching import Observer, application, observe, servers, stop

SHARE = 1.5
RATE = 100
STRETCH = 0.4  # seconds
PAIRS_A_RUN = 15
EVER = 10**9  # steps


def through(scope):
    """Returns a function that starts a monitor that pulls through `scope`."""
    return lambda programs, pathmap, session: observe(programs, pathmap, session, scope, RATE)


def plain(programs, _pathmap, _session):
    """Starts a plain ZeroMQ tree that transfers as many bytes: the least that a tree of servers can cost."""
    tree = BY_GATEWAY
    command = plain_tree(programs, tree.leaves, tree.bytes_of_each(), tree.gateways, "--rate", RATE)
    return Observer("plain sockets", command)


MONITORS = {"by gateway": through("all-by-gateway"), "by node": through("all-by-node"),
            "direct": through("all-direct"), "plain ZeroMQ by gateway": plain}


class Progress:
    """The progress of an application, measured by the number of events of its trace elements."""

    def __init__(self, programs, pathmap, session):
        command = programs.command("scope_observer", pathmap, "all-by-node", "--session", session, "--on-request")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)
        self.process.stdout.readline()

    def __call__(self):
        """Returns seconds and events; raises pairs.Failed."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            report = json.loads(self.process.stdout.readline())
        except (OSError, ValueError) as error:
            raise pairs.Failed(f"the progress of the application is not known: {error}") from None
        return report["seconds"], report["events"]

    def pace(self, stretch):
        """Returns seconds a step, over a stretch from now on."""
        began, before = self()
        time.sleep(stretch)
        ended, after = self()
        if after <= before:
            raise pairs.Failed(f"the application had no event in {stretch} s")
        return (ended - began) * EVENTS_A_STEP / (after - before)

    def end(self):
        with contextlib.suppress(OSError):  # it may have ended
            self.process.stdin.close()  # otherwise it waits for another line, even after a signal
        stop(self.process)
        self.process.stdout.close()


class SwitchedWatching(pairs.Figure):
    """A figure whose pairs are stretches of runs of the tunnel, many from each run."""

    def __init__(self, name, programs, tunnel, start, n, smoke):
        super().__init__(name, self)
        self.programs, self.tunnel, self.start, self.n = programs, tunnel, start, n
        self.pairs_a_run, self.stretch = (1, 0.1) if smoke else (PAIRS_A_RUN, STRETCH)
        self.runs = 0

    def take_pairs(self, chance):
        """Adds the pairs of one run."""
        with contextlib.ExitStack() as stack:
            self.measure_run(stack, chance)
        self.runs += 1

    def measure_run(self, stack, chance):
        where = (self.programs, self.tunnel.pathmap, self.tunnel.session)
        stack.enter_context(application(*where, "windtunnel", "--n", self.n, "--steps", EVER))
        progress = Progress(*where)
        stack.callback(progress.end)
        progress()  # returns when all trace elements can be read
        monitor = self.start(*where)
        stack.callback(monitor.abandon)
        for _ in range(self.pairs_a_run):
            took = {}
            for with_it in chance.sample([True, False], 2):
                with monitor.standing_still() if not with_it else contextlib.nullcontext():
                    took[with_it] = progress.pace(self.stretch)
            self.pairs.append((took[True], took[False]))
        monitor.stop()


def rows(arguments, programs, work, measure):
    tunnel = Tunnel(arguments.build, PATHMAP, work, "scopes")
    figures = [SwitchedWatching(name, programs, tunnel, start, LEAST_N if arguments.smoke else n, arguments.smoke)
               for size, n in SIZES.items() for shape, start in MONITORS.items()
               if arguments.figures in (name := f"{size}, all, {shape}, {RATE} Hz, by turns")]
    if not figures:
        return []
    with servers(programs, tunnel.pathmap, tunnel.session):
        measure(figures)
    return [slowdown_row(figure, arguments.seed,
                         f"{figure.runs} runs; the monitor stood still for {figure.stretch} s and pulled for "
                         f"{figure.stretch} s, by turns") for figure in figures]
