"""Events of recordings and sessions as columns, beside the output of commands."""

import csv
import gc
import io
import threading
import time
import unittest

import numpy
import pandas

import ground
import market
from ground import eventspace


def by_key(rows):
    return {(row["thread"], row["path"], row["sequence"]): row for row in rows}


class EventsOfARecording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = ground.recording()
        cls.events = eventspace.open(cls.file).events()

    def rows(self, events=None):
        events = events if events is not None else self.events
        columns = {field: events[field] for field in events.fields}
        missing = {field: events.missing(field) for field in events.fields}
        return [{field: None if missing[field][place] else values[place] for field, values in columns.items()}
                for place in range(len(events))]

    def expect_same(self, events, *options):
        printed = by_key(ground.lines("events", self.file, "--apart", *options))
        rows = by_key(self.rows(events))
        self.assertGreater(len(rows), 20)
        self.assertEqual(rows.keys(), printed.keys())
        for key, line in printed.items():
            row = rows[key]
            for field in line.keys() & row.keys() - {"start_ns", "start_here_ns", "error_ns"}:  # clocks are compared at each pull
                self.assertEqual(row[field], line[field], (key, field))
            self.assertEqual(row["start_ns"].astype(int), line["start_ns"])
            self.assertAlmostEqual(row["duration"], line["duration_ns"], delta=0.51)

    def test_are_those_that_the_command_prints(self):
        self.expect_same(self.events)

    def test_filters_are_those_of_the_command(self):
        where = "probe == 'solve' and duration > 1us"
        self.expect_same(eventspace.open(self.file).events(where=where), "--where", where)

    def test_the_last_ones_are_those_of_the_command(self):
        self.expect_same(eventspace.open(self.file).events(last=30), "--last", "30")

    def test_an_independent_reader_of_exported_csv_finds_the_same(self):
        ground.call("export", self.file, "--to", "csv", "-o", ground.file("run.csv"), "--force")
        with open(ground.file("run.csv"), encoding="utf-8") as opened:
            table = list(csv.DictReader(io.StringIO(opened.read())))
        self.assertEqual(len(table), len(self.events))
        values = sorted(int(row["start_ns"]) for row in table)
        self.assertEqual(values, sorted(int(value) for value in self.events["start_ns"].astype("int64")))

    def test_columns_have_their_types(self):
        types = {field: self.events[field].dtype for field in self.events.fields}
        self.assertEqual(types["start_ns"], "datetime64[ns]")
        self.assertEqual(types["duration"], "float64")
        self.assertNotIn("in_flight", types)
        self.assertEqual(types["thread"], object)
        self.assertEqual(self.events.codes("thread").dtype, "int8")
        self.assertEqual(self.events.names("thread"), ["app/worker"])
        self.assertTrue(self.events.missing("value1")[self.events["probe"] == "solve"].all())

    def test_a_data_frame_has_categories_and_moments_in_utc(self):
        frame = self.events.to_pandas()
        self.assertEqual(str(frame["start"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(str(frame["thread"].dtype), "category")
        self.assertEqual(set(frame["probe"]), {"iteration", "solve"})
        with_values = frame[frame["probe"] == "iteration"]
        self.assertTrue(numpy.allclose(with_values["value1"] * with_values["value2"], 1))
        begun = pandas.Timestamp(eventspace.open(self.file).info["begin"])
        self.assertTrue((frame["end"] >= begun - pandas.Timedelta("1s")).all())

    def test_a_data_frame_shares_the_memory_of_the_columns(self):
        frame = self.events.to_pandas()
        self.assertTrue(numpy.shares_memory(frame["duration"].to_numpy(), self.events["duration"]))

    def test_threads_take_turns(self):
        run = eventspace.open(self.file)
        found = []
        threads = [threading.Thread(target=lambda: found.append((len(run.events()), len(run.heartbeat().threads))))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(ground.LIMIT)
        self.assertEqual(found, [(len(self.events), 1)] * 4)

    def test_pieces_of_a_recording_are_all_its_events(self):
        events = eventspace.open(self.file).events(fields=["end_ns", "thread"])
        whole = eventspace.open(self.file).events(fields=["end_ns", "thread"], last=10**9)  # is read at once
        self.assertTrue(numpy.array_equal(events["end_ns"], whole["end_ns"]))

    def test_arrays_outlive_their_source(self):
        run = eventspace.open(self.file)
        events = run.events()
        durations, total = events["duration"], float(events["duration"].sum())
        run.close()
        del run, events
        gc.collect()
        self.assertEqual(float(durations.sum()), total)

    def test_named_fields_are_the_columns_even_if_no_event_has_them(self):
        events = eventspace.open(self.file).events(fields=["thread", "tag"])
        self.assertEqual(events.fields, ["thread", "tag"])
        self.assertTrue(events.missing("tag").all())

    def test_a_field_that_is_named_twice_is_one_column(self):
        run = eventspace.open(self.file)
        events = run.events(fields=["duration", "thread", "duration"])
        self.assertEqual(events.fields, ["duration", "thread"])
        self.assertTrue(numpy.array_equal(events["duration"], self.events["duration"]))
        pulled = run.scope(fields=["duration", "duration"]).pull()
        self.assertEqual((pulled.fields, len(pulled["duration"])), (["duration"], len(pulled)))

    def test_no_events_are_columns_too(self):
        events = eventspace.open(self.file).events(where="duration > 1h", fields=["duration", "thread"])
        self.assertEqual(len(events), 0)
        self.assertEqual(len(events.to_pandas()), 0)

    def test_faults_have_the_texts_of_the_house(self):
        run = eventspace.open(self.file)
        with self.assertRaisesRegex(eventspace.ConfigurationError, "where:.*column 12"):
            run.events(where="duration > ")
        with self.assertRaisesRegex(eventspace.ConfigurationError, "unknown field 'thraed'.*thread"):
            run.events(fields=["thraed"])
        with self.assertRaisesRegex(KeyError, "no event has the field 'tag'"):
            self.events["tag"]
        with self.assertRaisesRegex(eventspace.EnvironmentError, "nowhere.evs"):
            eventspace.open("nowhere.evs")

    def test_facts_are_those_of_the_command(self):
        (printed,) = ground.lines("info", self.file)
        info = eventspace.open(self.file).info
        self.assertEqual(info["session"], printed["session"])
        self.assertAlmostEqual(info["seconds"], printed["seconds"], places=3)
        self.assertEqual(info["ending"], printed["ended"])
        self.assertEqual([process[0] for process in info["processes"]], ["app"])

    def test_facts_are_whole_while_another_thread_closes(self):
        def read(run, faults):
            try:
                while True:
                    self.assertEqual((run.info["session"], len(run.info["processes"])), ("recorded", 1))
            except eventspace.Closed:
                pass
            except BaseException as fault:
                faults.append(fault)

        for _ in range(40):
            faults = []
            run = eventspace.open(self.file)
            reading = threading.Thread(target=read, args=(run, faults))
            reading.start()
            time.sleep(0.002)
            run.close()
            reading.join(ground.LIMIT)
            self.assertEqual(faults, [])

    def test_a_forked_child_can_show_what_it_cannot_use(self):
        code = f"""
import eventspace, os
run = eventspace.open({self.file!r})
if os.fork() == 0:
    assert repr(run).startswith("<recording "), repr(run)
    os._exit(7)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
"""
        ground.python(code)

    def test_losses_are_those_of_the_recorder(self):
        (printed,) = ground.lines("info", self.file)
        losses = eventspace.open(self.file).losses
        self.assertEqual({cause: losses[cause] for cause in ("discarded", "earlier", "torn", "emptied")},
                         {cause: printed[cause] for cause in ("discarded", "earlier", "torn", "emptied")})


class WrongArguments(unittest.TestCase):
    def test_are_refused_in_one_form(self):
        run = eventspace.open(ground.recording())
        for method, arguments, fault, text in (
                ("events", {"last": -1}, ValueError, "last: found -1; expected 0 or more"),
                ("events", {"last": "3"}, TypeError, "last: found '3'; expected a whole number"),
                ("events", {"last": 3.0}, TypeError, "last: found 3.0; expected a whole number"),
                ("events", {"last": 2**64}, ValueError, "last: found 18446744073709551616; expected at most"),
                ("events", {"threads": ["a"]}, TypeError, "threads: found ['a']; expected str"),
                ("events", {"where": 3}, TypeError, "where: found 3; expected str"),
                ("events", {"since": "x"}, TypeError, "since: found 'x'; expected seconds"),
                ("events", {"since": -1}, ValueError, "since: found -1; expected seconds, 0 or more"),
                ("events", {"timeout": "x"}, TypeError, "timeout: found 'x'; expected seconds"),
                ("events", {"timeout": None}, TypeError, "timeout: found None; expected seconds"),
                ("events", {"fields": "thread"}, TypeError, "fields: found 'thread'; expected a sequence of str"),
                ("events", {"fields": [3]}, TypeError, "fields: found 3 in the sequence; expected str"),
                ("scope", {"paths": b"x"}, TypeError, "paths: found b'x'; expected str"),
                ("scope", {"fields": 3}, TypeError, "fields: found 3; expected a sequence of str"),
                ("measure", {"metric": "Imbalance", "every": float("nan")}, ValueError,
                 "every: found nan; expected seconds, more than 0"),
                ("measure", {"metric": "Imbalance", "every": "x"}, TypeError, "every: found 'x'; expected seconds"),
                ("measure", {"metric": None}, TypeError, "metric: found None; expected str"),
                ("measure", {"metric": "Imbalance", "each": 3}, TypeError, "each: found 3; expected str"),
                ("measure", {"metric": "Imbalance", "files": "x"}, TypeError,
                 "files: found 'x'; expected a sequence of paths"),
                ("measure", {"metric": "Imbalance", "files": [3]}, TypeError, "files: found 3; expected the path of a file"),
                ("scope", {"reduce": 3}, TypeError, "reduce: found 3; expected a function"),
                ("heartbeat", {"at": "x"}, TypeError, "at: found 'x'; expected seconds"),
                ("heartbeat", {"stall": float("inf")}, ValueError, "stall: found inf; expected seconds, more than 0"),
                ("profile", {"duration": "x"}, TypeError, "duration: found 'x'; expected seconds"),
                ("collectives", {"duration": -1}, ValueError, "duration: found -1; expected seconds, 0 or more")):
            with self.subTest(method=method, **arguments), self.assertRaises(fault) as refused:
                getattr(run, method)(**arguments)
            self.assertTrue(str(refused.exception).startswith(text), refused.exception)

    def test_lone_surrogates_are_refused_as_elsewhere_in_python(self):
        run = eventspace.open(ground.recording())
        for method, arguments in (("events", {"where": "\ud800"}), ("events", {"fields": ["\ud800"]})):
            with self.assertRaises(UnicodeEncodeError):
                getattr(run, method)(**arguments)

    def test_no_events_have_empty_columns_of_the_right_types(self):
        none = eventspace.open(ground.recording()).events(where="duration < 0ns", fields=["duration", "thread", "start_ns"])
        self.assertEqual((len(none), none["duration"].dtype, len(none["duration"])), (0, "float64", 0))
        self.assertEqual((none["start_ns"].dtype, list(none["thread"])), ("datetime64[ns]", []))

    def test_none_is_an_absent_filter_and_integers_of_numpy_are_numbers(self):
        run = eventspace.open(ground.recording())
        self.assertEqual(len(run.events(where=None, threads=None, fields=None, last=numpy.int64(7))), 7)

    def test_a_scope_with_a_name_refuses_filters(self):
        run = eventspace.open(ground.recording())
        for argument, value in (("where", "duration > 1us"), ("threads", "a*"), ("paths", "b"), ("since", 1.0),
                                ("since", 0), ("in_flight", True)):
            with self.assertRaisesRegex(eventspace.ConfigurationError, f"^{argument}: the scope 'events' has its own"):
                run.scope("events", **{argument: value})
        self.assertGreater(len(run.scope("events", fields=["duration"]).pull()), 0)


class EqualNames(unittest.TestCase):
    def test_have_one_code_and_select_the_events_of_a_condition(self):
        run = eventspace.open(market.recording())
        frame = run.events().to_pandas()
        selected = run.events(where="path == 'total'")
        self.assertEqual(set(selected["thread"]), {"buyer", "seller"})  # each has a path of this name
        self.assertEqual(len(frame[frame["path"] == "total"]), len(selected))
        self.assertEqual(selected.names("path"), ["total"])


class TornRecording(unittest.TestCase):
    def test_a_file_that_ends_within_a_chunk_is_read_to_its_last_whole_one(self):
        with open(ground.recording(), "rb") as whole:
            data = whole.read()
        with open(ground.file("torn.evs"), "wb") as torn:
            torn.write(data[: len(data) * 2 // 3])
        run = eventspace.open(ground.file("torn.evs"))
        self.assertGreater(len(run.events()), 0)
        self.assertNotEqual(run.info["damage"], "")

    def test_a_file_that_is_cut_while_it_is_open_is_an_error_or_a_loss(self):
        with open(ground.recording(), "rb") as whole:
            data = whole.read()
        with open(ground.file("cut.evs"), "wb") as cut:
            cut.write(data)
        run = eventspace.open(ground.file("cut.evs"))
        with open(ground.file("cut.evs"), "r+b") as cut:
            cut.truncate(len(data) // 2)
        try:
            events = run.events()
        except eventspace.Error:
            return
        self.assertTrue(events.unread)


class RunningSession(unittest.TestCase):
    def test_events_of_a_session_are_those_of_this_process(self):
        with ground.application("live"), eventspace.session("live") as session:
            self.assertTrue(ground.eventually(lambda: len(session.events()) > 100))
            events = session.events(where="probe == 'iteration'", last=10)
            self.assertEqual(len(events), 10)
            numbers = events["value1"]
            self.assertEqual(list(numbers), list(range(int(numbers[0]), int(numbers[0]) + 10)))
            self.assertFalse(session.is_recorded)
            self.assertEqual(session.info["session"], "live")
            self.assertIn("earlier", session.losses)

    def test_a_scope_yields_each_event_once(self):
        with ground.application("pulled"), eventspace.session("pulled") as session:
            scope = session.scope(where="probe == 'iteration'", fields=["value1"])
            numbers = []
            self.assertTrue(ground.eventually(lambda: numbers.extend(scope.pull()["value1"]) or len(numbers) > 200))
            self.assertEqual(numbers, sorted(set(numbers)))

    def test_a_scope_returns_what_the_function_makes(self):
        with ground.application("reduced"), eventspace.session("reduced") as session:
            self.assertTrue(ground.eventually(lambda: len(session.events()) > 10))
            self.assertGreater(session.scope("events", reduce=len).pull(), 0)

            def fault(_events):
                raise ZeroDivisionError

            with self.assertRaises(ZeroDivisionError):
                session.scope("events", reduce=fault).pull()

    def test_an_unknown_session_is_an_error_with_advice(self):
        with self.assertRaisesRegex(eventspace.EnvironmentError, "no process of a session 'nobody'"):
            eventspace.session("nobody")

    def test_a_closed_session_refuses(self):
        with ground.application("closing"):
            session = eventspace.session("closing")
            scope = session.scope("events")
            session.close()
            session.close()
            with self.assertRaisesRegex(eventspace.Closed, "was closed"):
                session.events()
            scope.pull()  # has the session of its own


if __name__ == "__main__":
    ground.main()
