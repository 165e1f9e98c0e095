"""Code that all measuring programs share.

A measuring program is an executable bench/GROUP/measure, for what Google Benchmark cannot measure: whole
applications, other systems. scripts/bench builds the target bench_GROUP and calls it once, as

    bench/GROUP/measure --build DIR --out DIR --rounds N --minutes M

It uses the programs in --build, measures either N rounds or pairs of runs for M minutes, and writes to --out

    rows.json         an array of rows, see rows.py; target and met are filled in afterwards
    *.png *.svg *.csv plots, and the measurements; scripts/bench copies them to out/bench/GROUP/

It reports its progress on standard error. A figure that could not be measured is a row with a note, not a failure.
With --smoke it does the least work that runs all of its code; ctest calls it so.
Exit status: 0 rows were written, 2 usage, 3 something that it needs to begin is missing.
"""

import argparse
import json
import pathlib
import secrets
import signal
import sys

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Missing(Exception):
    """A requirement of the measurement is missing; the text says which, and what to do."""


def parser(description):
    """Returns a parser of the options that all measuring programs have; each program adds its own."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--build", type=pathlib.Path, required=True, help="build directory with the programs")
    result.add_argument("--out", type=pathlib.Path, required=True, help="directory for rows.json and plots")
    result.add_argument("--rounds", type=positive(int), default=7, help="how often (%(default)s)")
    result.add_argument("--minutes", type=positive(float), default=12.0, help="how long (%(default)g)")
    result.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="of all chance (chance)")
    result.add_argument("--smoke", action="store_true", help="the least of everything: a test, no measurement")
    return result


def positive(kind):
    def parse(text):
        value = kind(text)
        if not value > 0:
            raise ValueError
        return value

    parse.__name__ = f"positive {kind.__name__}"  # argparse names it as the expected kind
    return parse


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def run_program(main):
    """Runs main() as a program that cleans up when a signal ends it. main() returns rows and their directory."""
    for number in ENDING:
        signal.signal(number, end)
    try:
        rows, out = main()
    except Missing as missing:
        say(missing)
        return 3
    out.mkdir(parents=True, exist_ok=True)
    (out / "rows.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def end(caught, _):
    """Ends the program at the first signal, and ignores further ones while it cleans up."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + caught)
