"""The wind tunnel while everything is recorded, and while nothing is."""

import pairs
from recorder import Recorder, floor_ns
from rows import make_row, median, spread_of
from tunnel import EXAMPLES, LEAST_N, Tunnel
from watched_runs import WatchedRuns, slowdown_row
from watching import servers

SHARE = 5
PATHMAP = EXAMPLES / "windtunnel-one-process.yaml"
SIZES = {"large": 7680, "small": 960}
# By the name of the way: the priority of the recorder and of the server that it asks, the share of the time, and more
# options of the recorder.
WAYS = {"recorded at priority idle": ("idle", 3, ()), "recorded at priority low": ("low", 1, ()),
        "recorded directly at priority low": ("low", 1, ("--direct",))}
# About so many runs, of so many seconds at least and at most. Of `large`, whose events are few, runs are long: else the
# start of the recorder, which has a row of its own, would be divided among few records.
RUNS_IN_ALL = {"large": 30, "small": 200}
SECONDS_A_RUN = {"large": (0.5, 10.0), "small": (0.5, 3.0)}
SMOKE_STEPS = 200
FLOOR = "floor: two rdtsc and a 64-byte store"


class RecordedRuns(WatchedRuns):
    """Runs of one size, with a recorder with some options or without, and what each recording took."""

    def __init__(self, programs, tunnel, n, seconds, options, steps):
        super().__init__(tunnel, n, seconds, [self.start], steps)
        self.programs, self.options = programs, options
        self.floors = []

    def start(self, _runs):
        file = self.tunnel.pathmap.with_suffix(".evs")
        self.floors.append(floor_ns(self.programs))
        return Recorder(self.programs, self.tunnel.pathmap, self.tunnel.session, file, *self.options)

    def recordings(self):
        return [recording for of_run in self.observed for recording in of_run]


def tunnel_of(arguments, work, name, priority):
    """Returns a tunnel with a session of its own, whose server has the priority."""
    folder = work / name
    folder.mkdir()
    tunnel = Tunnel(arguments.build, PATHMAP, folder, f"recordings-{name}")
    tunnel.pathmap.write_text(f"{tunnel.pathmap.read_text()}\npriority: {priority}\n")
    return tunnel


def rows(arguments, programs, work, measure):
    figures, result = [], []
    for way, (priority, share, options) in WAYS.items():
        for size, n in SIZES.items():
            name = f"{size}, {way}"
            if arguments.figures not in name:
                continue
            tunnel = tunnel_of(arguments, work, f"{size}-{priority}-{len(figures)}", priority)
            n, steps = (LEAST_N, SMOKE_STEPS) if arguments.smoke else (n, None)
            runs = RecordedRuns(programs, tunnel, n, seconds_of_run(size, arguments.minutes),
                                ("--priority", priority, *options), steps)
            figures.append(pairs.Figure(name, runs, share))
    for figure in figures:
        with servers(programs, figure.run.tunnel.pathmap, figure.run.tunnel.session):
            measure([figure])
        result += rows_of(figure, arguments.seed)
    return result


def seconds_of_run(size, minutes):
    least, most = SECONDS_A_RUN[size]
    return min(max(60 * minutes / RUNS_IN_ALL[size], least), most)


def rows_of(figure, seed):
    """Yields the row of the slowdown, and those of what a record took."""
    yield slowdown_row(figure, seed, figure.failure)
    if figure.failure is not None:
        return
    recordings = figure.run.recordings()
    rate = median(figure.run.rates)
    cpu = [recording["cpu_ns"] for recording in recordings]
    ratios = [ns / floor for ns, floor in zip(cpu, figure.run.floors)]
    events, lost = (sum(recording[what] for recording in recordings) for what in ("events", "lost"))
    yield make_row(figure=f"{figure.name}: processor time for each record", unit="ns", ours=median(cpu), peer=FLOOR,
                   peer_value=median(figure.run.floors), ratio=median(ratios), spread=spread_of(ratios), runs=len(ratios),
                   note=f"recorder and server; {rate:.3g} events/s; {figure.run.description()}")
    starts = [recording["start_ms"] for recording in recordings]
    yield make_row(figure=f"{figure.name}: start of the recorder", unit="ms", ours=median(starts), spread=spread_of(starts),
                   runs=len(starts), note="its processor time until the file has its first bytes; part of the row before")
    sizes = [recording["bytes"] / recording["events"] for recording in recordings]
    yield make_row(figure=f"{figure.name}: bytes for each record", unit="B", ours=median(sizes), spread=spread_of(sizes),
                   runs=len(sizes))
    yield make_row(figure=f"{figure.name}: records lost", unit="%", ours=100 * lost / (events + lost), runs=len(recordings),
                   note=f"{lost} of {events + lost}, all of them counted in the file")
