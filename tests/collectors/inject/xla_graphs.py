# SPDX-License-Identifier: Apache-2.0
"""How CUDA graphs are recorded in a process with XLA, and in one without: the injected library over a fake libcupti.

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


def run_program(when, patience, libcupti, plugin):
    fake = ctypes.CDLL(libcupti)
    own = ctypes.CDLL(None)
    if when == "before":
        ctypes.CDLL(plugin)
    own.InitializeInjection()
    if when == "after":
        ctypes.CDLL(plugin)
    own.stepscope_range_begin(b"step")  # the writer thread begins with the first record
    own.stepscope_range_end()

    def is_whole():
        return fake.fake_kind_is_on(GRAPH_TRACE) == 1

    # The writer thread switches within its next look.
    deadline = time.monotonic() + float(patience)
    while when == "after" and not is_whole() and time.monotonic() < deadline:
        time.sleep(0.01)
    nodes = [fake.fake_callback_is_on(RESOURCE, one) for one in (NODE_CREATED, NODE_CLONED)]
    print("graphs", "whole" if is_whole() else "nodes", "callbacks of nodes", *nodes, "kernels", fake.fake_kind_is_on(CONCURRENT_KERNEL))


def main():
    stepscope, libcupti, plugin = sys.argv[1:4]
    nodes, whole = "graphs nodes callbacks of nodes 1 1 kernels 1", "graphs whole callbacks of nodes 0 0 kernels 1"
    cases = [("never", [], nodes), ("before", [], whole), ("after", [], whole), ("before", ["--graphs", "nodes"], nodes),
             ("after", ["--graphs", "nodes"], nodes), ("never", ["--graphs", "whole"], whole)]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (when, words, expected) in enumerate(cases):
            command = [stepscope, "profile", "-o", os.path.join(folder, str(number)), *words, "--",
                       sys.executable, __file__, "program", when, "0.3" if words else "10", libcupti, plugin]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if done.returncode != 0 or done.stdout.strip() != expected:
                wrong += 1
                print(f"XLA {when} CUDA, {words}: exit {done.returncode}, {done.stdout.strip()!r}, wanted {expected!r}\n{done.stderr}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1] == "program":
        run_program(*sys.argv[2:6])
    else:
        main()
