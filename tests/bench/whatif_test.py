"""bench/whatif/measure: its smoke run. Asserts no times."""

import unittest

from measure_test_case import BUILD, MeasureTestCase


class Measuring(MeasureTestCase):
    GROUP = "whatif"

    def test_each_network_has_a_rate_and_the_stencil_its_memory(self):
        if not (BUILD / "bench" / "whatif" / "whatif_figures").is_file():
            self.skipTest("bench_whatif is not built")
        done = self.measure("--smoke", "--rounds", "1")
        self.assert_ended_well(done)
        rows = {row["figure"]: row for row in self.rows()}
        for network in ("LogGP", "shared Ethernet"):
            row = rows[f"simulate a halo exchange of 16 tasks, {network}"]
            self.assertIsNotNone(row["ours"], row["note"])
        self.assertIn("simulate a halo exchange of 16 tasks, SimGrid, one switch", rows)
        self.assertGreater(rows["a stencil of 64 tasks, 20000 events: memory"]["ours"], 0)
        self.assertGreater(rows["a stencil of 64 tasks, 20000 events: time for an event"]["ratio"], 0)

    def test_without_the_program_it_says_what_is_missing(self):
        done = self.measure("--smoke", build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("bench_whatif", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["whatif_test"])
