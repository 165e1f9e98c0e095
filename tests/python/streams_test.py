"""Front-end and back-ends of networks of streams in Python."""

import os
import signal
import threading
import time
import unittest

import numpy

import ground
from ground import eventspace


def answer(text, rank, faults):
    """A back-end, until the network ends."""
    try:
        with eventspace.streams.BackEnd(text, rank=rank, timeout=ground.LIMIT) as back:
            for packet in back:
                if packet.tag == 1:
                    packet.answer([float(back.rank)])
                elif packet.tag == 2:
                    packet.answer([rank, f"rank {rank}", ["a", "b"], numpy.arange(rank, dtype="int16")])
    except BaseException as fault:
        faults.append(fault)


class Streams(unittest.TestCase):
    def setUp(self):
        self.front = eventspace.streams.FrontEnd("2x2")
        self.faults = []
        text = self.front.attach_text()
        self.backs = [threading.Thread(target=answer, args=(text, rank, self.faults)) for rank in range(4)]
        for back in self.backs:
            back.start()
        self.addCleanup(self.end)
        self.assertTrue(self.front.wait_for(timeout=ground.LIMIT))
        self.assertEqual(self.front.ranks, [0, 1, 2, 3])
        begun = self.front.open(up="max")  # all have begun to receive when they have answered
        begun.send([0], tag=1)
        self.assertIsNotNone(begun.receive(timeout=ground.LIMIT))

    def end(self):
        self.front.close()
        for back in self.backs:
            back.join(ground.LIMIT)
        self.assertEqual(self.faults, [])

    def test_answers_are_combined_on_the_way(self):
        stream = self.front.open(up="max")
        self.assertTrue(stream.send([0], tag=1, timeout=ground.LIMIT))
        packet = stream.receive(timeout=ground.LIMIT)
        self.assertEqual((packet.values, packet.missing), ((3.0,), []))

    def test_values_of_all_types_arrive(self):
        stream = self.front.open(synchronise="do_not_wait")
        stream.send([0], tag=2)
        found = {}
        while len(found) < 4:
            packet = self.front.receive(timeout=ground.LIMIT)
            number, text, texts, array = packet.values
            self.assertEqual((text, texts), (f"rank {number}", ["a", "b"]))
            self.assertTrue(numpy.array_equal(array, numpy.arange(number, dtype="int16")))
            self.assertEqual(array.dtype, "int16")
            found[number] = array
        self.front.close()
        self.assertEqual(found[3].sum(), 3)  # arrays own their memory

    def test_wrong_values_and_words_are_refused(self):
        stream = self.front.open()
        for value, text in ((None, "value 0 is of type NoneType"), (True, "of type bool"),
                            (numpy.zeros((2, 2)), "an array of float64"), ([1], "a list with other things")):
            with self.assertRaisesRegex(TypeError, text):
                stream.send([value])
        with self.assertRaisesRegex(OverflowError, "value 1 does not fit"):
            stream.send([0, 2**63])
        with self.assertRaises(UnicodeEncodeError):
            stream.send(["\ud800"])
        with self.assertRaisesRegex(ValueError, "expected 'wait_for_all'"):
            self.front.open(synchronise="sometimes")
        with self.assertRaisesRegex(eventspace.Error, "maxx"):
            self.front.open(up="maxx")
        with self.assertRaisesRegex(TypeError, "timeout: found 'x'; expected seconds"):
            stream.receive(timeout="x")

    def test_wrong_arguments_are_refused_in_the_form_of_the_house(self):
        front, stream, streams = self.front, self.front.open(), eventspace.streams
        for call, fault, text in (
                (lambda: streams.FrontEnd(3), TypeError, "topology: found 3; expected str"),
                (lambda: streams.FrontEnd("2", session=3), TypeError, "session: found 3; expected str"),
                (lambda: streams.BackEnd(3), TypeError, "point: found 3; expected str"),
                (lambda: streams.BackEnd("x", rank=-1), ValueError, "rank: found -1; expected 0 or more"),
                (lambda: front.attach_point("0"), TypeError, "rank: found '0'; expected a whole number"),
                (lambda: front.wait_for(-1), ValueError, "back_ends: found -1; expected 0 or more"),
                (lambda: front.open(up=3), TypeError, "up: found 3; expected a sequence of str"),
                (lambda: front.open(down=[3]), TypeError, "down: found 3 in the sequence; expected str"),
                (lambda: front.open(synchronise=3), TypeError, "synchronise: found 3; expected str"),
                (lambda: front.open(time_out="x"), TypeError, "time_out: found 'x'; expected seconds"),
                (lambda: front.open(members="12"), TypeError, "members: found '12'; expected a sequence of whole"),
                (lambda: front.open(members=[2**31]), ValueError, "members: found 2147483648; expected at most"),
                (lambda: stream.send("abc"), TypeError, "values: found 'abc'; expected a sequence of values"),
                (lambda: stream.send(3), TypeError, "values: found 3; expected a sequence of values"),
                (lambda: stream.send([], tag=2**31), ValueError, "tag: found 2147483648; expected at most")):
            with self.subTest(text), self.assertRaises(fault) as refused:
                call()
            self.assertTrue(str(refused.exception).startswith(text), refused.exception)
        self.assertIsNone(stream.receive(timeout=0.01))

    def test_an_end_is_for_its_own_thread(self):
        faults = []

        def use():
            try:
                self.front.open()
            except eventspace.UsageError as fault:
                faults.append(str(fault))

        thread = threading.Thread(target=use)
        thread.start()
        thread.join(ground.LIMIT)
        self.assertIn("for the thread that made it", faults[0])

    def test_only_its_own_thread_closes_an_end(self):
        faults = []

        def close():
            time.sleep(0.05)
            try:
                self.front.close()
            except eventspace.UsageError as fault:
                faults.append(str(fault))

        thread = threading.Thread(target=close)
        thread.start()
        self.assertIsNone(self.front.receive(timeout=0.2))
        thread.join(ground.LIMIT)
        self.assertIn("for the thread that made it", faults[0])

    def test_a_signal_handler_closes_an_end_that_waits(self):
        def close(_number, _frame):
            self.front.close()

        before = signal.signal(signal.SIGUSR1, close)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        sender = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
        sender.start()
        with self.assertRaises(eventspace.Closed):
            self.front.receive(timeout=ground.LIMIT)
        sender.join(ground.LIMIT)

    def test_a_closed_end_refuses(self):
        stream = self.front.open()
        self.front.close()
        with self.assertRaises(eventspace.Closed):
            stream.send([1])


class Attaching(unittest.TestCase):
    def test_a_signal_ends_the_attaching(self):
        sender = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        sender.start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            eventspace.streams.BackEnd(f"nowhere ipc://{ground.file('nothing')} 0", timeout=3)
        self.assertLess(time.monotonic() - begun, 1.5)
        sender.join(ground.LIMIT)

    def test_a_back_end_without_a_network_is_an_error(self):
        with self.assertRaisesRegex(eventspace.ConfigurationError, "EVENTSPACE_STREAM"):
            eventspace.streams.BackEnd(timeout=0.05)
        with self.assertRaises(eventspace.Error):
            eventspace.streams.BackEnd("nowhere ipc:///nonexistent/socket 0", timeout=0.05)

    def test_a_back_end_finds_the_network_of_a_session(self):
        with eventspace.streams.FrontEnd("flat:1", session="toolbox") as front:
            ranks = []

            def attach():
                with eventspace.streams.BackEnd(session="toolbox") as back:
                    ranks.append(back.rank)

            thread = threading.Thread(target=attach)
            thread.start()
            while thread.is_alive():
                front.receive(timeout=0.01)  # a front-end serves its network while a call runs
            self.assertEqual(ranks, [0])


if __name__ == "__main__":
    ground.main()
