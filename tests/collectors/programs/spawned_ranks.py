# SPDX-License-Identifier: Apache-2.0
"""Two ranks that the program starts itself, with no launcher's variables; rank 1 sleeps in each step."""
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, port):
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    pair = dist.new_group([0, 1])  # another group of it changes nothing
    torch.set_num_threads(1)
    layers = [torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), process_group=pair)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(60):
        if rank == 1:
            time.sleep(0.025)
        loss = torch.nn.functional.cross_entropy(model(torch.randn(32, 128)), torch.randint(0, 10, (32,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, (int(sys.argv[1]),), nprocs=2)
