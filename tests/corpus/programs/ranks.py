# SPDX-License-Identifier: Apache-2.0
"""Two ranks of DistributedDataParallel on one machine, started by torchrun's own module; the second one is slower."""
import os
import sys
import time

import torch
from own_clock import Clock, arguments

args = arguments(40)
if "RANK" not in os.environ:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", __file__, *sys.argv[1:]]
    os.execv(sys.executable, command)
rank = int(os.environ["RANK"])
torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
clock = Clock("cpu")
for step in clock.steps(args.steps):
    inputs, labels = torch.randn(64, 256), torch.randint(0, 10, (64,))
    if rank == 1:
        time.sleep(0.01)
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
if rank == 0:
    clock.done()
torch.distributed.destroy_process_group()
