"""What a server of pages sends, by ranks and by events, and what many pages take of its processor time.

The application has a thread for each rank, which writes to its right neighbour at a steady rate, so that each rank is in
an operation of its own.
"""

import contextlib
import os
import time

import measuring
from pages import Pages, Web
from pairs import Failed
from rows import make_row, median, spread_of
from watching import application, servers

SHARE = 0
RANKS = (64, 256, 1024)
RATES = (10, 1000)  # events a second of each rank: the second only of the fewest ranks
MANY = 50  # pages
LOOKS = 5  # of each round
SETTLED = 3  # looks after which all has been sent once
SMOKE_PACE = ("--stall", "400ms")


class Size:
    """How much is measured."""

    def __init__(self, arguments):
        self.ranks = (4, 8) if arguments.smoke else RANKS
        self.rounds = 1 if arguments.smoke else arguments.rounds
        self.looks = 2 if arguments.smoke else LOOKS
        self.many = 5 if arguments.smoke else MANY
        self.pace = SMOKE_PACE if arguments.smoke else ()


def pathmap(ranks):
    """The text of a pathmap: one process with a thread for each rank."""
    lines = ["pathmap: 1", "name: ranks", "cluster: {nodes: {n0: {}}}", "application:",
             f'  threads: ["rank[0-{ranks - 1}]"]', "  elements:",
             '    - {name: "from/{thread}", for: "*", tuple: [int], threshold: 1, when_full: discard}', "  paths:"]
    lines += [f"    - {{thread: rank{i}, name: to-rank{(i + 1) % ranks}, element: from/rank{i}, use: write}}"
              for i in range(ranks)]
    lines += ["placement:", '  processes: {p0: {node: n0, threads: "*"}}', '  elements: [{elements: "from/**", with: writer}]',
              "collect: {points: [{at: thread}]}"]
    return "\n".join(lines) + "\n"


class Ranks:
    """The application and its server, and `eventspace web`; a context."""

    def __init__(self, programs, work, ranks, rate, pace):
        self.programs, self.rate, self.pace = programs, rate, pace
        self.session = f"bench-web-ranks-{os.getpid()}"
        self.pathmap = work / f"ranks-{ranks}.yaml"
        self.pathmap.write_text(pathmap(ranks))

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(servers(self.programs, self.pathmap, self.session))
            program = self.programs.files["steady_ranks"]
            stack.enter_context(application(self.programs, self.pathmap, self.session, program, "--rate", str(self.rate),
                                            says=("ready",)))
            web = Web(self.programs, self.pathmap, "--session", self.session, *self.pace)
            stack.callback(web.close)
            self.stack = stack.pop_all()
        return web

    def __exit__(self, *failure):
        self.stack.close()


def bytes_pushed(web, view, size):
    """Returns bytes a second to one page, measured `size.rounds` times; raises Failed."""
    with contextlib.closing(Pages(web, 1, view)) as pages:
        pages.wait_for_looks(SETTLED)
        rates = []
        for _ in range(size.rounds):
            first = len(pages.pages[0].looks) - 1
            pages.wait_for_looks(size.looks)
            rates.append(pages.pages[0].per_second(first))
    return rates


def processor_share(web, count, size):
    """Returns the processor time of the server a second, with so many pages; raises Failed."""
    with contextlib.closing(Pages(web, count, "overview")) as pages:
        pages.wait_for_looks(SETTLED)
        before, began = web.processor_seconds(), time.monotonic()
        pages.wait_for_looks(size.looks)
        return (web.processor_seconds() - before) / (time.monotonic() - began)


def many_row(web, size, ranks):
    figure = f"{size.many} pages, {ranks} ranks: processor time of the server"
    try:
        shares = []
        for i in range(size.rounds):
            measuring.say(f"{figure}: round {i + 1} of {size.rounds}")
            shares.append((processor_share(web, size.many, size), processor_share(web, 1, size)))
    except Failed as failed:
        return make_row(figure=figure, runs=0, note=str(failed))
    ratios = [many / one for many, one in shares]
    return make_row(figure=figure, unit="ms/s", ours=1000 * median([many for many, _ in shares]), peer="one page",
                    peer_value=1000 * median([one for _, one in shares]), ratio=median(ratios), spread=spread_of(ratios),
                    runs=len(ratios))


def compared(figure, rates, peer, peer_rates, scale=1):
    """The row of a value beside another one, which was measured with another application."""
    if not rates or not peer_rates:
        return make_row(figure=figure, runs=0, note="one of the two could not be measured")
    ours, theirs = median(rates) / scale, median(peer_rates)
    return make_row(figure=figure, unit="B/s", ours=ours, peer=peer, peer_value=theirs, ratio=ours / theirs,
                    spread=spread_of(rates), runs=len(rates))


def plain(figure, rates, note):
    if not rates:
        return make_row(figure=figure, runs=0, note=note)
    return make_row(figure=figure, unit="B/s", ours=median(rates), spread=spread_of(rates), runs=len(rates), note=note)


class Pushed:
    """The bytes a second that were measured, by view, ranks and rate, and the rows of them."""

    def __init__(self, programs, work, size):
        self.programs, self.work, self.size = programs, work, size
        self.rates, self.failures, self.many = {}, {}, []

    def measure(self, ranks, rate, views, with_many=False):
        with Ranks(self.programs, self.work, ranks, rate, self.size.pace) as web:
            for view in views:
                measuring.say(f"{view} of {ranks} ranks, {rate} events/s each")
                try:
                    self.rates[view, ranks, rate] = bytes_pushed(web, view, self.size)
                except Failed as failed:
                    self.failures[view, ranks, rate] = str(failed)
            if with_many:
                self.many.append(many_row(web, self.size, ranks))

    def row(self, view, words, ranks, rate):
        key = view, ranks, rate
        return plain(f"{words}, {ranks} ranks: pushed", self.rates.get(key), self.failures.get(key))

    def rows(self):
        slow, fast = RATES
        few, *more = self.size.ranks
        yield from (self.row("overview", "overview", ranks, slow) for ranks in self.size.ranks)
        yield self.row("profile", "where time goes", few, slow)
        of_few = self.rates.get(("overview", few, slow))
        yield compared(f"overview, {few} ranks, {fast} events/s each: pushed", self.rates.get(("overview", few, fast)),
                       f"{slow} events/s each", of_few)
        for ranks in more:
            yield compared(f"overview, {ranks} ranks: pushed, by {ranks // few}", self.rates.get(("overview", ranks, slow)),
                           f"{few} ranks", of_few, scale=ranks // few)
        yield from self.many


def rows(arguments, programs, work, measure):
    pushed = Pushed(programs, work, Size(arguments))
    slow, fast = RATES
    few, *more = pushed.size.ranks
    pushed.measure(few, slow, ("overview", "profile"), with_many=True)
    pushed.measure(few, fast, ("overview",))
    for ranks in more:
        pushed.measure(ranks, slow, ("overview",))
    return list(pushed.rows())
