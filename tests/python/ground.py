"""Ground for the tests of the Python package: sessions in a folder of their own, and the command `eventspace`.

Each test is started as FILE EVENTSPACE [TEST...], with the package in PYTHONPATH.
"""

import atexit
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

LIMIT = 60  # seconds for each wait

folder = tempfile.mkdtemp(prefix="eventspace-python-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
for name in [name for name in os.environ if name.startswith("EVENTSPACE_")]:
    del os.environ[name]
os.environ.update(EVENTSPACE_SHM_DIR=os.path.join(folder, "shm"), XDG_RUNTIME_DIR=folder, XDG_CACHE_HOME="/dev/null",
                  PYTHONDONTWRITEBYTECODE="1")
os.mkdir(os.path.join(folder, "shm"))

import eventspace  # noqa: E402  (the environment is for it)

# A sanitizer's library, which comes first in interpreters but is part of our programs.
preload = os.environ.pop("LD_PRELOAD", None)
interpreter = ["env", f"LD_PRELOAD={preload}", sys.executable] if preload else [sys.executable]

program = os.path.abspath(sys.argv.pop(1))
os.environ["EVENTSPACE_PROGRAM"] = program

PATHMAP = """\
pathmap: 1
name: market
cluster: {nodes: {n1: {}}}
application:
  threads: [seller, buyer]
  elements: [{name: stall, tuple: [int, text], threshold: 10, when_full: wait},
             {name: notes, tuple: [bool, float, bytes], threshold: 5, when_full: discard}]
  collectives: {total: {kind: all-reduce, threads: "*", tuple: [int], combine: [sum]}}
  paths:
    - {thread: seller, name: put, element: stall, use: write}
    - {thread: buyer, name: get, element: stall, use: read}
    - {thread: "*", name: note, element: notes, use: any}
placement:
  processes: {p0: {node: n1, threads: "*"}}
  elements: [{elements: "*", process: p0}]
collect: {points: [{at: thread}]}
scopes:
  events:
    read: next
    probes: true
    levels: [{group: all, wrapper: merge}, {group: node, wrapper: merge}]
  heartbeat:
    levels: [{group: all, wrapper: gather}, {group: thread, wrapper: {reduce: {keep: latest}}}]
"""


def file(name, text=None):
    """The path of a file in the folder; with a text, writes it."""
    path = os.path.join(folder, name)
    if text is not None:
        with open(path, "w", encoding="utf-8") as written:
            written.write(text)
    return path


def call(*words, status=0):
    """The standard output of a command of eventspace."""
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == status, f"{words}: {done.returncode}: {done.stderr}"
    return done.stdout


def lines(*words, status=0):
    """The objects that a command writes as JSON."""
    return [json.loads(line) for line in call(*words, "--format", "json", status=status).splitlines()]


def python(code, *options, status=0, environment=()):
    """The standard output and error of another interpreter."""
    done = subprocess.run([*interpreter, *options, "-c", code], capture_output=True, text=True, timeout=LIMIT,
                          env={**os.environ, **dict(environment)})
    if done.returncode != status:
        raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


@contextlib.contextmanager
def running(work, *arguments):
    """Calls `work` in a thread again and again, which the end of the block ends."""
    is_over = threading.Event()
    faults = []

    def run():
        try:
            while not is_over.is_set():
                work(*arguments)
        except Exception as fault:
            faults.append(fault)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(LIMIT)
    assert not faults, faults


@contextlib.contextmanager
def application(session="made"):
    """A session without a pathmap, in which a thread of this process passes probes and regions."""
    with eventspace.Session.open(session, process="app", node="n1") as joined:
        state = threading.local()

        def step():
            if not hasattr(state, "number"):
                state.thread = joined.thread("worker")
                state.number = 0
            state.number += 1
            with eventspace.region("solve"):
                eventspace.probe("iteration", state.number, residual=1 / state.number)
            time.sleep(0.0005)

        with running(step):
            yield joined


_recordings = {}


def recording():
    """A recording that begins and ends in the middle of the run of an application; made once."""
    if "run" not in _recordings:
        with application("recorded"):
            time.sleep(0.05)
            call("record", "recorded", "-o", file("run.evs"), "--for", "400ms")
        _recordings["run"] = file("run.evs")
    return _recordings["run"]


def eventually(condition):
    """The value of `condition` once it is true; its last value if that takes too long."""
    end = time.monotonic() + LIMIT
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.01)


def main():
    unittest.main(module="__main__")
