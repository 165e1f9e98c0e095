"""bench/recordings/measure: its smoke run, and what it makes of failures. Asserts no times."""

import json
import sys
import unittest

from measure_test_case import BENCH, BUILD, MeasureTestCase

sys.path.insert(0, str(BENCH / "recordings"))
import beside  # noqa: E402  (the paths are arguments)
import files  # noqa: E402
import pairs  # noqa: E402
import recorded  # noqa: E402
import rows as bench_rows  # noqa: E402
import watching  # noqa: E402
from pairs import Failed  # noqa: E402
from recorder import Recorder  # noqa: E402

PROGRAMS = watching.are_built(BUILD, "recordings")
TARGETS = json.loads((BENCH / "targets.json").read_text())["recordings"]


class Folder(MeasureTestCase):
    GROUP = "recordings"
    ALWAYS = ("--smoke", "--seed", "7", "--rounds", "1")


@unittest.skipUnless(PROGRAMS, "the programs are not built")
class SmokeRun(Folder):
    def measured(self, *more):
        done = self.measure(*more)
        self.assert_ended_well(done)
        rows = self.rows()
        for row in rows:
            self.assertEqual(list(row), bench_rows.FIELDS)
            self.assertEqual(row["group"], "recordings")
        return {row["figure"]: row for row in rows}

    def test_a_recorded_run_says_what_a_record_took_and_what_was_lost(self):
        name = "small, recorded at priority low"
        rows = self.measured("--part", "recorded", "--figures", name)
        slowdown = rows[f"{name}: slowdown"]
        self.assertEqual((slowdown["unit"], slowdown["runs"], slowdown["peer"]), ("ms/step", 1, "not watched"), slowdown)
        took = rows[f"{name}: processor time for each record"]
        self.assertGreater(took["ours"], 0)
        self.assertGreater(took["peer_value"], 0)
        self.assertGreater(rows[f"{name}: start of the recorder"]["ours"], 0)
        size = rows[f"{name}: bytes for each record"]["ours"]
        self.assertGreater(size, 1)
        self.assertLess(size, 64, "a record has 64 bytes before it is compressed")
        self.assertRegex(rows[f"{name}: records lost"]["note"], r"^\d+ of \d+, all of them counted")

    def test_a_steady_thread_has_a_row_for_time_and_one_for_bytes(self):
        rows = self.measured("--part", "beside")
        self.assertEqual(list(rows), [beside.CPU, beside.BYTES])
        self.assertLess(rows[beside.BYTES]["ours"], 64)
        self.assertIn("0 lost by ours", rows[beside.BYTES]["note"])

    def test_a_file_is_opened_and_exported(self):
        rows = self.measured("--part", "files")
        opened = rows["open and go to a second, 1e5 events"]
        self.assertGreater(opened["ours"], 0)
        self.assertIn("has 2380 records", opened["note"])
        for to in files.FORMATS:
            row = rows[f"export to {to}"]
            self.assertTrue(row["ours"] or "was built without" in row["note"], row)


class Targets(unittest.TestCase):
    def test_all_targets_are_of_figures_that_there_are(self):
        rows = {f"{size}, {way}: {what}" for size in recorded.SIZES for way in recorded.WAYS
                for what in ("slowdown", "processor time for each record", "bytes for each record")}
        rows |= {"open and go to a second, 1e8 events"} | {f"export to {to}: memory, 2e7 events" for to in files.FORMATS}
        self.assertEqual(set(TARGETS) - rows, set())


class Failures(Folder):
    def test_without_a_build_nothing_is_measured(self):
        done = self.measure(build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("build the target bench_recordings", done.stderr)

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_a_recorder_that_cannot_begin_says_why(self):
        programs = watching.Programs(BUILD, "recordings")
        with self.assertRaisesRegex(Failed, "not known|ended"):
            Recorder(programs, self.folder / "nowhere.yaml", "nowhere", self.folder / "out.evs")

    def test_a_figure_that_failed_has_a_row_with_the_reason(self):
        figure = pairs.Figure("small, recorded at priority low", None)
        figure.failure = "the recorder recorded no event"
        (row,) = recorded.rows_of(figure, 1)
        self.assertEqual((row["ours"], row["note"]), (None, figure.failure))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
