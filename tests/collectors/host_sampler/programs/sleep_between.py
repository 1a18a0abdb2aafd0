# A loop that sleeps between its steps, and computes in Python alone after that.
import time

import torch


def wait():
    time.sleep(0.020)  # planted: sleep


def count():
    total = 0
    for i in range(120_000):
        total += i * i  # planted: python
    return total


model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(32, 64)
for step in range(40):
    optimizer.zero_grad()
    model(data).square().mean().backward()
    optimizer.step()
    wait()
    count()
