"""docs/python.md, block by block, and the programs of examples/python."""

import contextlib
import inspect
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import unittest

import ground
import market
from ground import eventspace

source = sys.argv.pop(1)

class HowTo(unittest.TestCase):
    """One after the other, in one interpreter, beside a running application."""

    def test_each_block_runs(self):
        market.recording()
        with open(os.path.join(source, "docs", "python.md"), encoding="utf-8") as opened:
            page = opened.read()
        blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        of_market, workshop = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
        self.assertEqual(of_market.strip(), ground.PATHMAP.strip())
        ground.file("workshop.yaml", workshop)
        self.assertGreater(len(blocks), 10)
        shutil.copy(ground.file("market.evs"), ground.file("run.evs"))
        before = os.getcwd()
        os.chdir(ground.folder)
        self.addCleanup(os.chdir, before)
        names = {"__name__": "howto"}
        printed = io.StringIO()
        with ground.application("job"), market.open_market(), contextlib.redirect_stdout(printed):
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)
        text = printed.getvalue()
        for shown in ("market 0.", "[('buyer', ", "UTC", "take on path get: timed out", "relax", "greatest: (30,)", "where: "):
            self.assertIn(shown, text)


class Examples(unittest.TestCase):
    maxDiff = None  # tracebacks are long

    def run_example(self, name, *files):
        done = subprocess.run([*ground.interpreter, os.path.join(source, "examples", "python", name), *files],
                              capture_output=True, text=True, timeout=ground.LIMIT)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_the_late_rank_is_found(self):
        text = self.run_example("find_late_rank.py", market.recording())
        self.assertRegex(text.splitlines()[1], "buyer: last [0-9]+ times; the others waited")
        self.assertIn("waiting_s: buyer", text)

    def test_two_runs_are_compared(self):
        text = self.run_example("compare_runs.py", market.recording(), market.recording())
        rows = [line for line in text.splitlines() if line.endswith("1.00")]
        self.assertGreater(len(rows), 3)


class Documentation(unittest.TestCase):
    """What users find in the interpreter and in their editors."""

    def test_all_that_is_public_is_documented(self):
        for name in eventspace.__all__:
            if name.startswith("__"):
                continue
            thing = getattr(eventspace, name)
            self.assertTrue(thing.__doc__, name)
            if not inspect.isclass(thing):
                continue
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, staticmethod))):
                    self.assertTrue(getattr(thing, member).__doc__, f"{name}.{member}")

    def test_the_stub_names_what_the_module_has(self):
        package = os.path.join(source, "python", "eventspace")
        with open(os.path.join(package, "_eventspace.pyi"), encoding="utf-8") as stub:
            text = stub.read()
        for name in ("Session", "Thread", "Path", "Region", "Source", "OpenScope", "OpenMetric", "FrontEnd", "BackEnd"):
            body = re.search(rf"^class {name}:\n(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)[1]
            stubbed = set(re.findall(r"def (\w+)", body)) - {"__init__", "__enter__", "__exit__"}
            real = {member for member in vars(getattr(eventspace._eventspace, name)) if not member.startswith("_")}
            self.assertEqual(stubbed, real, name)
        self.assertTrue(os.path.exists(os.path.join(package, "py.typed")))

    def test_functions_have_annotations(self):
        for module in pkgutil.iter_modules(eventspace.__path__):
            if module.name.startswith("_"):
                continue
            members = vars(__import__(f"eventspace.{module.name}", fromlist=["x"]))
            for name, thing in members.items():
                if inspect.isfunction(thing) and thing.__module__ == f"eventspace.{module.name}":
                    self.assertIn("return", thing.__annotations__, f"{module.name}.{name}")


if __name__ == "__main__":
    ground.main()
