# SPDX-License-Identifier: Apache-2.0
"""The same without workers: the loop itself decodes its batch."""
import torch
from own_clock import Clock, arguments


class Records(torch.utils.data.Dataset):
    def __init__(self, count):
        self.rows = [",".join(str(i % 97) for i in range(4000)) for _ in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor([float(x) for x in self.rows[index].split(",")])  # planted: host


args = arguments(40)
model = torch.nn.Linear(4000, 16).to(args.device)
optimizer = torch.optim.Adam(model.parameters())
loader = torch.utils.data.DataLoader(Records(8 * args.steps), batch_size=8)
clock = Clock(args.device)
batches = iter(loader)
for step in clock.steps(args.steps):
    batch = next(batches).to(args.device)
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
