"""Being an application: sessions, paths, tuples, collectives, probes; and all that can go wrong."""

import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy

import ground
from ground import eventspace


class Application(unittest.TestCase):
    """Threads of a session in this process, joined for each test."""

    def setUp(self):
        self.session = eventspace.Session.join(ground.file("market.yaml", ground.PATHMAP), "p0")
        self.addCleanup(self.session.close)

    def in_thread(self, name, work):
        """Calls `work` with the session's thread of this name, in a thread of its own; returns a function that waits
        for the result."""
        results = []

        def run():
            try:
                results.append(work(self.session.thread(name)))
            except BaseException as fault:
                results.append(fault)

        thread = threading.Thread(target=run)
        thread.start()

        def result():
            thread.join(ground.LIMIT)
            if isinstance(results[0], BaseException):
                raise results[0]
            return results[0]

        return result


class Paths(Application):
    def test_what_is_written_is_taken(self):
        put, get = (self.session.thread(name).path(path) for name, path in (("seller", "put"), ("buyer", "get")))
        put.write((1, "wheel"))
        put.write([2, "nut \u00e9"])
        self.assertEqual(get.read(), (1, "wheel"))
        received = get.take()
        self.assertEqual((received, received.sequence), ((1, "wheel"), 1))
        self.assertEqual(get.take(), (2, "nut \u00e9"))

    def test_all_types_come_back(self):
        note = self.session.thread("seller").path("note")
        note.write((True, 0.5, b"\0\xff"))
        self.assertEqual(note.read(), (True, 0.5, b"\0\xff"))
        note.write((False, numpy.float64(2), bytearray(b"ab")))
        self.assertEqual(note.read(start="newest"), (False, 2.0, b"ab"))
        self.assertIs(type(note.read()[0]), bool)

    def test_forms_that_do_not_wait_say_what_they_found(self):
        put, get = (self.session.thread(name).path(path) for name, path in (("seller", "put"), ("buyer", "get")))
        self.assertIsNone(get.try_take())
        for number in range(10):
            self.assertTrue(put.try_write((number, "x")))
        self.assertFalse(put.try_write((10, "x")))
        self.assertEqual(get.try_read(), (0, "x"))

    def test_timeouts_are_errors(self):
        get = self.session.thread("buyer").path("get")
        begun = time.monotonic()
        with self.assertRaisesRegex(eventspace.TimedOut, "take on path get: timed out"):
            get.take(timeout=0.05)
        self.assertGreaterEqual(time.monotonic() - begun, 0.05)
        with self.assertRaises(TimeoutError):
            get.read(timeout=0.01)

    def test_a_template_selects(self):
        put, get = (self.session.thread(name).path(path) for name, path in (("seller", "put"), ("buyer", "get")))
        put.write((1, "nut"))
        put.write((2, "wheel"))
        self.assertEqual(get.take((int, "wheel")), (2, "wheel"))
        self.assertIsNone(get.try_take((int, "wheel")))

    def test_next_follows_an_element_and_counts_what_it_missed(self):
        note = self.session.thread("seller").path("note")
        for number in range(7):
            note.write((True, float(number), b""))
        first = note.next(timeout=1)
        self.assertEqual((first[1], first.missed), (2.0, 2))
        self.assertEqual(note.next(timeout=1)[1], 3.0)
        with self.assertRaises(eventspace.Gone):
            note.read_at(1)
        note.discard(7)
        self.assertIsNone(note.try_read())

    def test_a_wait_in_another_thread_lets_this_one_work(self):
        put = self.session.thread("seller").path("put")
        taken = self.in_thread("buyer", lambda thread: thread.path("get").take(timeout=ground.LIMIT))
        time.sleep(0.02)
        put.write((7, "late"))
        self.assertEqual(taken(), (7, "late"))

    def test_a_wait_in_the_main_thread_ends_when_another_writes(self):
        get = self.session.thread("buyer").path("get")

        def write(thread):
            time.sleep(0.05)
            thread.path("put").write((8, "later"))

        written = self.in_thread("seller", write)
        self.assertEqual(get.take(timeout=ground.LIMIT), (8, "later"))
        written()

    def test_threads_exchange(self):
        sums = [self.in_thread(name, lambda thread, mine=mine: thread.path("total").exchange((mine,)))
                for name, mine in (("seller", 3), ("buyer", 4))]
        self.assertEqual([result() for result in sums], [(7,), (7,)])

    def test_packed_tuples_come_back(self):
        self.assertEqual(eventspace.unpack(eventspace.pack([(1, "a"), (2, "b")])), [(1, "a"), (2, "b")])

    def test_events_of_python_threads_are_recorded(self):
        self.session.thread("seller").set_virtual_time(5)
        self.session.thread("seller").path("put").write((1, "x"))
        self.assertEqual(self.session.events_recorded, 1)


class WrongUse(Application):
    def test_wrong_types_are_refused_with_their_place(self):
        put = self.session.thread("seller").path("put")
        for values, fault, text in (((1, object()), TypeError, "field 1 is of type object; expected bool, int"),
                                    ((1, None), TypeError, "field 1 is of type NoneType"),
                                    ("ab", TypeError, "found str; expected a tuple or a list"),
                                    ((2**63, "x"), OverflowError, "field 0 does not fit"),
                                    ((1,) * 65, ValueError, "at most 64"),
                                    ((1, "\ud800"), UnicodeEncodeError, "surrogates")):
            with self.assertRaisesRegex(fault, text):
                put.write(values)
        with self.assertRaisesRegex(eventspace.Refused, r"write on path put: refused: the tuple is \(float, text\)"):
            put.write((1.5, "x"))
        with self.assertRaisesRegex(TypeError, "field 0 is of type type; expected one of the types"):
            self.session.thread("buyer").path("get").try_take((list, "x"))
        with self.assertRaisesRegex(ValueError, "expected 'oldest' or 'newest'"):
            self.session.thread("buyer").path("get").try_take(start="middle")
        with self.assertRaisesRegex(TypeError, "timeout: found 'x'; expected seconds"):
            put.write((1, "x"), timeout="x")

    def test_wrong_arguments_are_refused_in_the_form_of_the_house(self):
        join, open_, thread = eventspace.Session.join, eventspace.Session.open, self.session.thread("buyer")
        get = thread.path("get")
        for call, fault, text in (
                (lambda: join(3), TypeError, "pathmap: found 3; expected the path of a file"),
                (lambda: join("x.yaml", 3), TypeError, "process: found 3; expected str"),
                (lambda: join(session=b"x"), TypeError, "session: found b'x'; expected str"),
                (lambda: join(collect="yes"), TypeError, "collect: found 'yes'; expected True or False"),
                (lambda: join(end_when_lost=1), TypeError, "end_when_lost: found 1; expected True or False"),
                (lambda: open_(None), TypeError, "name: found None; expected str"),
                (lambda: open_("x", node=3), TypeError, "node: found 3; expected str"),
                (lambda: open_("x", rank="3"), TypeError, "rank: found '3'; expected a whole number"),
                (lambda: open_("x", rank=-1), ValueError, "rank: found -1; expected 0 or more"),
                (lambda: open_("x", rank=2**32), ValueError, "rank: found 4294967296; expected at most 4294967295"),
                (lambda: self.session.thread(3), TypeError, "name: found 3; expected str"),
                (lambda: self.session.set_collecting("on"), TypeError, "on: found 'on'; expected True or False"),
                (lambda: thread.path(3), TypeError, "name: found 3; expected str"),
                (lambda: thread.set_virtual_time(-1), ValueError, "value: found -1; expected 0 or more"),
                (lambda: thread.set_virtual_time(0.5), TypeError, "value: found 0.5; expected a whole number"),
                (lambda: get.read(start=3), TypeError, "start: found 3; expected str"),
                (lambda: get.read_at("1"), TypeError, "sequence: found '1'; expected a whole number"),
                (lambda: get.discard(2**64), ValueError, "sequence: found 18446744073709551616; expected at most"),
                (lambda: eventspace.session(3), TypeError, "name: found 3; expected str"),
                (lambda: eventspace.open(3), TypeError, "file: found 3; expected the path of a file"),
                (lambda: eventspace.pathmap("x.yaml", 3), TypeError, "session: found 3; expected str"),
                (lambda: eventspace.pack(3), TypeError, "tuples: found int; expected a sequence of tuples"),
                (lambda: eventspace.unpack(3), TypeError, "found int; expected a tuple or a list")):
            with self.subTest(text), self.assertRaises(fault) as refused:
                call()
            self.assertTrue(str(refused.exception).startswith(text), refused.exception)

    def test_integers_and_truths_of_numpy_and_paths_of_pathlib_are_accepted(self):
        self.session.set_collecting(numpy.bool_(True))
        self.session.thread("seller").set_virtual_time(numpy.int64(3))
        self.session.close()
        with eventspace.Session.join(pathlib.Path(ground.file("market.yaml")), "p0", collect=None) as again:
            self.assertEqual(again.name, "market")

    def test_a_list_that_changes_while_it_is_read_is_read_as_it_was(self):
        class Emptying:
            def __index__(self):
                fields.clear()
                return 1

        fields = [Emptying(), "wheel " * 2]
        self.session.thread("seller").path("put").write(fields)
        self.assertEqual(self.session.thread("buyer").path("get").take(), (1, "wheel wheel "))

    def test_a_signal_handler_cannot_use_the_path_that_waits(self):
        get = self.session.thread("buyer").path("get")
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, lambda *_: get.try_take()))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with self.assertRaisesRegex(eventspace.UsageError, "in use by the operation that this signal handler interrupts"):
            get.take(timeout=ground.LIMIT)
        self.assertIsNone(get.try_take())

    def test_unknown_names_are_refused_with_the_known_ones(self):
        with self.assertRaisesRegex(eventspace.ConfigurationError, "seler.*seller"):
            self.session.thread("seler")
        with self.assertRaisesRegex(eventspace.ConfigurationError, "putt.*put"):
            self.session.thread("seller").path("putt")

    def test_a_path_is_for_its_own_thread(self):
        put = self.session.thread("seller").path("put")
        with self.assertRaisesRegex(eventspace.UsageError, "call Session.thread in each thread"):
            self.in_thread("buyer", lambda _thread: put.write((1, "x")))()

    def test_objects_of_a_closed_session_refuse(self):
        thread = self.session.thread("seller")
        put = thread.path("put")
        self.session.close()
        self.session.close()
        self.assertTrue(self.session.is_closed)
        for use in (lambda: put.write((1, "x")), lambda: thread.path("put"), lambda: self.session.thread("buyer"),
                    lambda: self.session.name, lambda: put.name, lambda: thread.name):
            with self.assertRaisesRegex(eventspace.Closed, "this session was closed"):
                use()

    def test_objects_keep_a_dropped_session(self):
        put = self.session.thread("seller").path("put")
        self.session = None
        put.write((1, "x"))

    def test_close_ends_the_waits_of_other_threads(self):
        waiting = self.in_thread("buyer", lambda thread: thread.path("get").take())
        time.sleep(0.05)
        self.session.close()
        with self.assertRaises(eventspace.Closed):
            waiting()

    def test_the_session_can_be_joined_again(self):
        self.session.close()
        with eventspace.Session.join(ground.file("market.yaml"), "p0") as again:
            again.thread("seller").path("put").write((1, "x"))
        self.assertTrue(again.is_closed)

    def test_a_forked_child_gets_a_clear_error(self):
        put = self.session.thread("seller").path("put")
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                put.write((1, "x"))
                text = "written"
            except eventspace.UsageError as fault:
                text = str(fault)
            except BaseException as fault:
                text = repr(fault)
            os.write(write_end, text.encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(write_end)
        text = os.read(read_end, 1000).decode()
        os.close(read_end)
        self.assertIn("belongs to the process that forked this one", text)
        put.write((1, "still"))


class Interrupts(Application):
    """Signals that come while a call waits. The main thread of this process handles them."""

    def signalled(self, wait, *arguments):
        """Calls `wait`, which waits, and sends the signal meanwhile, at the time self.sent."""
        def send():
            time.sleep(0.1)
            self.sent = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            wait(*arguments)
        finally:
            sender.join()

    def interrupted(self, wait, *arguments):
        """Calls `wait`, which waits, and returns after how many seconds the signal ended it."""
        with self.assertRaises(KeyboardInterrupt):
            self.signalled(wait, *arguments)
        return time.monotonic() - self.sent

    def test_end_a_take_at_once_and_the_path_stays_usable(self):
        get = self.session.thread("buyer").path("get")
        self.assertLess(self.interrupted(get.take), 2)
        self.session.thread("seller").path("put").write((1, "after"))
        self.assertEqual(get.take(timeout=5), (1, "after"))

    def test_end_an_exchange_at_once(self):
        self.assertLess(self.interrupted(self.session.thread("buyer").path("total").exchange, (1,)), 2)

    def test_a_tuple_that_has_been_taken_is_in_the_exception(self):
        get = self.session.thread("buyer").path("get")
        put = self.session.thread("seller").path("put")

        def interrupt(_signal, _frame):
            put.write((1, "late"))  # completes the take
            raise KeyboardInterrupt

        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, interrupt))
        with self.assertRaises(KeyboardInterrupt) as caught:
            self.signalled(get.take)
        self.assertEqual((caught.exception.received, caught.exception.received.sequence), ((1, "late"), 1))
        self.assertIn("take on path get has happened", caught.exception.__notes__[0])
        self.assertIsNone(get.try_take())

    def test_end_a_measurement_at_once(self):
        measuring = eventspace.pathmap(ground.file("market.yaml", ground.PATHMAP)).measure("Imbalance", every=60.0)
        next(measuring)
        self.assertLess(self.interrupted(lambda: next(measuring)), 2)


class InterruptsAtServers(Interrupts):
    """The same, with the elements and the collective in the server of the node."""

    def setUp(self):
        pathmap = ground.file("served.yaml", ground.PATHMAP.replace("process: p0}]", "node: n1}]"))
        self.server = int(re.search(r"pid (\d+)", ground.call("up", pathmap))[1])
        self.addCleanup(ground.call, "down", pathmap)
        self.session = eventspace.Session.join(pathmap, "p0")
        self.addCleanup(self.session.close)

    def test_do_not_wait_for_a_server_that_stands_still(self):
        get = self.session.thread("buyer").path("get")
        self.assertIsNone(get.try_take())
        os.kill(self.server, signal.SIGSTOP)
        self.addCleanup(os.kill, self.server, signal.SIGCONT)
        with self.assertRaises(KeyboardInterrupt) as caught:
            self.signalled(get.take)
        self.assertLess(time.monotonic() - self.sent, 2)
        self.assertRegex(caught.exception.__notes__[0], "take on path get: no answer from .* in time; it may have happened")


class Probes(unittest.TestCase):
    def test_probes_and_regions_are_recorded_with_their_values(self):
        with eventspace.Session.open("probing", process="app", node="n1") as session, \
                eventspace.session("probing") as observed:
            session.thread("main")

            @eventspace.probe
            def work(number):
                eventspace.probe("step", number, residual=0.5, virtual_time=number)
                return number + 1

            with eventspace.region("outer"):
                self.assertEqual(work(3), 4)
            with self.assertRaises(ZeroDivisionError), eventspace.region("failing"):
                1 / 0
            events = observed.events()
            self.assertEqual(sorted(events["probe"]),
                             ["Probes.test_probes_and_regions_are_recorded_with_their_values.<locals>.work", "failing",
                              "outer", "step"])
            step = observed.events(where="probe == 'step'")
            self.assertEqual((step["value1"][0], step["value2"][0], step["virtual_time"][0]), (3, 0.5, 3))
            self.assertEqual(work.__name__, "work")

    def test_open_regions_are_in_flight(self):
        with eventspace.Session.open("inside", process="app", node="n1"), eventspace.session("inside") as observed:
            with eventspace.region("solve"):
                events = observed.events(in_flight=True)
                self.assertEqual(list(events["probe"]), ["solve"])
                self.assertTrue(events["in_flight"].all())
                self.assertNotIn("end_ns", events)
                self.assertTrue(observed.events(in_flight=True, fields=["end_ns"]).missing("end_ns").all())

    def test_values_that_are_no_numbers_are_refused(self):
        for values, fault, text in ((("x",), TypeError, "of type str; expected a number"),
                                    ((1,) * 9, ValueError, "at most 8 values"), ((2**64,), OverflowError, "")):
            with self.assertRaisesRegex(fault, text):
                eventspace.probe("wrong", *values)
        with self.assertRaisesRegex(TypeError, "name of a probe is of type int"):
            eventspace.region(3)

    def test_a_virtual_time_is_any_whole_number(self):
        with eventspace.Session.open("numbered", process="app", node="n1"), eventspace.session("numbered") as observed:
            eventspace.probe("step", virtual_time=numpy.int64(3))
            self.assertEqual(list(observed.events()["virtual_time"]), [3])
        with self.assertRaisesRegex(TypeError, "virtual_time: found a value of type float; expected a whole number"):
            eventspace.probe("step", virtual_time=3.0)

    def test_names_of_values_tell_probes_apart(self):
        with eventspace.Session.open("named", process="app", node="n1"), eventspace.session("named") as observed:
            for _ in range(3):
                eventspace.probe("step", 1, residual=0.5)
                eventspace.probe("step", residual=0.5, error=1)
                eventspace.probe("step", error=1, residual=0.5)
            events = observed.events()
            self.assertEqual(list(zip(events["value1"], events["value2"])), [(1, 0.5), (0.5, 1), (1, 0.5)] * 3)

    def test_a_name_is_kept_once_however_often_its_probe_is_passed(self):
        name = "kept " * 2  # not written in the program
        eventspace.probe(name, residual=0.5)
        before = sys.getrefcount(name)
        for _ in range(100):
            eventspace.probe(name, residual=0.5)
        self.assertEqual(sys.getrefcount(name), before)

    def test_callables_that_are_no_functions_have_regions_with_sensible_names(self):
        class Solver:
            def __call__(self, number):
                return -number

        def add(one, other):
            return one + other

        here = "Probes.test_callables_that_are_no_functions_have_regions_with_sensible_names.<locals>"
        with eventspace.Session.open("callables", process="app", node="n1"), \
                eventspace.session("callables") as observed:
            self.assertEqual(eventspace.probe(functools.partial(functools.partial(add, 1), 2))(), 3)
            self.assertEqual(eventspace.probe(Solver())(4), -4)
            self.assertEqual(eventspace.probe(len)("abc"), 3)
            self.assertEqual(set(observed.events()["probe"]), {f"{here}.add", f"{here}.Solver", "len"})

    def test_a_function_that_becomes_a_region_has_no_values(self):
        with self.assertRaisesRegex(TypeError, "values of the probe of len"):
            eventspace.probe(len, 1)

    def test_functions_that_only_make_an_object_are_refused(self):
        async def coroutine():
            pass

        def generator():
            yield

        async def asynchronous_generator():
            yield

        class Coroutines:
            async def __call__(self):
                pass

        for function in (coroutine, generator, asynchronous_generator, functools.partial(coroutine), Coroutines()):
            with self.assertRaisesRegex(TypeError, "is a coroutine function or a generator"):
                eventspace.probe(function)

    def test_a_forked_child_joins_a_session_of_its_own(self):
        code = """
import eventspace, os, sys
session = eventspace.Session.join()
child = os.fork()
if child == 0:
    own = eventspace.Session.join()
    assert own.name == "forks", own.name
    eventspace.probe("child")
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
eventspace.probe("parent")
"""
        ground.call("run", "--session", "forks", "--record", ground.file("forks.evs"), "--", *ground.interpreter, "-c", code)
        events = eventspace.open(ground.file("forks.evs")).events()
        self.assertEqual(sorted(events["probe"]), ["child", "parent"])

    def test_without_a_session_probes_do_nothing(self):
        eventspace.probe("nowhere", 1)
        with eventspace.region("nowhere"):
            pass

    def test_a_program_under_run_records_without_joining(self):
        code = "import eventspace, time\nfor i in range(5): eventspace.probe('step', i)\n" \
               "with eventspace.region('last'): pass\n"
        ground.call("run", "--session", "under", "--record", ground.file("under.evs"), "--", *ground.interpreter,
                    "-c", code)
        events = eventspace.open(ground.file("under.evs")).events()
        self.assertEqual(sorted(events["probe"]), ["last"] + ["step"] * 5)

    def test_a_program_under_run_joins_that_session(self):
        code = "import eventspace\nwith eventspace.Session.join() as session:\n" \
               "    assert session.name == 'joins', session.name\n    eventspace.probe('inside')\n" \
               "eventspace.probe('after')\n"
        ground.call("run", "--session", "joins", "--record", ground.file("joins.evs"), "--", *ground.interpreter,
                    "-c", code)
        self.assertEqual(list(eventspace.open(ground.file("joins.evs")).events()["probe"]), ["inside"])


class Mpi(unittest.TestCase):
    """A program with mpi4py, under the preloaded library."""

    CODE = """
from mpi4py import MPI
import eventspace
world = MPI.COMM_WORLD
for step in range(5):
    with eventspace.region("solve"):
        world.allreduce(step)
    eventspace.probe("step", step)
"""

    def test_regions_and_probes_are_recorded_beside_the_calls(self):
        launcher = shutil.which("mpirun.openmpi")
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            launcher = None
        if ground.preload:
            self.skipTest("the launcher's library is preloaded instead of a sanitizer's")
        if not launcher:
            self.skipTest("needs mpi4py and Open MPI (Debian: python3-mpi4py)")
        ground.call("run", "--session", "ranks", "--record", ground.file("ranks.evs"), "--", launcher, "--allow-run-as-root",
                    "--oversubscribe", "-np", "2", *ground.interpreter, "-c", self.CODE)
        run = eventspace.open(ground.file("ranks.evs"))
        frame = run.events().to_pandas()
        self.assertEqual(set(frame["kind"]), {"mpi", "probe"})
        solves = frame[frame["probe"] == "solve"]
        self.assertEqual(list(solves.groupby("process", observed=True).size()), [5, 5])
        self.assertGreaterEqual((frame["verb"] == "collective").sum(), 10)
        self.assertEqual({row["phase"] for row in run.profile().phases}, {"solve", "-"})
        example = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python", "find_late_rank.py")
        found = subprocess.run([*ground.interpreter, example, ground.file("ranks.evs")], capture_output=True, text=True,
                               timeout=ground.LIMIT)
        self.assertRegex(found.stdout, "waiting_s: rank [01] [0-9.]+, mean of the others", found.stderr)


class Endings(unittest.TestCase):
    """How interpreters end while objects of the package are in use."""

    CODE = """
import eventspace, threading
session = eventspace.Session.open("ending", process="app", node="n1")
path = session.thread("main").path
observed = eventspace.session("ending")
scope = observed.scope("events")
region = eventspace.region("open")
region.__enter__()
"""

    def test_an_interpreter_ends_with_open_objects(self):
        _, errors = ground.python(self.CODE, "-X", "dev")
        self.assertEqual(errors, "")

    def test_an_interpreter_ends_while_a_thread_waits(self):
        code = self.CODE + """
def wait():
    session.thread("waiting")
    for pull in scope: pass
threading.Thread(target=wait, daemon=True).start()
"""
        _, errors = ground.python(code, "-X", "dev")
        self.assertEqual(errors, "")

    def test_importing_says_nothing_and_starts_no_thread(self):
        out, errors = ground.python("import eventspace, os; print(len(os.listdir('/proc/self/task')))", "-X", "dev",
                                    environment={"OPENBLAS_NUM_THREADS": "1"})
        self.assertEqual((out, errors), ("1\n", ""))

    def test_children_of_multiprocessing_open_their_own(self):
        code = self.CODE + """
import multiprocessing
def child(queue):
    try:
        observed.events()
    except eventspace.UsageError as fault:
        own = eventspace.session("ending")
        queue.put((str(fault), own.is_recorded))
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    text, is_recorded = queue.get(timeout=30)
    process.join()
    assert "belongs to the process that forked this one" in text and not is_recorded, text
    observed.events()
"""
        ground.python(code)


if __name__ == "__main__":
    ground.main()
