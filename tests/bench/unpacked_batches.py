#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of batch_unpacking against what its advice gives.

usage: unpacked_batches.py STEPSCOPE [--python PYTHON] [--turns 3] [--steps 150] [--kind NAME ...] [--making MS ...]
       unpacked_batches.py --run KIND [--making MS] [--repair KIND] [--steps 150]

A worker makes batches: boxes (16 images, and a list of 16 tensors of boxes), fields (24 tensors of a number for each sample),
arrays (NumPy arrays of 1 MB), words (lists of strings), pair (two tensors, in a short step), sampler (two tensors whose numbers
a slow sampler chooses). Making a batch computes for 0.3 or 5 ms besides. The loop is recorded by `stepscope profile`; then
what the finding advises is executed: no worker, fewer tensors, tensors in place of arrays or words, two batches in a take, or a
quick sampler. Program and repair run in turns, each in a process of its own; the truth is the median of the turns' ratios of mean
steps. PYTHON needs torch and NumPy.
"""

import pathlib
import statistics
import tempfile
import time

from executed_repairs import HEAD, finding_of, in_turns, line_of, parser_of

KINDS = ("boxes", "fields", "arrays", "words", "pair", "sampler")
REPAIRS = {"make its batches itself": "no_worker", "fewer and larger tensors": "packed", "send tensors": "tensors",
           "several batches": "together", "choose the samples faster": "chosen"}
BATCH, WARM_UP = 16, 10


def spin(ms):
    end = time.thread_time() + ms / 1e3
    while time.thread_time() < end:
        pass


class Collate:
    def __init__(self, kind, making, repair):
        self.kind, self.making, self.repair = kind, making, repair

    def __call__(self, rows):
        spin(self.making * len(rows) / BATCH)
        x = torch.randn(len(rows), 256)
        if self.kind == "boxes":
            boxes = [torch.rand(1 + row % 7, 4) for row in rows]
            if self.repair == "packed":
                return x, torch.cat(boxes), torch.tensor([len(b) for b in boxes])
            return x, boxes
        if self.kind == "fields":
            fields = [torch.tensor([float(row * k) for row in rows]) for k in range(24)]
            return (x, torch.stack(fields, 1)) if self.repair == "packed" else (x, fields)
        if self.kind == "arrays":
            images = [numpy.full((64, 256), row, dtype=numpy.float32) for row in rows]
            return torch.from_numpy(numpy.stack(images)) if self.repair == "tensors" else images
        if self.kind == "words":
            words = [[str(row * k) for k in range(1500)] for row in rows]
            return torch.tensor([[len(w) for w in some] for some in words]) if self.repair == "tensors" else words
        return x, torch.zeros(len(rows), dtype=torch.long)


class Sampler:
    def __init__(self, steps, quick):
        self.rows, self.quick = steps * BATCH, quick

    def __len__(self):
        return self.rows

    def __iter__(self):
        for row in range(self.rows):
            if not self.quick:
                sum(k * k for k in range(2500))
            yield row


class Rows:
    def __len__(self):
        return 1 << 30

    def __getitem__(self, row):
        return row


def batches(kind, loader, repair):
    """(x) of each step."""
    for batch in loader:
        if kind == "boxes":
            x, boxes = batch[0], batch[1].split(batch[2].tolist()) if repair == "packed" else batch[1]
            yield x + sum(b.sum() for b in boxes)
        elif kind == "fields":
            yield batch[0] + (batch[1].sum(1) if repair == "packed" else sum(batch[1]))[:, None]
        elif kind == "arrays":
            yield (batch if repair == "tensors" else torch.from_numpy(numpy.stack(batch))).mean(1)
        elif kind == "words":
            lengths = batch if repair == "tensors" else torch.tensor([[len(w) for w in some] for some in batch])
            yield lengths[:, :256].float()
        elif repair == "together":
            yield from batch[0].split(BATCH)
        else:
            yield batch[0]


def run_program(options):
    global torch, numpy
    import numpy
    import torch
    torch.manual_seed(0)
    kind, repair = options.run, options.repair
    width = 256 if kind == "pair" else 768
    model = torch.nn.Sequential(torch.nn.Linear(256, width), torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU(),
                                torch.nn.Linear(width, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    workers = 0 if repair == "no_worker" else 1
    loader = torch.utils.data.DataLoader(
        Rows(), BATCH * (2 if repair == "together" else 1), sampler=Sampler(options.steps, kind != "sampler" or repair == "chosen"),
        num_workers=workers, collate_fn=Collate(kind, options.making, repair), **({"persistent_workers": True} if workers else {}))
    times = []
    begin = time.perf_counter()
    for x in batches(kind, loader, repair):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append(1e3 * (time.perf_counter() - begin))
        begin = time.perf_counter()
    print(statistics.mean(times[WARM_UP:]))


def judge(options, folder, kind, making):
    program = [options.python, pathlib.Path(__file__).resolve(), "--steps", options.steps, "--making", making, "--run", kind]
    found, step = finding_of(options.stepscope, folder / f"{kind}{making}.scope", program, lambda one: one["id"] == "batch_unpacking")
    repair = next((repair for words, repair in REPAIRS.items() if found and words in found["fix"]), "no_worker")
    name = f"{kind}, {making:g} ms: {repair if found else 'no finding; no_worker'}"
    return line_of(name, found, step, in_turns(program, [*program, "--repair", repair], options.turns))


def main():
    parser = parser_of(__doc__, turns=3, steps=150)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--making", type=float, action="append")
    parser.add_argument("--out", type=pathlib.Path, help="where recordings stay; default: nowhere")
    parser.add_argument("--run", choices=KINDS, help="run one in this process")
    parser.add_argument("--repair", choices=sorted(REPAIRS.values()))
    options = parser.parse_args()
    if options.run:
        options.making = (options.making or [0.3])[0]
        run_program(options)
        return
    if options.stepscope is None:
        parser.error("name the stepscope to judge")
    print(HEAD)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        for kind in options.kind or KINDS:
            for making in options.making or (0.3, 5.0):
                print(judge(options, folder, kind, making), flush=True)


if __name__ == "__main__":
    main()
