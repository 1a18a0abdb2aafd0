# SPDX-License-Identifier: Apache-2.0
"""A data set whose items take long, read by two worker processes."""
import time

import torch
from own_clock import Clock, arguments


class Pictures(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(0.004)  # planted: host.data_wait
        return torch.full((64,), float(index))


args = arguments(40)
model = torch.nn.Linear(64, 64).to(args.device)
optimizer = torch.optim.Adam(model.parameters())
loader = torch.utils.data.DataLoader(Pictures(8 * args.steps), batch_size=8, num_workers=2)
clock = Clock(args.device)
batches = iter(loader)
for step in clock.steps(args.steps):
    batch = next(batches).to(args.device)
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
