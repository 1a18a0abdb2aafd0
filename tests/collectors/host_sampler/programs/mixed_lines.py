# SPDX-License-Identifier: Apache-2.0
"""Silences of several lines, of which some are far shorter than the distance of looks. The last line of the
output says which share of the steps' time each marked line took, by the program's own clock."""
import collections
import json
import time

import torch

torch.set_num_threads(1)
clock = time.perf_counter
took = collections.defaultdict(float)
x = torch.randn(32, 32, requires_grad=True)
optimizer = torch.optim.SGD([x], lr=1e-4)
values = list(range(40000))

for step in range(300):
    if step == 1:
        took.clear()
        begin = clock()
    for _ in range(3):
        y = x @ x
        a = clock()
        squares = sum(i * i % 7 for i in range(8000))  # computes
        b = clock()
        time.sleep(0.001)  # sleeps
        c = clock()
        y = y.relu()
        d = clock()
        ordered = sorted(values, key=lambda v: -v)  # sorts
        e = clock()
        y = y + squares + ordered[0]
        took["computes"] += b - a
        took["sleeps"] += c - b
        took["sorts"] += e - d
    (x * x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
print(json.dumps({name: ns / (clock() - begin) for name, ns in took.items()}))
