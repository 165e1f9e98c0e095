"""The rows of scripts/bench's table, and how they are made from the reports of benchmark programs.

A row is a dictionary with all of FIELDS. A field that does not apply, or could not be measured, is None:

  group, figure, unit
  ours, peer_value  medians; peer is the program that ours is compared with
  ratio             the median of ours / peer_value, round by round or pair by pair
  interval          the 95 % interval of the ratio: [lower, upper]
  target, met       as text, and whether it is met
  spread            (largest - smallest) / median: of the ratio, or of ours where there is no peer
  runs              rounds, or pairs of runs
  note              other facts, such as the reason why a value is missing
"""

import json
import re
import statistics
import sys

FIELDS = [
    "group", "figure", "unit", "ours", "peer", "peer_value", "ratio", "interval", "target", "met", "spread", "runs",
    "note",
]

# The fields of a run that Google Benchmark itself writes; all others are counters.
OWN_KEYS = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
    "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "label",
    "error_occurred", "error_message",
}

# The kinds of targets in bench/targets.json: their text, their field, and the condition that meets them.
CHECKS = {
    "ratio_at_most": ("ratio <= {}", "ratio", lambda ratio, bound: ratio <= bound),
    "ratio_at_least": ("ratio >= {}", "ratio", lambda ratio, bound: ratio >= bound),
    "at_most": ("<= {}", "ours", lambda ours, bound: ours <= bound),
    "at_least": (">= {}", "ours", lambda ours, bound: ours >= bound),
    "interval_includes": ("interval includes {}", "interval", lambda ends, value: ends[0] <= value <= ends[1]),
    "interval_below": ("interval below {}", "interval", lambda ends, bound: ends[1] < bound),
    # Of slowdowns; those above it are only for pairs that may be faster than their peer.
    "slowdown_at_most": ("ratio <= {}", "ratio", lambda ratio, bound: ratio <= bound),
    "slowdown_below": ("interval below {}", "interval", lambda ends, bound: ends[1] < bound),
}


def make_row(**known):
    """Returns a row with the given fields, and None in the others."""
    unknown = set(known) - set(FIELDS)
    if unknown:
        raise ValueError(f"a row has no field {', '.join(sorted(unknown))}; it has {', '.join(FIELDS)}")
    return {field: known.get(field) for field in FIELDS}


def rows_of(files, targets):
    """Returns the rows of all reports, in the order of the groups."""
    figures, rows = {}, []
    for file in files:
        try:
            report = json.loads(file.read_text())
            if isinstance(report, list):
                rows += [make_row(**row) for row in report]
            else:
                read_round(report["benchmarks"], *file.name.split(".")[:2], figures)
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"bench: {file.name} cannot be read: {error}", file=sys.stderr)
    rows += [row for (group, figure), sides in figures.items() for row in compared(group, figure, sides)]
    for row in rows:
        target = target_of(row, targets.get(row["group"], {}))
        row["target"], row["met"] = judge(target, row)
        doubt = doubt_on(target, row)
        if doubt:
            row["met"], row["note"] = None, "; ".join(words for words in (row["note"], f"inconclusive: {doubt}") if words)
    return sorted(rows, key=lambda row: row["group"])


class Side:
    """One side of a figure, ours or a peer's: its value in each round, its unit, and the reason if it has none."""

    def __init__(self):
        self.values, self.unit, self.failure = {}, None, None


def read_round(runs, group, round_number, figures):
    """Adds one round of one program to {(group, figure): {side: Side}}."""
    with_peers = {name.removesuffix("/ours") for name in map(plain_name, runs) if name.endswith("/ours")}
    for run in runs:
        figure, name = split_name(plain_name(run), with_peers)
        side = figures.setdefault((group, figure), {}).setdefault(name, Side())
        counters = sorted(set(run) - OWN_KEYS)
        if run.get("error_occurred"):
            side.failure = run.get("error_message") or "failed"
            continue
        side.unit = counters[0] + "/s" if counters else run.get("time_unit", "ns")
        side.values[int(round_number)] = run[counters[0]] if counters else run["real_time"]


def plain_name(run):
    name = run["name"].removesuffix("/real_time").removesuffix("/manual_time")
    return re.sub(r"/iterations:[0-9]+$", "", name)


def split_name(name, with_peers):
    """Returns the figure and its side: ours, or the name of a peer."""
    figure, _, side = name.rpartition("/")
    return (figure, side) if figure in with_peers else (name, "ours")


def compared(group, figure, sides):
    """Yields a row for each peer, or one row if there is none."""
    ours = sides.get("ours", Side())
    for peer in [side for side in sides if side != "ours"] or [None]:
        theirs = sides.get(peer, Side())
        ratios = [ours.values[r] / theirs.values[r] for r in ours.values if theirs.values.get(r)]
        yield make_row(
            group=group,
            figure=figure,
            unit=ours.unit or theirs.unit,
            ours=median(ours.values.values()),
            peer=peer,
            peer_value=median(theirs.values.values()),
            ratio=median(ratios),
            spread=spread_of(ratios if peer else list(ours.values.values())),
            runs=len(ratios) if peer else len(ours.values),
            note="; ".join(failure for failure in (ours.failure, theirs.failure) if failure) or None,
        )


def median(values):
    return statistics.median(values) if values else None


def spread_of(values):
    middle = median(values)
    return (max(values) - min(values)) / middle if middle else None


def target_of(row, targets):
    """Returns the target of the figure beside this peer, FIGURE/PEER, or of the figure beside any peer."""
    return targets.get(f"{row['figure']}/{row['peer']}", targets.get(row["figure"], {}))


def judge(target, row):
    """Returns the target as text and whether it is met; None if there is no target, or nothing was measured."""
    checks = [(CHECKS[key], bound) for key, bound in target.items()]
    if not checks:
        return None, None
    text = " and ".join(words.format(f"{bound:g}") for (words, _, _), bound in checks)
    if any(row[field] is None for (_, field, _), _ in checks):
        return text, None
    return text, all(holds(row[field], bound) for (_, field, holds), bound in checks)


def doubt_on(target, row):
    """Returns why a measured slowdown does not tell whether its target is met; None if it does. As `eventspace tune`
    decides (monitors/tune/verdict.h)."""
    bounds = [target[key] for key in ("slowdown_at_most", "slowdown_below") if key in target]
    if not bounds or row["ratio"] is None:
        return None
    if row["interval"] is None:
        return "too few pairs for an interval"
    low, high = row["interval"]
    if high < 1:
        return "faster with it than without, so something else changed the speed"
    if high <= min(bounds) and high - low > min(bounds) - 1:
        return f"the interval is wider than the {min(bounds) - 1:.3g} that the target allows"
    return None
