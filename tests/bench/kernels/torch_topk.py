# SPDX-License-Identifier: Apache-2.0
# The peer in Python, with a cold L2 as in batch_topk_bench and row_topk_bench: torch.topk over all entries and a
# boolean mask, the whole op with z-scores; and torch.topk of each row. Prints median and 99th percentile in us.
import sys

import torch

REPETITIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 50
COUNT = 204800
ROW_CASES = [(1024, 49152, 32), (1024, 49152, 200), (1024, 49152, 512), (4096, 16384, 64), (1024, 131072, 64)]


def topk_mask(keys):
    mask = torch.zeros(keys.numel(), dtype=torch.bool, device=keys.device)
    mask[torch.topk(keys.reshape(-1), COUNT, sorted=False).indices] = True
    return mask


def z_scored_mask(keys):
    return topk_mask((keys - keys.mean(0, keepdim=True)) / (keys.std(0, keepdim=True) + 1e-6))


def timed(function, keys, flushed):
    times = []
    for i in range(REPETITIONS + 5):
        flushed.sum()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function(keys)
        end.record()
        end.synchronize()
        if i >= 5:
            times.append(begin.elapsed_time(end) * 1e3)
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100]


def main():
    flushed = torch.ones(64 << 20, device="cuda")
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for dtype in (torch.bfloat16, torch.float32):
        keys = torch.randn(1024, 49152, device="cuda").to(dtype)
        for name, function in (("topk + mask", topk_mask), ("z-score + topk + mask", z_scored_mask)):
            median, p99 = timed(function, keys, flushed)
            print(f"{str(dtype):16} {name:36} {median:9.1f} {p99:9.1f}")
    for dtype in (torch.bfloat16, torch.float32):
        for rows, columns, count in ROW_CASES:
            keys = torch.randn(rows, columns, device="cuda").to(dtype)
            median, p99 = timed(lambda matrix: torch.topk(matrix, count, dim=1, sorted=False), keys, flushed)
            name = f"topk of each row {rows}x{columns} k {count}"
            print(f"{str(dtype):16} {name:36} {median:9.1f} {p99:9.1f}")


if __name__ == "__main__":
    main()
