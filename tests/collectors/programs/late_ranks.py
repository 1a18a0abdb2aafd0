# SPDX-License-Identifier: Apache-2.0
"""Ranks of DistributedDataParallel with Gloo. MODE: clean, late (rank 1 sleeps), killed (rank 1 dies early).

Rank 1 prints how long its sleeps took, on the mean, and the line of the sleep."""
import os
import sys
import time

import torch
import torch.distributed as dist

MODE = sys.argv[1]
STEPS = 120  # so many that the warm-up of a rank on a busy machine is a small part


RANKS = {"RANK": ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"),
         "WORLD_SIZE": ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")}


def main():
    for name, of_launchers in RANKS.items():
        for variable in of_launchers:
            if variable in os.environ:
                os.environ.setdefault(name, os.environ[variable])
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    rank = dist.get_rank()
    layers = [torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    slept, line = 0.0, 0
    for step in range(STEPS):
        if MODE == "late" and rank == 1:
            begin = time.perf_counter()
            time.sleep(0.025); line = sys._getframe().f_lineno  # noqa: E702
            slept += time.perf_counter() - begin
        if MODE == "killed" and rank == 1 and step == 5:
            os._exit(3)
        loss = torch.nn.functional.cross_entropy(model(torch.randn(32, 128)), torch.randint(0, 10, (32,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 1:
        os.write(1, f"slept {1e9 * slept / STEPS:.0f} ns at line {line}\n".encode())
    dist.destroy_process_group()


main()
