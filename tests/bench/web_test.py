"""bench/web/measure: its smoke run, with and without a browser, and what it leaves when it is ended. Asserts no times."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import types
import unittest
from unittest import mock

from measure_test_case import BENCH, BUILD, MeasureTestCase

sys.path.insert(0, str(BENCH / "web"))
import beside  # noqa: E402  (the paths are arguments)
import browser  # noqa: E402
import pages  # noqa: E402
import pushed  # noqa: E402
import rows as bench_rows  # noqa: E402
import shown  # noqa: E402
import watching  # noqa: E402

PROGRAMS = watching.are_built(BUILD, "web")
TARGETS = json.loads((BENCH / "targets.json").read_text())["web"]
LIMIT = 60  # seconds


class Folder(MeasureTestCase):
    GROUP = "web"
    ALWAYS = ("--smoke", "--seed", "7", "--rounds", "1")

    def processes(self):
        """The command lines of processes that have something to do with the folder."""
        found = []
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # it has ended
            if str(self.folder) in words:
                found.append(words)
        return found


@unittest.skipUnless(PROGRAMS, "the programs are not built")
class SmokeRun(Folder):
    def measured(self, *more):
        done = self.measure(*more)
        self.assert_ended_well(done)
        rows = {row["figure"]: row for row in self.rows()}
        for row in rows.values():
            self.assertEqual((list(row), row["group"]), (bench_rows.FIELDS, "web"))
            self.assertGreater(row["ours"] or 0, 0, row)
        return rows

    def test_bytes_are_counted_by_ranks_and_by_events_and_many_pages_are_served(self):
        rows = self.measured("--part", "pushed")
        self.assertEqual(set(rows), {
            "overview, 4 ranks: pushed", "overview, 8 ranks: pushed", "where time goes, 4 ranks: pushed",
            "overview, 4 ranks, 1000 events/s each: pushed", "overview, 8 ranks: pushed, by 2",
            "5 pages, 4 ranks: processor time of the server"})
        self.assertEqual(rows["5 pages, 4 ranks: processor time of the server"]["peer"], "one page")

    def test_the_tunnel_runs_beside_a_page(self):
        rows = self.measured("--part", "beside")
        for size in beside.SIZES:
            self.assertEqual(rows[f"{size}, one page: slowdown"]["runs"], 1)
            self.assertIn("states a run", rows[f"{size}, one page: processor time of its server"]["note"])

    @unittest.skipIf(browser.why_not(), "there is no browser")
    def test_a_browser_shows_a_report_a_recording_and_a_running_session(self):
        rows = self.measured("--part", "browser")
        self.assertEqual(set(rows), set(figures_of_browser()))
        self.assertIn("operations of", rows["report: its size for 1e6 operations"]["note"])


def figures_of_browser():
    for what, shows in (("report", "verdict and threads"), ("timeline of a report", "all bars"),
                        ("overview of a running session", "verdict and threads")):
        yield from (f"{what}: first paint", f"{what}: {shows}")
    yield "report: its size for 1e6 operations"
    for what in ("report", "recording"):
        for zoom in shown.ZOOMS:
            yield from (f"timeline of a {what}, {zoom}: {percentile} of frames" for percentile in ("median", "99th percentile"))


class Targets(unittest.TestCase):
    def test_all_targets_are_of_figures_that_there_are(self):
        few, *more = pushed.RANKS
        figures = {*figures_of_browser(), f"overview, {few} ranks: pushed",
                   f"overview, {few} ranks, {pushed.RATES[1]} events/s each: pushed",
                   f"{pushed.MANY} pages, {few} ranks: processor time of the server"}
        figures |= {f"overview, {ranks} ranks: pushed, by {ranks // few}" for ranks in more}
        figures |= {f"{size}, one page: slowdown" for size in beside.SIZES}
        self.assertEqual(set(TARGETS) - figures, set())


class Readers(Folder):
    def test_the_parts_of_a_view_are_those_of_its_page(self):
        self.assertEqual(pages.parts_of("overview"),
                         ["about", "names", "clock", "verdict", "rates", "cost", "threads", "losses", "log"])
        self.assertEqual(pages.parts_of("profile")[-2:], ["profile", "call_sites"])

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_a_session_that_is_not_there_is_a_failure_with_its_reason(self):
        with self.assertRaisesRegex(pages.Failed, "nowhere"):
            pages.Web(watching.Programs(BUILD, "web"), self.folder / "nowhere.yaml")


class Failures(Folder):
    def test_without_a_build_nothing_is_measured(self):
        done = self.measure(build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("build the target bench_web", done.stderr)

    def test_without_a_browser_a_row_says_what_to_install(self):
        arguments = types.SimpleNamespace(smoke=True, figures="")
        with mock.patch("shutil.which", return_value=None):
            (row,) = shown.rows(arguments, None, self.folder, None)
        self.assertEqual((row["ours"], row["runs"]), (None, 0))
        self.assertIn("chromium and chromedriver not installed (Debian: chromium", row["note"])

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_when_it_is_ended_no_process_and_no_file_is_left(self):
        awaited = " web " if browser.why_not() else "--type=renderer"
        command = self.command("--part", "pushed" if browser.why_not() else "browser")
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=str(self.folder)))
        end = time.monotonic() + LIMIT
        while running.poll() is None and not any(awaited in words for words in self.processes()):
            self.assertLess(time.monotonic(), end, self.processes())
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=LIMIT)[1]
        self.assertEqual(running.returncode, 128 + signal.SIGTERM, said)
        self.assertEqual(self.processes(), [])
        self.assertEqual([file.name for file in self.folder.iterdir()], ["out"])


if __name__ == "__main__":
    unittest.main(argv=["web_test", *sys.argv[3:]])
