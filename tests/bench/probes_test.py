"""bench/probes/measure: its smoke run. Asserts no times."""

import unittest

from measure_test_case import BUILD, MeasureTestCase


class Measuring(MeasureTestCase):
    GROUP = "probes"

    def test_each_part_has_its_rows(self):
        if not all((BUILD / name).is_file() for name in ("bench/probes/probes_figures", "bin/windtunnel")):
            self.skipTest("bench_probes is not built")
        done = self.measure("--smoke")
        self.assert_ended_well(done)
        rows = {row["figure"]: row for row in self.rows()}
        tunnel = rows["attached without probes: wind tunnel, small"]
        if tunnel["ratio"] is None:  # on a busy machine its run of a second ends before it is attached
            self.assertIn("had ended before it was attached", tunnel["note"])
        if "may not make namespaces" in str(rows.get("latency", {}).get("note")):
            self.skipTest(rows["latency"]["note"])
        for figure in ("connecting, 8 processes, flat", "a blocking command, 8 processes, flat",
                       "functions of 8 processes on 1 machines, 1 executables"):
            self.assertIsNotNone(rows[figure]["ours"], rows[figure]["note"])

    def test_without_the_program_it_says_what_is_missing(self):
        done = self.measure("--smoke", build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("bench_probes", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["probes_test"])
