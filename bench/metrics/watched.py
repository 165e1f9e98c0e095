"""The wind tunnel with four metrics measured each second, and without.

Runs differ from each other by more than what measuring costs. So there is a second row for each figure: the processor time of
the tunnel, of the server and of `measure` in one run, as a multiple of the tunnel's.
"""

import os
from pathlib import Path

import pairs
from monitor import Monitor
from pairs import Failed
from rows import make_row, median, spread_of
from tunnel import EXAMPLES, LEAST_N, Tunnel
from watched_runs import WatchedRuns, slowdown_row
from watching import servers

SHARE = 1
PATHMAP = EXAMPLES / "windtunnel-one-process.yaml"
N = 960  # the size "small" of the other measurements
METRICS = ["Operations_per_second", "Communication_share", "Mean_message_size", "Imbalance"]
WORDS = ["measure", *METRICS, "--timeout", "30s", "--format", "csv"]
# By figure: more words.
FIGURES = {"small, four metrics each second": [], "small, four metrics each second, centralised": ["--centralised"]}
SECONDS_A_RUN = (2.5, 5.0)  # at least, at most: with some readings in each
RUNS_IN_ALL = 60
RUNS_FOR_TIMES = 5
SMOKE_STEPS = 500


def started_as(programs, words, file):
    """Returns a function that starts the measurement of a run."""
    return lambda runs: Monitor(programs, runs.tunnel.pathmap, runs.tunnel.session, words, file)


def processor_seconds(process):
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def servers_of(session):
    """Returns the ids of the processes that serve the session."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_text().split("\0")
        except OSError:
            continue  # it has ended
        if "serve" in words and session in words:
            found.append(int(file.parent.name))
    return found


def watching_seconds(runs):
    """Returns the processor time of the tunnel in a run of twice the length, and of those that watch it."""
    runs.find_steps()
    tunnel, start = runs.tunnel, runs.monitors[0]
    monitor = start(runs)
    try:
        watching = [*servers_of(tunnel.session), monitor.process.pid]
        before = sum(map(processor_seconds, watching)), children_seconds()
        tunnel.run(runs.n, 2 * runs.steps, True)
        after = sum(map(processor_seconds, watching)), children_seconds()
        monitor.stop()
    finally:
        monitor.abandon()
    return after[1] - before[1], after[0] - before[0]


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def processor_row(figure, count):
    name = f"{figure.name}: processor time"
    try:
        times = [watching_seconds(figure.run) for _ in range(count)]
    except (Failed, OSError) as failure:  # or one of them has ended
        return make_row(figure=name, runs=0, note=str(failure))
    ratios = [(tunnels + watching) / tunnels for tunnels, watching in times]
    return make_row(figure=name, unit="s", peer="the tunnel's",
                    ours=median([sum(both) for both in times]), peer_value=median([tunnels for tunnels, _ in times]),
                    ratio=median(ratios), spread=spread_of(ratios), runs=count)


def rows(arguments, programs, work, measure):
    tunnel = Tunnel(arguments.build, PATHMAP, work, "metrics")
    seconds = min(max(60 * arguments.minutes / RUNS_IN_ALL, SECONDS_A_RUN[0]), SECONDS_A_RUN[1])
    n, steps = (LEAST_N, SMOKE_STEPS) if arguments.smoke else (N, None)
    interval = "20ms" if arguments.smoke else "1s"  # a short run has to be seen, too
    figures = []
    for name, more in FIGURES.items():
        if arguments.figures in name:
            start = started_as(programs, [*WORDS, "--interval", interval, *more], work / "values.out")
            figures.append(pairs.Figure(name, WatchedRuns(tunnel, n, seconds, [start], steps)))
    if not figures:
        return []
    with servers(programs, tunnel.pathmap, tunnel.session):
        measure(figures)
        made = [slowdown_row(figure, arguments.seed, figure.failure) for figure in figures]
        made += [processor_row(figure, 1 if arguments.smoke else RUNS_FOR_TIMES) for figure in figures]
    return made
