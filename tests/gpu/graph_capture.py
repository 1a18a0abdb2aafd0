# SPDX-License-Identifier: Apache-2.0
"""A step captured into a CUDA graph has the lines and the phases of its capture, not of its replay."""

import sys

from profiled import Check, line_of, report_of

STEPS = 40


def train():
    import torch

    phase = torch.cuda.nvtx.range
    x = torch.randn(4096, 4096, device="cuda")
    for _ in range(3):  # loads kernels and workspaces, so that nothing of that is captured
        (x @ x).topk(32)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with phase("capture"), torch.cuda.graph(graph):
        with phase("encode"):
            hidden = x @ x  # encode
        with phase("select"):
            hidden.topk(32)  # select
    for _ in range(STEPS):
        with phase("step"):
            with phase("train"):
                graph.replay()  # replay
            torch.cuda.synchronize()


def lines_with(report, cause):
    return {row["line"]: row["ns_total"] for row in report["lines"] if row["cause"] == cause}


def main():
    report = report_of([sys.executable, __file__, "train"], "^step$")
    check = Check()
    gemm, select = lines_with(report, "gpu.gemm"), lines_with(report, "gpu.select")
    replay = line_of(__file__, "replay")
    print("gpu.gemm by line", gemm, "gpu.select by line", select, "replay", replay)
    check(set(gemm) == {line_of(__file__, "encode")}, "matrix products are at the captured line")
    check(line_of(__file__, "select") in select, "top-k is at the captured line")
    check(replay not in {**gemm, **select}, "no captured work is at the replay")
    paths = {row["path"]: row["gpu_busy_ns_total"] for row in report["phases"]}
    print("device time by phase", paths)
    check(paths.get("train/encode", 0) > 0 and paths.get("train/select", 0) > 0, "captured phases inside the replay's")
    check("capture" not in paths, "the range around the capturing is no part of a step")
    notes = [note for note in report["trust"]["notes"] if "CUDA graphs" in note]
    check(not notes, f"every node has its capture, every launch its ops {notes}")
    check.exit()


if __name__ == "__main__":
    train() if sys.argv[1:] == ["train"] else main()
