# SPDX-License-Identifier: Apache-2.0
"""A reaction and diffusion simulation in CuPy: a raw kernel on one stream, statistics on another, a picture a frame. On a GPU only."""
import sys

import numpy as np
from own_clock import Clock, arguments

args = arguments(100)
if args.device != "cuda":
    print("CuPy needs a GPU")
    sys.exit(77)
import cupy

SIDE, SUBSTEPS = 2048, 60
gray_scott = cupy.RawKernel(r"""
extern "C" __global__
void gray_scott(const float* u, const float* v, float* un, float* vn, int side, float feed, float kill) {
    int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int left = y * side + (x + side - 1) % side, right = y * side + (x + 1) % side;
    int above = ((y + side - 1) % side) * side + x, below = ((y + 1) % side) * side + x, here = y * side + x;
    float lu = u[left] + u[right] + u[above] + u[below] - 4.0f * u[here];
    float lv = v[left] + v[right] + v[above] + v[below] - 4.0f * v[here];
    float reaction = u[here] * v[here] * v[here];
    un[here] = u[here] + 0.16f * lu - reaction + feed * (1.0f - u[here]);
    vn[here] = v[here] + 0.08f * lv + reaction - (feed + kill) * v[here];
}
""", "gray_scott")

u, v = cupy.ones((SIDE, SIDE), dtype=cupy.float32), cupy.zeros((SIDE, SIDE), dtype=cupy.float32)
middle = slice(SIDE // 2 - 40, SIDE // 2 + 40)
u[middle, middle], v[middle, middle] = 0.5, 0.25
v += 0.01 * cupy.random.random((SIDE, SIDE), dtype=cupy.float32)
u_next, v_next = cupy.empty_like(u), cupy.empty_like(v)
means = cupy.zeros(args.steps, dtype=cupy.float32)
cupy.cuda.Device().synchronize()
simulation, statistics = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
block = (32, 8)
grid = (SIDE // block[0], SIDE // block[1])
brightest = 0.0
clock = Clock("cpu")
for frame in clock.steps(args.steps):
    with simulation:
        for _ in range(SUBSTEPS):
            gray_scott(grid, block, (u, v, u_next, v_next, np.int32(SIDE), np.float32(0.035), np.float32(0.065)))
            u, u_next, v, v_next = u_next, u, v_next, v
        done = simulation.record()
    with statistics:
        statistics.wait_event(done)
        means[frame] = v.mean()
        measured = statistics.record()
    with simulation:
        picture = cupy.asnumpy(v)  # planted on a GPU: sync
        simulation.wait_event(measured)
    brightest = max(brightest, float(picture[::16, ::16].max()))
cupy.cuda.Device().synchronize()
clock.done()
print("brightest", brightest, "mean", float(means[-1]))
