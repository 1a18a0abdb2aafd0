# SPDX-License-Identifier: Apache-2.0
"""The link rate on a small torch training loop: autograd functions of ours call the probe inside forward,
backward and the optimizer's hooks, with and without the GIL. Passes with a message where torch is absent."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe

try:
    import torch
except ImportError:
    print("torch cannot be imported here: not run")
    sys.exit(0)

seen = set()
device = "cuda" if torch.cuda.is_available() else "cpu"


def look(_module=None, *_):
    seen.add(probe.without_gil.probe_site())
    seen.add(probe.with_gil.probe_site())


class Probed(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        look()
        return x * 1

    @staticmethod
    def backward(context, gradient):
        look()  # on CUDA: on an autograd thread
        return gradient


model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters())
optimizer.register_step_post_hook(look)
for module in model:
    module.register_forward_hook(look)
for step in range(20):
    loss = Probed.apply(model(torch.randn(16, 8, device=device))).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

found, missed = probe.with_gil.probe_found(), probe.with_gil.probe_missed()
print(f"torch {torch.__version__} on {device}: {found} of {found + missed} found, {len(seen)} lines")
sys.exit(0 if found > 0 and found >= 0.95 * (found + missed) else 1)
