# SPDX-License-Identifier: Apache-2.0
"""A kernel written in Triton inside a training loop; on a GPU only."""
import sys

import torch
from own_clock import Clock, arguments

args = arguments(100)
if args.device != "cuda":
    sys.exit(77)
import triton
import triton.language as tl


@triton.jit
def scale_kernel(source, target, count, factor, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + places, tl.load(source + places, mask=places < count) * factor, mask=places < count)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(context, source):
        target = torch.empty_like(source)
        scale_kernel[(triton.cdiv(source.numel(), 1024),)](source, target, source.numel(), 0.5, BLOCK=1024)
        return target

    @staticmethod
    def backward(context, gradient):
        return gradient * 0.5


model = torch.nn.Linear(1024, 1024).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    loss = Scale.apply(model(torch.randn(2048, 1024, device=args.device))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
