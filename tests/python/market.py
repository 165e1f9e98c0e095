"""A market with a pathmap: a seller and a buyer in this process, and the server of its node."""

import contextlib
import threading
import time

import ground
from ground import eventspace


@contextlib.contextmanager
def open_market(stands_still=False):
    """The session; its threads trade until the end of the block, or the buyer stops after a while."""
    pathmap = ground.file("market.yaml", ground.PATHMAP)
    ground.call("up", pathmap)
    is_over = threading.Event()
    faults = []

    def sell(session):
        thread = session.thread("seller")
        for number in range(1, 1_000_000):
            thread.set_virtual_time(number)
            thread.path("put").write((number, "wheel"))
            thread.path("total").exchange((number,))

    def buy(session):
        thread = session.thread("buyer")
        for number in range(1, 1_000_000):
            thread.set_virtual_time(number)
            with eventspace.region("deal"):
                thread.path("get").take()
                time.sleep(0.002)
            thread.path("total").exchange((1,))
            if stands_still and number == 20:
                is_over.wait()

    def trade(work, session):
        try:
            work(session)
        except eventspace.Closed:
            pass
        except BaseException as fault:
            faults.append(fault)

    try:
        with eventspace.Session.join(pathmap, "p0") as session:
            threads = [threading.Thread(target=trade, args=(work, session)) for work in (sell, buy)]
            for thread in threads:
                thread.start()
            try:
                yield pathmap
            finally:
                is_over.set()
                session.close()
                for thread in threads:
                    thread.join(ground.LIMIT)
    finally:
        ground.call("down", pathmap)
    assert not faults, faults


_made = {}


def recording():
    """A recording of half a second of trading, from the middle of it; made once."""
    if not _made:
        with open_market() as pathmap:
            time.sleep(0.1)
            ground.call("record", pathmap, "-o", ground.file("market.evs"), "--for", "500ms")
        _made["file"] = ground.file("market.evs")
    return _made["file"]
