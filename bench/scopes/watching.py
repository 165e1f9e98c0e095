"""Servers, idle applications and monitors for the figures of scopes; and what plain ZeroMQ takes for as much."""

import contextlib
import json
import signal
import subprocess

from measuring import Missing
from pairs import Failed
from tunnel import finish

FOLDERS = {"eventspace": "bin", "windtunnel": "bin", "scope_observer": "bench/scopes",
           "idle_application": "bench/scopes", "zmq_tree": "bench/scopes"}
LIMIT = 60  # seconds, for what does not depend on how long is measured


class Programs:
    """Those that are needed, as they were built."""

    def __init__(self, build):
        self.files = {name: build.resolve() / folder / name for name, folder in FOLDERS.items()}
        for file in self.files.values():
            if not file.exists():
                raise Missing(f"{file} is not there; build the target bench_scopes")

    def command(self, name, *words):
        return [str(self.files[name]), *map(str, words)]


@contextlib.contextmanager
def servers(programs, pathmap, session):
    """The servers of all nodes, meanwhile."""
    def call(*words):
        return finish(programs.command("eventspace", *words, pathmap, "--session", session))

    status, said, _ = call("up")
    try:
        if status != 0:
            raise Missing(f"the servers did not start: {' | '.join(said.splitlines()[-3:])}")
        yield
    finally:
        call("down", "--clean")


@contextlib.contextmanager
def idle_application(programs, pathmap, session):
    """An application that records one event in each of its trace elements, and then does nothing."""
    command = programs.command("eventspace", "run", pathmap, "--session", session, "--")
    running = subprocess.Popen(
        command + programs.command("idle_application"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        stop(running)


class Observer:
    """A monitor that pulls through one scope until it is stopped, or has its `pulls`."""

    def __init__(self, programs, pathmap, session, scope, rate=0, pulls=0):
        self.scope = scope
        command = programs.command(
            "scope_observer", pathmap, scope, "--session", session, "--rate", rate, "--pulls", pulls)
        # Not buffered: else a line read here could take more with it, and result() would miss that.
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0,
                                        stderr=subprocess.PIPE, start_new_session=True)
        if self.process.stdout.readline() != b"watching\n":
            complaint = self.process.communicate()[1].decode(errors="replace").strip()
            raise Failed(f"the observer of {scope} did not start: {complaint}")

    def result(self):
        """What it says at its end; raises Failed."""
        try:
            said, complaint = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.abandon()
            raise Failed(f"the observer of {self.scope} had not enough complete views in {LIMIT} s") from None
        if self.process.returncode != 0:
            raise Failed(f"the observer of {self.scope} failed: {complaint.decode(errors='replace').strip()}")
        result = json.loads(said)
        if result["pulls"] == 0:
            raise Failed(f"the observer of {self.scope} saw no complete view")
        return result

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.result()

    def abandon(self):
        stop(self.process)
        self.process.stdout.close()
        self.process.stderr.close()


def pull_of(programs, pathmap, session, scope, pulls):
    """Seconds that one of so many pulls takes."""
    with contextlib.ExitStack() as stack:
        observer = Observer(programs, pathmap, session, scope, pulls=pulls)
        stack.callback(observer.abandon)
        result = observer.result()
    return result["seconds"] / result["pulls"]


def plain_pull(programs, leaves, bytes_of_each, gateways, pulls):
    """Seconds that as much takes through plain ZeroMQ sockets."""
    command = programs.command(
        "zmq_tree", "--leaves", leaves, "--bytes", bytes_of_each, "--gateways", gateways, "--pulls", pulls)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"zmq_tree took longer than {LIMIT} s") from None
    if done.returncode != 0:
        raise Failed(f"zmq_tree failed: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    return result["seconds"] / result["pulls"]


def stop(running):
    """SIGTERM, and SIGKILL if that does not help."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if running.poll() is None:
            running.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(LIMIT / 2)
