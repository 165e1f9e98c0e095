"""Servers, applications and monitors, as processes, for measurements of watching."""

import contextlib
import json
import pathlib
import signal
import subprocess

from measuring import Missing
from pairs import Failed
from tunnel import finish

# The programs that a group needs, and the folders in which they are built.
FOLDERS = {
    "scopes": {"eventspace": "bin", "windtunnel": "bin", "scope_observer": "bench/scopes",
               "idle_application": "bench/scopes", "zmq_tree": "bench/scopes"},
    "monitors": {"eventspace": "bin", "windtunnel": "bin", "scope_observer": "bench/scopes",
                 "stalling_application": "bench/monitors", "injected_delays": "bench/monitors"},
    "recordings": {"eventspace": "bin", "windtunnel": "bin", "recording_floor": "bench/recordings",
                   "steady_writer": "bench/recordings", "made_recording": "bench/recordings",
                   "opened_recording": "bench/recordings"},
    "metrics": {"eventspace": "bin", "steady_senders": "bench/metrics"},
    "python": {"eventspace": "bin", "made_recording": "bench/recordings", "python_peer": "bench/python"},
    "web": {"eventspace": "bin", "windtunnel": "bin", "steady_ranks": "bench/web"},
}
LIMIT = 60  # seconds, for steps that do not depend on the duration of the measurement


class Programs:
    """The programs that a group needs, as they were built."""

    def __init__(self, build, group):
        self.files = {name: build.resolve() / folder / name for name, folder in FOLDERS[group].items()}
        for file in self.files.values():
            if not file.exists():
                raise Missing(f"{file} is not there; build the target bench_{group}")

    def command(self, name, *words):
        return [str(self.files[name]), *map(str, words)]


def are_built(build, group):
    return all((build / folder / name).exists() for name, folder in FOLDERS[group].items())


@contextlib.contextmanager
def servers(programs, pathmap, session):
    """Runs the servers of all nodes during the block."""
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
def application(programs, pathmap, session, *command, says=()):
    """Runs an application during the block, which begins when the application has written the lines `says`."""
    words = programs.command("eventspace", "run", pathmap, "--session", session, "--", *command)
    output = subprocess.PIPE if says else subprocess.DEVNULL
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                          text=True) as running:
        try:
            for line in says:
                if running.stdout.readline().strip() != line:
                    stop(running)
                    raise Missing(f"the application did not start: {running.stderr.read().strip()}")
            yield running
        finally:
            stop(running)


def observe(programs, pathmap, session, scope, rate=0, pulls=0, priority="low"):
    """Starts a monitor that pulls through one scope until it is stopped, or has done `pulls` pulls."""
    return Observer(scope, programs.command(
        "scope_observer", pathmap, scope, "--session", session, "--rate", rate, "--pulls", pulls,
        "--priority", priority))


class Observer:
    """A program that reports when it begins to watch `what`, and at its end how many pulls it did."""

    def __init__(self, what, command):
        self.what = what
        # Not buffered: a buffered reader could read beyond this line, and result() would miss the rest.
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0,
                                        stderr=subprocess.PIPE, start_new_session=True)
        if self.process.stdout.readline() != b"watching\n":
            complaint = self.process.communicate()[1].decode(errors="replace").strip()
            raise Failed(f"the observer of {self.what} did not start: {complaint}")

    def result(self):
        """Returns its report at the end; raises Failed."""
        try:
            said, complaint = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.abandon()
            raise Failed(f"the observer of {self.what} had not enough complete views in {LIMIT} s") from None
        if self.process.returncode != 0:
            raise Failed(f"the observer of {self.what} failed: {complaint.decode(errors='replace').strip()}")
        result = json.loads(said)
        if result["pulls"] == 0:
            raise Failed(f"the observer of {self.what} saw no complete view")
        return result

    @contextlib.contextmanager
    def standing_still(self):
        """Stops the monitor during the block."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.result()

    def abandon(self):
        stop(self.process)
        self.process.stdout.close()
        self.process.stderr.close()


def pull_of(programs, pathmap, session, scope, pulls):
    """Returns the seconds that one of `pulls` pulls takes."""
    with contextlib.ExitStack() as stack:
        observer = observe(programs, pathmap, session, scope, pulls=pulls)
        stack.callback(observer.abandon)
        result = observer.result()
    return result["seconds"] / result["pulls"]


def cpu_seconds(process):
    """Returns the processor time of a process's threads so far; 0 if it is gone."""
    total = 0
    for task in pathlib.Path(f"/proc/{process}/task").glob("*"):
        with contextlib.suppress(OSError):  # the thread has ended
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def stop(running):
    """Ends a process with SIGTERM, and with SIGKILL if it does not end."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if running.poll() is None:
            running.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(LIMIT / 2)
