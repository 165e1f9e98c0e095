"""calls.py PATHMAP ROUNDS CALLS: times of calls of the Python package, in nanoseconds, a line of JSON for each round."""

import json
import sys
import time

import eventspace

EVENTS_OF_PULL = 1948
FIELDS = ["start_ns", "duration", "thread", "path", "bytes"]


def ns_each(call, calls):
    numbers = range(calls)
    begun = time.perf_counter_ns()
    for number in numbers:
        call(number)
    return (time.perf_counter_ns() - begun) / calls


def ns_of_region(calls):
    numbers = range(calls)
    begun = time.perf_counter_ns()
    for _ in numbers:
        with eventspace.region("solve"):
            pass
    return (time.perf_counter_ns() - begun) / calls


def ns_of_pull(scope, write):
    while scope.pull().has_more:
        pass
    ns_each(write, EVENTS_OF_PULL)
    events, has_more = 0, True
    begun = time.perf_counter_ns()
    while has_more:
        pulled = scope.pull()
        events, has_more = events + len(pulled), pulled.has_more
    took = time.perf_counter_ns() - begun
    assert events == EVENTS_OF_PULL, events
    return took


def main(pathmap, rounds, calls):
    with eventspace.Session.join(pathmap, "p0") as session, eventspace.pathmap(pathmap) as observed:
        path = session.thread("t0").path("put")
        scope = observed.scope(paths="put", fields=FIELDS)

        def write(number):
            path.write((number, "wheel"))

        for _ in range(int(rounds)):
            times = {"pull": ns_of_pull(scope, write), "write": ns_each(write, int(calls)),
                     "probe": ns_each(lambda number: eventspace.probe("step", number), int(calls)),
                     "region": ns_of_region(int(calls))}
            print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
