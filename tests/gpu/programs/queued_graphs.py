# SPDX-License-Identifier: Apache-2.0
"""Steps that are one CUDA graph of small kernels each, launched far ahead of the device, more of them than are recorded.

queued_graphs.py STEPS [at STEP]: waits for the device at the end of STEP, inside its mark.
Two graphs are launched in turns, so that launches of one executable graph are queued several times.
"""

import sys

import torch


def captured(x, kernels):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(kernels):
            x = x.mul(1.0001).add(0.5)
    return graph


def main():
    steps = int(sys.argv[1])
    wait_at = int(sys.argv[3]) if len(sys.argv) > 3 else -1
    x = torch.randn(1 << 22, device="cuda")
    x.mul(1.0001).add(0.5)
    torch.cuda.synchronize()
    graphs = [captured(x, 120), captured(x, 40)]
    for step in range(steps):
        with torch.profiler.record_function(f"step {step}"):
            for graph in graphs:
                graph.replay()
            if step == wait_at:
                torch.cuda.synchronize()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
