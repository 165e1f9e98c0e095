#!/usr/bin/env python3
"""zsh_completion_test.py EVENTSPACE: types beginnings of command lines and TAB into a zsh on a terminal."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds for each answer


def expect(terminal, wanted):
    """Reads until `wanted` has come."""
    text = ""
    end = time.monotonic() + LIMIT
    while wanted not in text:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            sys.exit(f"expected {wanted!r}, and there was {text!r}")
        text += os.read(terminal, 65536).decode(errors="replace")


def main():
    if not shutil.which("zsh"):
        print("zsh is not installed: nothing was tested")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "_eventspace"), "w") as script:
            subprocess.run([sys.argv[1], "completion", "zsh"], stdout=script, check=True)
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(directory)
            os.environ["TERM"] = "dumb"
            os.execvp("zsh", ["zsh", "-f", "-i"])
        try:
            # Both ways to load it: by name from fpath, and by a command in a start file.
            os.write(terminal, b"fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; echo rea''dy\n")
            expect(terminal, "ready")
            os.write(terminal, b"source ./_eventspace; echo sour''ced\n")
            expect(terminal, "sourced")
            for typed, completed in [
                ("eventspace heartb", "eventspace heartbeat "),
                ("eventspace heartbeat --unt", "eventspace heartbeat --until-stall "),
                ("eventspace heartbeat --format j", "eventspace heartbeat --format json "),
                ("eventspace completion z", "eventspace completion zsh"),
            ]:
                os.write(terminal, typed.encode() + b"\t")
                expect(terminal, completed)
                os.write(terminal, b"\x15")  # Ctrl-U
        finally:
            os.close(terminal)  # ends the shell
            os.waitpid(process, 0)


main()
