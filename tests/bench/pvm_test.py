"""bench/pvm/measure: its smoke run. Asserts no times."""

import shutil
import unittest

from measure_test_case import BUILD, MeasureTestCase


class Measuring(MeasureTestCase):
    GROUP = "pvm"

    def test_each_call_has_a_row(self):
        if shutil.which("pvmd") is None or not list(BUILD.glob("lib*/**/libeventspace-pvm.so")):
            self.skipTest("PVM is not installed")
        done = self.measure("--smoke")
        self.assert_ended_well(done)
        rows = self.rows()
        self.assertEqual(len(rows), 5)
        for row in rows:
            self.assertGreater(row["peer_value"], 0)
            self.assertIsNotNone(row["ours"])

    def test_without_pvm_it_says_what_is_missing(self):
        done = self.measure("--smoke", build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("pvm-dev", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["pvm_test"])
