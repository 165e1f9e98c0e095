"""The interpreter for which the package was built, as programs that measure run it."""

import json
import os
import pathlib
import subprocess

from pairs import Failed

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 1800  # seconds for one program


def python(build):
    """The interpreter of the build, from its cache."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("EVENTSPACE_PYTHON_PROGRAM:"):
            return line.partition("=")[2]
    return "python3"


def run(command, build):
    """The objects that a program prints as lines of JSON; raises Failed."""
    environment = {**os.environ, "PYTHONPATH": str(build.resolve() / "python")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=environment)
    if done.returncode != 0:
        raise Failed(f"{command[1]}: {' | '.join(done.stderr.splitlines()[-3:])}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def run_script(name, build, *words):
    return run([python(build), str(HERE / name), *map(str, words)], build)
