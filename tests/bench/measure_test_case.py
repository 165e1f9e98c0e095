"""For the tests of the programs `measure` below bench/: where things are, and a test that calls one of them."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, BUILD = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(BENCH))


class MeasureTestCase(unittest.TestCase):
    """Has a folder of its own, and calls the program of one group in it."""

    GROUP = ""  # the program's folder in bench/
    ALWAYS = ()  # what it is always told

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def command(self, *more, build=BUILD):
        words = [BENCH / self.GROUP / "measure", "--build", build, "--out", self.out, *self.ALWAYS, *more]
        return [sys.executable, "-B", *map(str, words)]

    def measure(self, *more, **where):
        return subprocess.run(self.command(*more, **where), capture_output=True, text=True)

    def assert_ended_well(self, done):
        # Its last words say why it did not; what it says first is how far it is, which is long.
        self.assertEqual(done.returncode, 0, "\n".join(done.stderr.splitlines()[-6:]))

    def rows(self):
        return json.loads((self.out / "rows.json").read_text())
