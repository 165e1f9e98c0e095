"""The growth of the time of a pull with the trace elements of one node, and with the number of nodes."""

import math
import os

import growth_plot
import measuring
import pairs
from plain import idle_application, plain_pull
from rows import make_row, median, spread_of
from tunnel import on_free_ports
from watching import pull_of, servers

SHARE = 2.5
ELEMENTS = [16, 160, 1600, 16_000, 100_000]
NODES = [2, 4, 8, 16, 32, 64]
ELEMENTS_OF_A_NODE = 32
PATHS_OF_A_THREAD = 1000  # at most
RECORD = 64  # bytes
RECORDS_AT_A_TIME = 400_000  # one side of a pair consists of as many pulls as transfer this many records
PULLS = (25, 400)  # at least, at most: the first ones are slower
SCOPES = {"flat": "[{group: all, wrapper: gather}, {group: node, wrapper: gather}]",
          "tree": "[{group: all, wrapper: gather, arity: 4}, {group: node, wrapper: gather}]"}


def pathmap_of(nodes, elements):
    """Returns the pathmap of an application with `nodes` nodes and `elements` trace elements on each."""
    paths = min(elements, PATHS_OF_A_THREAD)
    threads = -(-elements // paths)
    own = [f"t[{node * threads}-{(node + 1) * threads - 1}]" for node in range(nodes)]
    return "\n".join([
        "pathmap: 1", "name: growth", "cluster:", "  nodes:",
        *(f"    n{node}: {{host: 127.0.0.1, port: 1}}" for node in range(nodes)),
        "application:", f'  threads: ["t[0-{nodes * threads - 1}]"]', "  elements:",
        *(f'    - {{name: "e{k}/{{thread}}", for: "t*", tuple: [int], threshold: 1}}' for k in range(paths)),
        "  paths:",
        *(f'    - {{thread: "t*", name: p{k}, element: "e{k}/{{thread}}"}}' for k in range(paths)),
        "placement:", "  processes:",
        *(f'    p{node}: {{node: n{node}, threads: "{own[node]}"}}' for node in range(nodes)),
        "collect: {threshold: 2, points: [{at: thread}]}", "scopes:",
        *(f"  {name}: {{levels: {levels}}}" for name, levels in SCOPES.items()),
    ]) + "\n"


class GrownPulls:
    """Returns the seconds of a pull of an application of that size, ours or through plain sockets. The application and its
    servers run only during the pulls, because many of them at once would disturb each other."""

    def __init__(self, programs, work, scope, nodes, elements, smoke):
        self.programs, self.scope, self.nodes, self.elements = programs, scope, nodes, elements
        self.session = f"bench-scopes-growth-{os.getpid()}"
        self.pathmap = work / f"growth-{nodes}-{elements}.yaml"
        self.pathmap.write_text(pathmap_of(nodes, elements))
        self.pathmap.write_text(on_free_ports(self.pathmap))
        least, most = PULLS
        self.pulls = 2 if smoke else min(max(RECORDS_AT_A_TIME // (nodes * elements), least), most)

    def __call__(self, ours):
        if not ours:
            return plain_pull(self.programs, self.nodes, RECORD * self.elements, 0, self.pulls)
        with servers(self.programs, self.pathmap, self.session), \
                idle_application(self.programs, self.pathmap, self.session, self.nodes):
            return pull_of(self.programs, self.pathmap, self.session, self.scope, self.pulls)


def rows(arguments, programs, work, measure):
    def figures_of(what, sizes, scope="flat"):
        return [(size, pairs.Figure(f"growth: {what.format(size[0] * size[1], size[0])}",
                                    GrownPulls(programs, work, scope, *size, arguments.smoke))) for size in sizes]

    elements, nodes = ELEMENTS, NODES
    if arguments.smoke:
        elements, nodes = elements[:2], nodes[:2]
    of_elements = figures_of("{} trace elements on one node", [(1, count) for count in elements])
    sizes = [(count, ELEMENTS_OF_A_NODE) for count in nodes]
    of_nodes = figures_of("{1} nodes of 32 trace elements", sizes)
    of_trees = figures_of("{1} nodes of 32 trace elements, in a tree", sizes, "tree")
    chosen = [figure for _, figure in of_elements + of_nodes + of_trees if arguments.figures in figure.name]
    if not chosen:
        return []
    measure(chosen)
    plot(of_elements, "trace elements on one node", lambda count: [1, count], arguments.out / "elements.png")
    plot(of_nodes, "nodes", lambda count: [1, count], arguments.out / "nodes.png")
    plot(of_trees, "nodes", lambda count: [1, math.log2(count), count], arguments.out / "tree.png")
    return [row_of(figure, arguments.seed) for figure in chosen] + slope_of(of_elements)


def row_of(figure, seed):
    if figure.failure is not None:
        return make_row(figure=figure.name, peer="plain ZeroMQ", runs=0, note=figure.failure)
    ratios = figure.ratios()
    return make_row(
        figure=figure.name,
        unit="us",
        ours=1e6 * median([ours for ours, _ in figure.pairs]),
        peer="plain ZeroMQ, all nodes asked at once",
        peer_value=1e6 * median([theirs for _, theirs in figure.pairs]),
        ratio=median(ratios),
        interval=pairs.median_interval(ratios, seed),
        spread=spread_of(ratios),
        runs=len(ratios),
    )


def slope_of(figures):
    """Returns a row with the largest node's time for each trace element, relative to the next smaller one's: 1 is linear."""
    known = [(size[0] * size[1], figure) for size, figure in figures if figure.pairs]
    if len(known) < 2:
        return []
    (fewer, smaller), (most, largest) = known[-2:]

    def times_of_each(side):
        return [median([pair[side] for pair in figure.pairs]) / count for figure, count in
                ((largest, most), (smaller, fewer))]

    (later, sooner), (theirs_later, theirs_sooner) = times_of_each(0), times_of_each(1)
    return [make_row(
        figure="growth: time for each trace element, of the most", unit="ns", ours=1e9 * later,
        peer=f"{fewer} trace elements", peer_value=1e9 * sooner, ratio=later / sooner, runs=len(largest.pairs),
        note=f"plain ZeroMQ's, of as many bytes: {theirs_later / theirs_sooner:.3f}")]


def plot(figures, label, terms, picture):
    points = [(size[0] if label == "nodes" else size[1], figure) for size, figure in figures if figure.pairs]
    if len(points) < len(terms(2)):
        return
    measured = [(count, 1e6 * median([ours for ours, _ in figure.pairs]),
                 1e6 * median([theirs for _, theirs in figure.pairs])) for count, figure in points]
    no_picture = growth_plot.draw(measured, label, growth_plot.fit(measured, terms), picture)
    if no_picture:
        measuring.say(no_picture)
