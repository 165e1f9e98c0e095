"""bench/mpi/measure: its smoke run. Asserts no times."""

import shutil
import unittest

from measure_test_case import BUILD, MeasureTestCase


def installed():
    """The implementations that can be measured here."""
    return [name for name in ("openmpi", "mpich")
            if shutil.which(f"mpicc.{name}") and list(BUILD.glob(f"lib*/**/libeventspace-{name}.so"))]


class Measuring(MeasureTestCase):
    GROUP = "mpi"

    def test_each_call_has_a_row_for_each_mpi(self):
        if not installed():
            self.skipTest("no MPI is installed")
        done = self.measure("--smoke")
        self.assert_ended_well(done)
        rows = self.rows()
        for name in installed():
            calls = [row for row in rows if row["figure"].endswith(f"added, {name}")]
            self.assertEqual(len(calls), 5)
            for row in calls:
                self.assertGreater(row["peer_value"], 0)
                self.assertIsNotNone(row["ratio"])

            threads = [row for row in rows if "two threads" in row["figure"] and row["figure"].endswith(name)]
            self.assertEqual(len(threads), 4)
            for row in threads:
                self.assertGreater(row["ratio"], 0)

            verdict = [row for row in rows if row["figure"] == f"time to the right verdict, {name}"]
            self.assertEqual(len(verdict), 1)
            self.assertIn("right verdicts: 1 of 1", verdict[0]["note"])

    def test_without_any_mpi_it_says_what_is_missing(self):
        done = self.measure("--smoke", build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("libopenmpi-dev", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["mpi_test"])
