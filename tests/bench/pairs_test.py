"""Pairs of runs: the interval of their ratio, the order within a pair, and how figures share the time."""

import random
import sys
import unittest

sys.path.insert(0, sys.argv[1])
import pairs  # noqa: E402  (the path is an argument)


class Interval(unittest.TestCase):
    def test_of_equal_values_is_that_value(self):
        self.assertEqual(pairs.median_interval([1.5] * 9, seed=1), [1.5, 1.5])

    def test_holds_the_median_and_lies_within_the_values(self):
        for seed in range(20):
            chance = random.Random(seed)
            values = [chance.gauss(1, 0.1) for _ in range(31)]
            low, high = pairs.median_interval(values, seed)
            self.assertTrue(min(values) < low <= sorted(values)[15] <= high < max(values), f"seed {seed}")

    def test_covers_the_true_median_about_as_often_as_it_says(self):
        chance = random.Random(7)
        covered = 0
        for i in range(100):
            low, high = pairs.median_interval([chance.gauss(1, 0.1) for _ in range(25)], seed=i)
            covered += low <= 1 <= high
        self.assertTrue(88 <= covered <= 99, covered)

    def test_narrows_with_more_values(self):
        chance = random.Random(3)
        values = [chance.gauss(1, 0.1) for _ in range(400)]
        widths = [high - low for low, high in (pairs.median_interval(values[:n], seed=1) for n in (10, 400))]
        self.assertLess(widths[1], widths[0] / 2)

    def test_is_the_same_with_the_same_seed(self):
        values = [1.0, 1.1, 0.9, 1.3, 1.2, 0.7]
        self.assertEqual(pairs.median_interval(values, seed=5), pairs.median_interval(values, seed=5))

    def test_of_too_few_values_there_is_none(self):
        self.assertIsNone(pairs.median_interval([1.0] * (pairs.LEAST_PAIRS - 1), seed=1))


class Pairs(unittest.TestCase):
    def test_the_order_within_a_pair_is_chance_and_the_ratio_is_not(self):
        order = []

        def run(with_it):
            order.append(with_it)
            return 3.0 if with_it else 2.0

        figure = pairs.Figure("f", run)
        pairs.measure([figure], seconds=0, chance=random.Random(1), least=40)
        self.assertEqual(figure.ratios(), [1.5] * 40)
        self.assertEqual([first != second for first, second in zip(order[::2], order[1::2])], [True] * 40)
        self.assertTrue(8 <= sum(order[::2]) <= 32, "both orders must occur")

    def test_a_figure_whose_run_fails_ends_and_the_others_go_on(self):
        runs = iter([1.0, 1.0, 1.0])

        def fail(_):
            for took in runs:
                return took
            raise pairs.Failed("no more")

        bad, good = pairs.Figure("bad", fail), pairs.Figure("good", lambda _: 1.0)
        pairs.measure([bad, good], seconds=0, chance=random.Random(1), least=6)
        self.assertEqual((bad.failure, bad.pairs), ("no more", []))
        self.assertEqual((good.failure, len(good.pairs)), (None, 6))

    def test_the_next_pair_is_of_the_figure_farthest_behind_its_share(self):
        figures = [pairs.Figure(name, lambda _: 1.0, share) for name, share in (("a", 1), ("b", 3))]
        measured = []

        def as_if_it_took_a_second(figure):
            measured.append(figure.name)
            figure.spent = len(figure.pairs)

        pairs.measure(figures, seconds=0, chance=random.Random(1), least=30, after_pair=as_if_it_took_a_second)
        first = measured[:20]
        self.assertEqual((first.count("a"), first.count("b")), (5, 15))

    def test_there_are_as_many_pairs_as_asked_for_when_there_is_no_time(self):
        figures = [pairs.Figure("a", lambda _: 1.0), pairs.Figure("b", lambda _: 1.0)]
        pairs.measure(figures, seconds=0, chance=random.Random(1), least=1)
        self.assertEqual([len(figure.pairs) for figure in figures], [1, 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
