# SPDX-License-Identifier: Apache-2.0
"""`while True` over an iterator that starts again when it is at its end; the loop stops itself."""
import torch
from own_clock import Clock, arguments

args = arguments(50)
data = torch.utils.data.TensorDataset(torch.randn(24 * 16, 128), torch.randn(24 * 16, 1))
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.GELU(), torch.nn.Linear(512, 1)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
iterator, done, mean = iter(loader), 0, 0.0
clock = Clock(args.device)
while True:
    clock.tick()
    try:
        inputs, wanted = next(iterator)
    except StopIteration:
        iterator = iter(loader)
        inputs, wanted = next(iterator)
    loss = torch.nn.functional.mse_loss(model(inputs.to(args.device)), wanted.to(args.device))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    mean = 0.9 * mean + 0.1 * float(loss)
    done += 1
    if done >= args.steps:
        break
clock.done()
