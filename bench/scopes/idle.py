"""Pulls of an idle application, beside plain ZeroMQ in a tree of the same shape."""

import os
import pathlib
from dataclasses import dataclass

import pairs
from plain import idle_application, plain_pull
from rows import make_row, median, spread_of
from tunnel import on_free_ports
from watching import pull_of, servers

SHARE = 1.5
PATHMAP = pathlib.Path(__file__).resolve().parent / "two-clusters.yaml"
PROCESSES = 8  # of that pathmap
PULLS = 2000  # at a time; the first hundreds are slower, for ours and for plain sockets
RECORD = 64  # bytes


@dataclass
class Shape:
    """A scope, and the tree of plain sockets of the same shape."""

    name: str
    scope: str
    leaves: int
    gateways: int
    records: int

    def bytes_of_each(self):
        """Returns the bytes in the answer of a leaf."""
        return RECORD * self.records // self.leaves


BY_GATEWAY = Shape("all, 1948 trace elements, by gateway", "all-by-gateway", 8, 2, 1948)
SHAPES = [
    Shape("1 trace element behind a gateway", "one", 1, 1, 1),
    Shape("a node, 266 trace elements, behind a gateway", "node", 1, 1, 266),
    BY_GATEWAY,
    Shape("all, 1948 trace elements, by thread", "all-by-thread", 8, 2, 1948),
]


class IdlePulls:
    """Returns the seconds of a pull, ours or through plain sockets."""

    def __init__(self, programs, pathmap, session, shape, pulls):
        self.programs, self.pathmap, self.session, self.shape, self.pulls = programs, pathmap, session, shape, pulls

    def __call__(self, ours):
        if ours:
            return pull_of(self.programs, self.pathmap, self.session, self.shape.scope, self.pulls)
        shape = self.shape
        return plain_pull(self.programs, shape.leaves, shape.bytes_of_each(), shape.gateways, self.pulls)


def rows(arguments, programs, work, measure):
    session = f"bench-scopes-idle-{os.getpid()}"
    pathmap = work / "idle.yaml"
    pathmap.write_text(on_free_ports(PATHMAP))
    shapes = [shape for shape in SHAPES if arguments.figures in shape.name]
    pulls = 3 if arguments.smoke else PULLS
    figures = [pairs.Figure(f"idle: {shape.name}", IdlePulls(programs, pathmap, session, shape, pulls))
               for shape in shapes]
    if not figures:
        return []
    with servers(programs, pathmap, session), idle_application(programs, pathmap, session, PROCESSES):
        measure(figures)
    return [row for figure in figures for row in rows_of(figure, arguments.seed)]


def rows_of(figure, seed):
    """Yields the rows of the time of a pull, and of the corresponding rate."""
    if figure.failure is not None:
        yield make_row(figure=figure.name, peer="plain ZeroMQ", runs=0, note=figure.failure)
        return
    ratios = figure.ratios()
    ours, theirs = ([pair[side] for pair in figure.pairs] for side in (0, 1))
    yield make_row(
        figure=figure.name,
        unit="us",
        ours=1e6 * median(ours),
        peer="plain ZeroMQ, same shape and bytes",
        peer_value=1e6 * median(theirs),
        ratio=median(ratios),
        interval=pairs.median_interval(ratios, seed),
        spread=spread_of(ratios),
        runs=len(ratios),
    )
    rates = [1 / took for took in ours]
    yield make_row(figure=f"{figure.name}: rate", unit="pulls/s", ours=median(rates), spread=spread_of(rates),
                   runs=len(rates))
