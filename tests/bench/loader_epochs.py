#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop in epochs behind a DataLoader whose workers start anew each epoch.

usage: loader_epochs.py PROGRAM_JSON

PROGRAM_JSON holds "workers"; "sample": ["sleep" | "spin" | "index", milliseconds a batch]; "loop": milliseconds that an iteration
computes beside its small model; "epochs" and "batches", the batches of an epoch; and "kept", if its workers go on from epoch to epoch. Prints the mean time of all iterations but the
first, in milliseconds of wall time: with the loader's starts and ends, as a user's clock has them.
"""
import json
import sys
import time

import torch

ROWS, WIDTH = 16, 64


def spin(ms):
    end = time.perf_counter() + ms / 1e3
    while time.perf_counter() < end:
        pass


class Samples(torch.utils.data.Dataset):
    def __init__(self, kind, ms, rows):
        self.kind, self.ms, self.values = kind, ms / ROWS, torch.rand(rows, WIDTH)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, row):
        if self.kind == "sleep":
            time.sleep(self.ms / 1e3)
        elif self.kind == "spin":
            spin(self.ms)
        return self.values[row]


def main():
    program = json.loads(sys.argv[1])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    samples = Samples(*program["sample"], ROWS * program["batches"])
    kept = {"persistent_workers": True, "prefetch_factor": 4} if program.get("kept") else {}
    loader = torch.utils.data.DataLoader(samples, batch_size=ROWS, shuffle=True, num_workers=program["workers"], **kept)
    model = torch.nn.Linear(WIDTH, WIDTH)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    ends = []
    for _ in range(program["epochs"]):
        for batch in loader:
            loss = (model(batch) - batch).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            spin(program["loop"])
            ends.append(time.perf_counter())
    print(json.dumps({"ms": 1e3 * (ends[-1] - ends[0]) / (len(ends) - 1), "iterations": len(ends)}))


if __name__ == "__main__":
    main()
