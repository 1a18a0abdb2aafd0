# SPDX-License-Identifier: Apache-2.0
"""Forty iterations of a loop in plain Python, each of some 20 ms."""
import ctypes  # noqa: F401 (a library of the interpreter)


def gradient(rows):
    return sum(value * value for row in rows for value in row)


rows = [[k / 7 for k in range(200)] for _ in range(20)]
for epoch in range(2):
    for step, part in enumerate([rows] * 20):
        for _ in range(80):
            gradient(part)
