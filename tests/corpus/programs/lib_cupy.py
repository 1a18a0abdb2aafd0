# SPDX-License-Identifier: Apache-2.0
"""Gradient descent in CuPy, with a kernel of its own; on a GPU only."""
import sys

from own_clock import Clock, arguments

args = arguments(200)
if args.device != "cuda":
    sys.exit(77)
import cupy

square = cupy.ElementwiseKernel("float32 x", "float32 y", "y = x * x", "square")
inputs = cupy.random.randn(4096, 256, dtype=cupy.float32)
wanted = cupy.random.randn(4096, 64, dtype=cupy.float32)
weights = cupy.zeros((256, 64), dtype=cupy.float32)
clock = Clock("cpu")
for step in clock.steps(args.steps):
    error = inputs @ weights - wanted
    loss = square(error).mean()
    weights -= 1e-4 * (inputs.T @ error)
cupy.cuda.Device().synchronize()
clock.done()
