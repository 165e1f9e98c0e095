"""The result and time of `eventspace tune` on the running wind tunnel, beside measuring all trees."""

import json
import os
import pathlib
import time
from dataclasses import dataclass

import measuring
import pairs
from rows import make_row, median, spread_of
from tunnel import LEAST_N, finish, on_free_ports
from watching import application, pull_of, servers

SHARE = 1
PATHMAP = pathlib.Path(__file__).resolve().parent / "four-nodes.yaml"
SCOPE = "cluster-view"
FOUND = "tune: a pull through the tree that it chose"
TOOK = "tune: time of the search"
N = 960
FOREVER = 10**9  # steps
NO_BUDGET = 1000  # the slowdown that is allowed: so large that the fastest tree is the goal
QUICK = 6  # minutes; with fewer each tree is measured once, and shortly


@dataclass
class Effort:
    """How much a search may measure. Of `trees`, one in four is measured, at least 8."""

    trees: int
    slice_seconds: float
    pairs: int
    pulls: int  # at a time, in comparisons of two trees
    passes: int  # through all trees; more than one, because the best of many is often only the luckiest
    # Beside the wind tunnel, which uses all processors, what is idle takes minutes for a few pulls.
    priority: str = "each"


FULL, SHORT, SMOKE = Effort(47, 0.25, 3, 300, 2), Effort(47, 0.1, 1, 100, 2), Effort(9, 0.02, 1, 5, 1, "low")
COMPARISONS = 5  # of the trees that the passes found


@dataclass
class Search:
    seconds: float
    measured: int  # trees
    words: str  # the tree that it chose
    pathmap: pathlib.Path  # a pathmap with that tree as a scope
    whole: bool  # it was not ended early


class Searches:
    """Searches on a running application, and pulls through the trees that they found."""

    def __init__(self, programs, pathmap, session, effort, work):
        self.programs, self.pathmap, self.session = programs, pathmap, session
        self.effort, self.work = effort, work
        self.exhaustive, self.best, self.chosen, self.turn = [], None, [], 0

    def search(self, name, seed, *more):
        """Runs one search; raises Failed."""
        file = self.work / f"{name}.yaml"
        command = self.programs.command(
            "eventspace", "tune", self.pathmap, "--session", self.session, "--scope", SCOPE, "--max-slowdown", NO_BUDGET,
            "--candidates", self.effort.trees, "--slice", self.effort.slice_seconds, "--pairs", self.effort.pairs,
            "--patience", "30s", "--for", "10min", "--priority", self.effort.priority, "--seed", seed, "--format", "json",
            "-o", file, *more)
        began = time.monotonic()
        status, said, table = finish(command)
        seconds = time.monotonic() - began
        if status != 0:
            raise pairs.Failed(f"tune ended with status {status}: {' | '.join(said.splitlines()[-3:])}")
        lines = [json.loads(line) for line in table.splitlines()]
        best = next(line for line in lines if line["best"])
        return Search(seconds, len(lines), best["scope"], file, "ended early" not in said)

    def __call__(self, is_ours):
        """Returns the seconds of a pull through the tree that a search chose (each in its turn), or through the best of all."""
        if is_ours:
            self.turn += 1
        return self.pull(self.chosen[self.turn % len(self.chosen)] if is_ours else self.best)

    def pull(self, search):
        return pull_of(self.programs, search.pathmap, self.session, f"{SCOPE}-tuned", self.effort.pulls)


def rows(arguments, programs, work, measure):
    if arguments.figures not in FOUND + TOOK:
        return []
    effort = SMOKE if arguments.smoke else SHORT if arguments.minutes < QUICK else FULL
    session = f"bench-monitors-tune-{os.getpid()}"
    pathmap = work / "tuned.yaml"
    pathmap.write_text(on_free_ports(PATHMAP))
    searches = Searches(programs, pathmap, session, effort, work)
    figure = pairs.Figure(FOUND, searches)
    n = LEAST_N if arguments.smoke else N
    tunnel = programs.command("windtunnel", "--n", n, "--steps", FOREVER)
    with servers(programs, pathmap, session), application(programs, pathmap, session, *tunnel):
        try:
            search_all(searches, 1 if arguments.smoke else arguments.rounds, arguments.seed)
        except pairs.Failed as failed:
            return [make_row(figure=name, runs=0, note=str(failed)) for name in (FOUND, TOOK)]
        measure([figure])
    return list(rows_of(figure, searches, arguments.seed))


def search_all(searches, rounds, seed):
    for number in range(searches.effort.passes):
        found = searches.search(f"exhaustive-{number}", seed + number, "--exhaustive")
        searches.exhaustive.append(found)
        measuring.say(f"tune: all {found.measured} trees in {found.seconds:.1f} s: {found.words}")
    searches.best = fastest(searches.exhaustive, searches.pull)
    for number in range(rounds):
        found = searches.search(f"search-{number}", seed + number)
        searches.chosen.append(found)
        measuring.say(f"tune: {found.measured} trees in {found.seconds:.1f} s: {found.words}")


def fastest(found, pull):
    """Returns the search whose tree has the shortest pull, measured by turns."""
    if len(found) == 1:
        return found[0]
    times = [[pull(search) for search in found] for _ in range(COMPARISONS)]
    return min(zip(found, zip(*times)), key=lambda one: median(one[1]))[0]


def rows_of(figure, searches, seed):
    """Yields the rows of a pull through the chosen trees, and of the time of the searches."""
    chosen, best = searches.chosen, searches.best
    same = sum(search.words == best.words for search in chosen)
    early = [] if all(search.whole for search in [*searches.exhaustive, *chosen]) else ["not all searches came to their end"]
    if figure.failure is not None:
        yield make_row(figure=FOUND, peer="best of all trees", runs=0, note=figure.failure)
    else:
        ratios = figure.ratios()
        yield make_row(
            figure=FOUND, unit="us", ours=1e6 * median([ours for ours, _ in figure.pairs]),
            peer="best of all trees", peer_value=1e6 * median([theirs for _, theirs in figure.pairs]),
            ratio=median(ratios), interval=pairs.median_interval(ratios, seed), spread=spread_of(ratios),
            runs=len(ratios),
            note="; ".join([f"{same} of {len(chosen)} searches chose the tree that was best of all: {best.words}", *early]))
    all_trees = median([search.seconds for search in searches.exhaustive])
    ratios = [search.seconds / all_trees for search in chosen]
    yield make_row(
        figure=TOOK, unit="s", ours=median([search.seconds for search in chosen]), peer="all trees",
        peer_value=all_trees, ratio=median(ratios), spread=spread_of(ratios), runs=len(ratios),
        note="; ".join([f"{median([search.measured for search in chosen]):g} of {best.measured} trees were measured", *early]))
