"""One thread whose records are written to a disk: by `eventspace record`, and by LTTng with the same fields."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import time

from pairs import Failed
from recorder import Recorder
from rows import make_row, median, spread_of
from tunnel import finish, on_free_ports
from watching import LIMIT, cpu_seconds, servers, stop

SHARE = 0
PATHMAP = pathlib.Path(__file__).resolve().parent / "steady.yaml"
RATE = 250_000  # records a second
SECONDS = 2
PEER = "LTTng's consumer, a pair of tracepoints"
CPU, BYTES = "one steady thread: processor time for each record", "one steady thread: bytes for each record"


class Lttng:
    """A session of LTTng that writes files: the default, a local consumer. Raises Failed if that cannot be had."""

    def __init__(self, programs, work):
        self.programs, self.folder = programs, work / "lttng"
        self.name = f"eventspace-recordings-{os.getpid()}"
        self.writer = programs.files["recording_floor"].with_name("lttng_writer")
        if not self.writer.exists() or shutil.which("lttng") is None:
            raise Failed("LTTng is not installed (Debian: lttng-tools, liblttng-ust-dev)")

    def call(self, *words):
        status, said, printed = finish(["lttng", "--no-sessiond", *map(str, words)])
        if status != 0:
            raise Failed(f"`lttng {words[0]}` failed: {(said or printed).strip()}")
        return printed

    @contextlib.contextmanager
    def daemon(self):
        """Runs a session daemon during the block. If one runs already, ours ends at once, and that one serves."""
        with open(os.devnull, "wb") as null:
            running = subprocess.Popen(["lttng-sessiond"], stdin=subprocess.DEVNULL, stdout=null, stderr=null,
                                       start_new_session=True)
        try:
            limit = time.monotonic() + LIMIT
            while finish(["lttng", "--no-sessiond", "list"])[0] != 0:
                if time.monotonic() > limit:
                    raise Failed("no session daemon of LTTng answers")
                time.sleep(0.1)
            yield
        finally:
            stop(running)

    def measure(self, records, rate):
        """Returns processor nanoseconds and bytes for each record; raises Failed."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.call("create", self.name, f"--output={self.folder}")
        try:
            self.call("enable-channel", "--userspace", f"--session={self.name}", "--subbuf-size=1M", "--num-subbuf=8",
                      "records")
            self.call("enable-event", "--userspace", f"--session={self.name}", "--channel=records", "eventspace_bench:*")
            self.call("start", self.name)
            before = consumer_seconds()
            status, said, _ = finish([str(self.writer), "--records", str(records), "--rate", str(rate)])
            if status != 0:
                raise Failed(f"the writer of LTTng failed: {said.strip()}")
            self.call("stop", self.name)
            spent = consumer_seconds() - before
            lost = sum(map(int, re.findall(r"Discarded events: *(\d+)", self.call("list", self.name))))
            size = sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())
        finally:
            finish(["lttng", "--no-sessiond", "destroy", self.name])
            shutil.rmtree(self.folder, ignore_errors=True)
        written = records - lost / 2
        if written <= 0:
            raise Failed("LTTng lost all records")
        return {"cpu_ns": 1e9 * spent / written, "bytes": size / written, "lost": lost}


def consumer_seconds():
    """Returns the processor time so far of all processes of LTTng that write files."""
    total = 0.0
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (place / "comm").read_text().strip() == "lttng-consumerd":
                total += cpu_seconds(place.name)
    return total


def ours(programs, pathmap, session, work, records, rate):
    """Returns the same for `eventspace record`, with a server of its own: one that stays has records of the run before."""
    with servers(programs, pathmap, session):
        return recorded(programs, pathmap, session, work, records, rate)


def recorded(programs, pathmap, session, work, records, rate):
    recorder = Recorder(programs, pathmap, session, work / "steady.evs", "--priority", "normal")  # as LTTng's
    try:
        writer = programs.files["steady_writer"]
        status, said, _ = finish(programs.command("eventspace", "run", pathmap, "--session", session, "--", writer,
                                                  "--records", records, "--rate", rate))
        if status != 0:
            raise Failed(f"the steady thread failed: {said.strip()}")
        result = recorder.stop()
    finally:
        recorder.abandon()
    return {"cpu_ns": result["cpu_ns"], "bytes": result["bytes"] / result["events"], "lost": result["lost"]}


def rows(arguments, programs, work, measure):
    if arguments.figures not in CPU and arguments.figures not in BYTES:
        return []
    rounds, records = (1, 20_000) if arguments.smoke else (arguments.rounds, RATE * SECONDS)
    pathmap = work / PATHMAP.name
    pathmap.write_text(on_free_ports(PATHMAP))
    session = f"bench-recordings-steady-{os.getpid()}"
    sides = {"ours": [], "theirs": []}
    failure = None
    with contextlib.ExitStack() as stack:
        lttng, failure = lttng_if_any(programs, work, stack, arguments.smoke)
        for _ in range(rounds):
            try:
                sides["ours"].append(ours(programs, pathmap, session, work, records, RATE))
            except Failed as failed:
                return [make_row(figure=figure, runs=0, note=str(failed)) for figure in (CPU, BYTES)]
            if lttng is not None:
                try:
                    sides["theirs"].append(lttng.measure(records, RATE))
                except Failed as failed:
                    lttng, failure = None, str(failed)
    return [row_of(CPU, "ns", "cpu_ns", sides, failure), row_of(BYTES, "B", "bytes", sides, failure)]


def lttng_if_any(programs, work, stack, smoke):
    """Returns LTTng, whose daemon runs until `stack` ends; or None and why not."""
    if smoke:
        return None, "peers that are programs of their own run only from scripts/bench"
    try:
        lttng = Lttng(programs, work)
        stack.enter_context(lttng.daemon())
    except Failed as failed:
        return None, str(failed)
    return lttng, None


def row_of(figure, unit, what, sides, failure):
    own, theirs = ([round_[what] for round_ in sides[side]] for side in ("ours", "theirs"))
    ratios = [a / b for a, b in zip(own, theirs) if b]
    lost = ", ".join(f"{sum(round_['lost'] for round_ in sides[side])} lost by {name}"
                     for side, name in (("ours", "ours"), ("theirs", "LTTng")) if sides[side])
    return make_row(figure=figure, unit=unit, ours=median(own), peer=PEER, peer_value=median(theirs), ratio=median(ratios),
                    spread=spread_of(ratios or own), runs=len(ratios or own),
                    note="; ".join(filter(None, [f"{RATE} records/s, {lost}", failure])))
