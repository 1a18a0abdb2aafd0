# SPDX-License-Identifier: Apache-2.0
"""A loop in plain Python, which calls nothing that is hooked."""
import ctypes  # noqa: F401 (a library of the interpreter)
import time


def gradient(rows):
    total = 0.0
    for row in rows:
        total += sum(value * value for value in row)  # planted
    return total


rows = [[k / 7 for k in range(200)] for _ in range(50)]
until = time.process_time() + 1.0
while time.process_time() < until:
    gradient(rows)
