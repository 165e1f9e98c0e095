#!/usr/bin/env python3
"""Makes scripts/bench's table out of the reports of benchmark programs.

Each report is one run of one program, named GROUP.ROUND.json, as Google Benchmark writes it. A benchmark
is named FIGURE/ours or FIGURE/PEER; where nothing is named FIGURE/ours, the whole name is the figure, and
there is no peer. A benchmark with a counter is measured by that (a rate, COUNTER/s), any other by its time.
"""

import argparse
import json
import pathlib
import statistics
import sys

OWN_KEYS = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
    "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "label",
    "error_occurred", "error_message",
}
COLUMNS = ["group", "figure", "unit", "ours", "peer", "peer_value", "ratio", "target", "met", "spread", "runs"]


def plain_name(run):
    return run["name"].removesuffix("/real_time").removesuffix("/manual_time")


def split_name(name, compared):
    """The figure, and which side of it: ours, or the name of a peer."""
    figure, _, side = name.rpartition("/")
    return (figure, side) if figure in compared else (name, "ours")


def value_of(run):
    """What was measured, and its unit; no value when the benchmark said that it failed."""
    counters = sorted(set(run) - OWN_KEYS)
    unit = counters[0] + "/s" if counters else run.get("time_unit", "ns")
    if run.get("error_occurred"):
        return None, unit
    return (run[counters[0]] if counters else run["real_time"]), unit


def read_reports(files):
    """{(group, figure): {side: {round: value}}}, in the order of the programs, and the units."""
    figures, units = {}, {}
    for file in files:
        group, round_number = file.name.split(".")[:2]
        try:
            runs = json.loads(file.read_text())["benchmarks"]
        except (ValueError, KeyError) as error:
            print(f"bench: {file.name} cannot be read: {error}", file=sys.stderr)
            continue
        compared = {name.removesuffix("/ours") for name in map(plain_name, runs) if name.endswith("/ours")}
        for run in runs:
            figure, side = split_name(plain_name(run), compared)
            value, unit = value_of(run)
            sides = figures.setdefault((group, figure), {})
            values = sides.setdefault(side, {})
            if value is not None:
                values[int(round_number)] = value
            units[group, figure] = unit
    return figures, units


def median(values):
    return statistics.median(values) if values else None


def spread_of(values):
    middle = median(values)
    return (max(values) - min(values)) / middle if middle else None


def judge(target, ours, ratio):
    """The target as text, and whether it is met; nulls where there is none, or nothing measured."""
    checks = [
        ("ratio_at_most", "ratio <= {}", ratio, lambda value, bound: value <= bound),
        ("ratio_at_least", "ratio >= {}", ratio, lambda value, bound: value >= bound),
        ("at_most", "<= {}", ours, lambda value, bound: value <= bound),
        ("at_least", ">= {}", ours, lambda value, bound: value >= bound),
    ]
    for key, text, value, holds in checks:
        if key in target:
            return text.format(short(target[key])), None if value is None else holds(value, target[key])
    return None, None


def rows_of(figures, units, targets):
    for (group, figure), sides in figures.items():
        ours = sides.get("ours", {})
        for peer in [side for side in sides if side != "ours"] or [None]:
            theirs = sides.get(peer, {})
            ratios = [ours[r] / theirs[r] for r in ours if theirs.get(r)]
            ratio = median(ratios)
            target, met = judge(targets.get(group, {}).get(figure, {}), median(ours.values()), ratio)
            yield {
                "group": group,
                "figure": figure,
                "unit": units[group, figure],
                "ours": median(ours.values()),
                "peer": peer,
                "peer_value": median(theirs.values()),
                "ratio": ratio,
                "target": target,
                "met": met,
                "spread": spread_of(ratios if peer else list(ours.values())),
                "runs": len(ratios) if peer else len(ours),
            }


def short(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.3g}" if value < 1e5 else f"{value:.2e}"
    return str(value)


def print_table(rows):
    table = [COLUMNS] + [
        ["-" if row[c] is None else f"{row[c]:.0%}" if c == "spread" else short(row[c]) for c in COLUMNS] for row in rows
    ]
    widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
    for line in table:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("reports", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    targets = json.loads(arguments.targets.read_text()) if arguments.targets else {}
    rows = list(rows_of(*read_reports(arguments.reports), targets))
    print_table(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if any(row["ours"] is not None for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
