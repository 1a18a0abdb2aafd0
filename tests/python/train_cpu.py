# SPDX-License-Identifier: Apache-2.0
"""A training loop on the CPU that knows nothing of stepscope: train_cpu.py [STEPS]."""

import sys

import torch

torch.set_num_threads(1)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
batch = torch.randn(256, 64)
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 50):
    with torch.autograd.profiler.record_function("forward"):
        loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("trained with torch", torch.__version__)
