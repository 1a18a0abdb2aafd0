# SPDX-License-Identifier: Apache-2.0
"""One loop runs training and validation in turns, by the same lines; a step is a training batch."""
import torch
from own_clock import Clock, arguments

args = arguments(90)
PER_EPOCH = 15
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
sizes = {"train": PER_EPOCH, "validation": 6}
batches = {split: [(torch.randn(128, 64), torch.randint(0, 10, (128,))) for _ in range(size)] for split, size in sizes.items()}
clock = Clock(args.device)


def fit(epochs):
    for _ in range(epochs):
        for split in ("train", "validation"):
            model.train(split == "train")
            right = 0
            for x, y in batches[split]:
                if split == "train":
                    clock.tick()
                x, y = x.to(args.device), y.to(args.device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(split == "train"):
                    out = model(x)
                    loss = torch.nn.functional.cross_entropy(out, y)
                    if split == "train":
                        loss.backward()
                        optimizer.step()
                right += (out.argmax(1) == y).sum().item()


fit(args.steps // PER_EPOCH)
clock.done()
