# SPDX-License-Identifier: Apache-2.0
"""A training loop whose operations torch.profiler counts, also while stepscope records it: count_ops.py FILE.

Writes {name: count} of the operations inside the scope "counted" to FILE as JSON, as torch.profiler saw them.
"""

import collections
import json
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(
    torch.nn.Conv1d(4, 8, 3), torch.nn.GELU(), torch.nn.Flatten(), torch.nn.LayerNorm(8 * 30), torch.nn.Linear(8 * 30, 16)
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
batch, wanted = torch.randn(16, 4, 32), torch.randint(0, 16, (16,))


def step():
    with record_function("forward"):
        loss = torch.nn.functional.cross_entropy(model(batch), wanted)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


step()
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    with record_function("counted"):
        for _ in range(10):
            step()
events = profiler.events()
(counted,) = [event for event in events if event.name == "counted"]
begin, end = counted.time_range.start, counted.time_range.end
names = [event.name for event in events if begin <= event.time_range.start and event.time_range.end <= end]
with open(sys.argv[1], "w") as file:
    json.dump(collections.Counter(names), file)
