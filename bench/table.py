#!/usr/bin/env python3
"""Makes scripts/bench's table from the reports of benchmark and measuring programs.

A report is one run of a benchmark program, named GROUP.ROUND.json, as Google Benchmark writes it, or the rows of
a measuring program. A benchmark is named FIGURE/ours or FIGURE/PEER. If no benchmark is named FIGURE/ours, the
whole name is the figure, and there is no peer. The value of a benchmark with a counter is the counter (a rate,
COUNTER/s), of any other its time. The message with which a benchmark skips itself is the row's note.

Exit status: 0 something was measured, 1 nothing was measured, 2 usage.
"""

import argparse
import json
import pathlib
import sys

import machine
import rows as bench_rows

COLUMNS = [field for field in bench_rows.FIELDS if field != "note"]


def short(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.3g}" if value < 1e5 else f"{value:.2e}"
    return str(value)


def cell(row, column):
    value = row[column]
    if value is None:
        return "-"
    if column == "spread":
        return f"{value:.0%}"
    if column == "interval":
        return f"{value[0]:.3f} to {value[1]:.3f}"
    if column == "ratio" and row["interval"] is not None:
        return f"{value:.3f}"
    return short(value)


def notes_of(rows):
    for row in rows:
        if row["note"]:
            yield ", ".join(row[field] for field in ("group", "figure", "peer") if row[field]) + ": " + row["note"]


def to_text(rows):
    table = [COLUMNS] + [[cell(row, column) for column in COLUMNS] for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in table]
    return "\n".join(lines + [""] * any(row["note"] for row in rows) + list(notes_of(rows))) + "\n"


def to_markdown(rows, where):
    """Returns the table with the conditions of the measurement, to be pasted into docs/."""
    line = lambda cells: "| " + " | ".join(text.replace("|", "\\|") for text in cells) + " |"
    lines = [line(COLUMNS), "|" + "---|" * len(COLUMNS)]
    lines += [line(cell(row, column) for column in COLUMNS) for row in rows]
    lines += ["", *(f"{what}: {text}  " for what, text in where.items())]
    notes = list(notes_of(rows))
    lines += [""] * bool(notes) + [f"- {note}" for note in notes]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=pathlib.Path, help="bench/targets.json")
    parser.add_argument("--json", type=pathlib.Path, help="also write the rows there")
    parser.add_argument("--markdown", type=pathlib.Path, help="also write the table there, with the machine")
    parser.add_argument("--build", type=pathlib.Path, default="build/release", help="what ran (%(default)s)")
    parser.add_argument("reports", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    targets = json.loads(arguments.targets.read_text()) if arguments.targets else {}
    rows = bench_rows.rows_of(arguments.reports, targets)
    print(to_text(rows), end="")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    if arguments.markdown:
        arguments.markdown.write_text(to_markdown(rows, machine.describe(arguments.build)))
    return 0 if any(row["ours"] is not None for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
