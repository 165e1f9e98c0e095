"""TCP ports of loopback for what a benchmark starts."""

import itertools
import os
import socket

FIRST, COUNT = 20_000, 12_000
_tried = itertools.count(64 * os.getpid())  # far from other programs
_reserved = []


def free_port():
    """A port that nothing is bound to, another one at each call, and no other test's or benchmark's until this program
    ends. Not one of those that the system gives to whoever asks for any: another's connection could get it before the
    server that is to listen there. What tells is the name of a socket, as in tests/paths/links/free_port.h."""
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
