"""The cost of collecting for the wind tunnel, measured within one run: event collectors are switched on and off by turns.

Two runs of a program also differ in the addresses of their memory, and in the load of other virtual machines. Stretches
of some tenths of a second of one run share the first and most of the second, so that far smaller differences can be
measured. But a collector that is switched off still exists; the group `collectors` shows its cost.
"""

import json

import pairs
from measuring import Missing
from tunnel import EVENTS_A_STEP, THREADS, finish

STRETCH = 0.2  # seconds
PAIRS_A_RUN = 25

# An operation that is under way when collectors are switched off is still recorded: at most one for each thread, at both
# ends of a path.
EVENTS_LEFT_OVER = 2 * THREADS
# A stretch may miss events of operations that cross its ends, or count some of other steps; it must have this share.
LEAST_SHARE = 0.8


class SwitchedFigure(pairs.Figure):
    """A figure whose pairs come from runs of the program switching_tunnel, many from each."""

    def __init__(self, name, tunnel, n, share, smoke=False):
        super().__init__(name, self, share)
        self.program = tunnel.build / "bench" / "slowdown" / "switching_tunnel"
        self.tunnel, self.n = tunnel, n
        self.pairs_a_run, self.stretch = (1, 0.05) if smoke else (PAIRS_A_RUN, STRETCH)
        self.rates = []  # events a second, of the stretches with collectors
        self.runs = 0

    def take_pairs(self, chance):
        for line in self.run_once(chance.randrange(2**32)):
            self.take(json.loads(line))
        self.runs += 1

    def run_once(self, seed):
        if not self.program.exists():
            raise Missing(f"{self.program} is not there; build the target bench_slowdown")
        words = ["--n", self.n, "--pairs", self.pairs_a_run, "--stretch", self.stretch, "--seed", seed]
        status, said, printed = finish([str(word) for word in [self.program, self.tunnel.pathmap, *words]])
        if status != 0:
            raise pairs.Failed(f"a run ended with status {status}: {' | '.join(said.splitlines()[-3:])}")
        return printed.splitlines()

    def take(self, pair):
        expected = LEAST_SHARE * EVENTS_A_STEP * self.stretch / pair["on"]
        if pair["events_on"] < expected:
            raise pairs.Failed(f"a stretch with collectors recorded {pair['events_on']} events; there must be "
                               f"{expected:.0f} or more")
        if pair["events_off"] > EVENTS_LEFT_OVER:
            raise pairs.Failed(f"a stretch without collectors recorded {pair['events_off']} events; at most "
                               f"{EVENTS_LEFT_OVER} can have been under way")
        self.pairs.append((pair["on"], pair["off"]))
        self.rates.append(EVENTS_A_STEP / pair["on"])

    def description(self):
        return f"{self.runs} runs, switched every {self.stretch:g} s"
