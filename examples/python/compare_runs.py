#!/usr/bin/env python3
"""compare_runs.py BEFORE.EVS AFTER.EVS: how the operations of two recorded runs differ.

Prints a table of the median and the 99th percentile of the durations of each thread's operations, before and after,
with those that became slowest first.
"""

import sys

import pandas

import eventspace


def durations(file):
    """The median and the 99th percentile in microseconds, and the number, by thread and operation."""
    events = eventspace.open(file).events(where="duration > 0ns").to_pandas()
    names = [name for name in ("thread", "path", "verb", "probe") if name in events]
    for name in names:
        events[name] = events[name].astype(object).fillna("")
    grouped = events.groupby(names)["duration"]
    return pandas.DataFrame({"median": grouped.median() / 1e3, "p99": grouped.quantile(0.99) / 1e3,
                             "number": grouped.size()})


def main(before, after):
    table = durations(before).join(durations(after), lsuffix="_before", rsuffix="_after", how="outer")
    table["ratio"] = table["median_after"] / table["median_before"]
    print(table.sort_values("ratio", ascending=False).to_string(float_format="{:.2f}".format))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
