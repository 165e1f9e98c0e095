"""The wind tunnel with `eventspace web` and one page, which gets a state each second, and without both."""

import contextlib
import os
import time

import pairs
from pages import Pages, Web
from pairs import Failed
from rows import make_row, median, spread_of
from tunnel import EXAMPLES, LEAST_N, Tunnel
from watched_runs import WatchedRuns, slowdown_row
from watching import servers

SHARE = 1
PATHMAP = EXAMPLES / "windtunnel-one-process.yaml"
SIZES = {"large": 7680, "small": 960}
SECONDS_A_RUN = (2.5, 6.0)  # at least, at most: with some states in each
RUNS_IN_ALL = 60
SMOKE_STEPS = 400
SMOKE_PACE = ("--stall", "100ms")


class WatchedPage:
    """A page of a run, with its server, that has shown the session once."""

    def __init__(self, programs, tunnel, pace):
        with contextlib.ExitStack() as stack:
            self.web = Web(programs, tunnel.pathmap, "--session", tunnel.session, *pace)
            stack.callback(self.web.close)
            self.pages = Pages(self.web, 1, "overview")
            stack.callback(self.pages.close)
            self.pages.wait_for_looks(1)
            self.stack = stack.pop_all()
        self.before, self.began, self.looks = self.web.processor_seconds(), time.monotonic(), self.seen()

    def seen(self):
        return len(self.pages.pages[0].looks)

    def stop(self):
        """Returns the processor time of the server a second, and how many states the page has got; raises Failed."""
        took = (self.web.processor_seconds() - self.before) / (time.monotonic() - self.began)
        if self.pages.failure is not None or self.seen() == self.looks:
            raise Failed(self.pages.failure or "the page got no state during a run")
        return took, self.seen() - self.looks

    def abandon(self):
        self.stack.close()


def rows(arguments, programs, work, measure):
    tunnel = Tunnel(arguments.build, PATHMAP, work, "web")
    least, most = SECONDS_A_RUN
    seconds = min(max(60 * arguments.minutes / RUNS_IN_ALL, least), most)
    steps, pace = (SMOKE_STEPS, SMOKE_PACE) if arguments.smoke else (None, ())
    figures = []
    for size, n in SIZES.items():
        name = f"{size}, one page"
        if arguments.figures in name:
            runs = WatchedRuns(tunnel, LEAST_N if arguments.smoke else n, seconds,
                               [lambda _: WatchedPage(programs, tunnel, pace)], steps)
            figures.append(pairs.Figure(name, runs))
    if not figures:
        return []
    with servers(programs, tunnel.pathmap, tunnel.session):
        measure(figures)
    return [row for figure in figures for row in (slowdown_row(figure, arguments.seed), processor_row(figure))]


def processor_row(figure):
    name = f"{figure.name}: processor time of its server"
    watched = [page for of_run in figure.run.observed for page in of_run]
    if figure.failure is not None or not watched:
        return make_row(figure=name, runs=0, note=figure.failure)
    shares = [1000 * share for share, _ in watched]
    return make_row(figure=name, unit="ms/s", ours=median(shares), spread=spread_of(shares), runs=len(shares),
                    note=f"{median([looks for _, looks in watched]):g} states a run, {os.cpu_count()} processors")
