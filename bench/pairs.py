"""Pairs of runs, with and without something, and the confidence interval of the ratio between them.

The two runs of a pair follow each other in random order, so that slow drifts cancel out.
Figures share the time: the next pair is of the figure that is farthest behind its share, so that all figures are
measured in the same good and bad minutes of the machine.
"""

import random
import statistics
import time

# With fewer pairs there is no interval, because it could be narrow by chance.
LEAST_PAIRS = 5
RESAMPLES = 4000


class Failed(Exception):
    """A run that cannot be used; the text says why. The figure gets no more pairs."""


def median_interval(values, seed):
    """Returns the 95 % bootstrap interval of the median (percentiles of resampled medians); None for too few values."""
    if len(values) < LEAST_PAIRS:
        return None
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return [medians[round(0.025 * RESAMPLES)], medians[round(0.975 * RESAMPLES) - 1]]


class Figure:
    """A figure that is measured in pairs. `run(with_it)` does one run and returns its time, and may raise Failed."""

    def __init__(self, name, run, share=1.0):
        self.name, self.run, self.share = name, run, share
        self.pairs = []  # (with, without)
        self.spent = 0.0  # seconds
        self.failure = None

    def measure_pair(self, chance):
        """Adds one pair, or several. If a run fails, drops all pairs, because the earlier ones may be as wrong."""
        began = time.monotonic()
        try:
            self.take_pairs(chance)
        except Failed as failed:
            self.failure = str(failed)
            self.pairs.clear()
        self.spent += time.monotonic() - began

    def take_pairs(self, chance):
        """Adds the pairs of one measurement; may raise Failed."""
        if chance.random() < 0.5:
            took_with = self.run(True)
            took_without = self.run(False)
        else:
            took_without = self.run(False)
            took_with = self.run(True)
        self.pairs.append((took_with, took_without))

    def ratios(self):
        return [took_with / took_without for took_with, took_without in self.pairs]


def measure(figures, seconds, chance, least=LEAST_PAIRS, after_pair=lambda figure: None):
    """Measures pairs until the time is used up, and at least `least` pairs of each figure."""
    end = time.monotonic() + seconds
    while True:
        going = [figure for figure in figures if figure.failure is None]
        if time.monotonic() >= end:
            going = [figure for figure in going if len(figure.pairs) < least]
        if not going:
            return
        figure = min(going, key=lambda candidate: candidate.spent / candidate.share)
        figure.measure_pair(chance)
        after_pair(figure)
