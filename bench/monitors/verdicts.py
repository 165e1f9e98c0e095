"""Threads that come late to collective operations, by random times, and whether the monitor names them.

Verdicts are compared with the truth, not with the injected delay. All threads of injected_delays read one counter, so
their records say which thread came last and by how much, to some nanoseconds. The monitor has to compare the threads by
their nodes' clocks, which show other times and run at other rates.
"""

import csv
import math
import subprocess
from dataclasses import dataclass

import measuring
from pairs import Failed
from rows import make_row, median, spread_of
from watching import LIMIT

SHARE = 0
OPERATIONS = 20_000
FULL = 12  # minutes
SMOKE_OPERATIONS = 40
RIGHT = "verdicts: right, of delays beyond the clock error"


@dataclass
class Verdict:
    """The verdict on one operation. `lead_ns`: how long after its nearest rival the last thread truly came. `error_ns`: how
    far the clocks of these two could differ, by their bounds. The nearest rival is the thread with the least difference
    of these two values; if lead_ns is larger than error_ns, the last thread came after every other one by more than the
    clocks can differ. `named`: None if the monitor said that it cannot decide, or records were missing."""

    delayed: str
    delay_ns: int
    last: str
    lead_ns: float
    error_ns: float
    state: str
    named: str | None

    @property
    def is_beyond_error(self):
        return self.lead_ns > self.error_ns

    @property
    def is_injected(self):
        """False if the machine made another thread come even later."""
        return self.last == self.delayed

    @property
    def is_right(self):
        return self.named == self.last

    @property
    def is_wrong(self):
        return self.named is not None and self.named != self.last


def read_verdicts(lines):
    for row in csv.DictReader(lines):
        yield Verdict(row["delayed"], int(row["delay_ns"]), row["last"], float(row["lead_ns"]), float(row["error_ns"]),
                      row["state"], row["named"] or None)


def rows(arguments, programs, work, measure):
    if arguments.figures not in RIGHT:
        return []
    count = SMOKE_OPERATIONS if arguments.smoke else max(100, math.ceil(OPERATIONS * min(1, arguments.minutes / FULL)))
    measuring.say(f"verdicts: {count} operations")
    file = arguments.out / "verdicts.csv"
    try:
        said = run(programs.command("injected_delays", "--operations", count, "--seed", arguments.seed), file)
    except Failed as failed:
        return [make_row(figure=RIGHT, unit="%", runs=0, note=str(failed))]
    with open(file, newline="") as stream:
        return list(rows_of(list(read_verdicts(stream)), said))


def run(command, file):
    """Runs the program and returns its messages; raises Failed."""
    with open(file, "w") as stream:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.PIPE, text=True)
        try:
            said = running.communicate(timeout=5 * LIMIT)[1].strip()
        except subprocess.TimeoutExpired:
            raise Failed(f"injected_delays took longer than {5 * LIMIT} s") from None
        finally:
            if running.poll() is None:
                running.terminate()
                running.wait(LIMIT)
    if running.returncode != 0:
        raise Failed(f"injected_delays failed: {said}")
    return said


def rows_of(verdicts, said=""):
    injected = [verdict for verdict in verdicts if verdict.is_injected]
    beyond = [verdict for verdict in injected if verdict.is_beyond_error]
    within = [verdict for verdict in verdicts if not verdict.is_beyond_error]
    whole = sum(verdict.state == "complete" for verdict in verdicts)
    yield make_row(
        figure=RIGHT, unit="%", ours=share_of(beyond, lambda one: one.is_right), runs=len(beyond),
        note=f"{len(verdicts)} operations, {whole} of them complete; in {len(verdicts) - len(injected)} the machine made "
             f"another thread come later than the delayed one. Of delays beyond twice the clock error right: "
             f"{text_of(share_of([one for one in beyond if one.lead_ns > 2 * one.error_ns], lambda one: one.is_right))}"
             + (f"; {said}" if said else ""))
    yield make_row(
        figure="verdicts: wrong names within the clock error", unit="names", runs=len(within),
        ours=count_of(within, lambda one: one.is_wrong),
        note=f"right: {text_of(share_of(within, lambda one: one.is_right))}, undecided: "
             f"{text_of(share_of(within, lambda one: one.named is None))}")
    yield make_row(
        figure="verdicts: wrong names beyond the clock error", unit="names", runs=len(verdicts) - len(within),
        ours=count_of([one for one in verdicts if one.is_beyond_error], lambda one: one.is_wrong))
    errors = [verdict.error_ns / 1000 for verdict in injected]
    yield make_row(figure="verdicts: clock error between two processes", unit="us", ours=median(errors),
                   spread=spread_of(errors), runs=len(errors))


def count_of(verdicts, holds):
    return float(sum(map(holds, verdicts))) if verdicts else None


def share_of(verdicts, holds):
    """Returns a percentage; None if there are no verdicts."""
    return 100 * sum(map(holds, verdicts)) / len(verdicts) if verdicts else None


def text_of(share):
    return "-" if share is None else f"{share:.1f} %"
