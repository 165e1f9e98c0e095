"""Threads that stall while a heartbeat watches them: how soon they are named, and how many names are false alarms."""

import json
import math
import os
import pathlib
import subprocess
import threading
import time
from dataclasses import dataclass

import measuring
import watching
from pairs import Failed
from rows import make_row, median, spread_of
from tunnel import on_free_ports

SHARE = 0
PATHMAP = pathlib.Path(__file__).resolve().parent / "stalls.yaml"
STALLS = 100
FULL = 12  # minutes
SMOKE_STALLS = 3
SET_TIME = 2  # seconds, the default; the heartbeat then pulls each second
SMOKE_SET_TIME = 0.4
LIMIT = 120  # seconds beyond the set time of each stall
IN_TIME = "stalls: named within twice the set time"


@dataclass
class Stall:
    """One stall of a thread. Times are CLOCK_MONOTONIC, in seconds."""

    thread: str
    kind: str
    since: float  # its last event began no earlier
    until: float


@dataclass
class Alarm:
    """A line of the heartbeat that calls a thread stalled, with the time at which it could be read. `is_seen`: the verdict
    comes from data on the thread, not from a missing answer."""

    thread: str
    at: float
    is_seen: bool = True


def stalls_in(text):
    """Parses the application's lines `stall THREAD KIND SINCE UNTIL`, in nanoseconds."""
    words = [line.split() for line in text.splitlines()]
    return [Stall(w[1], w[2], int(w[3]) / 1e9, int(w[4]) / 1e9) for w in words if len(w) == 5 and w[0] == "stall"]


def first_named(stall, alarms):
    """Returns when the heartbeat named the stall; None if it did not while the stall lasted."""
    return min((alarm.at for alarm in alarms
                if alarm.is_seen and alarm.thread == stall.thread and stall.since <= alarm.at <= stall.until), default=None)


def is_false(alarm, stalls, slack):
    """Whether the thread was running then. `slack` allows for lines that are read shortly after the stall has ended."""
    return not any(stall.thread == alarm.thread and stall.since <= alarm.at <= stall.until + slack for stall in stalls)


class Heartbeat:
    """`eventspace heartbeat`, with its lines of JSON and the time at which each could be read."""

    def __init__(self, programs, pathmap, session, set_time):
        command = programs.command("eventspace", "heartbeat", pathmap, "--session", session, "--stall", set_time,
                                   "--format", "json")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        self.lines, self.looked = [], threading.Event()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line))
            self.looked.set()
        self.looked.set()

    def wait_for_a_look(self):
        if not self.looked.wait(watching.LIMIT) or not self.lines:
            raise Failed(f"the heartbeat showed nothing in {watching.LIMIT} s")

    def stop(self):
        watching.stop(self.process)
        self.reader.join()
        self.process.stdout.close()

    def alarms(self):
        """Returns the alarms on running processes; the end of a process is not a stall."""
        found = ((at, json.loads(line)) for at, line in self.lines)
        return [Alarm(one["thread"], at, one["verdict"] != "unreachable") for at, one in found
                if one["type"] == "thread" and one["stalled"] and not one["verdict"].startswith("process")]


def rows(arguments, programs, work, measure):
    if arguments.figures not in IN_TIME:
        return []
    count = SMOKE_STALLS if arguments.smoke else min(STALLS, math.ceil(STALLS * arguments.minutes / FULL))
    set_time = SMOKE_SET_TIME if arguments.smoke else SET_TIME
    try:
        stalls, alarms = observed(programs, work, count, arguments.seed, set_time)
    except Failed as failed:
        return [make_row(figure=IN_TIME, unit="%", runs=0, note=str(failed))]
    return list(rows_of(stalls, alarms, set_time))


def observed(programs, work, count, seed, set_time):
    """Returns `count` stalls, and the alarms during them; raises Failed."""
    session = f"bench-monitors-stalls-{os.getpid()}"
    pathmap = work / PATHMAP.name
    pathmap.write_text(on_free_ports(PATHMAP))
    measuring.say(f"stalls: {count}, of {set_time} s to be noticed")
    command = programs.command("eventspace", "run", pathmap, "--session", session, "--",
                               *programs.command("stalling_application", "--stalls", count, "--seed", seed,
                                                 "--set", set_time))
    with watching.servers(programs, pathmap, session):
        heartbeat = Heartbeat(programs, pathmap, session, set_time)
        try:
            heartbeat.wait_for_a_look()
            stalls = stalls_in(output_of(command, LIMIT + 4 * set_time * count))
        finally:
            heartbeat.stop()
    if len(stalls) != count:
        raise Failed(f"the application reported {len(stalls)} stalls; there must be {count}")
    return stalls, heartbeat.alarms()


def output_of(command, limit):
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True)
    try:
        said, complaint = running.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f"the application took longer than {limit:.0f} s") from None
    finally:
        watching.stop(running)
    if running.returncode != 0:
        raise Failed(f"the application ended with status {running.returncode}: {complaint.strip()}")
    return said


def rows_of(stalls, alarms, set_time=SET_TIME):
    named = [(stall, first_named(stall, alarms)) for stall in stalls]
    times = [(at - stall.since) / set_time for stall, at in named if at is not None]
    in_time = sum(time <= 2 for time in times)
    false = [alarm for alarm in alarms if is_false(alarm, stalls, set_time)]
    yield make_row(
        figure=IN_TIME, unit="%", ours=100 * in_time / len(stalls), runs=len(stalls),
        note=f"{in_time} of {len(stalls)} ({kinds_of(stalls)}); set time {set_time} s")
    yield make_row(figure="stalls: time until named", unit="set times", ours=median(times), spread=spread_of(times),
                   runs=len(times), note=f"at most {max(times):.3f}" if times else "none was named")
    yield make_row(figure="stalls: lines that name threads that go on", unit="lines", ours=len(false), runs=len(alarms),
                   note=f"such as {false[0].thread}" if false else None)


def kinds_of(stalls):
    kinds = sorted({stall.kind for stall in stalls})
    return ", ".join(f"{sum(stall.kind == kind for stall in stalls)} {kind}" for kind in kinds)
