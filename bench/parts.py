"""Measuring programs that consist of several parts, each a module with

    SHARE             its share of the time for pairs; 0: it has no pairs, or determines their number itself
    rows(arguments, programs, work, measure)
                      returns its rows; `measure(figures)` measures pairs of its figures (pairs.py) for that share

The rows of all parts are those of the group; pairs.csv has each pair.
"""

import csv
import pathlib
import random
import tempfile

import measuring
import pairs
from watching import Programs

PAIRS = "pairs.csv"


def run_program(group, parts, description):
    """Runs a whole measuring program and returns its exit status. `parts`: {name: module}."""
    return measuring.run_program(lambda: measure_all(group, parts, description))


def measure_all(group, parts, description):
    parser = measuring.parser(description.splitlines()[0])
    parser.add_argument("--part", choices=parts, help="only this one")
    parser.add_argument("--figures", metavar="TEXT", default="", help="only those with TEXT in their names")
    arguments = parser.parse_args()
    measuring.say(f"{group}: seed {arguments.seed}")
    programs = Programs(arguments.build, group)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / PAIRS).write_text("figure,seconds_ours,seconds_beside\n")
    chosen = [part for name, part in parts.items() if arguments.part in (None, name)]
    whole = sum(part.SHARE for part in chosen)
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for part in chosen:
            def measure(figures, share=part.SHARE / whole if whole else 0):
                seconds, least = (0, 1) if arguments.smoke else (60 * arguments.minutes * share, pairs.LEAST_PAIRS)
                pairs.measure(figures, seconds, random.Random(arguments.seed), least, say_pair)
                write_pairs(figures, arguments.out / PAIRS)

            rows += part.rows(arguments, programs, pathlib.Path(work), measure)
    return [dict(row, group=group) for row in rows], arguments.out


def say_pair(figure):
    if figure.failure is not None:
        measuring.say(f"{figure.name}: {figure.failure}")
        return
    ours, theirs = (1000 * took for took in figure.pairs[-1])
    measuring.say(f"{figure.name}: pair {len(figure.pairs)}: {ours:.3f} ms beside {theirs:.3f}: {ours / theirs:.3f}")


def write_pairs(figures, file):
    with open(file, "a", newline="") as stream:
        writer = csv.writer(stream)
        for figure in figures:
            writer.writerows([figure.name, ours, theirs] for ours, theirs in figure.pairs)
