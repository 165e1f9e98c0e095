"""The rows of scripts/bench: medians over rounds, ratios round by round, targets, what could not run and why; and
the table as text and as Markdown."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv[1])
import machine  # noqa: E402  (the path is an argument)
import rows as bench_rows  # noqa: E402
import table  # noqa: E402


def timed(name, time, **more):
    return {"name": name, "run_type": "iteration", "real_time": time, "time_unit": "ns", **more}


def failed(name, why):
    return timed(name, 0, error_occurred=True, error_message=why)


def rows_of(reports, targets=None):
    """Of {file name: content}."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in reports]
        for file in files:
            content = reports[file.name]
            file.write_text(content if isinstance(content, str) else json.dumps(content))
        return bench_rows.rows_of(files, {"group": targets or {}})


class Rows(unittest.TestCase):
    def rows(self, rounds, targets=None):
        reports = {f"group.{number}.json": {"benchmarks": runs} for number, runs in enumerate(rounds, start=1)}
        return rows_of(reports, targets)

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

    def test_a_target_may_be_for_one_peer_only(self):
        runs = [timed("f/ours", 10), timed("f/fast", 10), timed("f/slow", 40)]
        rows = self.rows([runs], {"f/slow": {"ratio_at_most": 0.5}})
        self.assertEqual({row["peer"]: row["met"] for row in rows}, {"fast": None, "slow": True})

    def test_targets_are_met_or_not(self):
        runs = [[timed("f/ours", 30), timed("f/peer", 20)]]
        (row,) = self.rows(runs, {"f": {"ratio_at_most": 1.25}})
        self.assertEqual((row["target"], row["met"]), ("ratio <= 1.25", False))
        (row,) = self.rows(runs, {"f": {"ratio_at_most": 1.5}})
        self.assertTrue(row["met"])

    def test_what_could_not_run_has_a_row_that_says_why(self):
        runs = [timed("f/ours", 6), failed("f/peer", "it is not installed")]
        (row,) = self.rows([runs], {"f": {"ratio_at_most": 1}})
        self.assertEqual((row["ours"], row["peer_value"], row["ratio"], row["met"]), (6, None, None, None))
        self.assertEqual((row["unit"], row["target"], row["note"]), ("ns", "ratio <= 1", "it is not installed"))

    def test_the_rounds_that_could_run_count(self):
        rounds = [[timed("f/ours", 6), timed("f/peer", 3)], [timed("f/ours", 8), failed("f/peer", "gone")]]
        (row,) = self.rows(rounds)
        self.assertEqual((row["ratio"], row["runs"], row["note"]), (2, 1, "gone"))

    def test_a_peer_with_a_value_has_no_note(self):
        rows = self.rows([[timed("f/ours", 6), timed("f/a", 2), failed("f/b", "no b")]])
        self.assertEqual([(row["peer"], row["note"]) for row in rows], [("a", None), ("b", "no b")])

    def test_every_row_has_every_field(self):
        (row,) = self.rows([[timed("f", 6)]])
        self.assertEqual(list(row), bench_rows.FIELDS)


class RowsOfMeasuringPrograms(unittest.TestCase):
    def row(self, target, **fields):
        report = [bench_rows.make_row(group="group", figure="f", **fields)]
        (row,) = rows_of({"group.rows.json": report}, {"f": target})
        return row

    def test_are_taken_as_they_are_and_judged(self):
        row = self.row({"ratio_at_most": 1.02}, ours=3.0, ratio=1.01, interval=[0.99, 1.03], note="n")
        self.assertEqual((row["ours"], row["interval"], row["note"]), (3.0, [0.99, 1.03], "n"))
        self.assertEqual((row["target"], row["met"]), ("ratio <= 1.02", True))
        self.assertEqual(list(row), bench_rows.FIELDS)

    def test_all_that_a_target_asks_of_the_interval_must_hold(self):
        target = {"interval_includes": 1.0, "interval_below": 1.01}
        met = [(0.99, 1.005), (1.0, 1.005)]
        missed = [(1.001, 1.005), (0.99, 1.01), (0.9, 0.99)]
        for interval in met + missed:
            row = self.row(target, ratio=1.0, interval=list(interval))
            self.assertEqual(row["target"], "interval includes 1 and interval below 1.01")
            self.assertEqual(row["met"], interval in met, interval)

    def test_without_an_interval_its_target_is_neither_met_nor_missed(self):
        row = self.row({"interval_below": 1.01}, ratio=1.0)
        self.assertEqual((row["target"], row["met"]), ("interval below 1.01", None))

    def test_a_slowdown_whose_interval_does_not_tell_is_inconclusive_and_says_why(self):
        cases = [
            (1.02, [0.99, 1.03], True, None),
            (1.09, [1.07, 1.2], False, None),
            (0.45, [0.33, 0.57], None, "faster with it than without"),
            (1.0, [0.96, 1.04], None, "wider than the 0.05 that the target allows"),
            (1.02, None, None, "too few pairs"),
        ]
        for ratio, interval, met, why in cases:
            row = self.row({"slowdown_at_most": 1.05}, ours=1.0, ratio=ratio, interval=interval, note="n")
            self.assertEqual((row["target"], row["met"]), ("ratio <= 1.05", met), interval)
            self.assertEqual(row["note"].startswith("n; inconclusive: "), why is not None, row["note"])
            self.assertIn(why or "n", row["note"])
        row = self.row({"slowdown_below": 1.01}, ratio=0.9, interval=[0.8, 0.99])
        self.assertEqual((row["met"], row["target"]), (None, "interval below 1.01"))

    def test_a_report_that_cannot_be_read_does_not_hide_the_others(self):
        reports = {
            "group.1.json": {"benchmarks": [timed("f", 6)]},
            "group.2.json": '{"benchmarks": [',
            "a.1.json": "{}",
            "b.rows.json": [{"no such field": 1}],
            "group.rows.json": [{"group": "group", "figure": "g", "ours": 2}],
        }
        with contextlib.redirect_stderr(io.StringIO()) as said:
            rows = rows_of(reports)
        self.assertEqual(sorted((row["figure"], row["ours"]) for row in rows), [("f", 6), ("g", 2)])
        for file in ("group.2.json", "a.1.json", "b.rows.json"):
            self.assertIn(f"{file} cannot be read", said.getvalue())


class Table(unittest.TestCase):
    rows = [
        bench_rows.make_row(group="g", figure="f", unit="ms", ours=2.5, peer="p", peer_value=2.0, ratio=1.25,
                            interval=[1.1, 1.4], target="ratio <= 1.3", met=True, spread=0.5, runs=7,
                            note="one | two"),
        bench_rows.make_row(group="g", figure="h", unit="ns", ours=None, peer="q"),
    ]

    def test_as_text_has_a_line_a_row_and_the_notes_below(self):
        lines = table.to_text(self.rows).splitlines()
        self.assertEqual(lines[0].split(), table.COLUMNS)
        self.assertEqual(lines[1].split(), "g f ms 2.5 p 2 1.250 1.100 to 1.400 ratio <= 1.3 yes 50% 7".split())
        self.assertEqual(lines[2].split(), "g h ns - q - - - - - - -".split())
        self.assertEqual(lines[3:], ["", "g, f, p: one | two"])

    def test_without_notes_there_is_nothing_below(self):
        self.assertEqual(len(table.to_text(self.rows[1:]).splitlines()), 2)

    def test_as_markdown_has_as_many_cells_in_each_line_and_says_where(self):
        lines = table.to_markdown(self.rows, {"Machine": "M", "Commit": "C"}).splitlines()
        self.assertEqual({line.count("|") for line in lines[:4]}, {len(table.COLUMNS) + 1})
        self.assertEqual(lines[5:7], ["Machine: M  ", "Commit: C  "])
        self.assertEqual(lines[-1], "- g, f, p: one | two")

    def test_a_measured_build_is_described_by_its_compiler(self):
        with tempfile.TemporaryDirectory() as build:
            cache = "CMAKE_CXX_COMPILER:STRING=/bin/echo\nCMAKE_BUILD_TYPE:STRING=Release\n"
            (pathlib.Path(build) / "CMakeCache.txt").write_text(cache)
            where = machine.describe(build)
        self.assertEqual(list(where), ["Machine", "Compiler", "Commit", "Date"])
        self.assertRegex(where["Compiler"], "echo.*, Release")

    def test_what_cannot_be_found_out_is_unknown(self):
        self.assertEqual(machine.compiler(pathlib.Path("/nowhere")), "unknown, unknown")
        self.assertEqual(machine.processor("/nowhere"), "unknown")
        self.assertEqual(machine.memory("/nowhere"), "unknown")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
