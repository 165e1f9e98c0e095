"""bench/slowdown/measure: its smoke run, and what it makes of an application that misbehaves. Asserts no times."""

import csv
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from measure_test_case import BENCH, BUILD, MeasureTestCase

sys.path.insert(0, str(BENCH / "slowdown"))
import curve  # noqa: E402  (the paths are arguments)
import ports  # noqa: E402
import rows as bench_rows  # noqa: E402
import tunnel  # noqa: E402

FIGURES = [f"{size}, {processes}" for processes in ("one process", "four processes")
           for size in ("large", "medium", "small")]

SWITCHED = [f"{size}, switched on and off" for size in ("large", "medium", "small")]

# Instead of `eventspace`: writes a summary, which `change` has changed. Its last argument is the summary's file.
FAKE = """#!/usr/bin/env python3
import json, os, pathlib, sys, time
words, collecting = sys.argv, "--no-collect" not in sys.argv
steps = int(words[words.index("--steps") + 1])
summary = {{"checksum": "c", "seconds": 1.5 if collecting else 1.0, "events_recorded": 1960 * steps * collecting}}
{change}
pathlib.Path(words[-1]).write_text(json.dumps(summary))
"""


class Folder(MeasureTestCase):
    GROUP = "slowdown"

    def command(self, *more, build=None):
        return super().command(*more, build=build or self.folder)

    def fake(self, change=""):
        (self.folder / "bin").mkdir()
        program = self.folder / "bin" / "eventspace"
        program.write_text(FAKE.format(change=change))
        program.chmod(0o755)


class SmokeRun(Folder):
    def test_measures_a_pair_of_every_figure(self):
        # Where benchmarks are not built, under sanitizers, there is only what the tunnel's own program can measure.
        can_switch = (BUILD / "bench" / "slowdown" / "switching_tunnel").exists()
        done = self.measure("--smoke", "--seed", "7", *([] if can_switch else ["--figures", "process"]), build=BUILD)
        self.assert_ended_well(done)
        self.assertIn("seed 7", done.stderr)
        *rows, highest = self.rows()
        self.assertEqual([row["figure"] for row in rows][:6], FIGURES)
        for row in [*rows, highest]:
            self.assertEqual(list(row), bench_rows.FIELDS)
            self.assertEqual((row["group"], row["runs"]), ("slowdown", 1))
            for field in ("ours", "peer_value", "ratio"):
                self.assertGreater(row[field], 0, row)
        for row in rows:
            self.assertEqual((row["unit"], row["interval"]), ("ms/step", None))
            switched = row["figure"].endswith("switched on and off")
            self.assertEqual(row["peer"], "collectors switched off" if switched else "without collectors")
        self.assertEqual([row["figure"] for row in rows if "switched" in row["figure"]], SWITCHED if can_switch else [])
        with open(self.out / "pairs.csv") as stream:
            self.assertEqual([line["figure"] for line in csv.DictReader(stream)], [row["figure"] for row in rows])
        if shutil.which("gnuplot"):
            self.assertTrue((self.out / "curve.png").read_bytes().startswith(b"\x89PNG"))
        else:
            self.assertIn("no plot: gnuplot is not installed", done.stderr)


class MisbehavingApplication(Folder):
    def only_row(self, change):
        self.fake(change)
        done = self.measure("--smoke", "--figures", "small, one")
        self.assert_ended_well(done)
        (row,) = [row for row in self.rows() if row["figure"] == "small, one process"]
        return row

    def assert_nothing_measured(self, row, why):
        self.assertEqual([row[field] for field in ("ours", "peer_value", "ratio", "interval")], [None] * 4)
        self.assertEqual(row["runs"], 0)
        self.assertRegex(row["note"], why)

    def test_one_that_behaves_is_measured(self):
        row = self.only_row("")
        self.assertEqual((row["ours"], row["peer_value"], row["ratio"]), (500, 1000 / 3, 1.5))
        self.assertIn("3 steps a run, 3.92e+03 events/s", row["note"])

    def test_another_result_with_collectors_is_an_error(self):
        row = self.only_row('summary["checksum"] = "a" if collecting else "b"')
        self.assert_nothing_measured(row, "the results differ: checksum [ab], and [ab] in a run with")

    def test_collectors_that_record_too_little_are_an_error(self):
        row = self.only_row('summary["events_recorded"] -= collecting')
        self.assert_nothing_measured(row, "recorded 5879 events; there must be 5880 or more")

    def test_collectors_that_are_on_when_they_should_not_be_are_an_error(self):
        row = self.only_row('summary["events_recorded"] += 1')
        self.assert_nothing_measured(row, "without collectors recorded 1 events")

    def test_a_run_that_fails_is_an_error(self):
        row = self.only_row('sys.exit("the port is taken")')
        self.assert_nothing_measured(row, "ended with status 1: the port is taken")


class CollectorsSwitchedOnAndOff(Folder):
    def only_row(self, lines, status=0):
        self.fake()
        program = self.folder / "bench" / "slowdown" / "switching_tunnel"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho '{lines}'\necho 'the end' >&2\nexit {status}\n")
        program.chmod(0o755)
        done = self.measure("--smoke", "--figures", "small, switched")
        self.assert_ended_well(done)
        (row,) = self.rows()
        return row

    def pair(self, events_on=2000, events_off=280):
        return json.dumps({"on": 0.05, "off": 0.04, "events_on": events_on, "events_off": events_off})

    def test_each_run_gives_many_pairs(self):
        row = self.only_row(self.pair() + "\n" + self.pair())
        self.assertEqual((row["ours"], row["peer_value"], row["ratio"], row["runs"]), (50, 40, 1.25, 2))
        self.assertIn("1 runs, switched every 0.05 s, 3.92e+04 events/s", row["note"])

    def test_a_stretch_with_too_few_events_counts_for_nothing(self):
        row = self.only_row(self.pair(events_on=100))
        self.assertEqual((row["ratio"], row["runs"]), (None, 0))
        self.assertIn("recorded 100 events; there must be 1568 or more", row["note"])

    def test_a_stretch_that_records_though_it_is_switched_off_counts_for_nothing(self):
        row = self.only_row(self.pair(events_off=281))
        self.assertEqual((row["ratio"], row["runs"]), (None, 0))
        self.assertIn("recorded 281 events; at most 280", row["note"])

    def test_a_run_that_fails_is_told(self):
        row = self.only_row("", 1)
        self.assertIn("ended with status 1: the end", row["note"])


class Figures(Folder):
    def test_an_unknown_one_is_told_with_those_that_there_are(self):
        self.fake()
        done = self.measure("--smoke", "--figures", "tiny")
        self.assertEqual(done.returncode, 3)
        self.assertIn("'tiny'", done.stderr)
        self.assertIn("small, one process", done.stderr)

    def test_without_a_build_nothing_is_measured(self):
        done = self.measure("--smoke")
        self.assertEqual(done.returncode, 3)
        self.assertIn("build the target bench_slowdown", done.stderr)
        self.assertFalse((self.out / "rows.json").exists())

    def tunnel(self):
        return tunnel.Tunnel(self.folder, tunnel.EXAMPLES / "windtunnel-one-process.yaml", self.folder, "slowdown")

    def test_the_number_of_steps_is_what_takes_the_time_asked_for(self):
        self.fake('summary["seconds"] = steps / 1000')
        runs = tunnel.TunnelRuns(self.tunnel(), 160, 2.0)
        self.assertEqual(runs(collecting=False), 0.001)
        self.assertEqual(runs.steps, 2000)

    def test_pathmaps_are_put_on_free_ports(self):
        folder = tunnel.EXAMPLES.parents[1] / "bench" / "monitors"
        text = tunnel.on_free_ports(folder / "four-nodes.yaml")
        ports = [word.rstrip(",}") for line in text.splitlines() for word in line.split("port: ")[1:]]
        ports = [word.split(",")[0].split("}")[0] for word in ports]
        self.assertEqual((len(ports), len(set(ports))), (8, 8))
        self.assertFalse({"7101", "7201"} & set(ports))
        self.assertIn(f"include: {folder}/../../pathmaps/examples/windtunnel.yaml", text)


class Ports(unittest.TestCase):
    def reserved_by_another(self, port):
        command = f"import ports; print(ports.reserve({port}))"
        done = subprocess.run([sys.executable, "-c", command], cwd=pathlib.Path(ports.__file__).parent, text=True,
                              stdout=subprocess.PIPE, check=True)
        return done.stdout == "True\n"

    def test_are_nobody_elses_until_the_program_ends(self):
        self.assertFalse(self.reserved_by_another(ports.free_port()))

    def test_are_others_at_each_call(self):
        self.assertEqual(len({ports.free_port() for _ in range(100)}), 100)

    def test_to_which_something_is_bound_are_left_out(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            self.assertFalse(ports.is_unbound(other.getsockname()[1]))


class Interruption(Folder):
    def test_ends_the_run_that_is_going_on(self):
        mark = self.folder / "started"
        self.fake(f'pathlib.Path("{mark}").write_text(str(os.getpid())); time.sleep(600)')
        running = subprocess.Popen(self.command("--smoke", "--figures", "small, one"), stderr=subprocess.PIPE)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.kill)
        limit = time.monotonic() + 60
        while not (mark.exists() and mark.read_text()):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait(60), 128 + signal.SIGTERM)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(mark.read_text()), 0)


class Curve(Folder):
    def test_what_cannot_be_drawn_says_why(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        (self.folder / "curve.png").mkdir()
        why = curve.draw([(1e6, 1.0, (0.9, 1.1), 960)], [], self.folder / "curve.png")
        self.assertIn("no plot:", why)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
