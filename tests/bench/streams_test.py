"""bench/streams/measure: its smoke run. Asserts no times."""

import unittest

from measure_test_case import BUILD, MeasureTestCase


class Measuring(MeasureTestCase):
    GROUP = "streams"

    def test_each_network_has_a_row_and_clock_skews_have_one(self):
        if not (BUILD / "bench" / "streams" / "streams_figures").is_file():
            self.skipTest("bench_streams is not built")
        done = self.measure("--smoke")
        self.assert_ended_well(done)
        rows = {row["figure"]: row for row in self.rows()}
        flat = rows["share of the offered load, flat, 4 daemons"]
        self.assertIsNotNone(flat["ours"], flat["note"])
        skew = rows["clock skew, 4 daemons, 2x2: mean error"]
        self.assertIsNotNone(skew["ours"], skew["note"])
        self.assertIsNotNone(skew["peer_value"], skew["note"])
        self.assertEqual((self.out / "load.csv").read_text().splitlines()[0], "shape,daemons,metrics,share")

    def test_without_the_program_it_says_what_is_missing(self):
        done = self.measure("--smoke", build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("bench_streams", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["streams_test"])
