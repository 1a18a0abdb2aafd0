# SPDX-License-Identifier: Apache-2.0
"""An exact Gaussian process of GPyTorch."""
import gpytorch
import torch
from own_clock import Clock, arguments

args = arguments(40)
inputs = torch.linspace(0, 1, 300, device=args.device)
wanted = torch.sin(inputs * 6) + 0.1 * torch.randn_like(inputs)


class Process(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(inputs, wanted, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Process(likelihood).to(args.device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
model.train()
clock = Clock(args.device)
for step in clock.steps(args.steps):
    optimizer.zero_grad()
    loss = -objective(model(inputs), wanted)
    loss.backward()
    optimizer.step()
clock.done()
