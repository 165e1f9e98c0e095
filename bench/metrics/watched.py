"""The wind tunnel with four metrics measured each second, and without."""

import pairs
from monitor import Monitor
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
SMOKE_STEPS = 500


def started_as(programs, words, file):
    """Returns a function that starts the measurement of a run."""
    return lambda runs: Monitor(programs, runs.tunnel.pathmap, runs.tunnel.session, words, file)


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
    return [slowdown_row(figure, arguments.seed, figure.failure) for figure in figures]
