#!/usr/bin/env python3
"""find_late_rank.py RUN.EVS: which thread or rank comes last to the collective operations of a recorded run.

Prints how often each was the last, and how long the others waited for it; then where the latest one spent the time
between its collective operations, next to all others.
"""

import sys

import eventspace


def waited_for(collectives):
    """Seconds that the others waited for each thread, the longest first."""
    seconds = {}
    for operation in collectives:
        if operation.get("last") and operation.get("waiting"):
            seconds[operation["last"]] = seconds.get(operation["last"], 0.0) + operation["waiting"]["ns"] / 1e9
    return sorted(seconds.items(), key=lambda item: -item[1])


def main(file):
    run = eventspace.open(file)
    collectives = run.collectives()
    ranking = waited_for(collectives)
    if not ranking:
        print("no collective operation has a certain last thread")
        return 1
    times = dict(collectives.late())
    print(f"{len(collectives)} collective operations")
    for thread, seconds in ranking[:10]:
        print(f"{thread}: last {times[thread]} times; the others waited {seconds:.3f} s for it")

    late = ranking[0][0]
    threads = run.profile().threads.to_pandas()
    # Collective operations of MPI name ranks, the profile names threads.
    names = ("rank " + threads["rank"].astype("Int64").astype(str)).where(threads["rank"].notna(), threads["thread"])
    columns = ["compute_s", "transfer_s", "waiting_s"]
    threads = threads.groupby(names)[columns].sum()
    others = threads.drop(index=late)
    for column in columns:
        print(f"{column}: {late} {threads.loc[late, column]:.3f}, mean of the others {others[column].mean():.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
