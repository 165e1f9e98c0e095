"""bench/scopes/measure: its smoke run, what it makes of failures, and the model that its plots show. Asserts no times."""

import math
import shutil
import sys
import unittest

from measure_test_case import BENCH, BUILD, MeasureTestCase

sys.path.insert(0, str(BENCH / "scopes"))
import growth  # noqa: E402  (the paths are arguments)
import growth_plot  # noqa: E402
import rows as bench_rows  # noqa: E402
import watching  # noqa: E402
from pairs import Failed  # noqa: E402

PROGRAMS = watching.are_built(BUILD, "scopes")


class Folder(MeasureTestCase):
    GROUP = "scopes"
    ALWAYS = ("--smoke", "--seed", "7")


@unittest.skipUnless(PROGRAMS, "the programs are not built")
class SmokeRun(Folder):
    def measured(self, *more):
        done = self.measure(*more)
        self.assert_ended_well(done)
        rows = self.rows()
        for row in rows:
            self.assertEqual(list(row), bench_rows.FIELDS)
            self.assertEqual(row["group"], "scopes")
            self.assertTrue(row["ours"] is not None and row["ours"] > 0 or row["note"], row)
        return {row["figure"]: row for row in rows}, done.stderr

    def test_watches_the_tunnel_and_tells_rates_and_slowdown(self):
        rows, _ = self.measured("--part", "watched", "--figures", "small, two monitors")
        self.assertEqual(list(rows), ["small, two monitors: slowdown", "small, two monitors: observe rate of one",
                                      "small, two monitors: observe rate of all-by-gateway"])

    def test_a_monitor_that_stands_still_by_turns_tells_what_it_costs(self):
        self.check_slowdown_by_turns("small, all, by gateway")

    def test_as_much_by_plain_sockets_tells_what_any_tree_would_cost(self):
        self.check_slowdown_by_turns("small, all, plain ZeroMQ by gateway")

    def test_reading_without_servers_tells_what_it_costs(self):
        self.check_slowdown_by_turns("small, all, direct")

    def check_slowdown_by_turns(self, monitor):
        rows, _ = self.measured("--part", "switched", "--figures", monitor)
        slowdown = rows[f"{monitor}, 100 Hz, by turns: slowdown"]
        if slowdown["runs"] == 0:
            self.assertRegex(slowdown["note"], "saw no complete view|had no event|is not known")
            self.skipTest("a tenth of a second was not enough on this machine just now")
        self.assertEqual((slowdown["unit"], slowdown["peer"], slowdown["runs"]), ("ms/step", "not watched", 1))
        self.assertGreater(slowdown["ratio"], 0)

    def test_pulls_of_an_idle_application_stand_beside_plain_sockets(self):
        rows, _ = self.measured("--part", "idle")
        row = rows["idle: all, 1948 trace elements, by gateway"]
        self.assertEqual((row["unit"], row["runs"], row["peer"]), ("us", 1, "plain ZeroMQ, same shape and bytes"))
        self.assertGreater(row["peer_value"], 0)
        self.assertIn("idle: all, 1948 trace elements, by gateway: rate", rows)

    def test_growth_is_measured_and_drawn(self):
        rows, said = self.measured("--part", "growth")
        self.assertIn("growth: 16 trace elements on one node", rows)
        self.assertIn("growth: 4 nodes of 32 trace elements", rows)
        self.assertGreater(rows["growth: time for each trace element, of the most"]["ratio"], 0)
        if shutil.which("gnuplot"):
            self.assertTrue((self.out / "elements.png").read_bytes().startswith(b"\x89PNG"))
        else:
            self.assertIn("no plot: gnuplot is not installed", said)


class Failures(Folder):
    def test_without_a_build_nothing_is_measured(self):
        done = self.measure(build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("build the target bench_scopes", done.stderr)

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_an_observer_that_cannot_start_says_why(self):
        with self.assertRaisesRegex(Failed, "the observer of all did not start: .*nowhere.yaml"):
            watching.observe(watching.Programs(BUILD, "scopes"), self.folder / "nowhere.yaml", "s", "all")

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_an_observer_that_saw_nothing_is_an_error(self):
        pathmap = self.folder / "nobody.yaml"
        pathmap.write_text(growth.pathmap_of(1, 1))
        observer = watching.observe(watching.Programs(BUILD, "scopes"), pathmap, "bench-scopes-nobody", "flat")
        self.addCleanup(observer.abandon)
        with self.assertRaisesRegex(Failed, "saw no complete view"):
            observer.stop()


class Pathmaps(unittest.TestCase):
    def test_have_the_nodes_and_trace_elements_asked_for(self):
        text = growth.pathmap_of(3, 2000)
        self.assertEqual(text.count("host: 127.0.0.1"), 3)
        self.assertIn('p2: {node: n2, threads: "t[4-5]"}', text)
        self.assertIn("name: p999,", text)


class Model(unittest.TestCase):
    def test_finds_the_coefficients_that_made_the_times(self):
        times = [(n, 30 + 5 * math.log2(n) + 0.25 * n, 0) for n in (2, 4, 8, 64, 512)]
        _, found = growth_plot.fit(times, lambda n: [1, math.log2(n), n])
        for value, expected in zip(found, (30, 5, 0.25)):
            self.assertAlmostEqual(value, expected, places=6)

    def test_has_no_negative_terms(self):
        times = [(n, 10 + n - 3 * math.log2(n), 0) for n in (2, 4, 8, 64, 512)]
        of_count, found = growth_plot.fit(times, lambda n: [1, math.log2(n), n])
        self.assertTrue(all(value >= 0 for value in found), found)
        self.assertGreater(of_count(512), of_count(2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
