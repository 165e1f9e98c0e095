"""An idle application, and plain ZeroMQ that transfers as many bytes as a pull of it."""

import json
import subprocess

from pairs import Failed
from watching import LIMIT, application


def idle_application(programs, pathmap, session, processes):
    """Runs an application that has recorded one event in each of its trace elements and is idle during the block."""
    return application(programs, pathmap, session, *programs.command("idle_application"), says=["idle"] * processes)


def plain_tree(programs, leaves, bytes_of_each, gateways, *words):
    """Returns the command that pulls as many bytes through plain ZeroMQ sockets."""
    return programs.command("zmq_tree", "--leaves", leaves, "--bytes", bytes_of_each, "--gateways", gateways, *words)


def plain_pull(programs, leaves, bytes_of_each, gateways, pulls):
    """Returns the seconds of one such pull through plain ZeroMQ sockets."""
    command = plain_tree(programs, leaves, bytes_of_each, gateways, "--pulls", pulls)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"zmq_tree took longer than {LIMIT} s") from None
    if done.returncode != 0:
        raise Failed(f"zmq_tree failed: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    return result["seconds"] / result["pulls"]
