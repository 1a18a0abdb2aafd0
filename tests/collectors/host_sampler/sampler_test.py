# SPDX-License-Identifier: Apache-2.0
"""The sampler's readers in a running interpreter: places of other threads, of a forked process, and
the flag of the garbage collector. STEPSCOPE_SAMPLER_PROBE is the library."""
import ctypes
import gc
import os
import queue
import sys
import threading
import time
import unittest

with_gil = ctypes.PyDLL(os.environ["STEPSCOPE_SAMPLER_PROBE"])
without_gil = ctypes.CDLL(os.environ["STEPSCOPE_SAMPLER_PROBE"])
without_gil.sampler_thread_cpu.restype = ctypes.c_ulong
PLACE, NO_THREAD = 1, -1
HERE = os.path.basename(__file__)


def look(tid, pid=0):
    out = ctypes.create_string_buffer(4096)
    reading = without_gil.sampler_look(tid, pid, out, len(out))
    return reading, out.value.decode().split(" | ")


def loops_with_lines(tid):
    """(function, line, position, end) of each loop of the thread, outermost first."""
    out = ctypes.create_string_buffer(4096)
    without_gil.sampler_loops(tid, out, len(out))
    rows = [line.rsplit(" ", 3) for line in out.value.decode().splitlines()]
    return [(function, int(line), int(position), int(end)) for function, line, position, end in rows]


def loops(tid):
    return [(function, position, end) for function, _, position, end in loops_with_lines(tid)]


def line_with(mark):
    """The line of this file that ends with a comment of the mark."""
    with open(__file__) as file:
        return next(n for n, text in enumerate(file, 1) if text.rstrip().endswith("# " + mark))


class Thread:
    """A thread that runs a function, and its id."""

    def __init__(self, function):
        self.tid = None
        self.thread = threading.Thread(target=self.run, args=(function,), daemon=True)
        self.thread.start()
        while self.tid is None:
            time.sleep(0.001)
        time.sleep(0.05)

    def run(self, function):
        self.tid = threading.get_native_id()
        function()


class Sampler(unittest.TestCase):
    def setUp(self):
        self.assertEqual(with_gil.sampler_begin(), 1)

    def test_a_thread_that_sleeps_is_at_its_line(self):
        done = threading.Event()

        def sleeper():
            while not done.is_set():
                time.sleep(10)  # asleep

        thread = Thread(sleeper)
        reading, (site, called, innermost, flags) = look(thread.tid)
        done.set()
        self.assertEqual(reading, PLACE)
        self.assertIn(f"{HERE}:{line_with('asleep')} Sampler.", site)
        self.assertEqual((called, innermost, flags), ("", "", "0"))

    def test_what_the_line_called_is_told(self):
        waited_for = queue.Queue()

        def waiter():
            waited_for.get()  # waits

        thread = Thread(waiter)
        reading, (site, called, innermost, _) = look(thread.tid)
        waited_for.put(0)
        self.assertEqual(reading, PLACE)
        self.assertIn(f"{HERE}:{line_with('waits')} Sampler.", site)
        self.assertEqual((called, innermost), ("queue.Queue.get", "threading.Condition.wait"))

    def test_a_thread_that_runs_is_at_one_of_its_lines(self):
        done = []

        def runner():
            n = 0
            while not done:
                n += 1  # runs

        thread = Thread(runner)
        places = [look(thread.tid) for _ in range(200)]
        done.append(1)
        told = [place[1][0] for place in places if place[0] == PLACE]
        self.assertGreater(len(told), 100)
        at = line_with("runs")
        for site in told:
            self.assertIn(int(site.split(":")[1].split()[0]), (at - 1, at), site)

    def test_a_thread_that_has_ended_or_is_none_of_pythons_is_no_thread(self):
        thread = Thread(lambda: None)
        thread.thread.join()
        self.assertEqual(look(thread.tid)[0], NO_THREAD)
        self.assertEqual(look(999_999)[0], NO_THREAD)

    def test_generators_and_callbacks_of_c_have_their_frames(self):
        def numbers():
            time.sleep(10)  # in a generator
            yield 1

        thread = Thread(lambda: sorted(numbers(), key=abs))
        reading, (site, *_) = look(thread.tid)
        self.assertEqual(reading, PLACE)
        self.assertIn(f"{HERE}:{line_with('in a generator')} ", site)

    def test_the_collectors_flag_is_up_while_it_collects(self):
        self.assertEqual(with_gil.sampler_knows_collector(), 1)
        self.assertEqual(with_gil.sampler_collecting(), 0)
        seen = []
        gc.callbacks.append(lambda phase, info: seen.append(with_gil.sampler_collecting()))
        gc.collect()
        gc.callbacks.pop()
        # The callbacks run while the flag is up, but for the last of some versions.
        self.assertEqual(seen[0], 1 if sys.version_info < (3, 13) else seen[0])
        without_gil.sampler_hammer_start(1)
        without_gil.sampler_hammer_watch(threading.get_native_id(), 1)
        counts = (ctypes.c_long * 5)()
        time.sleep(0.3)
        without_gil.sampler_hammer_counts(counts)
        self.assertEqual(counts[3], 0)
        kept = [[i] for i in range(1_000_000)]
        end = time.monotonic() + 1
        while time.monotonic() < end:
            gc.collect()
        without_gil.sampler_hammer_counts(counts)
        without_gil.sampler_hammer_stop()
        self.assertGreater(counts[3], 0.5 * (counts[0] + counts[1]) * 0.3, list(counts))
        self.assertEqual(with_gil.sampler_collecting(), 0)
        del kept

    def test_a_forked_process_is_read_from_outside(self):
        pid = os.fork()
        if pid == 0:
            time.sleep(5)  # in the child
            os._exit(0)
        time.sleep(0.1)
        reading, (site, *_) = look(0, pid)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        if reading == NO_THREAD and os.geteuid() != 0:
            self.skipTest("the system forbids to read a child")
        self.assertEqual(reading, PLACE)
        self.assertIn(f"{HERE}:{line_with('in the child')} ", site)
        self.assertEqual(look(0, pid)[0], NO_THREAD)

    def test_loops_are_where_their_iterators_are(self):
        """As the loops themselves count, in each kind that counts and through generators."""
        paused, go_on = threading.Event(), threading.Event()

        def batches(count):
            for number in range(count):
                yield number

        def train():
            for epoch in range(3):
                for row, _ in enumerate([10, 20, 30, 40]):
                    for batch in batches(5):
                        for a, _ in zip((1, 2, 3), range(4)):
                            if (epoch, row, batch, a) == (1, 2, 3, 2):
                                paused.set()
                                go_on.wait()

        thread = Thread(train)
        paused.wait()
        time.sleep(0.05)
        found = loops(thread.tid)
        go_on.set()
        self.assertEqual([one[1:] for one in found if one[0].endswith("train")], [(2, 3), (3, 4), (4, 5), (2, 3)])

    @unittest.skipUnless((3, 11) <= sys.version_info < (3, 14), "the instructions of this CPython are not known")
    def test_two_loops_of_a_function_have_their_own_lines(self):
        """Both keep their iterator in the same slot; what a loop that ended left in one above is none."""
        paused, go_on, places = threading.Event(), threading.Event(), []

        def batches(count):
            yield from range(count)

        def pause():
            paused.set()
            go_on.wait()
            go_on.clear()

        def train():
            for _ in range(2):  # epochs
                for batch in batches(4):  # to train
                    for _ in range(7):
                        pass
                    if batch == 3:
                        pause()
                for batch in batches(3):  # to validate
                    try:
                        if batch == 1:
                            pause()
                    except ValueError:
                        pass

        thread = Thread(train)
        for _ in range(2):
            paused.wait()
            paused.clear()
            time.sleep(0.05)
            places.append([one[1:] for one in loops_with_lines(thread.tid) if one[0].endswith("train")])
            go_on.set()
        epochs = line_with("epochs")
        self.assertEqual(places[0], [(epochs, 1, 2), (line_with("to train"), 4, 4)])
        self.assertEqual(places[1], [(epochs, 1, 2), (line_with("to validate"), 2, 3)])

    def test_a_thread_without_loops_has_none(self):
        thread = Thread(lambda: time.sleep(10))
        self.assertEqual([one for one in loops(thread.tid) if "lambda" in one[0]], [])

    def test_cpu_time_of_a_thread_tells_running_from_sleeping(self):
        done = []

        def runner():
            while not done:
                pass

        running, sleeping = Thread(runner), Thread(lambda: time.sleep(10))
        before = [without_gil.sampler_thread_cpu(t.tid) for t in (running, sleeping)]
        time.sleep(0.3)
        after = [without_gil.sampler_thread_cpu(t.tid) for t in (running, sleeping)]
        done.append(1)
        self.assertGreater(after[0] - before[0], 20_000_000)
        self.assertLess(after[1] - before[1], 1_000_000)
        self.assertEqual(without_gil.sampler_thread_cpu(999_999), 0)


if __name__ == "__main__":
    unittest.main()
