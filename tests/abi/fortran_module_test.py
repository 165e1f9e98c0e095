"""fortran_module_test.py INCLUDE: that the module eventspace.f90 has the constants of eventspace.h, and calls functions that
are in it with as many arguments."""

import re
import sys
import unittest

include = sys.argv.pop(1)

# Constants of C for what the module does not have: monitors, columns and metrics.
OF_MONITORS = {"ES_USUAL", "ES_END", "ES_NO_TYPE", "ES_ABI_VERSION"}
ENUMS_OF_MONITORS = ("es_column_type", "es_each")


def read(name):
    with open(f"{include}/{name}", encoding="utf-8") as file:
        return file.read()


def header():
    """eventspace.h without comments."""
    return re.sub(r"/\*.*?\*/", "", read("eventspace.h"), flags=re.DOTALL)


def module():
    """eventspace.f90 without comments, with each statement on one line."""
    return re.sub(r"&\s*", "", re.sub(r"!.*", "", read("eventspace.f90")))


def constants_of_c():
    text = header()
    for enum in ENUMS_OF_MONITORS:
        text = re.sub(rf"typedef enum {enum}\b.*?}} {enum};", "", text, flags=re.DOTALL)
    pairs = re.findall(r"\b(ES_[A-Z0-9_]+) = (-?\d+)", text) + re.findall(r"#define (ES_\w+) INT64_C\((-?\d+)\)", text)
    return {name.lower(): int(value) for name, value in pairs if name not in OF_MONITORS}


def constants_of_fortran():
    found = {}
    for declaration in re.findall(r"parameter, public ::(.*)", module()):
        for name, value in re.findall(r"\b(es_\w+) = (-?\d+)", declaration):
            found[name] = int(value)
    return found


def arguments_of_c():
    """How many arguments each function has."""
    functions = re.findall(r"\b(es_\w+)\(([^()]*)\);", header())
    return {name: 0 if given.strip() == "void" else given.count(",") + 1 for name, given in functions}


def arguments_of_fortran():
    bound = re.findall(r'(?:function|subroutine) c_\w+\(([^()]*)\) bind\(c, name="(es_\w+)"\)', module())
    return {name: given.count(",") + 1 if given.strip() else 0 for given, name in bound}


class FortranModule(unittest.TestCase):
    def test_has_the_constants_of_c(self):
        self.assertIn("es_timed_out", constants_of_c())
        self.assertEqual(constants_of_fortran(), constants_of_c())

    def test_calls_functions_of_c_with_all_arguments(self):
        of_fortran = arguments_of_fortran()
        self.assertIn("es_path_write", of_fortran)
        self.assertEqual(of_fortran.items() - arguments_of_c().items(), set())


if __name__ == "__main__":
    unittest.main()
