# SPDX-License-Identifier: Apache-2.0
"""endings_driver.py MODE LAUNCHES TIMES: as endings.cu does, from Python without torch: sets of device memory through
the driver's own interface, 4 ms apart; then the interpreter ends in the way that MODE names."""

import ctypes
import multiprocessing
import os
import signal
import sys
import time

driver = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        sys.exit(f"the driver answers {status}")


def begin():
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(driver.cuCtxSetCurrent(context))
    check(driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096)))
    return memory


def launch(count, memory, path):
    times = []
    for _ in range(count):
        times.append(time.time_ns())
        check(driver.cuMemsetD8Async(memory, ctypes.c_ubyte(1), ctypes.c_size_t(4096), None))
        time.sleep(0.004)
    check(driver.cuCtxSynchronize())
    with open(path, "a") as file:
        file.write(" ".join(map(str, times)) + "\n")


def raise_exit(*_):
    raise SystemExit(9)


def worker(queue):
    queue.put(os.getpid() > 0)


def fork_workers():
    """Worker processes as a DataLoader starts them, where CUDA is in use already."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    workers = [context.Process(target=worker, args=(queue,)) for _ in range(3)]
    for process in workers:
        process.start()
    for process in workers:
        process.join()
    print("workers ended with", [process.exitcode for process in workers], [queue.get() for _ in workers], flush=True)


def end(mode):
    if mode == "exit":
        sys.exit(3)
    if mode == "quick_exit":
        os._exit(5)
    if mode == "raise":
        raise RuntimeError("on purpose")
    if mode == "sigterm_handled":
        signal.signal(signal.SIGTERM, raise_exit)
    if mode in ("sigterm", "sigterm_handled"):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
    if mode == "sigint":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    if mode == "exec":
        os.execv(sys.executable, [sys.executable, __file__, "return", *sys.argv[2:]])


def main():
    mode, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    memory = begin()
    if mode == "fork":
        fork_workers()
    launch(count, memory, path)
    print("launched, then", mode, flush=True)
    end(mode)


if __name__ == "__main__":
    main()
