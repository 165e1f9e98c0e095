"""The rows of scripts/bench: medians over rounds, ratios round by round, targets, and what could not run."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))
import table  # noqa: E402  (the path is an argument)


def timed(name, time, **more):
    return {"name": name, "run_type": "iteration", "real_time": time, "time_unit": "ns", **more}


class Rows(unittest.TestCase):
    def rows(self, rounds, targets=None):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, runs in enumerate(rounds, start=1):
                files.append(pathlib.Path(folder) / f"group.{number}.json")
                files[-1].write_text(json.dumps({"benchmarks": runs}))
            return list(table.rows_of(*table.read_reports(files), {"group": targets or {}}))

    def test_the_ratio_is_the_median_of_the_rounds_ratios(self):
        rounds = [[timed("f/ours", o), timed("f/peer", p)] for o, p in [(10, 10), (40, 20), (90, 30)]]
        (row,) = self.rows(rounds)
        self.assertEqual((row["ours"], row["peer_value"], row["ratio"], row["runs"]), (40, 20, 2, 3))
        self.assertEqual((row["spread"], row["unit"], row["peer"]), (1.0, "ns", "peer"))
        self.assertIsNone(row["target"])
        self.assertIsNone(row["met"])

    def test_each_peer_has_a_row(self):
        rows = self.rows([[timed("f/ours", 6), timed("f/a", 2), timed("f/b", 3)]])
        self.assertEqual([(row["peer"], row["ratio"]) for row in rows], [("a", 3), ("b", 2)])

    def test_a_name_with_no_ours_beside_it_is_a_figure_alone(self):
        (row,) = self.rows([[timed("Step/960/1", 6)], [timed("Step/960/1", 8)]])
        self.assertEqual((row["figure"], row["ours"], row["peer"], row["ratio"]), ("Step/960/1", 7, None, None))

    def test_a_counter_is_a_rate_and_goes_before_the_time(self):
        (row,) = self.rows([[timed("f", 6, sites=5e8)]], {"f": {"at_least": 3e8}})
        self.assertEqual((row["ours"], row["unit"], row["met"]), (5e8, "sites/s", True))

    def test_real_time_is_not_part_of_the_name(self):
        (row,) = self.rows([[timed("f/ours/real_time", 6), timed("f/peer/real_time", 3)]])
        self.assertEqual((row["figure"], row["ratio"]), ("f", 2))

    def test_targets_are_met_or_not(self):
        runs = [[timed("f/ours", 30), timed("f/peer", 20)]]
        (row,) = self.rows(runs, {"f": {"ratio_at_most": 1.25}})
        self.assertEqual((row["target"], row["met"]), ("ratio <= 1.25", False))
        (row,) = self.rows(runs, {"f": {"ratio_at_most": 1.5}})
        self.assertTrue(row["met"])

    def test_what_could_not_run_has_a_row_without_a_value(self):
        failed = timed("f/peer", 0, error_occurred=True, error_message="not here")
        (row,) = self.rows([[timed("f/ours", 6), failed]], {"f": {"ratio_at_most": 1}})
        self.assertEqual((row["ours"], row["peer_value"], row["ratio"], row["met"]), (6, None, None, None))

    def test_every_row_has_every_column(self):
        (row,) = self.rows([[timed("f", 6)]])
        self.assertEqual(list(row), table.COLUMNS)


if __name__ == "__main__":
    unittest.main()
