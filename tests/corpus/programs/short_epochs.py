# SPDX-License-Identifier: Apache-2.0
"""Many epochs of few batches: each epoch starts the loader's workers anew."""
import torch
from own_clock import Clock, arguments

args = arguments(48)
data = torch.utils.data.TensorDataset(torch.randn(8 * 32, 64), torch.randn(8 * 32, 1))
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, num_workers=2)
model = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1)).to(args.device)
optimizer = torch.optim.RMSprop(model.parameters())
clock = Clock(args.device)
clock.tick()
for epoch in range(args.steps // 8):
    total = 0.0
    for inputs, wanted in loader:
        loss = (model(inputs.to(args.device)) - wanted.to(args.device)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        clock.tick()
clock.begins.pop()
clock.done()
