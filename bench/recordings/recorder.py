"""`eventspace record` as a process, with the processor time that it and the servers take for each record."""

import json
import os
import signal
import subprocess
import time

import watching
from pairs import Failed
from tunnel import finish
from watching import cpu_seconds

LIMIT = 60  # seconds, until the recorder has begun, or has ended


class Recorder:
    """A recorder that has begun. It records the session into `file` until stop()."""

    def __init__(self, programs, pathmap, session, file, *options):
        self.programs, self.file = programs, file
        file.unlink(missing_ok=True)
        self.servers = server_processes(programs, session)
        self.before = sum(map(cpu_seconds, self.servers))
        self.process = subprocess.Popen(
            programs.command("eventspace", "record", pathmap, "--session", session, "-o", file, *options),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            self.wait_until_it_wrote()
        except BaseException:
            self.abandon()
            raise
        self.start_ms = 1e3 * cpu_seconds(self.process.pid)

    # The description of the session, which it writes when the servers have answered.
    def wait_until_it_wrote(self):
        limit = time.monotonic() + LIMIT
        while not self.file.exists() or self.file.stat().st_size == 0:
            if self.process.poll() is not None:
                raise Failed(f"the recorder ended: {self.process.stderr.read().decode(errors='replace').strip()}")
            if time.monotonic() > limit:
                raise Failed(f"the recorder wrote nothing in {LIMIT} s")
            time.sleep(0.01)

    def stop(self):
        """Ends it and returns {events, lost, bytes, cpu_ns, start_ms}: cpu_ns for each record, the servers' included. Raises
        Failed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        said = self.process.stderr.read().decode(errors="replace")
        self.process.stderr.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            raise Failed(f"the recorder ended with status {self.process.returncode}: {said.strip()}")
        spent = usage.ru_utime + usage.ru_stime + sum(map(cpu_seconds, self.servers)) - self.before
        facts = facts_of(self.programs, self.file)
        if facts["events"] == 0:
            raise Failed("the recorder recorded no event")
        return {"events": facts["events"], "lost": facts["discarded"] + facts["torn"], "bytes": facts["bytes"],
                "cpu_ns": 1e9 * spent / facts["events"], "start_ms": self.start_ms}

    def abandon(self):
        if self.process.returncode is None:
            watching.stop(self.process)
            self.process.stderr.close()
        self.file.unlink(missing_ok=True)


def facts_of(programs, file):
    """Returns what `eventspace info` says; raises Failed."""
    status, said, printed = finish(programs.command("eventspace", "info", file, "--format", "json"))
    if status != 0:
        raise Failed(f"{file.name} cannot be read: {said.strip()}")
    return json.loads(printed.splitlines()[0])


def server_processes(programs, session):
    """Returns the ids of the session's servers on this machine."""
    status, said, printed = finish(programs.command("eventspace", "ls", session, "--format", "json"))
    if status != 0:
        raise Failed(f"the servers are not known: {said.strip()}")
    return [row["pid"] for row in map(json.loads, printed.splitlines()) if row["process"].startswith("server")]


def floor_ns(programs):
    """Returns the recording floor now."""
    status, said, printed = finish(programs.command("recording_floor"))
    if status != 0:
        raise Failed(f"the floor could not be measured: {said.strip()}")
    return float(printed)
