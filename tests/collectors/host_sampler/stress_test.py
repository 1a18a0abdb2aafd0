# SPDX-License-Identifier: Apache-2.0
"""Reads threads without a pause that begin and end, call deeply, raise, make and drop code objects,
and collect garbage. Nothing may crash, and a line that is told must be right: each function line_N
stands on line N of its file. Argument: seconds. STEPSCOPE_SAMPLER_PROBE is the library."""
import ctypes
import gc
import os
import random
import sys
import threading
import time

with_gil = ctypes.PyDLL(os.environ["STEPSCOPE_SAMPLER_PROBE"])
without_gil = ctypes.CDLL(os.environ["STEPSCOPE_SAMPLER_PROBE"])


def functions(made):
    """Functions of which each is on one line, in code that is made anew each time."""
    first, lines = 3 + made % 50, []
    for line in range(first, first + 12):
        call = f"line_{line + 1}(n)" if line + 1 < first + 12 else "n + 1"
        lines.append(f"def line_{line}(n): return {call}")
    scope = {}
    exec(compile("\n" * (first - 1) + "\n".join(lines), f"made_{made % 20}.py", "exec"), scope)
    return scope[f"line_{first}"]


def generator(n):
    for i in range(n):
        yield i


def raises(depth):
    if depth == 0:
        raise ValueError
    raises(depth - 1)


def work(seed):
    tid = threading.get_native_id()
    without_gil.sampler_hammer_watch(tid, 1)
    chance = random.Random(seed)
    until = time.monotonic() + chance.random() * 0.05
    call = functions(seed)
    while time.monotonic() < until:
        for _ in range(50):
            call(1)
        sum(generator(chance.randrange(20)))
        try:
            raises(chance.randrange(40))
        except ValueError:
            pass
        if chance.randrange(20) == 0:
            call = functions(chance.randrange(1000))
        if chance.randrange(30) == 0:
            time.sleep(0.001)
    without_gil.sampler_hammer_watch(tid, 0)


seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
assert with_gil.sampler_begin() == 1
without_gil.sampler_hammer_start(2)
started, deadline = 0, time.monotonic() + seconds
while time.monotonic() < deadline:
    threads = [threading.Thread(target=work, args=(started + i,)) for i in range(6)]
    started += len(threads)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if started % 60 == 0:
        gc.collect()
without_gil.sampler_hammer_stop()
counts = (ctypes.c_long * 5)()
without_gil.sampler_hammer_counts(counts)
read, torn, nothing, collecting, wrong = counts
print(f"{started} threads, {read} places, {torn} torn, {nothing} without frames, {collecting} collecting, {wrong} wrong")
assert started > 20 and read > 1000, "too little was read"
assert wrong == 0, "a line was wrong"
