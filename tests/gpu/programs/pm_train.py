# SPDX-License-Identifier: Apache-2.0
"""Phases whose hardware counters are known: "matmul" (tensor cores), "idle", and "copy" (DRAM), a second each, after
seconds in which sampling, which begins behind the first kernel, comes into its stride. Prints the bytes a second that
the copies read."""

import json
import time

import torch
from torch.profiler import record_function

SECONDS = 1.0
BEFORE_SECONDS = 4.0


def repeat(name, work):
    """How often a second."""
    work()
    torch.cuda.synchronize()
    with record_function(name):
        begin, count = time.perf_counter(), 0
        while time.perf_counter() - begin < SECONDS:
            for _ in range(10):
                work()
            torch.cuda.synchronize()
            count += 10
        return count / (time.perf_counter() - begin)


def main():
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    source = torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    a @ a
    time.sleep(BEFORE_SECONDS)
    repeat("matmul", lambda: a @ a)
    with record_function("idle"):
        time.sleep(SECONDS)
    rate = repeat("copy", lambda: torch.add(source, 1, out=target))
    print(json.dumps({"read_bytes_per_second": rate * source.numel()}))


if __name__ == "__main__":
    main()
