# SPDX-License-Identifier: Apache-2.0
"""Two ranks under torchrun with Gloo; rank 1 fails in the middle, rank 0 waits for it in vain."""

import os
import sys

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    value = torch.ones(16)
    for i in range(20):
        with torch.profiler.record_function("rank_step"):
            value = value + rank
            dist.all_reduce(value)
    # One write a line: print writes text and newline apart, and the ranks share the pipe.
    os.write(1, f"rank {rank} of {os.environ['WORLD_SIZE']}: {value.sum().item():.0f}\n".encode())
    if sys.argv[1] == "fail":
        if rank == 1:
            os._exit(7)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
