# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on a CPU, on images that a slow store hands out.

The DataLoader's only worker waits for the store, and the loop waits for the worker: the picture of README.md.
"""
import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Store(Dataset):
    """Images that come over a network: each takes its time, and hardly any work."""

    def __len__(self):
        return 8192

    def __getitem__(self, i):
        time.sleep(0.001)
        return torch.rand(3, 32, 32, generator=torch.Generator().manual_seed(i)), i % 10


def train(steps, workers):
    loader = DataLoader(Store(), batch_size=32, num_workers=workers)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
        nn.Flatten(), nn.Linear(512, 10))
    optimizer = torch.optim.Adam(model.parameters())
    for _, (images, labels) in zip(range(steps), loader):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{steps} steps, loss {loss.item():.3f}")


arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=120)
arguments.add_argument("--workers", type=int, default=1)
options = arguments.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)
train(options.steps, options.workers)
