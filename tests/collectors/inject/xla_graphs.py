# SPDX-License-Identifier: Apache-2.0
"""That CUPTI is asked for its records in a process without XLA, and not in one with it: the injected library over a fake
libcupti; and how CUDA graphs are recorded in either.

  xla_graphs.py STEPSCOPE LIBCUPTI PLUGIN      PLUGIN: any library that is named like XLA's

In place of the CUDA driver the program calls what the driver calls when it initialises.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

GRAPH_TRACE, RESOURCE, NODE_CREATED, NODE_CLONED, CONCURRENT_KERNEL = 51, 3, 13, 20, 10
QUIET_S, PATIENCE_S = 0.2, 10


def is_flushed(fake, wanted):
    """Within the patience where it is wanted, else within a while that is long beside the period of 1 ms."""
    before = fake.fake_flushes()
    deadline = time.monotonic() + (PATIENCE_S if wanted else QUIET_S)
    while fake.fake_flushes() == before and time.monotonic() < deadline:
        time.sleep(0.01)
    return fake.fake_flushes() != before


def run_program(when, libcupti, plugin):
    fake = ctypes.CDLL(libcupti)
    own = ctypes.CDLL(None)
    if when == "before":
        ctypes.CDLL(plugin)
    own.InitializeInjection()
    own.stepscope_range_begin(b"step")  # the writer thread begins with the first record
    own.stepscope_range_end()
    if when == "after":
        assert is_flushed(fake, wanted=True)
        ctypes.CDLL(plugin)
        time.sleep(QUIET_S)  # a flush may be under way
    nodes = [fake.fake_callback_is_on(RESOURCE, one) for one in (NODE_CREATED, NODE_CLONED)]
    print("graphs", "whole" if fake.fake_kind_is_on(GRAPH_TRACE) == 1 else "nodes", *nodes, "kernels", fake.fake_kind_is_on(CONCURRENT_KERNEL),
          "flushed" if is_flushed(fake, wanted=when == "never") else "left alone")


def main():
    stepscope, libcupti, plugin = sys.argv[1:4]
    nodes, whole = "graphs nodes 1 1 kernels 1", "graphs whole 0 0 kernels 1"
    cases = [("never", [], f"{nodes} flushed"), ("before", [], f"{nodes} left alone"), ("after", [], f"{nodes} left alone"),
             ("before", ["--graphs", "whole"], f"{whole} left alone"), ("never", ["--graphs", "whole"], f"{whole} flushed")]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (when, words, expected) in enumerate(cases):
            command = [stepscope, "profile", "-o", os.path.join(folder, str(number)), *words, "--",
                       sys.executable, __file__, "program", when, libcupti, plugin]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "STEPSCOPE_DEVICE_FLUSH_MS": "1"})
            if done.returncode != 0 or done.stdout.strip() != expected:
                wrong += 1
                print(f"XLA {when} CUDA, {words}: exit {done.returncode}, {done.stdout.strip()!r}, wanted {expected!r}\n{done.stderr}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1] == "program":
        run_program(*sys.argv[2:5])
    else:
        main()
