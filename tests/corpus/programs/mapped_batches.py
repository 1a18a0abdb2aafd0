# SPDX-License-Identifier: Apache-2.0
"""map() runs the steps of each epoch, so the loop over them is in C."""
import torch
from own_clock import Clock, arguments

args = arguments(90)
PER_EPOCH = 30
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).to(args.device)
optimizer = torch.optim.Adam(model.parameters())
batches = [(torch.randn(128, 64, device=args.device), torch.randint(0, 10, (128,), device=args.device)) for _ in range(PER_EPOCH)]
clock = Clock(args.device)


def train_on(batch):
    clock.tick()
    x, y = batch
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


for epoch in range(args.steps // PER_EPOCH):
    mean = sum(map(train_on, batches)) / PER_EPOCH
clock.done()
