"""Verdicts, collectives, profiles and metrics, beside the output of the commands."""

import asyncio
import itertools
import time
import unittest

import numpy

import ground
import market
from ground import eventspace


class Analyses(unittest.TestCase):
    """Of a recording, a call and its command find exactly the same."""

    @classmethod
    def setUpClass(cls):
        cls.file = market.recording()
        cls.market = eventspace.open(cls.file)

    def test_collectives_are_those_of_the_command(self):
        collectives = self.market.collectives()
        self.assertGreater(len(collectives), 20)
        self.assertEqual(collectives.rows, ground.lines("collectives", self.file, "--each", "--quiet"))
        (name, times), *_ = collectives.late()
        self.assertEqual(name, "buyer")
        self.assertGreater(times, len(collectives) / 2)

    def test_the_summary_is_that_of_the_command_and_the_sum_of_the_operations(self):
        operations, summary = self.market.collectives(), self.market.collectives(each=False)
        self.assertEqual([summary.summary, *summary.rows], ground.lines("collectives", self.file, "--quiet"))
        self.assertEqual(summary.late(), operations.late())
        self.assertEqual(sum(row["waiting"]["ns"] for row in summary.rows),
                         sum(row["waiting"]["ns"] for row in operations.rows))
        self.assertIsNone(operations.summary)

    def test_totals_are_those_of_the_command(self):
        printed = ground.lines("collectives", self.file, "--quiet", "--total")
        self.assertEqual(self.market.collectives(total=True).rows, printed)
        self.assertEqual(self.market.collectives("total", total=True).rows,
                         ground.lines("collectives", self.file, "--quiet", "--total", "--collective", "total"))

    def test_the_profile_is_that_of_the_command(self):
        profile = self.market.profile()
        printed = ground.lines("profile", self.file, "--quiet")
        for table in ("threads", "phases", "matrix", "sizes", "calls", "delays"):
            rows = [{name: value for name, value in row.items() if name != "table"} for row in printed
                    if row["table"] == table]
            self.assertEqual(getattr(profile, table).rows, rows, table)
        self.assertEqual(sorted(profile.threads.to_pandas()["thread"]), ["buyer", "seller"])

    def test_the_matrix_has_the_messages_of_the_profile(self):
        matrix = self.market.communication_matrix()
        (flow,) = self.market.profile().matrix
        sender, receiver = matrix.names.index("seller"), matrix.names.index("buyer")
        self.assertEqual((flow["from"], flow["to"]), ("seller", "buyer"))
        self.assertEqual(matrix.messages[sender, receiver], flow["messages"])
        self.assertEqual(matrix.bytes.sum(), flow["bytes"])
        self.assertEqual(matrix.to_pandas("messages").loc["seller", "buyer"], flow["messages"])

    def test_the_heartbeat_is_that_of_the_command(self):
        for at in (None, 0.3):
            options = [] if at is None else ["--at", f"{at}s"]
            pull, *threads = ground.lines("heartbeat", self.file, "--once", *options)
            heartbeat = self.market.heartbeat(at=at)
            self.assertEqual((heartbeat.stalled, heartbeat.culprits), (pull["stalled"], pull["culprits"]))
            self.assertEqual(len(heartbeat.threads), 2)
            for verdict, printed in zip(heartbeat.threads, threads):
                self.assertEqual({name: value for name, value in vars(verdict).items() if name != "detail"},
                                 {name: printed[name] for name in vars(verdict) if name != "detail"})
        self.assertEqual(heartbeat["buyer"].verdict, "running")

    def test_a_moment_outside_of_the_recording_is_refused(self):
        with self.assertRaisesRegex(eventspace.ConfigurationError, "found 1000 s; the recording has"):
            self.market.heartbeat(at=1000.0)

    def test_metrics_are_those_of_the_command(self):
        text = "Writes(Process p, TimeInterval time) { RETURN Event_count(p, \"verb == 'write'\", time); }"
        printed = ground.lines("measure", self.file, "Writes", "--file", ground.file("writes.metric", text), "--interval",
                               "100ms", "--quiet")
        readings = list(self.market.measure("Writes", every=0.1, text=text))
        samples = [(reading.time_s, sample.value) for reading in readings for sample in reading]
        self.assertEqual(len(samples), len(printed))
        for (time_s, value), line in zip(samples, printed):
            self.assertAlmostEqual(time_s, line["time_s"], places=6)
            self.assertEqual(value, line["value"])
        self.assertGreater(samples[-1][1], 20)

    def test_a_measurement_can_be_awaited(self):
        async def last():
            async for reading in self.market.measure("Imbalance", every=0.2):
                found = reading
            return found

        expected = list(self.market.measure("Imbalance", every=0.2))[-1]
        self.assertEqual(asyncio.run(last()), expected)

    def test_a_slow_caller_misses_moments(self):
        class Metric:
            def read(self, _moment):
                return [], 0

        measuring = eventspace.Measurement(Metric(), 0.1, None)
        next(measuring)
        time.sleep(0.45)
        times = [next(measuring).time_s for _ in range(3)]
        self.assertGreaterEqual(times[0], 0.45)
        self.assertGreater(times[1] - times[0], 0.01)  # the moment after the missed ones
        self.assertGreater(times[2] - times[1], 0.09)

    def test_a_measurement_is_a_data_frame(self):
        frame = self.market.measure("Imbalance", every=0.2).to_pandas()
        self.assertEqual(list(frame.columns), ["time_s", "time_ns", "objects", "virtual_time", "value", "problem"])
        self.assertGreaterEqual(len(frame), 3)

    def test_wrong_choices_are_refused(self):
        with self.assertRaisesRegex(eventspace.ConfigurationError, "Imbalanze.*Imbalance"):
            self.market.measure("Imbalanze")
        with self.assertRaisesRegex(ValueError, "stall: found 0"):
            self.market.heartbeat(stall=0)
        with self.assertRaisesRegex(ValueError, "every: found 0"):
            self.market.measure("Imbalance", every=0)
        with self.assertRaisesRegex(ValueError, "most: found -1; expected 0 or more"):
            self.market.measure("Imbalance").to_pandas(-1)
        with self.assertRaisesRegex(eventspace.ConfigurationError, "totel.*total"):
            self.market.collectives("totel")
        with self.assertRaisesRegex(ValueError, "of: found 'names'; expected 'bytes' or 'messages'"):
            self.market.communication_matrix().to_pandas("names")
        with self.assertRaisesRegex(ValueError, "found 2 samples; a metric with one value"):
            _ = eventspace.Reading([None, None], 0.0, 0).value

    def test_notebooks_get_tables_with_escaped_texts(self):
        hostile = "<script>&"
        heartbeat = self.market.heartbeat()
        heartbeat.threads[0].thread = hostile
        profile = self.market.profile()
        profile.threads.rows[0]["thread"] = hostile
        matrix = self.market.communication_matrix()
        matrix.names[0] = hostile
        collectives = self.market.collectives()
        collectives.rows[0]["collective"] = hostile
        for shown in (heartbeat, profile, matrix, collectives, eventspace.Table([{"name": hostile}])):
            text = shown._repr_html_()
            self.assertIn("<table>", text)
            self.assertIn("&lt;script&gt;&amp;", text)
            self.assertNotIn("<script", text)
        self.assertIn("<table>", self.market._repr_html_())

    def test_pictures_are_drawn(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("needs matplotlib")
        matplotlib.use("Agg")
        axes = self.market.profile().plot()
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()],
                         [row["thread"] for row in self.market.profile().threads])
        self.assertEqual(self.market.communication_matrix().plot().get_ylabel(), "from")
        self.assertEqual(len(self.market.measure("Imbalance", every=0.2).plot().get_lines()), 1)
        from matplotlib import pyplot

        pyplot.close("all")


class Running(unittest.TestCase):
    def test_a_stall_and_its_culprit_are_found(self):
        with market.open_market(stands_still=True) as pathmap, eventspace.pathmap(pathmap) as session:
            heartbeat = ground.eventually(lambda: (found := session.heartbeat(stall=0.1)).stalled and found)
            self.assertEqual([culprit["thread"] for culprit in heartbeat.culprits], ["buyer"])
            self.assertEqual(heartbeat["seller"].in_flight["path"], "total")
            self.assertIn("others wait for buyer", repr(heartbeat))
            with self.assertRaisesRegex(eventspace.ConfigurationError, "at needs a recording"):
                session.heartbeat(at=1.0)

    def test_analyses_of_a_running_session(self):
        with market.open_market() as pathmap, eventspace.pathmap(pathmap) as session:
            self.assertTrue(ground.eventually(lambda: len(session.collectives(duration=0.2)) > 5))
            self.assertEqual(len(session.profile().threads), 2)
            self.assertEqual(session.communication_matrix().names, ["buyer", "seller"])
            readings = list(itertools.islice(session.measure("Imbalance", every=0.05), 3))
            self.assertTrue(numpy.all(numpy.diff([reading.time_s for reading in readings]) > 0))
            self.assertGreaterEqual(readings[-1].time_s, 0.1)


if __name__ == "__main__":
    ground.main()
