# SPDX-License-Identifier: Apache-2.0
"""One function runs an epoch, for training and for validation, over one loader with a worker: a step is a training batch."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
data = torch.utils.data.TensorDataset(torch.randn(640, 64), torch.randint(0, 10, (640,)))
train_loader = torch.utils.data.DataLoader(data, batch_size=32, num_workers=1, shuffle=True)
test_loader = torch.utils.data.DataLoader(data, batch_size=64)
model = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).to(args.device)
optimizer = torch.optim.Adam(model.parameters())
clock = Clock(args.device)


def run(loader, train):
    for rows, wanted in loader:
        if train:
            clock.tick()
        loss = torch.nn.functional.cross_entropy(model(rows.to(args.device)), wanted.to(args.device))
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


for epoch in range(args.steps // 20):
    run(train_loader, True)
    with torch.no_grad():
        run(test_loader, False)
clock.done()
