# SPDX-License-Identifier: Apache-2.0
"""Fully sharded training on two ranks (FSDP2), over gloo."""
import os
import sys

import torch
from own_clock import Clock, arguments

args = arguments(30)
if "RANK" not in os.environ:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", __file__, *sys.argv[1:]]
    os.execv(sys.executable, command)
from torch.distributed.fsdp import fully_shard  # noqa: E402

torch.distributed.init_process_group("gloo")
mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2,))
model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU()) for _ in range(4)], torch.nn.Linear(256, 10))
for block in model:
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters())
clock = Clock("cpu")
for step in clock.steps(args.steps):
    inputs, labels = torch.randn(64, 256), torch.randint(0, 10, (64,))
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
if torch.distributed.get_rank() == 0:
    clock.done()
torch.distributed.destroy_process_group()
