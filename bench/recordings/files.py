"""What can be done with a file: opening it and going to a second, exports, and the memory for that."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

import measuring
from pairs import Failed
from recorder import facts_of
from rows import make_row, median, spread_of
from tunnel import EXAMPLES
from watching import stop

SHARE = 0
PATHMAP = EXAMPLES / "windtunnel-one-process.yaml"
EVENTS = {"open": 100_000_000, "export": 2_000_000, "memory": 20_000_000}
QUICK_MINUTES = 10  # with fewer minutes, files have a tenth of the events
FORMATS = ("perfetto", "chrome", "otf2", "ctf", "sqlite", "csv")
EVENTS_A_SECOND = 2_000_000  # of what made_recording makes
MOST_BYTES_WRITTEN = 600  # by an export, for each event
ROOM = 2**30  # bytes to leave free on the disk
LIMIT = 3600  # seconds, for one command


def rows(arguments, programs, work, measure):
    result = []
    for part in (opening, exporting):
        try:
            result += part(arguments, programs, work)
        except Failed as failed:
            measuring.say(str(failed))
            result.append(make_row(figure=part.__doc__.partition(":")[0], runs=0, note=str(failed)))
    return result


def events_for(what, arguments):
    if arguments.smoke:
        return 100_000
    return EVENTS[what] if arguments.minutes >= QUICK_MINUTES else EVENTS[what] // 10


def made(programs, work, events, bytes_an_event=20):
    """Makes a recording of so many events."""
    file = work / f"made-{events}.evs"
    if file.exists():
        return file
    if shutil.disk_usage(work).free < events * bytes_an_event + ROOM:
        raise Failed(f"the disk has no room for {events} events")
    measuring.say(f"a recording of {events} events is made")
    run(programs.command("made_recording", PATHMAP, file, "--events", events))
    return file


def run(command):
    """Runs a command to its end, and returns {seconds, memory_mib, printed}; raises Failed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        began = time.monotonic()
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=said, start_new_session=True)
        try:
            usage = wait_for(running, began + LIMIT)
        finally:
            if running.returncode is None:
                stop(running)
        took = time.monotonic() - began
        words = command[1] if command[0].endswith("eventspace") else pathlib.Path(command[0]).name
        if running.returncode != 0:
            said.seek(0)
            raise Failed(f"{words} ended with status {running.returncode}: {said.read().decode(errors='replace').strip()}")
        out.seek(0)
        return {"seconds": took, "memory_mib": usage.ru_maxrss / 1024, "printed": out.read().decode()}


def wait_for(running, limit):
    """Returns what the process used when it has ended; raises Failed."""
    while time.monotonic() < limit:
        ended, status, usage = os.wait4(running.pid, os.WNOHANG)
        if ended:
            running.returncode = os.waitstatus_to_exitcode(status)
            return usage
        time.sleep(0.002)
    raise Failed(f"{running.args[0]} took longer than {LIMIT} s")


def opening(arguments, programs, work):
    """opening: a recording, and going to a second in it."""
    events = events_for("open", arguments)
    name = f"open and go to a second, {events:.0e} events".replace("e+0", "e")
    if arguments.figures not in name:
        return []
    file = made(programs, work, events)
    opened = run(programs.command("opened_recording", file, PATHMAP, "--times", arguments.rounds, "--seed", arguments.seed))
    times = [json.loads(line) for line in opened["printed"].splitlines()]
    size = file.stat().st_size
    result = [make_row(
        figure=name, unit="s", ours=median([one["seconds"] for one in times]),
        spread=spread_of([one["seconds"] for one in times]), runs=len(times),
        note=f"a file of {size / 1e6:.0f} MB in the cache of the disk, {size / events:.1f} bytes an event; the view of a moment "
             f"has {times[-1]['records']} records; {times[-1]['memory_mib']:.0f} MiB of memory at most")]
    looks = [run(programs.command("eventspace", "heartbeat", file, "--at", f"{at}s", "--once"))["seconds"]
             for at in moments(events, arguments)]
    result.append(make_row(figure=f"{name}: heartbeat --at, the whole command", unit="s", ours=median(looks),
                           spread=spread_of(looks), runs=len(looks)))
    file.unlink()
    return result


def moments(events, arguments):
    """Returns moments within a recording of so many events, in seconds from its begin."""
    chance = random.Random(arguments.seed)
    length = events / EVENTS_A_SECOND
    return [round(length * chance.uniform(0.1, 0.9), 3) for _ in range(min(arguments.rounds, 3))]


def exporting(arguments, programs, work):
    """exports: their speeds and their memory."""
    few, many = (events_for(what, arguments) for what in ("export", "memory"))
    rounds = 1 if arguments.smoke else min(arguments.rounds, 3)
    result = []
    for to in FORMATS:
        if arguments.figures not in f"export to {to}: memory":
            continue
        try:
            small = [export(programs, work, few, to) for _ in range(rounds)]
            large = export(programs, work, many, to) if many != few else small[0]
        except Failed as failed:
            result.append(make_row(figure=f"export to {to}", runs=0, note=str(failed)))
            continue
        result += rows_of_export(to, small, large, few, many)
    return result


def export(programs, work, events, to):
    """Returns what one export took, with the bytes `read` and `written`, and `events`; raises Failed."""
    file, out = made(programs, work, events), work / f"out.{to}"
    if shutil.disk_usage(work).free < events * MOST_BYTES_WRITTEN + ROOM:
        raise Failed(f"the disk has no room for an export of {events} events")
    took = run(programs.command("eventspace", "export", file, "--to", to, "-o", out, "--quiet"))
    took.update(read=file.stat().st_size, written=size_of(out), events=facts_of(programs, file)["events"])
    shutil.rmtree(out) if out.is_dir() else out.unlink()
    return took


def size_of(place):
    files = place.rglob("*") if place.is_dir() else [place]
    return sum(file.stat().st_size for file in files if file.is_file())


def rows_of_export(to, small, large, few, many):
    """Yields the row of the speed, and that of the memory."""
    speeds = [took["written"] / took["seconds"] / 1e6 for took in small]
    took = small[0]
    yield make_row(
        figure=f"export to {to}", unit="MB/s", ours=median(speeds), spread=spread_of(speeds), runs=len(speeds),
        note=f"of what is written, the start of the program included: {took['events']:.3g} events of "
             f"{took['read'] / took['events']:.1f} bytes become {took['written'] / took['events']:.0f} bytes each; "
             f"{median([took['events'] / took['seconds'] for took in small]):.3g} events/s")
    memory = [took["memory_mib"] for took in small]
    yield make_row(figure=f"export to {to}: memory, {many:.0e} events".replace("e+0", "e"), unit="MiB",
                   ours=large["memory_mib"], peer=f"{few:.0e} events".replace("e+0", "e"), peer_value=median(memory),
                   ratio=large["memory_mib"] / median(memory), runs=1)
