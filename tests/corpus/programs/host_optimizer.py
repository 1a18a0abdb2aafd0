# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose state lives in host memory: gradients go down, Adam runs on the CPU, half-precision weights come up."""
import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

args = arguments(60)
on_gpu = args.device == "cuda"
torch.manual_seed(0)
WIDTH, LAYERS, TOKENS = (1024, 6, 8192) if on_gpu else (64, 2, 64)


class OffloadedAdam:
    """fp32 master weights and both moments on the host, in the manner of ZeRO-Offload."""

    def __init__(self, parameters, lr):
        self.device_parameters = list(parameters)
        self.masters, self.landing, self.half = [], [], []
        for parameter in self.device_parameters:
            self.masters.append(parameter.detach().float().cpu().requires_grad_())
            self.landing.append(torch.empty(parameter.shape, dtype=torch.bfloat16, pin_memory=on_gpu))
            self.half.append(torch.empty(parameter.shape, dtype=torch.bfloat16, pin_memory=on_gpu))
        self.inner = torch.optim.AdamW(self.masters, lr=lr)

    def step(self):
        for parameter, landing in zip(self.device_parameters, self.landing):
            landing.copy_(parameter.grad, non_blocking=True)
            parameter.grad = None
        if on_gpu:
            torch.cuda.current_stream().synchronize()
        for master, landing in zip(self.masters, self.landing):
            master.grad = landing.float()
        nn.utils.clip_grad_norm_(self.masters, 1.0)
        self.inner.step()
        for parameter, master, half in zip(self.device_parameters, self.masters, self.half):
            half.copy_(master.detach())
            parameter.data.copy_(half, non_blocking=True)


layers = []
for _ in range(LAYERS):
    layers += [nn.Linear(WIDTH, WIDTH), nn.SiLU()]
model = nn.Sequential(*layers, nn.Linear(WIDTH, 256)).to(args.device, torch.bfloat16)
optimizer = OffloadedAdam(model.parameters(), lr=1e-4)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(TOKENS, WIDTH, device=args.device, dtype=torch.bfloat16)
    targets = torch.randint(0, 256, (TOKENS,), device=args.device)
    F.cross_entropy(model(inputs).float(), targets).backward()
    optimizer.step()
clock.done()
