"""Describes the conditions of a measurement for the docs: machine, compiler, commit and date."""

import datetime
import os
import pathlib
import platform
import re
import subprocess

UNKNOWN = "unknown"


def describe(build):
    """Returns {name: text}. `build` is the CMake build directory of the measured programs."""
    return {
        "Machine": f"{processor()}, {os.cpu_count()} cores, {memory()}, Linux {platform.release()}",
        "Compiler": compiler(pathlib.Path(build)),
        "Commit": commit(),
        "Date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def processor(cpuinfo="/proc/cpuinfo"):
    return found(r"^model name\s*:\s*(.+)$", cpuinfo)


def memory(meminfo="/proc/meminfo"):
    kib = found(r"^MemTotal:\s*(\d+) kB$", meminfo)
    return kib if kib == UNKNOWN else f"{int(kib) / 2**20:.0f} GiB"


def compiler(build):
    program = found(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", build / "CMakeCache.txt")
    kind = found(r"^CMAKE_BUILD_TYPE:\w+=(.+)$", build / "CMakeCache.txt")
    return f"{said_by(program, '--version').splitlines()[0]}, {kind}"


def commit():
    here = pathlib.Path(__file__).parent
    name = said_by("git", "-C", here, "rev-parse", "--short=12", "HEAD")
    if name != UNKNOWN and said_by("git", "-C", here, "status", "--porcelain", "-uno") != UNKNOWN:
        name += ", with changes that are not committed"
    return name


def found(pattern, file):
    """Returns the pattern's group from the first line of the file that matches."""
    try:
        match = re.search(pattern, pathlib.Path(file).read_text(), re.MULTILINE)
    except OSError:
        return UNKNOWN
    return match.group(1).strip() if match else UNKNOWN


def said_by(*command):
    """Returns the output of a program; UNKNOWN if it fails, does not exist, or writes nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    return done.stdout.strip() or UNKNOWN
