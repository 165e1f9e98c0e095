"""Runs of the wind tunnel with monitors and without, and the row that their pairs make."""

import contextlib

import pairs
from rows import make_row, median, spread_of
from tunnel import TunnelRuns


class WatchedRuns(TunnelRuns):
    """Runs with event collectors, watched by monitors or not. Each of `monitors` is a function that starts a monitor of
    these runs and returns it. The monitor's `stop()` returns its observations when a run is over; `abandon()` ends it in
    any case. Both may raise Failed."""

    def __init__(self, tunnel, n, seconds, monitors, steps=None):
        super().__init__(tunnel, n, seconds, steps)
        self.monitors = monitors
        self.observed = []  # the observations of each monitor, run by run

    def __call__(self, watched):
        self.find_steps()  # without monitors
        if not watched:
            return super().__call__(True)
        with contextlib.ExitStack() as stack:
            started = []
            for start in self.monitors:
                monitor = start(self)
                stack.callback(monitor.abandon)
                started.append(monitor)
            took = super().__call__(True)
            self.observed.append([monitor.stop() for monitor in started])
        return took


def slowdown_row(figure, seed, note=None):
    """Returns the row of pairs with and without monitors."""
    slowdown = {"figure": f"{figure.name}: slowdown", "peer": "not watched"}
    if figure.failure is not None:
        return make_row(**slowdown, runs=0, note=figure.failure)
    ratios = figure.ratios()
    return make_row(
        **slowdown,
        unit="ms/step",
        ours=1000 * median([with_it for with_it, _ in figure.pairs]),
        peer_value=1000 * median([without for _, without in figure.pairs]),
        ratio=median(ratios),
        interval=pairs.median_interval(ratios, seed),
        spread=spread_of(ratios),
        runs=len(ratios),
        note=note,
    )
