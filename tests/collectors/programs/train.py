# SPDX-License-Identifier: Apache-2.0
"""A small training loop for the collectors' tests: train.py MODE [STEPS].

It knows nothing of stepscope. It prints one JSON line, then ends in the way that MODE names.
"""

import json
import os
import signal
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((16,), float(index)).sin() * 2


def make():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 1))
    return model, torch.optim.AdamW(model.parameters(), lr=1e-2)


def step(model, optimizer, batch):
    with record_function("forward"):
        loss = model(batch).square().mean()
    with record_function("backward"):
        loss.backward()
    with record_function("optimizer"):
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


def batches(mode, steps):
    if mode == "dataloader":
        loader = DataLoader(Numbers(), batch_size=8, num_workers=2)
        for _ in range((steps + len(loader) - 1) // len(loader)):
            yield from loader
    else:
        for i in range(steps):
            yield torch.full((8, 16), float(i)).sin()


def profiled_counts(model, optimizer, steps):
    """Events of each name as torch.profiler sees them within the range "window"."""
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        with record_function("window"):
            for i in range(steps):
                step(model, optimizer, torch.full((8, 16), float(i)).cos())
    events = prof.profiler.kineto_results.events()  # prof.events() merges nested events of the same name
    window = next(event for event in events if event.name() == "window")
    inside = [e for e in events
              if window.start_ns() <= e.start_ns()
              and e.start_ns() + e.duration_ns() <= window.start_ns() + window.duration_ns()]
    counts = {}
    for event in inside:
        counts[event.name()] = counts.get(event.name(), 0) + 1
    return counts


def main():
    mode = sys.argv[1]
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    model, optimizer = make()
    losses = [step(model, optimizer, batch) for batch in batches(mode, steps)]
    result = {"mode": mode, "steps": len(losses), "losses": losses}
    if mode == "profiler":
        result["counts"] = profiled_counts(model, optimizer, 3)
        result["after"] = step(model, optimizer, torch.ones(8, 16))
    print(json.dumps(result), flush=True)
    if mode == "exit":
        sys.exit(3)
    if mode == "quick_exit":
        os._exit(5)
    if mode == "sigterm":
        os.kill(os.getpid(), signal.SIGTERM)
    if mode == "sigkill":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "abort":
        os.abort()
    if mode == "raise":
        raise RuntimeError("on purpose")
    if mode == "exec":
        os.execv(sys.executable, [sys.executable, __file__, "return", "5"])


if __name__ == "__main__":
    main()
