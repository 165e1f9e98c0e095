"""Observe rates and slowdown of the wind tunnel at each priority of the monitor and the servers that only watch."""

import contextlib

import pairs
from rows import make_row, median, spread_of
from tunnel import LEAST_N, Tunnel
from watched import PATHMAP, RUNS_IN_ALL, SECONDS_A_RUN, SIZES
from watched_runs import WatchedRuns, slowdown_row
from watching import observe, servers

SHARE = 4
PRIORITIES = ("idle", "low", "normal")
SCOPES = {"by node": "all-by-node", "by gateway": "all-by-gateway"}


def tunnel_of(arguments, work, priority):
    """Returns a tunnel with a session of its own, whose servers have the priority."""
    folder = work / priority
    folder.mkdir()
    tunnel = Tunnel(arguments.build, PATHMAP, folder, f"scopes-{priority}")
    tunnel.pathmap.write_text(f"{tunnel.pathmap.read_text()}\npriority: {priority}\n")
    return tunnel


def monitor_at(programs, scope, priority):
    """Returns a function that starts a monitor of a run, which pulls as fast as it can."""
    return lambda runs: observe(programs, runs.tunnel.pathmap, runs.tunnel.session, scope, priority=priority)


def rows(arguments, programs, work, measure):
    seconds = min(max(60 * arguments.minutes / RUNS_IN_ALL, SECONDS_A_RUN[0]), SECONDS_A_RUN[1])
    tunnels = {priority: tunnel_of(arguments, work, priority) for priority in PRIORITIES}
    figures = []
    for priority, tunnel in tunnels.items():
        for size, n in SIZES.items():
            for words, scope in SCOPES.items():
                name = f"priority {priority}, {size}, {words}"
                if arguments.figures not in name:
                    continue
                n, steps = (LEAST_N, 200) if arguments.smoke else (n, None)
                runs = WatchedRuns(tunnel, n, seconds, [monitor_at(programs, scope, priority)], steps)
                figures.append(pairs.Figure(name, runs, 1.0))
    if not figures:
        return []
    with contextlib.ExitStack() as stack:
        for tunnel in tunnels.values():
            stack.enter_context(servers(programs, tunnel.pathmap, tunnel.session))
        measure(figures)
    return [row for figure in figures for row in rows_of(figure, arguments.seed)]


def rows_of(figure, seed):
    """Yields the row of the slowdown and that of the rate."""
    yield slowdown_row(figure, seed)
    if figure.failure is not None:
        return
    rates = [observed[0]["pulls"] / observed[0]["seconds"] for observed in figure.run.observed]
    late = sum(observed[0]["incomplete"] for observed in figure.run.observed)
    yield make_row(
        figure=f"{figure.name}: observe rate",
        unit="pulls/s",
        ours=median(rates),
        spread=spread_of(rates),
        runs=len(rates),
        note=f"{late} pulls of {late + sum(observed[0]['pulls'] for observed in figure.run.observed)} not complete",
    )
