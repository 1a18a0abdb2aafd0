# SPDX-License-Identifier: Apache-2.0
"""accelerate's loop with gradient accumulation over two batches."""
import torch
from accelerate import Accelerator
from own_clock import Clock, arguments

args = arguments(50)
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=args.device == "cpu")
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.SiLU(), torch.nn.Linear(1024, 256))
data = torch.utils.data.TensorDataset(torch.randn(64 * args.steps, 256))
loader = torch.utils.data.DataLoader(data, batch_size=32)
model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
clock = Clock(args.device)
for number, (inputs,) in enumerate(loader):
    if number % 2 == 0:
        clock.tick()
    with accelerator.accumulate(model):
        loss = (model(inputs) - inputs).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
clock.done()
