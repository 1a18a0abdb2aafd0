# SPDX-License-Identifier: Apache-2.0
"""Trains a small classifier on made-up images, on a CPU.

A batch is gathered in one call, and so is the norm of the
gradients (docs/tutorial.md).
"""
import argparse
import random

import torch
from torch import nn
from torch.profiler import record_function


class Images(torch.utils.data.Dataset):
    """2,048 images as lists of numbers, as a text or JSON file would give them."""

    def __init__(self):
        generator = random.Random(0)
        images = [[generator.random() for _ in range(784)] for _ in range(2048)]
        self.images = torch.tensor(images)
        self.labels = torch.arange(len(images)) % 10

    def __len__(self):
        return len(self.images)

    def __getitems__(self, rows):
        return self.images[rows], self.labels[rows]


def gradient_norm(model):
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()]).norm().item()


def train(steps):
    loader = torch.utils.data.DataLoader(Images(), batch_size=128, shuffle=True, collate_fn=tuple)
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters())
    batches = iter(loader)
    for step in range(steps):
        if step % len(loader) == 0:
            batches = iter(loader)
        with record_function("load"):
            images, labels = next(batches)
        with record_function("forward"):
            loss = nn.functional.cross_entropy(model(images), labels)
        with record_function("backward"):
            optimizer.zero_grad()
            loss.backward()
        with record_function("norm"):
            norm = gradient_norm(model)
        optimizer.step()
    print(f"{steps} steps, loss {loss.item():.3f}, gradient norm {norm:.3f}")


arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=60)
torch.manual_seed(0)
torch.set_num_threads(1)
train(arguments.parse_args().steps)
