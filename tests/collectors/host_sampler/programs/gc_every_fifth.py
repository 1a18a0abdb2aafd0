# A loop with a garbage collection every fifth step, over enough objects that it takes a while.
import gc
import sys

import torch

gc.disable()
kept = [[i] for i in range(int(sys.argv[1]))]
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(32, 64)
for step in range(40):
    optimizer.zero_grad()
    model(data).square().mean().backward()
    optimizer.step()
    if step % 5 == 4:
        gc.collect()  # planted
print(len(kept))
