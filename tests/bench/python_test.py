"""bench/python/measure: its smoke run. Asserts no times."""

import json
import sys
import unittest

from measure_test_case import BENCH, BUILD, MeasureTestCase

import watching

TARGETS = json.loads((BENCH / "targets.json").read_text())["python"]


@unittest.skipUnless(watching.are_built(BUILD, "python"), "the programs are not built")
class SmokeRun(MeasureTestCase):
    GROUP = "python"
    ALWAYS = ("--smoke", "--seed", "7", "--rounds", "1")

    def test_each_target_has_a_row_that_was_measured(self):
        self.assert_ended_well(self.measure())
        rows = {row["figure"]: row for row in self.rows()}
        small = "data frame of 2e4 events"
        self.assertIsNotNone(rows.pop(small)["ours"])
        for figure in TARGETS:
            if figure != "data frame of 1e7 events":
                self.assertIsNotNone(rows[figure]["ours"], rows[figure])


if __name__ == "__main__":
    unittest.main(argv=["python_test", *sys.argv[3:]])
