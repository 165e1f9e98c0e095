"""TCP ports of loopback for the servers that a benchmark starts."""

import itertools
import os
import socket

FIRST, COUNT = 20_000, 12_000
_tried = itertools.count(64 * os.getpid())  # far from other programs
_reserved = []


def free_port():
    """Returns an unbound port, a different one at each call. Until this program ends, no other test or benchmark gets
    the port: it is reserved by the name of a socket, as in tests/paths/links/free_port.h. The port is outside the range
    from which the system chooses ports, since a connection of another program could get it before the server does."""
    for number in itertools.islice(_tried, COUNT):
        port = FIRST + number % COUNT
        if reserve(port) and is_unbound(port):
            return port
    raise RuntimeError(f"none of the ports from {FIRST} to {FIRST + COUNT - 1} is free")


def reserve(port):
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        name.bind(f"\0eventspace-test-port-{port}")
    except OSError:
        name.close()
        return False
    _reserved.append(name)
    return True


def is_unbound(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
