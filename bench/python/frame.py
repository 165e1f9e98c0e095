"""frame.py FILE: makes a data frame of a recording, or of a CSV file; prints the seconds, rows and memory as JSON."""

import json
import resource
import sys
import time

import pandas


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(file):
    if file.endswith(".csv"):
        begun, before = time.perf_counter(), peak()
        frame = pandas.read_csv(file)
        columns = int(frame.memory_usage(deep=False).sum())
    else:
        import eventspace

        begun, before = time.perf_counter(), peak()
        events = eventspace.open(file).events(all_points=True)  # as CSV has them
        frame = events.to_pandas()
        columns = events.nbytes
    print(json.dumps({"seconds": time.perf_counter() - begun, "rows": len(frame), "columns": len(frame.columns),
                      "column_bytes": columns, "peak_bytes": peak() - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])
