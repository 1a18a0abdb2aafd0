# Threads that begin and end all the time, each with ranges of its own and Python between them, beside
# a main thread that makes garbage. With an argument, for that many seconds.
import gc
import sys
import threading
import time

import torch


def deep(n):
    return sum(i for i in range(200)) if n == 0 else deep(n - 1)


def work(k):
    for _ in range(3):
        with torch.profiler.record_function(f"piece {k % 7}"):
            deep(k % 40)
        source = "def f(x):\n" + "    x += 1\n" * (k % 9 + 1) + "    return x\n"
        scope = {}
        exec(compile(source, f"made_{k % 50}.py", "exec"), scope)
        until = time.perf_counter() + 0.004
        while time.perf_counter() < until:
            scope["f"](k)


deadline = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 5)
started = 0
while time.monotonic() < deadline:
    threads = [threading.Thread(target=work, args=(started + i,)) for i in range(8)]
    started += len(threads)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
print(started)
