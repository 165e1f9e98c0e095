"""bench/monitors/measure: its smoke run, what counts as observed, named and right, and what it makes of failures. Asserts
no times."""

import json
import sys
import unittest

from measure_test_case import BENCH, BUILD, MeasureTestCase

sys.path.insert(0, str(BENCH / "monitors"))
import detection  # noqa: E402  (the paths are arguments)
import monitor  # noqa: E402
import pairs  # noqa: E402
import rows as bench_rows  # noqa: E402
import slowdown  # noqa: E402
import tuning  # noqa: E402
import verdicts  # noqa: E402
import watching  # noqa: E402
from detection import Alarm, Stall  # noqa: E402
from pairs import Failed  # noqa: E402

PROGRAMS = watching.are_built(BUILD, "monitors")
TARGETS = json.loads((BENCH / "targets.json").read_text())["monitors"]


class Folder(MeasureTestCase):
    GROUP = "monitors"
    ALWAYS = ("--smoke", "--seed", "7")


@unittest.skipUnless(PROGRAMS, "the programs are not built")
class SmokeRun(Folder):
    def measured(self, *more):
        done = self.measure(*more)
        self.assert_ended_well(done)
        rows = json.loads((self.out / "rows.json").read_text())
        for row in rows:
            self.assertEqual(list(row), bench_rows.FIELDS)
            self.assertEqual(row["group"], "monitors")
        return {row["figure"]: row for row in rows}

    def assert_has_targets(self, rows, *figures):
        for figure in figures:
            self.assertIn(figure, rows)
            self.assertIn(figure, TARGETS)

    def test_a_watched_run_counts_when_every_operation_is_observed_and_four_stand_beside_one(self):
        rows = self.measured("--part", "slowdown", "--figures", "small")
        beyond = "small, four monitors at once: slowdown beyond the largest of one"
        self.assert_has_targets(rows, "small, collectives: slowdown", "small, collectives at half the rate: slowdown", beyond)
        for name in (watching.name for watching in slowdown.WATCHING):
            row = rows[f"small, {name}: slowdown"]
            self.assertEqual((row["unit"], row["runs"], row["peer"]), ("ms/step", 1, "not watched"), row)
            self.assertGreater(row["ratio"], 0)
        self.assertIn("all 40 operations of 1 runs were observed", rows["small, collectives: slowdown"]["note"])
        self.assertIsNotNone(rows[beyond]["ours"], rows[beyond])

    def test_threads_that_stall_are_told(self):
        rows = self.measured("--part", "detection")
        self.assert_has_targets(rows, detection.IN_TIME)
        row = rows[detection.IN_TIME]
        self.assertEqual((row["unit"], row["runs"]), ("%", 3), row)
        self.assertRegex(row["note"], r"\d of 3 \(")

    def test_no_verdict_is_wrong(self):
        rows = self.measured("--part", "verdicts")
        self.assert_has_targets(rows, *(figure for figure in rows if "clock error between" not in figure))
        self.assertRegex(rows[verdicts.RIGHT]["note"], r"40 operations, \d+ of them complete")
        for figure, row in rows.items():
            if "wrong names" in figure and row["runs"]:
                self.assertEqual(row["ours"], 0, row)
        lines = (self.out / "verdicts.csv").read_text().splitlines()
        self.assertEqual(len(lines), 1 + 40)

    def test_tuning_stands_beside_an_exhaustive_search(self):
        rows = self.measured("--part", "tuning")
        self.assert_has_targets(rows, tuning.FOUND, tuning.TOOK)
        for figure in (tuning.FOUND, tuning.TOOK):
            self.assertGreater(rows[figure]["ratio"], 0, rows[figure])
        self.assertRegex(rows[tuning.TOOK]["note"], r"^\d+ of \d+ trees were measured")


class Failures(Folder):
    def test_without_a_build_nothing_is_measured(self):
        done = self.measure(build=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("build the target bench_monitors", done.stderr)

    @unittest.skipUnless(PROGRAMS, "the programs are not built")
    def test_a_monitor_that_cannot_start_says_why(self):
        with self.assertRaisesRegex(Failed, "collectives ended: .*nowhere.yaml"):
            monitor.Monitor(watching.Programs(BUILD, "monitors"), self.folder / "nowhere.yaml", "s", ["collectives"],
                            self.folder / "out")


class Observed(unittest.TestCase):
    """What the monitor of collective operations wrote."""

    HEAD = "time,collective,number,state,last,missing,run\n"

    def operations(self, *lines):
        return monitor.operations_in(self.HEAD + "".join(f"0.5,{line}\n" for line in lines))

    def fault(self, *lines, **expected):
        return monitor.fault_in(self.operations(*lines), expected)

    def test_all_operations_complete_in_any_order_is_no_fault(self):
        self.assertEqual(self.fault("a,2,complete,,0", "b,1,complete,,0", "a,1,complete,,0", a=2, b=1), "")

    def test_one_that_is_not_there_is_named(self):
        self.assertEqual(self.fault("a,1,complete,,0", "a,3,complete,,0", a=3), "1 are not complete, such as a 2")

    def test_one_that_is_incomplete_is_a_fault(self):
        self.assertIn("a 2 is incomplete", self.fault("a,1,complete,,0", "a,2,incomplete,,4", a=2))

    def test_one_that_was_open_for_long_counts_when_it_is_complete(self):
        self.assertEqual(self.fault("a,1,open,,3", "a,1,complete,,0", a=1), "")
        self.assertIn("such as a 1", self.fault("a,1,open,,3", a=1))

    def test_a_line_that_is_being_written_is_not_read(self):
        self.assertEqual(len(monitor.operations_in(self.HEAD + "0.5,a,1,complete,,0,1\n0.5,a,2,complete")), 1)

    def test_the_run_that_goes_on_is_the_latest(self):
        self.assertEqual(monitor.latest_run(self.operations("a,1,complete,,0,9", "a,2,open,,0,10")), "10")
        self.assertEqual(monitor.latest_run([]), "0")


class FourAtOnce(unittest.TestCase):
    def row(self, **slowdowns):
        names = {"four": slowdown.FOUR, "heartbeat": slowdown.HEARTBEAT, "events": slowdown.EVENTS,
                 "top": slowdown.TOP, "collectives": slowdown.COLLECTIVE}
        figures = {}
        for key, ratio in slowdowns.items():
            figure = pairs.Figure(names[key], None)
            figure.pairs = [(ratio, 1.0)] if ratio else []
            figures["small", names[key]] = figure
        return list(slowdown.beyond_largest("small", figures))

    def test_stand_beside_the_one_that_slows_most(self):
        (row,) = self.row(four=1.05, heartbeat=1.01, events=1.04, top=1.02, collectives=1.03)
        self.assertAlmostEqual(row["ours"], 0.01)
        self.assertEqual(row["note"], "1.050 by four, 1.040 by events of a thread")

    def test_when_one_could_not_be_measured_there_is_no_value(self):
        (row,) = self.row(four=1.05, heartbeat=1.01, events=None, top=1.02, collectives=1.03)
        self.assertEqual((row["ours"], row["note"]), (None, "nothing was measured of events of a thread"))

    def test_when_one_was_not_chosen_there_is_no_row(self):
        self.assertEqual(self.row(four=1.05, heartbeat=1.01), [])


class Stalls(unittest.TestCase):
    SET = detection.SET_TIME

    def rows(self, stalls, alarms):
        return {row["figure"]: row for row in detection.rows_of(stalls, alarms)}

    def test_are_read_from_what_the_application_writes(self):
        text = "noise\nstall t3 spin 1000000000 3500000000\nstall t4 wait 5 6 7\n"
        self.assertEqual(detection.stalls_in(text), [Stall("t3", "spin", 1.0, 3.5)])

    def test_are_found_by_the_first_line_that_names_them_while_they_last(self):
        stall = Stall("t1", "spin", 10.0, 12.0)
        alarms = [Alarm("t1", 9.0), Alarm("t2", 10.5), Alarm("t1", 11.0), Alarm("t1", 11.2)]
        self.assertEqual(detection.first_named(stall, alarms), 11.0)
        self.assertIsNone(detection.first_named(stall, [Alarm("t1", 12.5)]))

    def test_count_only_when_named_within_twice_the_set_time(self):
        stalls = [Stall("t1", "spin", 10.0, 20.0), Stall("t2", "wait", 10.0, 20.0), Stall("t3", "wait", 10.0, 20.0)]
        rows = self.rows(stalls, [Alarm("t1", 10 + 1.5 * self.SET), Alarm("t2", 10 + 2.5 * self.SET)])
        row = rows[detection.IN_TIME]
        self.assertAlmostEqual(row["ours"], 100 / 3)
        self.assertIn("1 of 3 (1 spin, 2 wait)", row["note"])
        self.assertAlmostEqual(rows["stalls: time until named"]["ours"], 2.0)
        self.assertEqual(rows["stalls: lines that name threads that go on"]["ours"], 0)

    def test_of_threads_that_go_on_are_false_alarms(self):
        stalls = [Stall("t1", "spin", 10.0, 12.0)]
        rows = self.rows(stalls, [Alarm("t1", 9.0), Alarm("t1", 12.0 + self.SET / 2), Alarm("t2", 11.0)])
        self.assertEqual(rows["stalls: lines that name threads that go on"]["ours"], 2)

    def test_of_which_none_was_named_have_no_time(self):
        row = self.rows([Stall("t1", "spin", 10.0, 12.0)], [])["stalls: time until named"]
        self.assertEqual((row["ours"], row["runs"], row["note"]), (None, 0, "none was named"))


class Verdicts(unittest.TestCase):
    def rows(self, *lines):
        head = "number,delayed,delay_ns,last,lead_ns,error_ns,state,named"
        read = list(verdicts.read_verdicts([head] + [f"1,{line}" for line in lines]))
        return {row["figure"]: row for row in verdicts.rows_of(read)}

    def test_beyond_the_clock_error_must_name_who_was_delayed(self):
        rows = self.rows("t1,9000,t1,9000,2000,complete,t1", "t2,9000,t2,9000,2000,complete,",
                         "t3,9000,t3,9000,2000,complete,t4", "t3,9000,t3,9000,2000,incomplete,")
        row = rows[verdicts.RIGHT]
        self.assertEqual((row["ours"], row["runs"]), (25.0, 4))
        self.assertIn("4 operations, 3 of them complete", row["note"])
        self.assertEqual(rows["verdicts: wrong names beyond the clock error"]["ours"], 1)

    def test_within_the_clock_error_only_a_wrong_name_is_a_fault(self):
        rows = self.rows("t1,100,t1,1500,2000,complete,", "t1,100,t1,1500,2000,complete,t1",
                         "t1,100,t1,1500,2000,complete,t2")
        row = rows["verdicts: wrong names within the clock error"]
        self.assertEqual((row["ours"], row["runs"]), (1, 3))
        self.assertIsNone(rows[verdicts.RIGHT]["ours"])

    def test_where_the_machine_delayed_another_that_one_must_not_be_named_wrongly_either(self):
        rows = self.rows("t1,100,t5,9000,2000,complete,t1", "t1,100,t5,9000,2000,complete,t5")
        self.assertEqual(rows[verdicts.RIGHT]["runs"], 0)
        self.assertIn("in 2 the machine made another thread come later", rows[verdicts.RIGHT]["note"])
        self.assertEqual(rows["verdicts: wrong names beyond the clock error"]["ours"], 1)


class Tuning(unittest.TestCase):
    def rows(self, chosen, figure_pairs):
        figure = pairs.Figure(tuning.FOUND, None)
        figure.pairs = figure_pairs
        searches = tuning.Searches(None, None, None, None, None)
        searches.best = tuning.Search(80.0, 40, "all > node", None, True)
        searches.exhaustive, searches.chosen = [searches.best], chosen
        return list(tuning.rows_of(figure, searches, seed=1))

    def test_ratios_are_of_pulls_and_of_search_times(self):
        chosen = [tuning.Search(16.0, 10, "all > node", None, True), tuning.Search(24.0, 9, "all", None, True)]
        found, took = self.rows(chosen, [(0.0011, 0.001)] * 5)
        self.assertAlmostEqual(found["ratio"], 1.1)
        self.assertIn("1 of 2 searches chose the tree that was best of all: all > node", found["note"])
        self.assertAlmostEqual(took["ratio"], 0.25)
        self.assertEqual((took["peer_value"], took["note"]), (80.0, "9.5 of 40 trees were measured"))

    def test_of_two_passes_through_all_trees_the_faster_tree_counts(self):
        lucky, good = (tuning.Search(80.0, 40, words, None, True) for words in ("all", "all > node"))
        took = {"all": iter([1, 5, 6, 5, 4]), "all > node": iter([3, 3, 2, 4, 3])}
        self.assertIs(tuning.fastest([lucky, good], lambda search: next(took[search.words])), good)
        self.assertIs(tuning.fastest([lucky], None), lucky)

    def test_a_search_that_was_cut_short_is_said(self):
        for row in self.rows([tuning.Search(16.0, 10, "all", None, False)], [(1.0, 1.0)]):
            self.assertIn("not all searches came to their end", row["note"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
