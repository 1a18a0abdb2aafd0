# SPDX-License-Identifier: Apache-2.0
"""endings_ranks.py pass|fail: two ranks under torchrun, Gloo on the host, kernels on the same GPU; with `fail` rank 1
leaves in the middle and rank 0 waits for it in vain."""

import os
import sys

import torch
import torch.distributed as dist

STEPS = 30


def main():
    dist.init_process_group("gloo")
    rank, value = dist.get_rank(), torch.ones(256, 256)
    for _ in range(STEPS):
        on_device = (value.cuda() @ torch.eye(256, device="cuda")).sin()
        value = on_device.cpu() + rank
        dist.all_reduce(value)
    os.write(1, f"rank {rank}: {value.sum().item():.2f}\n".encode())
    if sys.argv[1] == "fail":
        if rank == 1:
            os._exit(7)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
