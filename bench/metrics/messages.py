"""Messages a second at the front-end of a measurement: figures 7.3 to 7.5 of the thesis on distributed evaluation.

A program of processes that each have a rate of events is measured each half a second, with real servers. There are three
series: events a second and processes of one node (7.3), nodes of one site (7.4), and sites (7.5); of each point there are
three rows: servers evaluate and are asked; they evaluate and push; events travel (`--centralised`). The values are messages,
to and from the front-end, and the bytes that it receives. messages.csv has each point.
"""

import csv
import os
import re

import measuring
from pairs import Failed
from rows import make_row, median, spread_of
from tunnel import finish
from watching import application, servers

SHARE = 0
METRICS = ["Send_volume", "Mean_iteration_time"]
INTERVAL = 0.5  # seconds
LOST_AT_MOST = 0.01  # of the events
HOW = {"distributed": [], "pushed": ["--push"], "centralised": ["--centralised"]}
UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


def points(smoke):
    """Yields series, what varies, sites, nodes of a site, processes of a node, events a second of a process."""
    if smoke:
        yield "7.3", "200 events a second", 1, 1, 2, 100
        return
    for rate in (100, 1000, 10_000):
        yield "7.3", f"{2 * rate} events a second", 1, 1, 2, rate
    for processes in (1, 4, 8):
        yield "7.3", f"processes: {processes}", 1, 1, processes, 200
    for nodes in (1, 2, 4, 8):
        yield "7.4", f"nodes: {nodes}", 1, nodes, 1, 200
    for sites in (1, 2, 4):
        yield "7.5", f"sites: {sites}", sites, 2, 1, 200


def pathmap(sites, nodes, processes):
    """The text of a pathmap; the server of the first node of a site puts together what those of its nodes send."""
    places = [(site, node) for site in range(sites) for node in range(nodes)]
    threads = [f"t{i}" for i in range(len(places) * processes)]
    lines = ["pathmap: 1", "name: senders", "cluster:", "  nodes:"]
    lines += [f"    s{site}n{node}: {{}}" for site, node in places]
    lines += ["  clusters:"] + [f"    s{site}: {{nodes: \"s{site}n*\", gateway: s{site}n0}}" for site in range(sites)]
    lines += ["application:", f"  threads: [{', '.join(threads)}]", "  elements:",
              '    - {name: "log/{thread}", for: "*", tuple: [int], threshold: 1, when_full: discard}', "  paths:",
              '    - {thread: "*", name: log, element: "log/{thread}", use: write}', "placement:", "  processes:"]
    for number, thread in enumerate(threads):
        site, node = places[number // processes]
        lines.append(f"    p{number}: {{node: s{site}n{node}, threads: [{thread}]}}")
    lines += ['  elements: [{elements: "log/**", with: writer}]',
              "collect: {points: [{at: thread, threshold: 60000}]}", "scopes:", "  by-site:", '    threads: "*"',
              "    at: [thread]", "    read: next", "    probes: true", "    timeout: 5s", "    batch: 60000",
              "    levels:",
              "      - {group: all, wrapper: gather}", "      - {group: cluster, wrapper: gather}",
              "      - {group: node, wrapper: gather}"]
    return "\n".join(lines) + "\n"


def measured(programs, file, session, readings, more):
    """Returns messages a second, received bytes a second, and events a second; raises Failed."""
    status, said, _ = finish(programs.command(
        "eventspace", "measure", file, *METRICS, "--session", session, "--scope", "by-site", "--interval",
        f"{INTERVAL:g}s", "--count", readings, "--timeout", "30s", "--verbose", "--format", "csv", *more))
    if status != 0:
        raise Failed(f"measure ended with status {status}: {' | '.join(said.splitlines()[-3:])}")
    cost = re.search(r"processor time in .*; ([\d.]+) ?(\w+) received in (\d+) messages?, .* sent in (\d+) message", said)
    tally = re.search(r"^(\d+) events? in ([\d.]+) s", said, re.MULTILINE)
    if cost is None or tally is None:
        raise Failed(f"measure did not say what it cost: {said.strip()}")
    seconds = float(tally[2])
    lost = re.search(r"(\d+) records? w(?:as|ere) discarded before (?:it|they) w(?:as|ere) read", said)
    lost = int(lost[1]) if lost else 0
    # The oldest ones of a full trace element may be overwritten while the first reading begins.
    if seconds <= 0 or lost > LOST_AT_MOST * int(tally[1]):
        raise Failed(f"events were lost: {said.strip()}")
    received = float(cost[1]) * UNITS[cost[2]]
    return (int(cost[3]) + int(cost[4])) / seconds, received / seconds, int(tally[1]) / seconds


def measure_point(programs, work, point, rounds, readings):
    """Returns, of each way to measure, what `measured` says in each round; raises Failed."""
    _, _, sites, nodes, processes, rate = point
    file = work / f"senders-{sites}-{nodes}-{processes}.yaml"
    file.write_text(pathmap(sites, nodes, processes))
    session = f"bench-metrics-{os.getpid()}"
    of = {how: [] for how in HOW}
    ready = ["ready"] * (sites * nodes * processes)
    with servers(programs, file, session), application(
            programs, file, session, programs.files["steady_senders"], "--rate", rate, says=ready):
        for _ in range(rounds):
            for how, more in HOW.items():
                of[how].append(measured(programs, file, session, readings, more))
    return of


def rows_of(point, of):
    figure, varied = point[:2]
    for how in HOW:
        messages, received, events = (list(column) for column in zip(*of[how], strict=True))
        yield make_row(figure=f"figure {figure}, {varied}: {how}", unit="messages/s", ours=median(messages),
                       spread=spread_of(messages), runs=len(messages),
                       note=f"{median(received) / 1024:.1f} KiB/s received, {median(events):.0f} events/s")


def rows(arguments, programs, work, _):
    rounds, readings = (1, 3) if arguments.smoke else (min(arguments.rounds, 3), 11)
    made = []
    with open(arguments.out / "messages.csv", "w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["figure", "varied", "how", "messages_a_second", "bytes_a_second", "events_a_second"])
        for point in points(arguments.smoke):
            if arguments.figures not in f"figure {point[0]}, {point[1]}":
                continue
            try:
                of = measure_point(programs, work, point, rounds, readings)
            except (Failed, measuring.Missing) as failure:
                made.append(make_row(figure=f"figure {point[0]}, {point[1]}", unit="messages/s", note=str(failure)))
                measuring.say(f"figure {point[0]}, {point[1]}: {failure}")
                continue
            for how in HOW:
                table.writerows([*point[:2], how, *values] for values in of[how])
            made += rows_of(point, of)
            measuring.say(f"figure {point[0]}, {point[1]}: " +
                          ", ".join(f"{how} {median([v[0] for v in of[how]]):.1f} messages/s" for how in HOW))
    return made
