"""Calls of the package beside the same in C++."""

import os
import tempfile

import measuring
from interpreter import HERE, run, run_script
from pairs import Failed
from rows import make_row, median, spread_of
from watching import servers

SHARE = 0
CALLS = 100_000
PATHMAP = HERE / "calls.yaml"


def rows(arguments, programs, work, measure):
    calls = 1000 if arguments.smoke else CALLS
    rounds = 1 if arguments.smoke else arguments.rounds
    with tempfile.TemporaryDirectory() as folder:  # sessions of this measurement alone
        os.environ.update(EVENTSPACE_SHM_DIR=folder, XDG_RUNTIME_DIR=folder)
        try:
            with servers(programs, PATHMAP, "calls"):
                theirs = run(programs.command("python_peer", PATHMAP, rounds, calls), arguments.build)
                ours = run_script("calls.py", arguments.build, PATHMAP, rounds, calls)
        except Failed as failed:
            measuring.say(str(failed))
            return [make_row(figure="calls", runs=0, note=str(failed))]
        finally:
            del os.environ["EVENTSPACE_SHM_DIR"], os.environ["XDG_RUNTIME_DIR"]
    return list(rows_of(ours, theirs))


def rows_of(ours, theirs):
    def times(rounds, what):
        return [one[what] for one in rounds]

    write, peer = times(ours, "write"), median(times(theirs, "write"))
    yield make_row(figure="write to a path", unit="ns", ours=median(write), peer="C++", peer_value=peer,
                   ratio=median(write) / peer, spread=spread_of(write), runs=len(write))
    yield make_row(figure="write to a path: added by Python", unit="ns", ours=median(write) - peer, runs=len(write))
    for what in ("probe", "region"):
        values = times(ours, what)
        yield make_row(figure=f"{what}, the loop included", unit="ns", ours=median(values), spread=spread_of(values),
                       runs=len(values))
    pull, peer = times(ours, "pull"), median(times(theirs, "pull"))
    yield make_row(figure="pull of 1948 events into arrays", unit="us", ours=median(pull) / 1e3, peer="C++",
                   peer_value=peer / 1e3, ratio=median(pull) / peer, spread=spread_of(pull), runs=len(pull))
