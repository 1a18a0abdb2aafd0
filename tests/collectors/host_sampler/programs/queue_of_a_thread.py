# A loop whose batches come from a thread of its own through a queue.
import queue
import threading
import time

import torch

batches = queue.Queue(2)


def produce():
    for _ in range(40):
        time.sleep(0.015)
        batches.put(torch.ones(32, 64))


threading.Thread(target=produce, daemon=True).start()
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    batch = batches.get()  # planted
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
