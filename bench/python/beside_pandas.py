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
QUICK_MINUTES = 10  # with fewer minutes, a tenth of the events


def rows(arguments, programs, work, measure):
    events = 20_000 if arguments.smoke else EVENTS if arguments.minutes >= QUICK_MINUTES else EVENTS // 10
    try:
        return list(measured(arguments, programs, work, events))
    except Failed as failed:
        measuring.say(str(failed))
        return [make_row(figure="data frame of a recording", runs=0, note=str(failed))]


def made(programs, work, events):
    """A recording of so many events, and the same as CSV."""
    file, table = work / "run.evs", work / "run.csv"
    for command in (programs.command("made_recording", PATHMAP, file, "--events", events),
                    programs.command("eventspace", "export", file, "--to", "csv", "-o", table, "--quiet")):
        status, said, _ = finish(command)
        if status != 0:
            raise Failed(f"{command[1]}: {said}")
    return file, table


def measured(arguments, programs, work, events):
    file, table = made(programs, work, events)
    ours, theirs = [], []
    for _ in range(1 if arguments.smoke else min(arguments.rounds, 3)):
        ours += run_script("frame.py", arguments.build, file)
        theirs += run_script("frame.py", arguments.build, table)
        measuring.say(f"data frame: {ours[-1]['seconds']:.2f} s beside {theirs[-1]['seconds']:.2f}")
    ratios = [one["seconds"] / other["seconds"] for one, other in zip(ours, theirs)]
    seconds = [one["seconds"] for one in ours]
    name = f"data frame of {events:.0e} events".replace("e+0", "e")
    note = (f"{ours[0]['rows']} events and {ours[0]['columns']} columns; the file of CSV has {theirs[0]['rows']} rows and "
            f"{theirs[0]['columns']} columns")
    yield make_row(figure="data frame of a recording", unit="s", ours=median(seconds), peer="pandas.read_csv",
                   peer_value=median([other["seconds"] for other in theirs]), ratio=median(ratios),
                   spread=spread_of(ratios), runs=len(ratios), note=note)
    yield make_row(figure=name, unit="s", ours=median(seconds), spread=spread_of(seconds), runs=len(seconds))
    shares = [one["peak_bytes"] / one["column_bytes"] for one in ours]
    yield make_row(figure="data frame of a recording: memory", unit="MB", ours=ours[0]["peak_bytes"] / 1e6,
                   peer="its columns", peer_value=ours[0]["column_bytes"] / 1e6, ratio=median(shares),
                   spread=spread_of(shares), runs=len(shares))
