"""How long a stall lasts until the heartbeat has the right verdict on it.

The programs are those of tests/monitors/mpi/hang_app.c, each with one fault, and the verdicts those that hang_test.cpp
expects. The time is that which the heartbeat itself says: how long a rank has waited when the verdict is there.
"""

import json
import pathlib
import re
import subprocess

import measuring
import pairs

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "monitors" / "mpi"
SET_TIME = 1.0  # seconds
# They need no wait: the heartbeat sees them at once. A killed rank ends all others with some launchers.
LEFT_OUT = {"killed", "stopped"}


def hangs():
    """The mode of each program, with its fault and the ranks that are to be named."""
    text = (TESTS / "hang_test.cpp").read_text().split("INSTANTIATE_TEST_SUITE_P(Fault", 1)[1].split(");", 1)[0]
    found = re.findall(r'Hang\{"(\w+)", "([\w ]+)", "([\w-]+)"\}', text)
    if not found:
        raise pairs.Failed("there is no list of faults in hang_test.cpp")
    return [hang for hang in found if hang[0] not in LEFT_OUT]


def watch(mpi, program, mode, session):
    """Runs one program until the heartbeat has a verdict. Returns the verdicts and how long the wait was, in set times."""
    words = [mpi.eventspace, "run", "--session", session, "--", *mpi.launcher, "-np", "4", program, mode]
    with subprocess.Popen(list(map(str, words)), env=mpi.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as job:
        try:
            if "ready" not in job.stdout.readline():
                raise pairs.Failed(f"{mode} did not begin")
            heartbeat = subprocess.run(
                [str(mpi.eventspace), "heartbeat", session, "--until-stall", "--stall", f"{SET_TIME}s", "--format",
                 "json", "--count", "300"], env=mpi.environment, capture_output=True, text=True, timeout=120)
        finally:
            job.terminate()
            try:
                job.wait(30)
            except subprocess.TimeoutExpired:
                job.kill()
    pulls = [row for row in map(json.loads, heartbeat.stdout.splitlines()) if row["type"] == "pull"]
    stalls = pulls[-1]["mpi_stalls"] if pulls else []
    longest = max((stall["longest_s"] for stall in stalls), default=0)
    return [(stall["fault"], stall["ranks"]) for stall in stalls], longest / SET_TIME


def measure(mpi, work, count):
    """Returns the times of the right verdicts, in set times, and the modes with another verdict."""
    program = work / f"hang_app_{mpi.name}"
    subprocess.run([mpi.compiler, "-O1", "-w", "-o", program, TESTS / "hang_app.c"], check=True)
    modes, times, wrong = hangs(), [], []
    for number in range(count):
        mode, fault, ranks = modes[number % len(modes)]
        verdicts, time = watch(mpi, program, mode, f"hang{number}")
        if verdicts == [(fault, ranks)]:
            times.append(time)
        else:
            wrong.append(f"{mode}: {verdicts}")
        measuring.say(f"{mpi.name}: {number + 1} of {count} stalls, {len(times)} right")
    return times, wrong
