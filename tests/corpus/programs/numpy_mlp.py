# SPDX-License-Identifier: Apache-2.0
"""A network in NumPy alone: batches made in Python, gradients by hand, no library that records anything."""
import numpy
from own_clock import Clock, arguments

args = arguments(60)
draw = numpy.random.default_rng(0)
first, second = draw.standard_normal((64, 1024)) * 0.05, draw.standard_normal((1024, 10)) * 0.05


def batch(size):
    rows = []
    for _ in range(size):
        rows.append([(k * 0.37) % 1.0 for k in draw.standard_normal(64)])  # planted: host
    return numpy.asarray(rows), draw.integers(0, 10, size)


clock = Clock("cpu")
for step in clock.steps(args.steps):
    inputs, labels = batch(1200)
    hidden = numpy.maximum(inputs @ first, 0)
    scores = numpy.exp(hidden @ second)
    scores /= scores.sum(axis=1, keepdims=True)
    scores[numpy.arange(len(labels)), labels] -= 1
    back = (scores @ second.T) * (hidden > 0)
    second -= 0.001 * hidden.T @ scores
    first -= 0.001 * inputs.T @ back
clock.done()
