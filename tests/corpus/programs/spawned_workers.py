# SPDX-License-Identifier: Apache-2.0
"""Workers of a loader that are spawned, not forked, and that read slowly."""
import time

import torch
from own_clock import Clock, arguments


class Slow(torch.utils.data.Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        time.sleep(0.004)  # planted: host.data_wait
        return torch.randn(128)


def main():
    args = arguments(40)
    model = torch.nn.Linear(128, 64).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(Slow(16 * args.steps), batch_size=16, num_workers=2, multiprocessing_context="spawn")
    clock = Clock(args.device)
    batches = iter(loader)
    for step in clock.steps(args.steps):
        loss = model(next(batches).to(args.device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    clock.done()


if __name__ == "__main__":
    main()
