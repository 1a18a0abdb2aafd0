# SPDX-License-Identifier: Apache-2.0
"""Loop positions against what loops of many shapes know of themselves."""
import asyncio
import ctypes
import functools
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe

COUNTED, AT_HEAD, ENTERED, LEFT = 1, 2, 4, 8
KNOWN = (3, 11) <= sys.version_info[:2] <= (3, 13)


class Reader:
    """The rows as a reader of the file takes them: a row ends what was said of deeper loops."""

    def __init__(self):
        self.levels = []  # (line, iteration), outermost first
        self.entered = 0  # how often a loop was entered
        self.rows = 0

    def look(self):
        probe.without_gil.probe_site()
        out = ctypes.create_string_buffer(1 << 16)
        probe.with_gil.probe_positions(out, len(out))
        for row in out.value.decode().splitlines():
            depth, flags, line, caller, iteration = map(int, row.split())
            assert depth <= len(self.levels), (row, self.levels)
            del self.levels[depth:]
            self.rows += 1
            if not flags & LEFT:
                self.levels.append((line, iteration, bool(flags & AT_HEAD), bool(flags & COUNTED), caller))
                self.entered += bool(flags & ENTERED)
        return self.levels

    def iterations(self):
        return [level[1] for level in self.look()]


def through_torch(function):
    scope = {"function": function}
    exec(compile("def call(*args):\n    return function(*args)\n", "/opt/lib/site-packages/torch/nn/module.py", "exec"), scope)
    return scope["call"]


@unittest.skipUnless(KNOWN, "this version's instructions are not known")
class Loops(unittest.TestCase):
    def setUp(self):
        self.reader = Reader()
        self.base = len(self.reader.look())  # loops of the test runner
        self.here = lambda: self.reader.iterations()[self.base:]

    def test_for_loops_that_count(self):
        for i in range(5):
            self.assertEqual(self.here(), [i + 1])
        for i in range(40, 30, -2):
            first = self.here()[0] if i == 40 else first
            self.assertEqual(self.here(), [first + (40 - i) // 2])
        for i, x in enumerate("abc"):
            self.assertEqual(self.here(), [i + 1])
        for i, (x, y) in enumerate(zip([1, 2, 3], (4, 5, 6))):
            self.assertEqual(self.here(), [i + 1])
        self.assertEqual(self.here(), [])

    def test_nested(self):
        for epoch in range(3):
            for batch in [5, 6, 7]:
                self.assertEqual(self.here(), [epoch + 1, batch - 4])
                for critic in range(2):
                    self.assertEqual(self.here(), [epoch + 1, batch - 4, critic + 1])
            self.assertEqual(self.here(), [epoch + 1])

    def test_iterations_without_a_look_are_counted(self):
        for i in range(1000):
            if i % 100 == 7:
                self.assertEqual(self.here(), [i + 1])

    def test_while(self):
        i = 0
        while i < 6:
            i += 1
            self.assertEqual(self.here(), [i])
            self.assertEqual(self.here(), [i])
            if i % 2 == 0:
                continue
            self.assertEqual(self.here(), [i])
        while True:
            self.assertEqual(self.here(), [i - 5])
            i += 1
            self.here()
            if i > 9:
                break
        self.assertEqual(self.here(), [])

    def test_line_of_a_while_is_its_own(self):
        def line():
            return self.reader.look()[self.base][0] - here.__code__.co_firstlineno

        def here():
            i = 0
            while i < 3:

                i += 1
                if i == 2:
                    continue
                self.assertEqual(line(), 2)
            while True:

                self.assertEqual(line(), 8)
                i -= 1
                if i == 1:
                    continue
                elif i == 0:
                    break
        here()

    def test_while_around_for(self):
        epoch = 0
        while epoch < 4:
            for batch in range(3):
                self.assertEqual(self.here(), [epoch + 1, batch + 1])
            self.here()
            epoch += 1

    def test_iterators_that_do_not_count(self):
        for i, key in enumerate({"a": 1, "b": 2, "c": 3}):
            self.assertEqual(self.here(), [i + 1])
        i = 0
        for key in {"a": 1, "b": 2, "c": 3}:
            i += 1
            self.assertEqual(self.here(), [i])
            self.assertEqual(self.here(), [i])

    def test_two_loops_of_one_function(self):
        for i in range(3):
            self.here()
        entered = self.reader.entered
        for i in range(3):
            self.assertEqual(self.here(), [i + 1])
        self.assertEqual(self.reader.entered, entered + 1)

    def test_function_that_is_called_again(self):
        def train():
            self.here()
            return self.here()
        for i in range(5):
            self.assertEqual(train(), [i + 1])
        step = 0
        while step < 5:
            step += 1
            self.assertEqual(train(), [step])
            self.assertEqual(self.here(), [step])

    def test_loop_of_a_function_is_entered_with_each_call(self):
        def epoch(n):
            for i in range(n):
                self.here()
        for n in range(1, 5):
            entered = self.reader.entered
            epoch(n)
            self.assertEqual(self.reader.entered, entered + 1 + (n == 1))
        self.assertNotEqual(self.reader.levels[-1][4], 0)  # the line that called it

    def test_through_the_library(self):
        def forward():
            return self.here()
        model = through_torch(forward)
        step = 0
        while step < 4:
            step += 1
            for layer in range(3):
                self.assertEqual(model(), [step, layer + 1])
            self.assertEqual(self.here(), [step])

    def test_library_loop_is_none_of_the_programs(self):
        scope = {"here": self.here}
        exec(compile("def call():\n    for i in range(3):\n        seen = here()\n    return seen\n",
                     "/opt/lib/site-packages/torch/optim/adam.py", "exec"), scope)
        for i in range(3):
            self.assertEqual(scope["call"](), [i + 1])

    def test_with_and_try_between(self):
        for i in range(3):
            with open(os.devnull) as file:
                for j in range(2):
                    try:
                        self.assertEqual(self.here(), [i + 1, j + 1])
                        if j == 1:
                            raise ValueError
                    except ValueError:
                        pass
                    finally:
                        self.assertEqual(self.here(), [i + 1, j + 1])
            self.assertEqual(self.here(), [i + 1])

    def test_loops_with_many_blocks_that_have_an_exit(self):
        body = "".join(f"    with open(os.devnull) as f:\n        a = {n}\n"
                       f"    try:\n        b = {n}\n    except KeyError:\n        b = 0\n" for n in range(20))
        scope = {"here": self.here, "os": os, "seen": []}
        exec(compile(f"for i in range(3):\n{body}    seen.append(here())\n", "<many>", "exec"), scope)
        self.assertEqual(scope["seen"], [[1], [2], [3]])

    def test_handlers_are_in_the_loops_of_what_they_guard(self):
        entered, done, data = self.reader.entered, 0, iter("ab")
        while done < 5:
            try:
                self.assertEqual(self.here(), [done + 1])
                item = next(data)
            except StopIteration:
                self.assertEqual(self.here(), [done + 1])
                data = iter("ab")
                self.assertEqual(self.here(), [done + 1])
                item = next(data)
            self.assertEqual(self.here(), [done + 1])
            done += 1
        self.assertEqual(self.reader.entered, entered + 1)

    def test_handlers_of_for_loops(self):
        entered = self.reader.entered
        for i in range(3):
            for j in [7, 8]:
                try:
                    try:
                        if j > 0:
                            raise KeyError
                    except KeyError:
                        self.assertEqual(self.here(), [i + 1, j - 6])
                    finally:
                        self.assertEqual(self.here(), [i + 1, j - 6])
                    if j == 8:
                        raise ValueError
                except ValueError:
                    self.assertEqual(self.here(), [i + 1, j - 6])
                    continue
            try:
                with open(os.devnull):
                    for k in range(2):
                        if k == 1:
                            raise OSError
            except OSError:
                self.assertEqual(self.here(), [i + 1])
        self.assertEqual(self.reader.entered, entered + 4)
        try:
            for i in range(3):
                self.here()
                raise KeyError
        except KeyError:
            self.assertEqual(self.here(), [])

    def test_a_function_that_handles_is_called_once(self):
        def step(i):
            try:
                self.here()
                if i % 2 == 1:
                    raise ValueError
            except ValueError:
                self.assertEqual(self.here(), [i])
            return self.here()
        i = 0
        while i < 5:
            i += 1
            self.assertEqual(step(i), [i])

    def test_generator_asks_at_the_head(self):
        heads = []
        def batches():
            for i in range(3):
                heads.append(self.reader.look()[self.base:])
                yield i
            self.reader.look()
        for n, i in enumerate(batches()):
            self.assertEqual(self.here(), [n + 1])
            self.assertFalse(self.reader.levels[self.base][2])
        self.assertEqual([head[0][1:3] for head in heads], [(1, True), (2, True), (3, True)])
        self.assertEqual([head[1][1] for head in heads], [1, 2, 3])
        self.assertTrue(self.reader.levels == [] or self.reader.levels[-1][2])

    def test_what_enumerate_lets_go_late_enters_no_loop(self):
        heads = []
        class Item:
            def __del__(item):
                heads.append(self.reader.look()[self.base:][0])
        entered = self.reader.entered
        for n, item in enumerate(Item() for _ in range(4)):
            item = None
            self.assertEqual(self.here(), [n + 1])
        self.assertEqual([head[1:3] for head in heads[:3]], [(3, True), (4, True), (5, True)])
        self.assertEqual(self.reader.entered - entered, 1)

    def test_what_a_return_still_does_is_in_no_loop(self):
        seen = []
        def leaves(how):
            try:
                for i in dict.fromkeys(range(3)):
                    if how == "return":
                        return str(i)
                    if how == "break":
                        break
                    self.here()
            finally:
                for _ in range(100):
                    seen.append(self.reader.look()[self.base:])
        for how in ("return", "break", "go on"):
            leaves(how)
            self.assertEqual(len(seen[-1]), 2, how)
            self.assertEqual(seen[-1][1][1], 100)

    def test_recursion(self):
        def down(depth, times):
            if depth == 0:
                return self.here()
            for i in range(times):
                seen = down(depth - 1, times)
            return seen
        self.assertEqual(down(4, 2), [2, 2, 2, 2])
        self.assertLessEqual(len(down(30, 1)), 16)

    def test_deep_stack_is_left_alone(self):
        def down(depth):
            return down(depth - 1) if depth else self.reader.look()
        for i in range(3):
            down(300)
        self.assertIn("stack_over_128_frames", probe.remarks())
        for i in range(3):
            self.assertEqual(self.here()[-1:], [i + 1])

    def test_exec_in_a_loop(self):
        for n in range(200):
            scope = {"here": self.here, "seen": []}
            exec(compile(f"for i in range({n % 3 + 1}):\n" + "    x = 1\n" * (n % 7) + "    seen.append(here())\n",
                         f"<cell {n % 2}>", "exec"), scope)
            self.assertEqual(scope["seen"], [[n + 1, i + 1] for i in range(n % 3 + 1)])

    def test_coroutines(self):
        seen = []
        async def work():
            for i in range(3):
                await asyncio.sleep(0)
                seen.append(self.reader.iterations()[-1])
        asyncio.run(work())
        self.assertEqual(seen, [1, 2, 3])

    def test_threads_have_their_own(self):
        def work(wrong):
            reader = Reader()
            for i in range(2000):
                probe.without_gil.probe_site()
        threads = [threading.Thread(target=work, args=([],)) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        probe.with_gil.probe_positions(ctypes.create_string_buffer(16), 16)  # theirs

    def test_callback_of_a_library_is_no_iteration_of_for(self):
        for i in range(3):
            self.assertEqual(list(map(lambda x: self.here()[0], range(4))), [i + 1] * 4)
            functools.reduce(lambda a, b: self.assertEqual(self.here(), [i + 1]), range(4))

    def test_callback_of_a_library_is_no_iteration_of_while(self):
        def callback(x):
            return self.here()[0]
        i = 0
        while i < 4:
            i += 1
            self.assertEqual(list(map(callback, range(3))), [i] * 3)
            self.assertEqual(self.here(), [i])

    def test_nothing_is_told_where_nothing_changed(self):
        for i in range(3):
            self.here()
            rows = self.reader.rows
            self.here(); self.here()
            self.here()
            self.assertEqual(self.reader.rows, rows)

    def test_a_debugger_leaves_lines_alone(self):
        def traced():
            for i in range(3):
                self.here()
        sys.settrace(lambda *args: None)
        try:
            traced()
        finally:
            sys.settrace(None)


@unittest.skipUnless(KNOWN, "this version's instructions are not known")
class EveryFunction(unittest.TestCase):
    """The loops of all functions of the standard library, against the module `dis`."""

    def test_heads(self):
        import dis
        import inspect
        import argparse, ast, collections, http.client, json.decoder, tarfile, tempfile, tokenize, typing
        modules = [argparse, ast, asyncio.base_events, collections, http.client, json.decoder, tarfile, tokenize, typing, unittest.case, dis, inspect]
        checked = 0
        for module in modules:
            for code in self.codes(module):
                ours = probe.loops(code)
                heads = {i.argval // 2 for i in dis.get_instructions(code) if i.opname.startswith(("JUMP_BACKWARD", "POP_JUMP_BACKWARD"))
                         and "NO_INTERRUPT" not in i.opname}
                self.assertIsNotNone(ours, code)
                for begin, end, _ in ours:
                    self.assertIn(begin, heads, (code, ours))
                checked += len(ours)
        self.assertGreater(checked, 300)

    def test_long_bodies_that_have_run(self):
        """Jumps of over 255 units have a prefix, which CPython 3.11 changes in code that runs often."""
        scope = {}
        body = "\n".join(f"            x = x + {i} - {i}" for i in range(120))
        exec(f"def long(n, x=0):\n    for i in range(n):\n        for j in (1, 2):\n{body}\n        x += 1\n", scope)
        code = scope["long"].__code__
        plain = probe.loops(code)
        for _ in range(50):
            scope["long"](3)
        self.assertEqual(len(plain), 2)
        self.assertEqual(probe.loops(code, as_it_runs=True), plain)

    @unittest.skipUnless(sys.version_info[:2] >= (3, 12), "handlers stand among other code")
    def test_handlers(self):
        import dis
        import argparse, asyncio.base_events, contextlib, http.client, inspect, shutil, socket, subprocess, tarfile, tempfile, zipfile
        checked = 0
        for module in [argparse, asyncio.base_events, contextlib, http.client, inspect, shutil, socket, subprocess, tarfile, tempfile, zipfile]:
            for code in self.codes(module):
                table = [(e.start // 2, e.end // 2, e.target // 2) for e in dis._parse_exception_table(code)]
                if not 0 < len({target for _, _, target in table}) <= 64:
                    continue
                first = min(target for _, _, target in table)
                for begin, end, *guards in probe.handlers(code):
                    for unit in (begin, end - 1):
                        self.assertEqual(tuple(guards), self.guarded(table, first, unit), (code, unit))
                        checked += 1
        self.assertGreater(checked, 500)

    def guarded(self, table, first, unit):
        target = max(t for _, _, t in table if t <= unit)
        before = [(begin, min(end, first)) for begin, end, t in table if t == target and begin < first]
        if before:
            return min(begin for begin, _ in before), max(end for _, end in before)
        return self.guarded(table, first, next(begin for begin, _, t in table if t == target))

    def codes(self, module):
        import inspect
        stack = [compile(inspect.getsource(module), module.__file__, "exec")]
        while stack:
            code = stack.pop()
            yield code
            stack += [const for const in code.co_consts if hasattr(const, "co_code")]


if __name__ == "__main__":
    unittest.main()
