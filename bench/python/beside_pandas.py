"""A data frame of the events of a recording."""

import measuring
from interpreter import run_script
from pairs import Failed
from rows import make_row, median, spread_of
from tunnel import EXAMPLES
from watching import finish

SHARE = 0
PATHMAP = EXAMPLES / "windtunnel-one-process.yaml"
EVENTS = 10_000_000
COMPARED = 2_000_000  # pandas.read_csv takes 1.5 kB for each event
QUICK_MINUTES = 10  # with fewer minutes, a tenth of the events


def rows(arguments, programs, work, measure):
    events, compared = EVENTS, COMPARED
    if arguments.minutes < QUICK_MINUTES:
        events, compared = events // 10, compared // 10
    if arguments.smoke:
        events = compared = 20_000
    rounds = 1 if arguments.smoke else min(arguments.rounds, 3)
    try:
        return [*beside(arguments, programs, work, compared, rounds), *alone(arguments, programs, work, events, rounds)]
    except Failed as failed:
        measuring.say(str(failed))
        return [make_row(figure="data frame of a recording", runs=0, note=str(failed))]


def made(programs, work, events):
    """A recording of so many events."""
    file = work / f"{events}.evs"
    call(programs.command("made_recording", PATHMAP, file, "--events", events))
    return file


def call(command):
    status, said, _ = finish(command)
    if status != 0:
        raise Failed(f"{command[1]}: {said}")


def beside(arguments, programs, work, events, rounds):
    """The same events as a recording and as CSV, by turns."""
    file, table = made(programs, work, events), work / "run.csv"
    call(programs.command("eventspace", "export", file, "--to", "csv", "-o", table, "--quiet"))
    ours, theirs = [], []
    for _ in range(rounds):
        ours += run_script("frame.py", arguments.build, file)
        theirs += run_script("frame.py", arguments.build, table)
        measuring.say(f"data frame: {ours[-1]['seconds']:.2f} s beside {theirs[-1]['seconds']:.2f}")
    ratios = [one["seconds"] / other["seconds"] for one, other in zip(ours, theirs)]
    yield make_row(
        figure="data frame of a recording", unit="s", ours=median([one["seconds"] for one in ours]),
        peer="pandas.read_csv", peer_value=median([other["seconds"] for other in theirs]), ratio=median(ratios),
        spread=spread_of(ratios), runs=rounds,
        note=f"{ours[0]['rows']} events and {ours[0]['columns']} columns beside {theirs[0]['rows']} and "
             f"{theirs[0]['columns']}: CSV has a column for each field, also if no event has it")


def alone(arguments, programs, work, events, rounds):
    file = made(programs, work, events)
    frames = [frame for _ in range(rounds) for frame in run_script("frame.py", arguments.build, file)]
    seconds = [frame["seconds"] for frame in frames]
    yield make_row(figure=f"data frame of {events:.0e} events".replace("e+0", "e"), unit="s", ours=median(seconds),
                   spread=spread_of(seconds), runs=rounds)
    shares = [frame["peak_bytes"] / frame["column_bytes"] for frame in frames]
    yield make_row(figure="data frame of a recording: memory", unit="MB", ours=frames[0]["peak_bytes"] / 1e6,
                   peer="its columns", peer_value=frames[0]["column_bytes"] / 1e6, ratio=median(shares),
                   spread=spread_of(shares), runs=rounds)
