"""Monitors of the program `eventspace`, started as users start them."""

import csv
import signal
import subprocess
import time

import watching
from pairs import Failed

LIMIT = 60  # seconds, until a monitor has pulled for the first time, or has ended
STATUSES = (0, 1)  # success, and: it found the fault that it looks for


class Monitor:
    """A running monitor that has pulled at least once. Its output goes to `file`."""

    def __init__(self, programs, pathmap, session, words, file):
        command, *options = words
        self.command, self.file = command, file
        with open(file, "wb") as out:
            self.process = subprocess.Popen(
                programs.command("eventspace", command, pathmap, "--session", session, *options), stdin=subprocess.DEVNULL,
                stdout=out, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            self.wait_until_it_wrote()
        except BaseException:
            self.abandon()
            raise

    # All monitors write after a pull, not before.
    def wait_until_it_wrote(self):
        limit = time.monotonic() + LIMIT
        while self.file.stat().st_size == 0:
            if self.process.poll() is not None:
                raise Failed(f"{self.command} ended: {self.process.communicate()[1].strip()}")
            if time.monotonic() > limit:
                raise Failed(f"{self.command} showed nothing in {LIMIT} s")
            time.sleep(0.01)

    def stop(self):
        """Stops it and returns its messages; raises Failed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            said = self.process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.command} did not end in {LIMIT} s") from None
        if self.process.returncode not in STATUSES:
            raise Failed(f"{self.command} ended with status {self.process.returncode}: {said.strip()}")
        return said

    def abandon(self):
        watching.stop(self.process)
        self.process.stderr.close()


class CollectivesMonitor(Monitor):
    """`eventspace collectives --each` beside a run that begins when it has pulled once. It must observe each operation of the run,
    with all its records. `expected()` returns the number of operations, by collective, when the run is over."""

    def __init__(self, programs, pathmap, session, words, file, expected):
        self.expected = expected
        super().__init__(programs, pathmap, session, [*words, "--each", "--format", "csv"], file)
        self.before = latest_run(operations_in(self.file.read_text()))  # the monitor also reports records that are left of it

    def fault(self):
        operations = operations_in(self.file.read_text())
        run = latest_run(operations)
        if run == self.before:
            return "none of this run was"
        return fault_in([row for row in operations if row["run"] == run], self.expected())

    def stop(self):
        """Returns how many operations it observed; raises Failed if not all of them are complete."""
        limit = time.monotonic() + LIMIT / 2
        while (fault := self.fault()) and time.monotonic() < limit:
            time.sleep(0.05)
        said = super().stop()
        if fault:
            raise Failed(f"not every operation was observed: {fault}; {' | '.join(said.splitlines())}")
        return sum(self.expected().values())


def operations_in(text):
    """Parses the monitor's CSV, without a line that is still being written."""
    return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))


def latest_run(operations):
    """Returns the number of the application's latest run; 0 if there was none."""
    return max((row["run"] for row in operations), key=int, default="0")


def fault_in(operations, expected):
    """Describes the missing operations of one run; empty if each operation is complete."""
    complete, others = {name: set() for name in expected}, []
    for row in operations:
        if row["state"] == "complete":
            complete[row["collective"]].add(int(row["number"]))
        elif row["state"] != "open":  # an open operation is reported again when it has ended
            others.append(f"{row['collective']} {row['number']} is {row['state']}")
    missing = [f"{name} {number}" for name, count in expected.items()
               for number in range(1, count + 1) if number not in complete[name]]
    return "; ".join(others[:3] + ([f"{len(missing)} are not complete, such as {missing[0]}"] if missing else []))
