"""bench/metrics/measure: its smoke run, and the pathmaps that it makes. Asserts no times."""

import sys
import unittest

from measure_test_case import BENCH, BUILD, MeasureTestCase

sys.path.insert(0, str(BENCH / "metrics"))
import messages  # noqa: E402  (the paths are arguments)
import watched  # noqa: E402
import watching  # noqa: E402
from tunnel import finish  # noqa: E402

PROGRAMS = watching.are_built(BUILD, "metrics")


class Measuring(MeasureTestCase):
    GROUP = "metrics"
    ALWAYS = ("--smoke", "--seed", "7", "--rounds", "1")

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_each_point_has_a_row_for_each_way_to_measure(self):
        done = self.measure()
        self.assert_ended_well(done)
        rows = {row["figure"]: row for row in self.rows()}
        points = {f"figure 7.3, 200 events a second: {how}" for how in messages.HOW}
        slowdowns = {f"{name}: slowdown" for name in watched.FIGURES}
        times = {f"{name}: processor time" for name in watched.FIGURES}
        self.assertEqual(set(rows), points | slowdowns | times, rows)
        for figure, row in rows.items():
            self.assertGreater(row["ours"], 0, row)
            unit = "messages/s" if figure in points else "s" if figure in times else "ms/step"
            self.assertEqual(row["unit"], unit)
        for figure in times:
            self.assertGreaterEqual(rows[figure]["ratio"], 1, rows[figure])
        header = (self.out / "messages.csv").read_text().splitlines()[0]
        self.assertEqual(header, "figure,varied,how,messages_a_second,bytes_a_second,events_a_second")

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_its_pathmaps_are_right(self):
        programs = watching.Programs(BUILD, "metrics")
        for _, _, sites, nodes, processes, _ in messages.points(smoke=False):
            file = self.folder / "senders.yaml"
            file.write_text(messages.pathmap(sites, nodes, processes))
            status, said, _ = finish(programs.command("eventspace", "check", file))
            self.assertEqual(status, 0, said)

    def test_without_the_programs_it_says_what_is_missing(self):
        done = self.measure(build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("bench_metrics", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["metrics_test"])
