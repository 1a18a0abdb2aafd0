# SPDX-License-Identifier: Apache-2.0
"""NumPy alone: a linear model fitted by batches in each of five folds, with inner iterations."""
import numpy
from own_clock import Clock, arguments

args = arguments(60)
FOLDS = 5
batches = args.steps // FOLDS
clock = Clock("cpu")
generator = numpy.random.default_rng(0)
inputs = generator.standard_normal((500 * batches, 300))
answers = inputs @ generator.standard_normal((300, 10))


def fit_fold():
    weights = numpy.zeros((300, 10))
    for _, rows in enumerate(numpy.array_split(generator.permutation(len(inputs)), batches)):
        clock.tick()
        for _ in range(6):
            gradient = inputs[rows].T @ (inputs[rows] @ weights - answers[rows]) / len(rows)
            weights -= 0.01 * gradient
    return weights


results = [fit_fold() for _ in range(FOLDS)]
clock.done()
