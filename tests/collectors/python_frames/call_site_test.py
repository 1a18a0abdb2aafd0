# SPDX-License-Identifier: Apache-2.0
"""Call sites against sys._getframe() for many shapes of programs, with and without the GIL."""
import functools
import os
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe

FILE = os.path.abspath(__file__)


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)  # new in 3.11


def expected(frame):
    return f"{frame.f_code.co_filename}:{frame.f_lineno}:{name_of(frame.f_code)}"


def through(path, function, source="def call():\n    return function()\n"):
    """A function that pretends to live in `path` and calls `function`."""
    scope = {"function": function}
    exec(compile(source, path, "exec"), scope)
    return scope["call"]


class Shapes:
    """Each test calls the probe and sys._getframe on one line and compares."""

    def setUp(self):
        self.seen = self.library.probe_site

    def check(self, pair):
        ours, python = pair
        self.assertEqual(ours.decode(), python)

    def seen_in(self, source, name, **scope):
        """The last value of `result` in a source that may call seen()."""
        scope["seen"] = self.seen
        exec(compile(source, name, "exec"), scope)
        return scope["result"].decode()

    def test_plain(self):
        self.check((self.seen(), expected(sys._getframe())))

    def test_recursion(self):
        def down(n):
            if n > 0:
                return down(n - 1)
            return (self.seen(), expected(sys._getframe()))
        self.check(down(200))

    def test_comprehension(self):
        for pair in [(self.seen(), expected(sys._getframe()))
                     for _ in range(3)]:
            self.check(pair)

    def test_generator_expression_and_generator(self):
        def generate():
            yield (self.seen(), expected(sys._getframe()))
            yield (
                self.seen(), expected(sys._getframe()))
        for pair in (item for item in generate()):
            self.check(pair)

    def test_lambda(self):
        self.check((lambda: (self.seen(), expected(sys._getframe())))())

    def test_class_body(self):
        seen = self.seen

        class Body:
            pair = (seen(), expected(sys._getframe()))
        self.check(Body.pair)

    def test_decorator(self):
        def decorate(function):
            def wrapper(*args):
                return function(*args), (self.seen(), expected(sys._getframe()))
            return wrapper

        @decorate
        def decorated():
            return (self.seen(), expected(sys._getframe()))
        for pair in decorated():
            self.check(pair)

    def test_with_and_try(self):
        try:
            with threading.Lock():
                raise ValueError
        except ValueError:
            self.check((self.seen(), expected(sys._getframe())))
        finally:
            self.check((self.seen(), expected(sys._getframe())))

    def test_loop_lines_change(self):
        for i in range(50):
            if i % 2:
                pair = (self.seen(), expected(sys._getframe()))
            else:
                pair = (self.seen(), expected(sys._getframe()))
            self.check(pair)

    def test_multi_line_call(self):
        frame = sys._getframe()
        line = frame.f_lineno + 2
        values = dict(
            a=self.seen(),
            b=[1,
               2])
        self.assertEqual(values["a"].decode(), f"{FILE}:{line}:{name_of(frame.f_code)}")

    def test_big_line_deltas(self):
        for gap in (1, 15, 16, 40, 500, 70000):
            source = "def f():\n" + "\n" * gap + "    seen()\n" + "\n" * gap + "    return seen()\nresult = f()\n"
            self.assertEqual(self.seen_in(source, "/project/gap.py"), f"/project/gap.py:{2 * gap + 3}:f")

    def test_backward_line_delta(self):
        line = sys._getframe().f_lineno + 2
        results = [
            self.seen()
            for _ in range(2)
        ]
        self.assertIn(f":{line}:", results[1].decode())

    def test_long_line(self):
        source = "x = [" + "1, " * 5000 + "seen()]\nresult = x[-1]\n"
        self.assertEqual(self.seen_in(source, "/project/long.py"), "/project/long.py:1:<module>")

    def test_exec_reuses_addresses(self):
        # Same name, file and sizes, only the line differs: a cache by address would answer with the first.
        for i in range(200):
            blank = i % 5
            source = "\n" * blank + "result = seen()" + "\n" * (5 - blank) + "seen"
            self.assertEqual(self.seen_in(source, "/project/generated.py"),
                             f"/project/generated.py:{blank + 1}:<module>")

    def test_unusual_file_names(self):
        for name in ("<stdin>", "/pr\u00f6ject/caf\u00e9.py", "/\u9879\u76ee/\u8bad\u7ec3.py", "/\U0001F600.py", "",
                     "a b.py"):
            self.assertEqual(self.seen_in("result = seen()", name), f"{name}:1:<module>")

    def test_text_that_a_library_put_together_is_not_the_users(self):
        # As Triton's launchers: the line that called it names the site.
        site = self.seen_in("result = seen()", "<string>")
        self.assertIn("call_site_test.py", site)

    def test_user_line_behind_library_frames(self):
        prefix = f"{sys.prefix}/lib/python{sys.version_info[0]}.{sys.version_info[1]}"
        seen = self.seen
        for path in ("<frozen importlib._bootstrap>", f"{prefix}/site-packages/torch/nn/modules/module.py",
                     "/usr/lib/python3/dist-packages/numpy/core.py", f"{prefix}/functools.py"):
            seen = through(path, seen)
        pair = (seen(), expected(sys._getframe()))
        self.check(pair)

    def test_least_foreign_frame_without_user_code(self):
        def on_thread(target):
            results = []
            thread = threading.Thread(target=functools.partial(map_into, results, target))
            thread.start()
            thread.join()
            return results[0].decode()
        packages = "/opt/lib/python3.11/site-packages"
        map_into = through("/opt/lib/python3.11/operator.py", None, "def call(results, f):\n    results.append(f())\n")
        in_torch = through(f"{packages}/torch/utils/data/pin_memory.py", self.seen)
        in_package = through(f"{packages}/mypackage/train.py", in_torch, "\n\ndef call():\n    return function()\n")
        self.assertEqual(on_thread(in_torch), f"{packages}/torch/utils/data/pin_memory.py:2:call")
        self.assertEqual(on_thread(in_package), f"{packages}/mypackage/train.py:4:call")
        self.assertEqual(on_thread(self.seen), "/opt/lib/python3.11/operator.py:2:call")

    def test_c_calls_python_calls_c(self):
        pairs = []

        def called_back():
            pairs.append((self.seen(), expected(sys._getframe())))
            if len(pairs) < 5:
                self.library.probe_call(callback)
            self.check((self.seen(), expected(sys._getframe())))
        callback = probe.CALLBACK(called_back)
        self.library.probe_call(callback)
        self.check((self.seen(), expected(sys._getframe())))
        for pair in pairs:
            self.check(pair)
        self.assertEqual(len(pairs), 5)

    def test_sort_key_and_dunder(self):
        pairs = []

        class Item:
            def __lt__(self_item, other):
                pairs.append((self.seen(), expected(sys._getframe())))
                return False
        sorted([Item() for _ in range(4)])
        for pair in pairs:
            self.check(pair)
        self.assertGreater(len(pairs), 2)

    def test_coroutine(self):
        import asyncio

        async def inner():
            await asyncio.sleep(0)
            return (self.seen(), expected(sys._getframe()))

        async def outer():
            return await asyncio.gather(*[inner() for _ in range(3)])
        for pair in asyncio.run(outer()):
            self.check(pair)

    def test_many_threads(self):
        wrong = []

        def work():
            for _ in range(300):
                pair = (self.seen(), expected(sys._getframe()))
                if pair[0].decode() != pair[1]:
                    wrong.append(pair)
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_without_python_frames(self):
        # Nothing can be found there, so they do not count as lookups.
        before = self.library.probe_found() + self.library.probe_missed()
        self.assertEqual(self.library.probe_foreign_thread(), b"")
        self.assertEqual(probe.without_gil.probe_worker_thread(), b"")
        self.assertEqual(self.library.probe_found() + self.library.probe_missed(), before)

    def test_tracing_and_profiling_on(self):
        sys.settrace(lambda *args: None)
        try:
            self.check((self.seen(), expected(sys._getframe())))
        finally:
            sys.settrace(None)

    def test_forked_child(self):
        child = os.fork()
        if child == 0:
            pair = (self.seen(), expected(sys._getframe()))
            os._exit(0 if pair[0].decode() == pair[1] else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_link_rate(self):
        self.seen()
        self.assertGreater(self.library.probe_found(), 0)
        self.assertEqual(self.library.probe_missed(), 0)


class WithoutGil(Shapes, unittest.TestCase):
    library = probe.without_gil


class WithGil(Shapes, unittest.TestCase):
    library = probe.with_gil

    def test_compared_with_the_api(self):
        self.seen()
        self.assertIn("compared with the interpreter's API", probe.remarks())
        self.assertNotIn("off", probe.remarks())


class Subinterpreter(unittest.TestCase):
    def test_refused_but_harmless(self):
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            try:
                import _interpreters as interpreters
            except ImportError:
                self.skipTest("this Python has no subinterpreter module")
        before = probe.without_gil.probe_found()
        script = f"""
import sys
sys.path.insert(0, {os.path.dirname(FILE)!r})
result = "no ctypes"
try:
    import ctypes, probe
    result = probe.without_gil.probe_site().decode()
except ImportError:
    pass
assert "<string>" not in result, result
"""
        identity = interpreters.create()
        try:
            interpreters.run_string(identity, script)
        finally:
            interpreters.destroy(identity)
        self.assertGreaterEqual(probe.without_gil.probe_found(), before)


class Exit(unittest.TestCase):
    def test_daemon_threads_at_exit(self):
        script = f"""
import sys, threading
sys.path.insert(0, {os.path.dirname(FILE)!r})
import probe
def work():
    while True:
        probe.without_gil.probe_nanoseconds(20000)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
probe.without_gil.probe_nanoseconds(1000)
"""
        for _ in range(10):
            done = subprocess.run([sys.executable, "-c", script], timeout=60)
            self.assertEqual(done.returncode, 0)


class SourceKinds(unittest.TestCase):
    def test_paths(self):
        kind = probe.with_gil.probe_source_kind
        user, unnamed, package, torch, library = range(5)
        for path, wanted in {
            "/home/me/train.py": user, "train.py": user, "<string>": unnamed, "<stdin>": user,
            "<ipython-input-3-abc>": user, "/home/me/python3/lib/x.py": user, "/home/torch/train.py": user,
            "/opt/venv/lib/python3.11/site-packages/transformers/trainer.py": package,
            "/usr/lib/python3/dist-packages/numpy/__init__.py": package,
            "/usr/local/lib/python3.12/dist-packages/torch/nn/modules/module.py": torch,
            "/opt/venv/lib/python3.12/site-packages/torchvision/models.py": package,
            "/tmp/torchinductor_me/ab/cab.py": torch, "<eval_with_key>.3": torch,
            "/home/me/pytorch/torch/nn/modules/module.py": torch, "/home/me/torch/models/mlp.py": user,
            "/usr/lib/python3.11/threading.py": library, "/opt/conda/lib/python3.13/json/__init__.py": library,
            "/usr/lib64/python3.12/os.py": library, "<frozen importlib._bootstrap>": library,
            "/usr/lib/python311.zip/os.py": library, "/opt/lib/python3.13t/os.py": library,
        }.items():
            self.assertEqual(kind(path.encode()), wanted, path)

    def test_packages_that_count_as_the_users(self):
        kind, packages = probe.with_gil.probe_source_kind, "/opt/venv/lib/python3.11/site-packages/"
        user, package = 0, 2
        names = b"transformers,one_file"  # kept by the probe
        probe.with_gil.probe_count_as_users(names)
        for path, wanted in {"transformers/models/gpt2.py": user, "one_file.py": user, "accelerate/state.py": package,
                             "transformers_extra/x.py": package}.items():
            self.assertEqual(kind((packages + path).encode()), wanted, path)
        probe.with_gil.probe_count_as_users(None)
        self.assertEqual(kind((packages + "transformers/trainer.py").encode()), package)


if __name__ == "__main__":
    unittest.main()
