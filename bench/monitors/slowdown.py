"""The wind tunnel on four nodes, with one monitor, with four at once, and without."""

import pathlib
from dataclasses import dataclass

import pairs
from monitor import CollectivesMonitor, Monitor
from rows import make_row, median
from tunnel import LEAST_N, Tunnel
from watched_runs import WatchedRuns, slowdown_row
from watching import servers

SHARE = 10
PATHMAP = pathlib.Path(__file__).resolve().parent / "four-nodes.yaml"
SIZES = {"large": 7680, "small": 960}
SECONDS_A_RUN = (0.5, 3.0)  # at least, at most: a run must contain a few of the slowest pulls
RUNS_IN_ALL = 300
SMOKE_STEPS = 200

EVERY = 10  # steps from one reduction, and one barrier, to the next
COLLECTIVES = ("balance", "barrier")
OPERATIONS = ["--reduce-every", str(EVERY), "--barrier-every", str(EVERY)]

HEARTBEAT, EVENTS, TOP, COLLECTIVE = "heartbeat", "events of a thread", "top", "collectives"
HALF = "collectives at half the rate"
FOUR = "four monitors at once"

# The commands as users start them, at their usual rates: 1, 10, 1 and 2 pulls a second. Without a terminal top writes lines.
WORDS = {
    HEARTBEAT: ["heartbeat"],
    EVENTS: ["events", "--scope", "events-of-a-thread", "--format", "csv"],
    TOP: ["top"],
    COLLECTIVE: ["collectives"],
    HALF: ["collectives", "--interval", "1s"],
}


@dataclass
class Watching:
    name: str
    monitors: list
    paper: str | None = None
    share: float = 1.0


SINGLE = (HEARTBEAT, EVENTS, TOP, COLLECTIVE)
WATCHING = [
    Watching(COLLECTIVE, [COLLECTIVE], "1.17", 4),
    Watching(HALF, [HALF], "1.08", 3),
    Watching(HEARTBEAT, [HEARTBEAT], None, 2),
    Watching(EVENTS, [EVENTS], None, 2),
    Watching(TOP, [TOP], None, 2),
    Watching(FOUR, list(SINGLE), "about the largest of one monitor", 3),
]


def operations_of(steps):
    """Returns how many operations a run of `steps` steps has, by collective."""
    return {name: steps // EVERY for name in COLLECTIVES}


def started_as(programs, name, file):
    """Returns a function that starts a monitor of a run."""
    def start(runs):
        where = (programs, runs.tunnel.pathmap, runs.tunnel.session, WORDS[name], file)
        if WORDS[name][0] == "collectives":
            return CollectivesMonitor(*where, lambda: operations_of(runs.steps))
        return Monitor(*where)

    return start


def rows(arguments, programs, work, measure):
    tunnel = Tunnel(arguments.build, PATHMAP, work, "monitors", OPERATIONS)
    seconds = min(max(60 * arguments.minutes / RUNS_IN_ALL, SECONDS_A_RUN[0]), SECONDS_A_RUN[1])
    figures = {}
    for watching in WATCHING:
        for size, n in SIZES.items():
            name = f"{size}, {watching.name}"
            if arguments.figures not in name:
                continue
            n, steps = (LEAST_N, SMOKE_STEPS) if arguments.smoke else (n, None)
            monitors = [started_as(programs, monitor, work / f"{number}.out")
                        for number, monitor in enumerate(watching.monitors)]
            runs = WatchedRuns(tunnel, n, seconds, monitors, steps)
            figures[size, watching.name] = pairs.Figure(name, runs, watching.share)
    if not figures:
        return []
    with servers(programs, tunnel.pathmap, tunnel.session):
        measure(list(figures.values()))
    papers = {watching.name: watching.paper for watching in WATCHING}
    return [slowdown_row(figure, arguments.seed, note_on(figure, papers[name])) for (_, name), figure in figures.items()
            ] + [row for size in SIZES for row in beyond_largest(size, figures)]


def note_on(figure, paper):
    said = [f"the paper: {paper}"] if paper else []
    observed = [count for of_run in figure.run.observed for count in of_run if isinstance(count, int)]
    if observed:
        said.append(f"all {sum(observed)} operations of {len(observed)} runs were observed, {median(observed):g} a run")
    return "; ".join(said) or None


def beyond_largest(size, figures):
    """Yields a row: the slowdown by four monitors, less the largest slowdown by one of them."""
    slowdowns = {name: median(figures[size, name].ratios()) for name in (FOUR, *SINGLE)
                 if (size, name) in figures and figures[size, name].pairs}
    if (size, FOUR) not in figures or not all((size, name) in figures for name in SINGLE):
        return
    row = {"figure": f"{size}, {FOUR}: slowdown beyond the largest of one", "unit": "ratio"}
    if len(slowdowns) <= len(SINGLE):
        lacking = [name for name in (FOUR, *SINGLE) if name not in slowdowns]
        yield make_row(**row, runs=0, note=f"nothing was measured of {', '.join(lacking)}")
        return
    largest = max(SINGLE, key=slowdowns.get)
    yield make_row(**row, ours=slowdowns[FOUR] - slowdowns[largest], runs=len(figures[size, FOUR].pairs),
                   note=f"{slowdowns[FOUR]:.3f} by four, {slowdowns[largest]:.3f} by {largest}")
