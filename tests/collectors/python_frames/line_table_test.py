# SPDX-License-Identifier: Apache-2.0
"""Our line table decoder against co_lines() for every code object of the standard library."""
import dis
import os
import sys
import sysconfig
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe

NO_LINE, BAD_TABLE = -1, -2
MODULES = 400


def all_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


def sources():
    top = sysconfig.get_path("stdlib")
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(f for f in folders if f not in ("site-packages", "dist-packages", "__pycache__"))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def python_lines(code):
    lines = [NO_LINE] * (len(code.co_code) // 2)
    if not hasattr(code, "co_lines"):  # 3.9: a line counts from where it starts
        for begin, line in [(0, code.co_firstlineno), *dis.findlinestarts(code)]:
            lines[begin // 2:] = [line] * (len(lines) - begin // 2)
        return lines
    for begin, end, line in code.co_lines():
        for unit in range(begin // 2, end // 2):
            lines[unit] = NO_LINE if line is None else line
    return lines


class LineTables(unittest.TestCase):
    def test_standard_library(self):
        modules = objects = units = 0
        for path in sources():
            try:
                with open(path, "rb") as file:
                    code = compile(file.read(), path, "exec")
            except (SyntaxError, ValueError):
                continue  # files that test the parser
            modules += 1
            for each in all_code(code):
                self.assertEqual(probe.lines(each), python_lines(each), f"{path} {each.co_name}")
                objects += 1
                units += len(each.co_code) // 2
            if modules == MODULES:
                break
        print(f"{modules} modules, {objects} code objects, {units} units equal", file=sys.stderr)
        self.assertGreater(modules, 150)
        self.assertGreater(objects, 5000)

    def test_cut_and_random_tables_are_refused_or_harmless(self):
        import ctypes
        import random
        random.seed(1)
        whole = probe.line_table(all_code.__code__)
        for cut in range(len(whole) + 1):
            out = (ctypes.c_int * 400)()
            probe.with_gil.probe_lines(probe.FORMAT, whole[:cut], cut, 1, out, 400)
            if hasattr(all_code.__code__, "co_linetable"):  # the table of 3.9 has no end
                self.assertEqual(out[399], BAD_TABLE)
        for _ in range(2000):
            table = random.randbytes(random.randrange(60))
            out = (ctypes.c_int * 100)()
            probe.with_gil.probe_lines(probe.FORMAT, table, len(table), 1, out, 100)


if __name__ == "__main__":
    unittest.main()
