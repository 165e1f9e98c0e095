"""The wind tunnel with monitors that pull from it, and without them: observe rates and slowdown."""

import pathlib
from dataclasses import dataclass

import pairs
from rows import make_row, median, spread_of
from tunnel import LEAST_N, Tunnel
from watched_runs import WatchedRuns, slowdown_row
from watching import observe, servers

SHARE = 8
PATHMAP = pathlib.Path(__file__).resolve().parent / "two-clusters.yaml"
SIZES = {"large": 7680, "small": 960}
SECONDS_A_RUN = (0.4, 2.0)  # at least, at most
RUNS_IN_ALL = 500


@dataclass
class Watching:
    """A set of monitors, the scopes that they pull through with their rates (0: as fast as possible, else pulls a second),
    and the paper's results for such a view."""

    name: str
    monitors: list
    paper_rate: float | None = None
    paper: str | None = None
    share: float = 1.0


ALL = "all, 1948 trace elements"
WATCHING = [
    Watching("1 trace element", [("one", 0)], 2500, "large 1.00, small 1.03"),
    Watching("a thread, 14 trace elements", [("thread", 0)], 1500, "large 1.00, small 1.03"),
    Watching("a node, 266 trace elements", [("node", 0)], 200, "large 1.00, small 1.03"),
    Watching(f"{ALL}, by node", [("all-by-node", 0)], 58, "large 1.00, small 1.36"),
    Watching(f"{ALL}, by gateway", [("all-by-gateway", 0)], 106, "another shape: small 1.50"),
    Watching(f"{ALL}, by thread", [("all-by-thread", 0)]),
    Watching(f"{ALL}, in turn", [("all-in-turn", 0)], 25, "with less threads: small 1.07"),
    Watching(f"{ALL}, two threads a server", [("all-two-threads", 0)]),
    Watching(f"{ALL}, by gateway, 100 Hz", [("all-by-gateway", 100)], None, None, 3),
    Watching("two trace elements a thread, in turn", [("two-in-turn", 0)], None, "no difference between these two"),
    Watching("two trace elements a thread, overlapped", [("two-overlapped", 0)]),
    Watching("two monitors", [("one", 0), ("all-by-gateway", 0)]),
    Watching("four monitors", [("heartbeat", 0), ("one", 0), ("node", 0), ("all-by-gateway", 0)], None,
             "about the largest slowdown of one; rates 10 to 50 % less"),
]


def observed_through(programs, scope, rate):
    """Returns a function that starts a monitor of a run, which pulls through one scope."""
    return lambda runs: observe(programs, runs.tunnel.pathmap, runs.tunnel.session, scope, rate)


def rows(arguments, programs, work, measure):
    tunnel = Tunnel(arguments.build, PATHMAP, work, "scopes")
    chosen = [(size, n, watching) for watching in WATCHING for size, n in SIZES.items()
              if arguments.figures in f"{size}, {watching.name}"]
    seconds = min(max(60 * arguments.minutes / RUNS_IN_ALL, SECONDS_A_RUN[0]), SECONDS_A_RUN[1])
    figures = []
    for size, n, watching in chosen:
        n, steps = (LEAST_N, 200) if arguments.smoke else (n, None)
        monitors = [observed_through(programs, scope, rate) for scope, rate in watching.monitors]
        runs = WatchedRuns(tunnel, n, seconds, monitors, steps)
        figures.append(pairs.Figure(f"{size}, {watching.name}", runs, watching.share))
    if not figures:
        return []
    with servers(programs, tunnel.pathmap, tunnel.session):
        measure(figures)
    return [row for (_, _, watching), figure in zip(chosen, figures)
            for row in rows_of(figure, watching, arguments.seed)]


def rows_of(figure, watching, seed):
    """Yields the row of the slowdown, and a row for the rate of each monitor."""
    yield slowdown_row(figure, seed, f"the paper: {watching.paper}" if watching.paper else None)
    if figure.failure is not None:
        return
    for place, (scope, _) in enumerate(watching.monitors):
        rates = [observed[place]["pulls"] / observed[place]["seconds"] for observed in figure.run.observed]
        of = f" of {scope}" if len(watching.monitors) > 1 else ""
        paper = float(watching.paper_rate) if watching.paper_rate else None
        yield make_row(
            figure=f"{figure.name}: observe rate{of}",
            unit="pulls/s",
            ours=median(rates),
            peer="the paper, its machines" if paper else None,
            peer_value=paper,
            ratio=median(rates) / paper if paper else None,
            spread=spread_of(rates),
            runs=len(rates),
        )
