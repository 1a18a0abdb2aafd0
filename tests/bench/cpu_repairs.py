#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small training loop on the CPU with one avoidable cost, and the same loop with that cost repaired.

usage: cpu_repairs.py COST [--steps 60] [--turns N]

input (batches made in the loop; repaired: by a thread), eval (each step; one in ten), save (each step; one in twenty),
python (a metric in Python; by a tensor operation), mask (made each step; once), gc (collections; frozen),
twice (the encoder runs twice; once), copies (rows copied one by one; at once), rows (a batch made of Python lists; by
numpy), io (the batch read from a file; kept), pause (a logger that sleeps; none), extra (a loss of weight nothing, with its
gradients; none), sort (a median by sorting all; none), ema (a deep copy of the model each step; one in ten), norms (of each
gradient's row, each step; one in ten).
Without --turns it runs the loop with its cost. With it, both loops run N times in turn in this process, a few steps each.
Their wall and CPU times a step are printed as JSON. Lines of costs end in "# cost: NAME".
"""

import argparse
import contextlib
import copy
import gc
import json
import os
import queue
import tempfile
import threading
import time

import numpy as np
import torch
from torch import nn
from torch.profiler import record_function

ROWS, WIDTH, CLASSES = 256, 384, 16
COSTS = ("input", "eval", "save", "python", "mask", "gc", "twice", "copies", "rows", "io", "pause", "extra", "sort", "ema", "norms")


class Node:
    def __init__(self, value):
        self.value, self.itself = value, self


def prepare(seed):
    noise = np.random.default_rng(seed).standard_normal((ROWS, WIDTH), dtype=np.float32)
    return torch.from_numpy(np.sort(noise, axis=1))


def prepared_beside():
    ready = queue.Queue(4)

    def work():
        seed = 0
        while True:
            ready.put(prepare(seed))
            seed += 1

    threading.Thread(target=work, daemon=True).start()
    return ready


class Loop:
    def __init__(self, cost, repaired):
        torch.manual_seed(0)
        self.cost, self.repaired = cost, repaired
        self.encoder = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH), nn.GELU())
        self.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES))
        self.parameters = [*self.encoder.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.SGD(self.parameters, lr=1e-3)
        self.batches = [prepare(seed) for seed in range(4)]
        self.labels = torch.randint(CLASSES, (ROWS,))
        self.ready = prepared_beside() if cost == "input" and repaired else None
        self.mask = self.make_mask()
        self.kept = []
        self.folder = tempfile.mkdtemp()
        self.file = os.path.join(self.folder, "batches.npy")
        np.save(self.file, np.concatenate([batch.numpy() for batch in self.batches] * 4))

    def has(self, cost):
        return self.cost == cost and not self.repaired

    def make_mask(self):
        return torch.ones(WIDTH, WIDTH).tril().cumsum(0).sqrt().reciprocal().sum(0)  # cost: mask

    def data(self, i):
        if self.has("input"):
            return prepare(i)  # cost: input
        if self.has("rows"):
            return torch.tensor([[v * 0.5 for v in row] for row in self.batches[i % 4][:64, :128].tolist()]).repeat(4, 3)  # cost: rows
        if self.cost == "rows":
            return (self.batches[i % 4][:64, :128] * 0.5).repeat(4, 3)
        if self.has("io"):
            return torch.from_numpy(np.load(self.file)[:ROWS])  # cost: io
        return self.batches[i % 4] if self.ready is None else self.ready.get()

    def forward(self, x):
        mask = self.make_mask() if self.has("mask") else self.mask
        hidden = self.encoder(x)
        if self.has("twice"):
            hidden = (hidden + self.encoder(x)) / 2  # cost: twice
        if self.has("copies"):
            hidden = torch.stack([hidden[k] * 1.0 for k in range(ROWS)])  # cost: copies
        if self.has("sort"):
            self.median = hidden.detach().flatten().sort().values[hidden.numel() // 2]  # cost: sort
        return self.head(hidden + 0.01 * mask)

    def log(self, i, scores):
        if self.has("python"):
            sum(int(a == b) for a, b in zip(scores.argmax(-1).tolist() * 40, self.labels.tolist() * 40))  # cost: python
        elif self.cost == "python":
            scores.argmax(-1).eq(self.labels).sum()
        if self.cost == "gc":
            self.kept = [Node(k) for k in range(6000)]  # cost: gc
        if self.has("pause"):
            time.sleep(0.003)  # cost: pause
        if self.cost == "ema" and (self.has("ema") or i % 10 == 0):
            with record_function("ema"):
                self.kept = [copy.deepcopy(self.encoder) for _ in range(4)]  # cost: ema
        if self.cost == "save" and (self.has("save") or i % 20 == 0):
            with record_function("save"), open(os.path.join(self.folder, "last"), "wb") as file:
                torch.save({k: p for k, p in enumerate(self.parameters)}, file)  # cost: save

    def step(self, i):
        with record_function("data"):
            x = self.data(i)
        with record_function("forward"):
            scores = self.forward(x)
            loss = nn.functional.cross_entropy(scores, self.labels)
            if self.has("extra"):
                loss = loss + 0.0 * (self.encoder(x * 0.9) - x).square().mean()  # cost: extra
        with record_function("backward"):
            loss.backward()
        if self.cost == "norms" and (self.has("norms") or i % 10 == 0):
            with record_function("norms"):
                self.kept = [[float(row.norm()) for row in p.grad] for p in self.parameters if p.dim() > 1]  # cost: norms
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        with record_function("log"):
            self.log(i, scores)
        if self.cost == "eval" and (self.has("eval") or i % 10 == 0):
            with record_function("eval"), torch.no_grad():
                self.head(self.encoder(x)).argmax(-1).eq(self.labels).float().mean()  # cost: eval

    def run(self, steps, warm_up):
        """Milliseconds a step: by the clock, and of CPU time of this process."""
        with self.as_repaired():
            for i in range(warm_up):
                self.step(i)
            begin = time.perf_counter(), time.process_time()
            for i in range(steps):
                self.step(i)
            return [1e3 * (now - then) / steps for now, then in zip((time.perf_counter(), time.process_time()), begin)]

    @contextlib.contextmanager
    def as_repaired(self):
        frozen = self.cost == "gc" and self.repaired
        if frozen:
            gc.disable()
        yield
        if frozen:
            gc.enable()
            self.kept = []
            gc.collect()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cost", choices=COSTS)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--turns", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    slow = Loop(options.cost, False)
    if options.turns == 0:
        print(json.dumps({"slow_ms": [slow.run(options.steps, 10)]}))
        return
    repaired = Loop(options.cost, True)
    times = [(slow.run(options.steps, 2), repaired.run(options.steps, 2)) for _ in range(options.turns + 1)][1:]
    print(json.dumps({"slow_ms": [a for a, _ in times], "repaired_ms": [b for _, b in times]}))


if __name__ == "__main__":
    main()
